// What an MCP client sends that is no request, and what it does to a session: only for those who are let in, and only to
// what is their own.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { makeToken } from './lib/identity.mjs';
import { start, until } from './lib/server.mjs';

const accept = { Accept: 'application/json, text/event-stream' };
const question = { question: 'Deploy?', type: 'blocking', responseType: 'boolean' };

// A server that lets nobody in without a token, with two people.
async function guarded(t, engine, env = {}) {
    const tokens = {};
    const server = await start(t, {
        engine,
        env,
        args: ['--require-auth'],
        prepare: async (db, folder) => {
            for (const name of ['ada', 'ben']) tokens[name] = await makeToken({ db, folder }, { role: 'owner', name });
        },
    });
    return { server, ...tokens };
}

const post = (server, message, { token, session } = {}) =>
    server.api('POST', '/mcp', { jsonrpc: '2.0', ...message }, { token, headers: { ...accept, ...(session ? { 'Mcp-Session-Id': session } : {}) } });

async function begin(server, token) {
    const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'Client', version: '1' } };
    const reply = await post(server, { id: 0, method: 'initialize', params }, { token });
    return reply.headers['mcp-session-id'];
}

// A call that is held, as it comes in: {text, ended}.
async function ask(t, server, token, session, id) {
    const request = http.request(`${server.url}/mcp`, {
        method: 'POST',
        agent: false,
        headers: { ...accept, 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, 'Mcp-Session-Id': session },
    });
    request.on('error', () => {});
    t.after(() => request.destroy());
    request.end(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask_question', arguments: question } }));
    const [reply] = await once(request, 'response');
    const call = { text: '', ended: false };
    reply.on('data', (bytes) => (call.text += bytes));
    reply.on('end', () => (call.ended = true));
    reply.on('error', () => {});
    return call;
}
const messages = (call) => [...call.text.matchAll(/^data: (.*)$/gm)].map(([, text]) => JSON.parse(text));
const open = async (server, token) =>
    (await server.must(200, 'GET', '/api/questions/pending?workspaceId=default', undefined, { token })).questions;

for (const engine of ['sqlite', 'postgres']) {
    test(`a form is filled in by the caller whom it was shown to, and by nobody else (${engine})`, async (t) => {
        const { server, ada, ben } = await guarded(t, engine);
        const [session, another] = [await begin(server, ada), await begin(server, ada)];
        const call = await ask(t, server, ada, session, 1);
        const { id } = await until(() => messages(call).find(({ method }) => method === 'elicitation/create'), 'the form');
        const filled = (answer) => ({ id, result: { action: 'accept', content: { answer } } });
        for (const whose of [undefined, 'witan_nobody'])
            for (const in_ of [undefined, session]) {
                const refused = await post(server, filled(false), { token: whose, session: in_ });
                assert.equal(refused.status, 401, refused.text);
                assert.equal(refused.body.id, null);
                assert.match(refused.headers['www-authenticate'], /resource_metadata/);
            }
        for (const [token, in_] of [[ben, session], [ben, undefined], [ben, await begin(server, ben)], [ada, another], [ada, undefined]])
            assert.equal((await post(server, filled(false), { token, session: in_ })).status, 202);
        assert.equal((await post(server, filled(true), { token: ada, session })).status, 202);
        await until(() => call.ended, 'the answer');
        const { structuredContent } = messages(call).at(-1).result;
        assert.equal(structuredContent.question.response.value, true);
        assert.equal((await open(server, ada)).length, 0);
    });

    test(`a call is cancelled by the caller who made it, and by nobody else (${engine})`, async (t) => {
        const { server, ada, ben } = await guarded(t, engine);
        const session = await begin(server, ada);
        const call = await ask(t, server, ada, session, 1);
        const cancelled = (requestId) => ({ method: 'notifications/cancelled', params: { requestId } });
        assert.equal((await post(server, cancelled(1), { session })).status, 401);
        assert.equal((await post(server, cancelled(1), { token: ben, session })).status, 202);
        const response = { type: 'boolean', value: true };
        await server.must(200, 'POST', `/api/questions/${(await open(server, ada))[0].id}/answer`, { response }, { token: ada });
        await until(() => call.ended, 'the answer');
        assert.equal(messages(call).at(-1).result?.structuredContent.question.response.value, true);
        const second = await ask(t, server, ada, session, 2);
        assert.equal((await post(server, cancelled(2), { token: ada, session })).status, 202);
        await until(() => second.ended, 'the end');
        assert.ok(messages(second).every(({ result }) => !result));
        assert.equal((await open(server, ada)).length, 1);
    });

    test(`a session is heard, changed and ended by the caller who began it, and by nobody else (${engine})`, async (t) => {
        const { server, ada, ben } = await guarded(t, engine);
        const session = await begin(server, ada);
        const use = (method, token) => server.api(method, '/mcp', undefined, { token, headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session } });
        const follow = (method, token) => post(server, { id: 2, method, params: { uri: 'witan://inbox' } }, { token, session });
        for (const [token, status] of [[undefined, 401], [ben, 404]]) {
            assert.equal((await use('GET', token)).status, status);
            assert.equal((await use('DELETE', token)).status, status);
            for (const method of ['resources/subscribe', 'resources/unsubscribe'])
                assert.equal((await follow(method, token)).body.error.code, status === 401 ? -32000 : -32600);
        }
        // The key to it is kept in the store: who began it is known after a restart, too.
        await server.stop();
        await server.restart();
        assert.equal((await use('DELETE', ben)).status, 404);
        assert.deepEqual((await follow('resources/subscribe', ada)).body.result, {});
        assert.equal((await use('DELETE', ada)).status, 204);
        assert.equal((await follow('resources/subscribe', ada)).status, 404);
    });
}

test('what is no request counts as every call does', async (t) => {
    const { server, ada } = await guarded(t, 'sqlite', { WITAN_LIMITS_TOKEN_RATE: '1', WITAN_LIMITS_TOKEN_BURST: '5' });
    for (const word of [{ method: 'notifications/initialized' }, { id: 'x', result: {} }]) {
        const all = await Promise.all(Array.from({ length: 40 }, () => post(server, word, { token: ada })));
        const refused = all.filter(({ status }) => status === 429);
        assert.ok(refused.length > 0, all.map(({ status }) => status).join());
        assert.ok(Number(refused[0].headers['retry-after']) > 0);
    }
});
