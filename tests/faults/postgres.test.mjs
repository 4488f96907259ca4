// PostgreSQL goes away under load and comes back: what was acknowledged is there, what was not is refused,
// nothing hangs, and the server goes on by itself.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase, sql } from '../e2e/lib/sql.mjs';
import { full, patience, start, until } from '../e2e/lib/server.mjs';
import { assertInOrder, listen, numbersOf } from '../e2e/lib/streams.mjs';
import { Load, checkLedger } from '../e2e/lib/load.mjs';
import { ownPostgres } from './lib/postgres.mjs';

const longest = patience; // whatever the machine is busy with; nobody waits for ever

// What the limits are where nobody sets them.
const asShipped = { WITAN_STORE_WAIT: '5s', WITAN_STORE_TIMEOUT: '10s' };

for (const mode of ['fast', 'immediate'])
    test(`a restart under load (${mode})`, { timeout: 600_000 }, async (t) => {
        const postgres = await ownPostgres(t);
        const server = await start(t, { db: await createDatabase(postgres.url), env: asShipped });
        const reader = await listen(t, server, { query: '?after=0' });
        const open = await server.ask({ timeout_minutes: 1 });
        const load = new Load(server);
        for (let round = 0; round < (full ? 10 : 2); round++) {
            await load.more(100);
            await postgres.stop(mode);
            const refused = load.refused.length;
            // While it is away, requests are refused in time and the server says that it is not ready.
            await until(() => load.refused.length > refused, 'a write is refused', longest);
            await until(
                async () =>
                    (await server.api('GET', '/readyz', undefined, { timeout: longest })).status === 503,
                'not ready',
            );
            assert.equal((await server.api('GET', '/healthz', undefined, { timeout: longest })).status, 200);
            assert.equal(
                (await server.api('GET', '/api/chat', undefined, { timeout: longest })).status,
                503,
            );
            await postgres.start();
            await load.more(100);
            await until(async () => (await server.api('GET', '/readyz')).status === 200, 'ready again');
        }
        await load.stop();
        assert.equal(load.lost, 0, 'every request was answered');
        for (const reply of load.refused) {
            assert.equal(reply.status, 503, reply.text);
            assert.ok(['unavailable', 'outcome_unknown'].includes(reply.body.code), reply.text);
            assert.ok(reply.headers['retry-after'], 'it says when to come back');
        }
        assert.ok(load.slowest <= longest, `a request took ${load.slowest} ms`);
        await checkLedger(load);
        // Time limits and streams work again as well.
        await server.advance(61_000);
        assert.equal((await server.show(open.id)).status, 'timed_out');
        const logged = await numbersOf(server);
        await reader.until(() => reader.events.at(-1)?.seq >= logged.at(-1), 'the reader has the last event');
        assertInOrder(reader.events);
        assert.deepEqual(
            reader.events.map(({ seq }) => seq),
            logged,
        );
    });

// Its connections look alive, since the kernel answers for it.
test('a PostgreSQL that stands still under load', { timeout: 600_000 }, async (t) => {
    const postgres = await ownPostgres(t);
    const server = await start(t, {
        db: await createDatabase(postgres.url),
        env: { ...asShipped, WITAN_STORE_TIMEOUT: '1s' },
    });
    const load = new Load(server);
    t.after(() => (load.going = false));
    for (let round = 0; round < (full ? 10 : 1); round++) {
        await load.more(100);
        await postgres.signal('SIGSTOP');
        try {
            const refused = load.refused.length;
            await until(() => load.refused.length >= refused + 8, 'all are refused', longest);
            await until(
                async () =>
                    (await server.api('GET', '/readyz', undefined, { timeout: longest })).status === 503,
                'not ready',
            );
        } finally {
            await postgres.signal('SIGCONT');
        }
        await load.more(100);
    }
    await load.stop();
    assert.equal(load.lost, 0, 'every request was answered');
    for (const reply of load.refused) {
        assert.equal(reply.status, 503, reply.text);
        assert.ok(['unavailable', 'outcome_unknown'].includes(reply.body.code), reply.text);
    }
    assert.ok(load.slowest <= longest, `a request took ${load.slowest} ms`);
    await checkLedger(load);
    t.diagnostic(`the slowest request took ${load.slowest} ms`);
});

test(
    'waits end in time while PostgreSQL is away, and a stop needs no database',
    { timeout: 600_000 },
    async (t) => {
        const postgres = await ownPostgres(t);
        const server = await start(t, { db: await createDatabase(postgres.url), env: asShipped });
        const prompt = await server.ask();
        // Those that have ended by themselves are made again: on a busy machine the first may not last until it is seen.
        const held = new Set();
        const replies = [];
        const wait = async () => {
            const options = { agent: undefined, timeout: 2 * longest };
            replies.push(await server.api('GET', `/api/discussion/${prompt.id}?wait=3`, undefined, options));
        };
        await until(async () => {
            if (held.size === replies.length) held.add(wait());
            return (await server.metric('witan_waits')) === 1;
        }, 'the wait is held');
        await postgres.stop('fast');
        await Promise.all(held);
        for (const reply of replies) assert.ok([200, 503].includes(reply.status), reply.text);
        const began = Date.now();
        await server.stop();
        assert.ok(Date.now() - began < longest, 'the stop was quick');
    },
);

// A standby answers reads and refuses writes, as a server does that is being moved or has lost its disk.
test('a PostgreSQL that is read-only turns /readyz red until it is not', { timeout: 600_000 }, async (t) => {
    const postgres = await ownPostgres(t);
    const server = await start(t, { db: await createDatabase(postgres.url), env: asShipped });
    const say = () => server.api('POST', '/api/chat', { agent_name: 'Scout', message: 'x' });
    const ready = () => server.api('GET', '/readyz');
    assert.equal((await say()).status, 201);
    await postgres.stop('fast');
    await writeFile(join(postgres.folder, 'data', 'standby.signal'), '');
    await postgres.start();
    await until(async () => (await server.api('GET', '/api/chat')).status === 200, 'reading goes on');
    await until(async () => (await say()).status === 503, 'a write is refused');
    const { status, body } = await ready();
    assert.deepEqual([status, body.status, body.checks.writes], [503, 'not_ready', false]);
    assert.equal((await server.api('GET', '/api/chat')).status, 200);
    // Nobody writes now but the server itself, which finds out.
    await sql(postgres.url, 'SELECT pg_promote()');
    await until(async () => (await ready()).status === 200, 'ready again');
    assert.equal((await say()).status, 201);
});
