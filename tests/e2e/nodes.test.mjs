// Two servers on one PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { cli } from './lib/cli.mjs';
import { full, quickOnce, start, until } from './lib/server.mjs';
import { assertInOrder, connect, listen, numbersOf } from './lib/streams.mjs';
import { Load, checkLedger } from './lib/load.mjs';

async function pair(t) {
    const a = await start(t, { engine: 'postgres' });
    const b = await start(t, { engine: 'postgres', db: a.db });
    return [a, b];
}

test('what happens on one node is heard on the other', async (t) => {
    const [a, b] = await pair(t);
    const [stream, socket] = [await listen(t, a), await connect(t, a)];
    await quickOnce(900, async () => {
        const prompt = await a.ask({ required_responses: 2 });
        const held = a.api('GET', `/api/discussion/${prompt.id}?wait=30`, undefined, { agent: undefined });
        await until(async () => (await a.metric('witan_waits')) === 1, 'the wait is held');
        assert.equal((await b.answer(prompt.id, 'Builder')).status, 201);
        const began = Date.now();
        assert.equal((await b.answer(prompt.id, 'Growth')).body.ready, true);
        assert.equal((await held).body.status, 'resolved');
        const took = Date.now() - began;
        for (const reader of [stream, socket])
            await reader.until(
                () => reader.of('prompt.ended').some(({ promptId }) => promptId === prompt.id),
                'the other node tells its readers',
            );
        return took;
    });
});

test('two answers at once on two nodes: resolved once', async (t) => {
    const [a, b] = await pair(t);
    const reader = await listen(t, b, { query: '?types=prompt.ended' });
    const asked = await Promise.all(Array.from({ length: 100 }, () => a.ask({ required_responses: 2 })));
    const replies = await Promise.all(
        asked.flatMap(({ id }) => [a.answer(id, 'Builder'), b.answer(id, 'Growth')]),
    );
    for (const reply of replies) assert.equal(reply.status, 201, reply.text);
    assert.equal(replies.filter(({ body }) => body.ready).length, asked.length);
    await reader.saw('prompt.ended', asked.length);
    for (const { id } of asked) assert.equal((await b.show(id)).responseCount, 2);
    assert.equal(new Set(reader.events.map(({ promptId }) => promptId)).size, asked.length);
});

test('limits are applied once, whichever node does it, and the clock is shared', async (t) => {
    const [a, b] = await pair(t);
    const readers = [
        await listen(t, a, { query: '?types=prompt.ended' }),
        await listen(t, b, { query: '?types=prompt.ended' }),
    ];
    const count = 300;
    for (let made = 0; made < count; made += 50)
        await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? a : b).ask({ timeout_minutes: 2 })));
    await Promise.all([a.advance(60_000), b.advance(61_500)]);
    for (const reader of readers) await reader.saw('prompt.ended', count);
    const [[ended]] = await a.sql(`SELECT count(*) FROM events WHERE type = 'prompt.ended'`);
    assert.equal(Number(ended), count);
    assert.deepEqual(
        readers[0].events.map(({ seq }) => seq),
        readers[1].events.map(({ seq }) => seq),
    );
});

test('one node dies, the other goes on', async (t) => {
    const [a, b] = await pair(t);
    const reader = await listen(t, b, { query: '?after=0' });
    const [onA, onB] = [new Load(a, 4, { mark: 'A' }), new Load(b, 4, { mark: 'B' })];
    for (let round = 0; round < (full ? 10 : 2); round++) {
        await onA.more(50);
        await a.kill9();
        await onB.more(100);
        await a.restart();
    }
    await Promise.all([onA.stop(), onB.stop()]);
    onA.server = b;
    for (const load of [onA, onB]) await checkLedger(load);
    const logged = await numbersOf(b);
    await reader.until(() => reader.events.at(-1)?.seq >= logged.at(-1), 'the reader has the last event');
    assertInOrder(reader.events);
    assert.deepEqual(
        reader.events.map(({ seq }) => seq),
        logged,
    );
});

// Wherever it is stopped: between two statements, in the middle of one, with a reply unread.
test('a node that stands still holds up nobody, and does no harm when it goes on', async (t) => {
    const [a, b] = await pair(t);
    const reader = await listen(t, b, { query: '?after=0' });
    const [onA, onB] = [new Load(a, 6, { mark: 'A' }), new Load(b, 2, { mark: 'B' })];
    t.after(() => (onA.going = onB.going = false));
    let slowest = 0;
    for (let round = 0; round < (full ? 150 : 10); round++) {
        await onA.more(5 + Math.random() * 20);
        await pause(Math.random() * 15);
        process.kill(a.pid, 'SIGSTOP');
        try {
            const message = `round ${round}`;
            const began = Date.now();
            await b.say('Watch', message);
            await reader.until((r) => r.events.some((event) => event.message === message), message);
            slowest = Math.max(slowest, Date.now() - began);
        } finally {
            process.kill(a.pid, 'SIGCONT');
        }
    }
    t.diagnostic(`the slowest event took ${slowest} ms`);
    await Promise.all([onA.stop(), onB.stop()]);
    for (const load of [onA, onB]) await checkLedger(load);
    await until(async () => {
        const { code, stdout } = await cli(a.folder, ['audit', 'verify', '--json', '--db', a.db]);
        assert.equal(code, 0, stdout);
        return JSON.parse(stdout).unsealed === 0;
    }, 'every row is sealed');
    const logged = await numbersOf(b);
    assert.deepEqual(
        logged,
        logged.map((_, i) => i + 1),
    );
    await reader.until(() => reader.events.at(-1)?.seq >= logged.at(-1), 'the reader has the last event');
    assertInOrder(reader.events);
    assert.equal(reader.events.length, logged.length);
});

test('the audit log that two nodes wrote is whole', async (t) => {
    const [a, b] = await pair(t);
    await Promise.all(
        Array.from({ length: 200 }, (_, i) => (i % 2 ? a : b).say('Developer', `message ${i}`)),
    );
    await until(async () => {
        const { code, stdout } = await cli(a.folder, ['audit', 'verify', '--json', '--db', a.db]);
        assert.equal(code, 0, stdout);
        return JSON.parse(stdout).unsealed === 0;
    }, 'every row is sealed');
});
