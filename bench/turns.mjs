// The client of bench/parts/turns.sh: puts discussions into the server's store, as another program may, and watches
// what becomes of them.
//
//   turns.mjs rate DB URL DISCUSSIONS     turns a second, from the first that is stored to the last
//   turns.mjs out DB URL DISCUSSIONS N    returns when N calls are out
//   turns.mjs first DB URL TURNS          from the end of one turn to the first word of the next at an SSE reader, ms
import { DatabaseSync } from 'node:sqlite';

const [what, db, url, count, more] = process.argv.slice(2);
const store = new DatabaseSync(db);
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const names = ['Divergent', 'Convergent', 'Critical'];
const id = (kind, number) => `00000000-0000-4000-8${kind}00-${String(number).padStart(12, '0')}`;

store.exec('PRAGMA busy_timeout = 20000');

function seat(discussion, seats) {
    const insert = store.prepare(
        'INSERT INTO discussion_participants (discussion_id, agent_id, name, role, sequence_order) VALUES (?, ?, ?, ?, ?)',
    );
    for (let at = 0; at < seats; at++) insert.run(discussion, id(1, at), names[at], names[at].toLowerCase(), at);
}

// All of them at once: nobody sees one before the last is there.
function fill(discussions, seats, rounds) {
    const agent = store.prepare('INSERT OR IGNORE INTO agent_templates (id, name, role, system_prompt) VALUES (?, ?, ?, ?)');
    const state = store.prepare(
        "INSERT INTO discussion_state (discussion_id, topic, mode, rounds, wants_drive) VALUES (?, 'Services or one program?', 'rounds', ?, 1)",
    );
    const base = store.prepare('SELECT COUNT(*) AS n FROM discussion_state').get().n;
    store.exec('BEGIN IMMEDIATE');
    names.forEach((name, at) => agent.run(id(1, at), name, name.toLowerCase(), `You are ${name}.`));
    for (let i = 0; i < discussions; i++) {
        seat(id(2, base + i), seats);
        state.run(id(2, base + i), rounds);
    }
    store.exec('COMMIT');
}

async function metric(name) {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(text.match(new RegExp(`^${name} (\\d+)`, 'm'))[1]);
}

async function rate() {
    const turns = Number(count) * 9;
    const before = await metric('witan_turns_total');
    let begin, first, now;
    fill(Number(count), 3, 3);
    for (;;) {
        now = (await metric('witan_turns_total')) - before;
        if (now > 0 && begin === undefined) [begin, first] = [performance.now(), now];
        if (now >= turns) break;
        await pause(20);
    }
    console.log((((now - first) * 1000) / (performance.now() - begin)).toFixed(0));
}

async function out() {
    fill(Number(count), 3, 3);
    while ((await metric('witan_calls')) < Number(more)) await pause(50);
}

async function first() {
    const controller = new AbortController();
    const stream = await fetch(`${url}/api/events?types=turn.delta,turn.finished,discussion.ended`, {
        signal: controller.signal,
    });
    const took = [];
    let text = '', ended;
    fill(1, 1, Math.min(Number(count), 90));
    for await (const part of stream.body.pipeThrough(new TextDecoderStream())) {
        const now = performance.now();
        text += part;
        if (text.includes('"turn.delta"') && ended !== undefined) {
            took.push(now - ended);
            ended = undefined;
        }
        if (text.includes('"turn.finished"')) ended = now;
        if (text.includes('"discussion.ended"')) break;
        if (text.endsWith('\n\n')) text = '';
    }
    took.sort((a, b) => a - b);
    console.log(took[took.length >> 1].toFixed(3));
    controller.abort();
    process.exit(0);
}

await { rate, out, first }[what]();
