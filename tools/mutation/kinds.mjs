// The kinds of faults. Each finds its places in a part of a file (masked: no comments, no literals) and gives what to put there
// instead: { at, length, text }. They are the faults that people make, and that reviews have found living.

// From an opening bracket to behind its closing one; -1 when there is none.
function behind(masked, open) {
    for (let depth = 0, i = open; i < masked.length; i++) {
        if (masked[i] === '(') depth++;
        if (masked[i] === ')' && --depth === 0) return i + 1;
    }
    return -1;
}

const swap = (pattern, into) => (masked) =>
    [...masked.matchAll(pattern)].map((found) => ({ at: found.index + found[0].indexOf(found[1]), length: found[1].length, text: into[found[1]] }));

// A call of one of these, whatever its arguments, becomes the value.
const insteadOfCall = (pattern, value) => (masked) =>
    [...masked.matchAll(pattern)].flatMap((found) => {
        const end = behind(masked, found.index + found[0].length - 1);
        return end < 0 ? [] : [{ at: found.index, length: end - found.index, text: value }];
    });

const conditions = (masked) =>
    [...masked.matchAll(/\b(?:if|while) \(/g)].flatMap((found) => {
        const open = found.index + found[0].length - 1;
        const end = behind(masked, open);
        return end < 0 ? [] : [{ open, end, text: masked.slice(open, end) }];
    });

// A return that is not the last word of its function: what it keeps out goes on. One that only passes on that something below has
// failed is left alone, since no test makes every statement fail.
function earlyReturns(masked) {
    return [...masked.matchAll(/\breturn\b[^;]*;/g)]
        .filter(({ index, 0: text }) => {
            const line = masked.slice(masked.lastIndexOf('\n', index) + 1, index);
            const before = masked.slice(0, index);
            const passesOn = /^return (?:false|NULL);$/.test(text) && /!\w+\(/.test(before.slice(before.lastIndexOf('if (')));
            const last = !/\S/.test(masked.slice(index + text.length));
            return !last && !passesOn && !/\b(?:case|default)\b/.test(line);
        })
        .map(({ index, 0: text }) => ({ at: index, length: text.length, text: ';' }));
}

const widened = { ROLE_OWNER: 'ROLES_MANAGE', ROLES_MANAGE: 'ROLES_PEOPLE', ROLES_PEOPLE: 'ROLES_WRITE', ROLES_WRITE: 'ROLES_READ', ROLES_READ: '(ROLES_READ | ROLE_ANYONE)' };

// Conditions about who holds the work, and for how long.
const holding = /\b\w*(?:epoch|lease|held_until|is_held)\w*\b/;

export const kinds = {
    turn: {
        help: 'a comparison turned: == and !=, < and >=, > and <=',
        c: swap(/[\w)\]] (==|!=|<=|>=|<|>) [\w(&*!-]/g, { '==': '!=', '!=': '==', '<': '>=', '>=': '<', '>': '<=', '<=': '>' }),
    },
    limit: {
        help: 'off by one at a limit: < and <=, > and >=, a LIMIT_ one larger',
        c: (masked) => [
            ...swap(/[\w)\]] (<=|>=|<|>) [\w(&*!-]/g, { '<': '<=', '<=': '<', '>': '>=', '>=': '>' })(masked),
            ...[...masked.matchAll(/\b(?:LIMIT_\w+|settings\(\)->limits_\w+)\b/g)].map(({ index, 0: name }) => ({ at: index, length: name.length, text: `(${name} + 1)` })),
        ],
    },
    negate: {
        help: 'a condition negated',
        c: (masked) => conditions(masked).map(({ open, end, text }) => ({ at: open, length: end - open, text: `(!${text})` })),
    },
    junction: {
        help: 'one of two conditions left out: && becomes ||, || becomes &&',
        c: swap(/ (&&|\|\|)(?=\s)/g, { '&&': '||', '||': '&&' }),
    },
    return: {
        help: 'an early return skipped: what it kept out goes on',
        c: earlyReturns,
    },
    event: {
        help: 'an event not told',
        c: insteadOfCall(/\b(?:event_append(?:_many)?|docket_event|tell(?:_\w+)?|alert_\w+)\(/g, 'true'),
    },
    role: {
        help: 'a role widened: more may call an operation, or a check of the caller says yes',
        c: insteadOfCall(/\bcaller_(?:is|may|sees|hears)_?\w*\(/g, 'true'),
        table: swap(/\.needs = (ROLES?_[A-Z]+)\b(?=,)/g, widened),
    },
    lease: {
        help: 'who holds the work is not looked at: leases, epochs',
        c: (masked) =>
            conditions(masked)
                .filter(({ text }) => holding.test(text))
                .map(({ open, end, text }) => ({ at: open, length: end - open, text: `(0 && ${text})` })),
        sql: (masked) =>
            [...masked.matchAll(/\b(?:\w+\.)?\w*(?:epoch|lease|driver)\w* = \$\d+/g)].flatMap(({ index, 0: text }) =>
                /\bSET\b[^;]*$/.test(masked.slice(0, index)) && !/\bWHERE\b[^;]*$/.test(masked.slice(0, index)) ? [] : [{ at: index, length: text.length, text: `(${text} OR 1 = 1)` }],
            ),
    },
    scope: {
        help: 'a statement that looks beyond its workspace or project',
        sql: (masked) =>
            [...masked.matchAll(/\b(?:\w+\.)?(?:workspace_id|project_id) = \$\d+/g)].flatMap(({ index, 0: text }) =>
                /\bWHERE\b[^;]*$/.test(masked.slice(0, index)) ? [{ at: index, length: text.length, text: `(${text} OR 1 = 1)` }] : [],
            ),
    },
};

/** All faults of the chosen kinds in one part of a file. */
export function faultsIn(file, masked, part, chosen) {
    const form = file.endsWith('.sql') ? 'sql' : part.table ? 'table' : 'c';
    const body = masked.slice(part.from, part.to);
    return chosen.flatMap((kind) => (kinds[kind][form]?.(body) ?? []).map((fault) => ({ ...fault, at: fault.at + part.from, kind, file, part: part.name })));
}
