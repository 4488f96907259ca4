// What happens with each heartbeat, every 15 seconds: a sign of life, and another look at the reader's rights.
import assert from 'node:assert/strict';
import http from 'node:http';
import { describe, test } from 'node:test';
import { connect, listen } from './lib/streams.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { start } from './lib/server.mjs';

const withinBeat = 45_000; // and half a minute more, for a busy machine

describe('heartbeats', { concurrency: true }, () => {
    test('a silent stream gets comments, a silent WebSocket gets pings', async (t) => {
        const server = await start(t);
        const socket = await connect(t, server);
        const comment = new Promise((done, failed) => {
            http.get(`${server.url}/api/events`, { agent: false }, (reply) => {
                let text = '';
                reply.on('data', (bytes) => {
                    text += bytes;
                    if (/^: heartbeat/m.test(text)) {
                        reply.destroy();
                        done();
                    }
                });
            }).on('error', failed);
        });
        await Promise.all([comment, socket.until(() => socket.pings > 0, 'a ping', withinBeat)]);
    });

    for (const engine of ['sqlite', 'postgres'])
        test(`a token that is revoked or has expired loses its open streams (${engine})`, async (t) => {
            const server = await start(t, { engine });
            const owner = await makeToken(server, { role: 'owner', name: 'owner' });
            const made = await server.must(
                201,
                'POST',
                '/api/tokens',
                { name: 'revoked', role: 'viewer' },
                { token: owner },
            );
            const short = await server.must(
                201,
                'POST',
                '/api/tokens',
                { name: 'short', role: 'viewer', expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
                { token: owner },
            );
            const kept = await listen(t, server, { token: owner });
            const readers = [
                await listen(t, server, { token: made.secret }),
                await connect(t, server, { token: made.secret }),
                await listen(t, server, { token: short.secret }),
            ];
            await server.must(204, 'DELETE', `/api/tokens/${made.id}`, undefined, { token: owner });
            await server.advance(3_700_000, { token: owner });
            // A new request is refused at once.
            assert.equal(
                (await server.api('GET', '/api/chat', undefined, { token: made.secret })).status,
                401,
            );
            assert.equal(
                (await server.api('GET', '/api/chat', undefined, { token: short.secret })).status,
                401,
            );
            for (const reader of readers)
                await reader.until(
                    () => reader.types().at(-1) === 'stream.ended',
                    'the last word',
                    withinBeat,
                );
            await server.say('Developer', 'not for everybody', { token: owner });
            await kept.saw('chat.message');
            for (const reader of readers) assert.equal(reader.of('chat.message').length, 0);
        });

    test('a user whose role changes opens a new stream', async (t) => {
        const server = await start(t);
        await makeUser(server, 'ada', 'a long enough password', 'admin');
        const owner = await makeToken(server, { role: 'owner', name: 'owner' });
        const headers = { Cookie: await login(server, 'ada', 'a long enough password') };
        const reader = await listen(t, server, { headers });
        const { users } = await server.must(200, 'GET', '/api/users', undefined, { token: owner });
        await server.must(200, 'PATCH', `/api/users/${users.find(({ name }) => name === 'ada').id}`, { role: 'viewer' }, { token: owner });
        const { reason } = await reader.until(() => reader.of('stream.ended')[0], 'the last word', withinBeat);
        assert.match(reason, /role has changed/);
    });
});
