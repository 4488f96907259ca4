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

// `seats` are agents, or null for a person.
export async function discussion(server, number, seats, more = {}) {
    const own = { discussion_id: id(number), topic: `Topic ${number}`, mode: 'rounds', rounds: 2, wants_drive: 1, ...more };
    const rows = seats.map((seat, order) =>
        insert('discussion_participants', {
            discussion_id: own.discussion_id,
            agent_id: seat?.id ?? null,
            name: seat?.name ?? 'Paula',
            role: seat ? seat.role : 'user',
            sequence_order: order,
        }),
    );
    await server.sql(`${rows.join('\n')}\n${insert('discussion_state', own)}`);
    return own.discussion_id;
}

export async function state(server, of) {
    const [[status, reason, phase, round, driver]] = await server.sql(
        `SELECT status, COALESCE(end_reason, ''), phase, current_round, COALESCE(driver, '') FROM discussion_state WHERE discussion_id = '${of}'`,
    );
    return { status, reason, phase, round: Number(round), driver };
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
