// More than can be done at once: refused in words, never lost, never hung.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RawConnection } from './lib/raw.mjs';
import { full as longRun, onBothEngines, start, until } from './lib/server.mjs';
import { readChat } from './lib/load.mjs';
import { holdWrites } from './lib/sql.mjs';

onBothEngines(
    'a full queue refuses and says when to come back; reads go on',
    { env: { WITAN_STORE_QUEUE: '16' } },
    async (server) => {
        await server.say('Developer', 'before');
        let going = true;
        const hold = holdWrites(server.db, 60_000);
        const replies = [];
        let readsMeanwhile = 0;
        const readers = (async () => {
            while (going) {
                const held = hold.held();
                const reply = await server.api('GET', '/api/chat?limit=1');
                if (server.engine === 'sqlite') assert.equal(reply.status, 200);
                if (held && going) readsMeanwhile++;
                await new Promise((wake) => setTimeout(wake, 20));
            }
        })();
        const writers = Array.from({ length: 80 }, async (_, i) => {
            for (let n = 0; going; n++) {
                const message = `writer ${i} message ${n}`;
                const reply = await server.api(
                    'POST',
                    '/api/chat',
                    { agent_name: 'Developer', message },
                    { timeout: 60_000 },
                );
                replies.push({ message, reply });
                if (reply.status === 503) await new Promise((wake) => setTimeout(wake, 50));
            }
        });
        const full = ({ reply }) => /^Too much is waiting/.test(reply.body.error);
        const all = Promise.all([readers, ...writers]);
        await Promise.race([all, until(() => hold.held() && replies.some(full), 'the queue is full')]);
        // On PostgreSQL reads share the workers with the writes that wait.
        if (server.engine === 'sqlite') await until(() => readsMeanwhile > 0, 'reads do not wait for the writes', 30_000);
        going = false;
        hold.release();
        await Promise.all([hold, all]);
        const refused = replies.filter(({ reply }) => reply.status !== 201);
        for (const { reply } of refused) {
            assert.equal(reply.status, 503, reply.text);
            assert.ok(Number(reply.headers['retry-after']) >= 1);
        }
        const stored = (await readChat(server))
            .map(({ message }) => message)
            .filter((message) => message !== 'before');
        const promised = replies.filter(({ reply }) => reply.status === 201).map(({ message }) => message);
        assert.deepEqual(stored.sort(), promised.sort());
    },
);

test('streams beyond the limit are refused', async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_STREAMS: '5' } });
    const { host } = new URL(server.url);
    const open = async () => {
        const connection = new RawConnection(server).send(
            `GET /api/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
        );
        t.after(() => connection.close());
        return { connection, status: (await connection.reply({ head: true })).status };
    };
    for (let i = 0; i < 5; i++) assert.equal((await open()).status, 200);
    const { connection, status } = await open();
    assert.equal(status, 503);
    connection.close();
    await until(async () => (await server.metric('witan_streams')) === 5, 'five are open');
});

if (longRun)
    test('a client that does not finish its request is cut off', { timeout: 600_000 }, async (t) => {
        const server = await start(t);
        const { host } = new URL(server.url);
        const slow = new RawConnection(server).send(
            `POST /api/chat HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\n{`,
        );
        const drip = setInterval(() => slow.send(' '), 1000);
        t.after(() => clearInterval(drip));
        await slow.reply({ limit: 60_000 });
        assert.equal(await slow.closed(60_000), true);
        assert.equal((await server.must(200, 'GET', '/api/chat')).messages.length, 0);
    });
