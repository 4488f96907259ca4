// Discussions that another program has put into the store, with plain SQL, and what becomes of them.
import { createHash } from 'node:crypto';

export const id = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const quote = (value) => (value === null ? 'NULL' : typeof value === 'number' ? value : `'${String(value).replaceAll("'", "''")}'`);

function insert(table, row) {
    const names = Object.keys(row);
    return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => quote(row[name])).join(', ')});`;
}

let agents = 1000;

// An agent; its system prompt says who it is, so that the model server can tell.
export async function agent(server, name, more = {}) {
    const row = { id: id(++agents), name, role: 'specialist', system_prompt: `Speaker: ${name}.`, ...more };
    await server.sql(insert('agent_templates', row));
    return { ...row };
}

// The rows of a discussion; `seats` are agents, or null for a person.
function rowsOf(own, seats) {
    const places = seats.map((seat, order) =>
        insert('discussion_participants', {
            discussion_id: own.discussion_id,
            agent_id: seat?.id ?? null,
            name: seat?.name ?? 'Paula',
            role: seat ? seat.role : 'user',
            sequence_order: order,
        }),
    );
    return [...places, insert('discussion_state', own)];
}

// Several that are there at once, each as [number, seats, more]; gives their ids.
export async function discussions(server, all) {
    const owns = all.map(([number, , more]) => ({
        discussion_id: id(number),
        topic: `Topic ${number}`,
        mode: 'rounds',
        rounds: 2,
        wants_drive: 1,
        ...more,
    }));
    const rows = all.flatMap(([, seats], which) => rowsOf(owns[which], seats));
    await server.sql(`BEGIN;\n${rows.join('\n')}\nCOMMIT;`);
    return owns.map((own) => own.discussion_id);
}

export async function discussion(server, number, seats, more = {}) {
    return (await discussions(server, [[number, seats, more]]))[0];
}

export async function state(server, of) {
    const [[status, reason, phase, round, driver]] = await server.sql(
        `SELECT status, COALESCE(end_reason, ''), phase, current_round, COALESCE(driver, '') FROM discussion_state WHERE discussion_id = '${of}'`,
    );
    return { status, reason, phase, round: Number(round), driver };
}

const rests = ([status, phase]) => status !== 'active' || phase === 'person' || phase === 'outside';

// Whether each has ended or waits for somebody.
export async function allRest(server, discussions) {
    const rows = await server.sql(
        `SELECT status, phase FROM discussion_state WHERE discussion_id IN (${discussions.map(quote).join(', ')})`,
    );
    return rows.length === discussions.length && rows.every(rests);
}

// The log as lines, in order; two runs that went the same way have the same. Ballots of a round are cast at once, in
// whatever order they come.
export async function said(server, of) {
    const rows = await server.sql(
        `SELECT kind, round_number, turn_index, speaker, manner, content FROM discussion_logs l
          WHERE discussion_id = '${of}'
          ORDER BY CASE WHEN kind = 'ballot' THEN (SELECT MIN(b.seq) FROM discussion_logs b
            WHERE b.discussion_id = l.discussion_id AND b.kind = 'ballot' AND b.round_number = l.round_number) ELSE seq END,
            turn_index`,
    );
    return rows.map((row) => row.join(' | '));
}

// An answer that depends on nothing but the question, so that a turn that is asked for again is answered alike.
export function deterministic({ system, user }) {
    if (/go_on/.test(system + user)) return '{"go_on": true, "reason": "more to come"}';
    if (/"?confidence"?/.test(system + user)) return '{"choice": "tea", "confidence": 0.8, "ranking": ["tea", "coffee"]}';
    const hash = createHash('sha256').update(system).update(user).digest('hex');
    return `I think ${hash.match(/.{6}/g).slice(0, 8).join(' ')}.`;
}
