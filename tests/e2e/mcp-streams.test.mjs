// Streams of the MCP door that stay open: who may keep them, and what they cost when nobody reads.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { makeToken } from './lib/identity.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';

const accept = { Accept: 'application/json, text/event-stream' };
const json = { ...accept, 'Content-Type': 'application/json' };
const withBearer = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

// A request whose reply is a stream: what came so far, and whether it has ended.
async function open(t, server, method, headers, body) {
    const stream = { text: '', ended: false };
    await new Promise((opened, failed) => {
        stream.request = http.request(`${server.url}/mcp`, { method, headers, agent: false }, (reply) => {
            stream.reply = reply;
            reply.setEncoding('utf8');
            reply.on('data', (text) => (stream.text += text));
            reply.on('close', () => (stream.ended = true));
            reply.on('error', () => {});
            opened();
        });
        stream.request.on('error', failed);
        stream.request.end(body && JSON.stringify(body));
    });
    t.after(() => stream.request.destroy());
    return stream;
}

async function session(server, token) {
    const reply = await server.api(
        'POST',
        '/mcp',
        {
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'Listener', version: '1' } },
        },
        { token, headers: accept },
    );
    return reply.headers['mcp-session-id'];
}

const follow = async (t, server, token) => {
    const id = await session(server, token);
    const stream = await open(t, server, 'GET', { ...accept, ...withBearer(token), 'Mcp-Session-Id': id });
    return { id, stream };
};
const subscribe = async (server, id, uri, token) => {
    const reply = await server.api(
        'POST',
        '/mcp',
        { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri } },
        { token, headers: { ...accept, 'Mcp-Session-Id': id } },
    );
    assert.deepEqual(reply.body.result, {}, reply.text);
};
const listen = (t, server, notifications, token) =>
    open(
        t,
        server,
        'POST',
        {
            ...json,
            ...withBearer(token),
            'MCP-Protocol-Version': '2026-07-28',
            'Mcp-Method': 'subscriptions/listen',
        },
        {
            jsonrpc: '2.0',
            id: 'l',
            method: 'subscriptions/listen',
            params: {
                notifications,
                _meta: {
                    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                    'io.modelcontextprotocol/clientCapabilities': {},
                },
            },
        },
    );

onBothEngines('a token that is revoked loses its streams with the next heartbeat', { timeout: 600_000 }, async (server, t) => {
    const owner = await makeToken(server, { role: 'owner', name: 'owner' });
    const made = await server.must(201, 'POST', '/api/tokens', { name: 'short', role: 'viewer' }, { token: owner });
    const kept = await listen(t, server, { toolsListChanged: true }, owner);
    const lost = await listen(t, server, { toolsListChanged: true }, made.secret);
    const { stream } = await follow(t, server, made.secret);
    await server.must(204, 'DELETE', `/api/tokens/${made.id}`, undefined, { token: owner });
    await until(() => lost.ended && stream.ended, 'the streams end');
    assert.match(lost.text, /"result":\{"resultType":"complete"/);
    await until(() => kept.text.includes(': waiting'), 'the other has its heartbeat');
    assert.equal(kept.ended, false);
});

test('a change is told to those who follow it, once each, and to nobody else', async (t) => {
    const server = await start(t);
    const ask = async (question) =>
        (await server.must(201, 'POST', '/api/questions', { question, type: 'blocking', responseType: 'text' })).questionId;
    const [one, two] = [await ask('One?'), await ask('Two?')];
    const uri = (id) => `witan://questions/${id}`;
    const old = await follow(t, server);
    await subscribe(server, old.id, uri(one));
    await subscribe(server, old.id, uri(one));
    const both = await listen(t, server, { resourceSubscriptions: [uri(one), uri(two), 'witan://nothing/x'] });
    const other = await listen(t, server, { resourceSubscriptions: [uri(two)] });
    await until(() => both.text.includes('acknowledged') && other.text.includes('acknowledged'), 'acknowledged');
    assert.ok(!both.text.includes('witan://nothing'));
    await server.must(200, 'POST', `/api/questions/${one}/answer`, { response: { type: 'text', value: 'x' } });
    await server.must(200, 'POST', `/api/questions/${two}/answer`, { response: { type: 'text', value: 'x' } });
    const told = (stream, id) => stream.text.split('resources/updated').filter((part) => part.includes(uri(id))).length;
    await until(() => told(both, two) > 0 && other.text.includes('updated'), 'both are told');
    await until(() => old.stream.text.includes(uri(one)), 'the session is told');
    assert.equal(old.stream.text.match(/resources\/updated/g).length, 1);
    assert.ok(!old.stream.text.includes(uri(two)));
    assert.ok(!other.text.includes(uri(one)));
});

test('a client that does not read is let go, and costs no memory', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const job = await server.must(201, 'POST', '/api/jobs', { agent: 'Builder', status: 'running' });
    // The same job under many spellings of its id, so that one event makes many notifications.
    const letters = [...job.id].flatMap((letter, at) => (/[a-f]/.test(letter) ? [at] : []));
    const spelt = Array.from({ length: 60 }, (_, n) =>
        [...job.id].map((c, at) => (n >> letters.indexOf(at) & 1 && letters.includes(at) && letters.indexOf(at) < 6 ? c.toUpperCase() : c)).join(''),
    );
    const uris = [...new Set(spelt)].map((id) => `witan://jobs/${id}/log`);
    const stream = await listen(t, server, { resourceSubscriptions: uris });
    await until(() => stream.text.includes('acknowledged'), 'acknowledged');
    stream.reply.pause();
    let sent = 0;
    for (let round = 0; round < 80; round++) {
        await Promise.all(
            Array.from({ length: 20 }, () => server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { message: 'x' })),
        );
        sent += 20 * uris.length * 150;
    }
    assert.ok(sent > 4 << 20, 'more than sockets hold');
    stream.reply.resume();
    await until(() => stream.ended, 'the stream ends');
    assert.ok(stream.text.length < sent, `${stream.text.length} of ${sent}`);
    await until(async () => (await server.metric('witan_streams')) === 0, 'no stream is left');
});
