// The same events over a WebSocket.
import assert from 'node:assert/strict';
import { connect, listen } from './lib/streams.mjs';
import { makeToken, makeUser, login } from './lib/identity.mjs';
import { raw } from './lib/raw.mjs';
import { onBothEngines, start } from './lib/server.mjs';
import { test } from 'node:test';

onBothEngines('a WebSocket gets what a stream gets', {}, async (server, t) => {
    const [stream, socket] = [await listen(t, server), await connect(t, server)];
    const prompt = await server.ask({ required_responses: 1 });
    await server.answer(prompt.id, 'Builder');
    for (const reader of [stream, socket])
        await reader.until(() => reader.of('chat.message').length === 3 && reader.of('prompt.ended').length === 1, 'all of it');
    assert.deepEqual(socket.events, stream.events);
});

// A control character takes six bytes in JSON: the largest message makes an event of several hundred KB.
test('an event that is larger than a message may be', async (t) => {
    const server = await start(t);
    const [stream, socket] = [await listen(t, server), await connect(t, server)];
    const text = '\u0001'.repeat(64 * 1024);
    await server.say('Developer', text);
    for (const reader of [stream, socket]) assert.equal((await reader.saw('chat.message')).message, text);
});

onBothEngines('filters and resuming', {}, async (server, t) => {
    await server.say('Developer', 'one');
    await server.ask();
    await server.say('Developer', 'two');
    const socket = await connect(t, server, { query: '?after=0&types=chat.message' });
    await socket.saw('chat.message', 3);
    assert.ok(
        socket.types().every((type) => type === 'chat.message' || !type.includes('.')),
        String(socket.types()),
    );
});

test('ping is answered, and a message that is too large is refused', async (t) => {
    const server = await start(t);
    const socket = await connect(t, server);
    await new Promise((done) => {
        socket.socket.once('pong', (data) => {
            assert.equal(String(data), 'are you there');
            done();
        });
        socket.socket.ping('are you there');
    });
    socket.socket.send('x'.repeat(64 * 1024 + 1));
    await socket.until(() => socket.closed, 'the socket is closed');
    assert.equal(socket.closed.code, 1009);
    assert.equal((await server.api('GET', '/healthz')).status, 200);
});

test('words that are no JSON, and binary ones, do no harm', async (t) => {
    const server = await start(t);
    for (const words of ['hello', '{', '[]', '{"type":"nothing"}', Buffer.from([0, 1, 2, 255])]) {
        const socket = await connect(t, server);
        socket.socket.send(words);
        await server.say('Developer', 'still here');
        await socket.until(
            () => socket.closed || socket.of('chat.message').length > 0,
            'it goes on, or is closed',
        );
        socket.close();
    }
    assert.equal((await server.api('GET', '/healthz')).status, 200);
});

test('who may open one', async (t) => {
    const server = await start(t);
    assert.equal((await connect(t, server, { origin: 'http://evil.example' })).status, 403);
    assert.equal((await connect(t, server, { origin: server.url })).status, undefined);
    assert.equal((await connect(t, server, { headers: { Host: 'evil.example' } })).status, 403);
    assert.equal((await connect(t, server, { token: 'witan_wrong' })).status, 401);
    assert.equal((await connect(t, server, { query: '?ticket=witant_wrong' })).status, 401);

    await makeUser(server, 'ada', 'correct horse', 'owner');
    const agent = await makeToken(server, { role: 'agent' });
    const viewer = await makeToken(server, { role: 'viewer' });
    assert.equal((await connect(t, server)).status, 401);
    const cookie = await login(server, 'ada', 'correct horse', { Origin: server.url });
    const { ticket } = await server.must(201, 'POST', '/api/tickets', {}, { token: agent });
    const ways = {
        token: { token: agent },
        viewer: { token: viewer },
        cookie: { headers: { Cookie: cookie }, origin: server.url },
        ticket: { query: `?ticket=${ticket}` },
    };
    for (const [way, options] of Object.entries(ways)) {
        const socket = await connect(t, server, options);
        assert.equal(socket.status, undefined, way);
        await server.say('Developer', `for ${way}`, { token: agent });
        await socket.saw('chat.message');
    }
    // A cookie is sent by the browser whoever asks; a foreign page does not get in with it.
    assert.equal(
        (await connect(t, server, { headers: { Cookie: cookie }, origin: 'http://evil.example' })).status,
        403,
    );
    // A ticket lasts a minute, and opens streams only.
    assert.equal((await server.api('GET', `/api/chat?ticket=${ticket}`)).status, 401);
    await server.advance(61_000, { token: await makeToken(server, { role: 'owner' }) });
    assert.equal((await connect(t, server, { query: `?ticket=${ticket}` })).status, 401);
});

test('a bad handshake is refused', async (t) => {
    const server = await start(t);
    const head = (lines) =>
        `GET /ws HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n${lines.join('\r\n')}\r\n\r\n`;
    const good = [
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    const without = (name) => good.filter((line) => !line.startsWith(name));
    assert.equal((await raw(server, head(good))).status, 101);
    assert.equal((await raw(server, head([]))).status >= 400, true);
    assert.equal((await raw(server, head(without('Sec-WebSocket-Key')))).status, 400);
    assert.equal(
        (await raw(server, head([...without('Sec-WebSocket-Version'), 'Sec-WebSocket-Version: 8']))).status,
        426,
    );
    assert.equal(
        (await raw(server, head([...without('Sec-WebSocket-Key'), 'Sec-WebSocket-Key: short']))).status,
        400,
    );
});

onBothEngines('server.stopping is the last word', {}, async (server, t) => {
    const sockets = [await connect(t, server), await connect(t, server)];
    await server.say('Developer', 'before');
    for (const socket of sockets) await socket.saw('chat.message');
    await server.stop();
    for (const socket of sockets) {
        await socket.until(() => socket.closed, 'it is closed');
        assert.equal(socket.types().at(-1), 'server.stopping');
        assert.ok([1001, 1012].includes(socket.closed.code), String(socket.closed.code));
    }
});

test('a reader that is too slow is cut off and can resume', async (t) => {
    const server = await start(t);
    const socket = await connect(t, server);
    socket.socket.pause();
    const began = Date.now();
    const text = 'x'.repeat(60_000);
    const count = 800;
    for (let done = 0; done < count; done += 40)
        await Promise.all(
            Array.from({ length: 40 }, (_, i) => server.say('Developer', `${done + i} ${text}`)),
        );
    // Who takes nothing for half a minute is let go without a word.
    const unheard = Date.now() - began > 30_000 && 1006;
    socket.socket.resume();
    await socket.until(() => socket.closed, 'it is closed');
    const got = socket.of('chat.message');
    assert.ok(got.length < count);
    assert.ok(
        socket.types().at(-1) === 'stream.cut' || [1013, unheard].includes(socket.closed.code),
        JSON.stringify(socket.closed),
    );
    const back = await connect(t, server, { query: `?after=${got.at(-1)?.seq ?? 0}` });
    await back.saw('chat.message', count - got.length);
    assert.equal(back.events.length, count - got.length);
});
