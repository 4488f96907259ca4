// While writes fail the server says that it is not ready, and finds out by itself when they work again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start, until } from './lib/server.mjs';
import { holdWrites } from './lib/sql.mjs';

const ready = (server) => server.api('GET', '/readyz');
const say = (server) => server.api('POST', '/api/chat', { agent_name: 'Scout', message: 'x' });

async function turnsRed(server) {
    await until(async () => (await say(server)).status === 503, 'a write is refused');
    const { status, body } = await ready(server);
    assert.equal(status, 503);
    assert.deepEqual([body.status, body.checks.writes], ['not_ready', false]);
    assert.equal((await server.api('GET', '/api/chat')).status, 200, 'reading goes on');
}

// Nobody writes here but the server itself. Whichever of its writes comes first makes it ready; the log tells of it
// when the next look at it is due.
async function turnsGreen(server) {
    await until(async () => (await ready(server)).status === 200, 'ready again');
    assert.equal((await say(server)).status, 201);
    await until(() => /cannot be written to[^]*can be written to again/.test(server.log), 'the log tells of both');
}

test('a SQLite file that another program keeps locked', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    assert.equal((await say(server)).status, 201);
    const hold = holdWrites(server.db, 60_000);
    await turnsRed(server);
    await until(() => /cannot be written to/.test(server.log), 'the log tells of it');
    hold.release();
    await hold;
    await turnsGreen(server);
});

// Longer than a server that runs waits for anybody: nobody waits behind one that starts.
test('a server that starts waits for a program that is writing', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    await server.kill9();
    const hold = holdWrites(server.db, 60_000);
    await until(hold.held, 'it writes');
    setTimeout(hold.release, 3000);
    await server.restart();
    await hold;
    assert.equal((await say(server)).status, 201);
});
