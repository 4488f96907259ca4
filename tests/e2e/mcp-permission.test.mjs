// approve_tool_use, by which Claude Code asks before it runs a tool: the shape that it takes, a reply that is held until
// somebody has answered, and the program itself where it is installed (lib/claude.mjs).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { newClient, newStdioClient, oldClient, stdioClient } from '../mcp/clients.mjs';
import { anthropic, claude, isHere } from './lib/claude.mjs';
import { makeToken } from './lib/identity.mjs';
import { binary, cleanEnv, full, onBothEngines, start, tempFolder, until } from './lib/server.mjs';

const use = { tool_name: 'Bash', input: { command: 'git push' }, tool_use_id: 'toolu_1' };
const piped = (connect) => (server) => connect(binary, ['mcp', '--url', server.url], cleanEnv(server.folder));
const clients = {
    'the SDK of 2025': (server) => oldClient(server.url),
    'the SDK of 2026': (server) => newClient(server.url),
    'the SDK of 2025 over pipes': piped(stdioClient),
    'the SDK of 2026 over pipes': piped(newStdioClient),
};
const open = async (server, token) =>
    (await server.must(200, 'GET', '/api/questions/pending?workspaceId=default', undefined, { token })).questions;
const asked = (server) => until(async () => (await open(server)).at(-1), 'the question');
const held = (server) => until(async () => (await server.metric('witan_waits')) === 1, 'the call is held');
const decide = (server, id, response, token) =>
    server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'approval', ...response } }, { token });
const yes = { behavior: 'allow', updatedInput: use.input };
const said = (result) => JSON.parse(result.content[0].text);

// A call over HTTP as it comes in: {status, headers, text, ended}.
async function begin(t, server, args, { token, accept = 'application/json, text/event-stream', params = {} } = {}) {
    const request = http.request(`${server.url}/mcp`, {
        method: 'POST',
        agent: false,
        headers: { 'Content-Type': 'application/json', Accept: accept, ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    });
    request.on('error', () => {});
    t.after(() => request.destroy());
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'approve_tool_use', arguments: args, ...params } }));
    const [reply] = await once(request, 'response');
    const call = { request, status: reply.statusCode, headers: reply.headers, text: '', ended: false };
    reply.on('data', (bytes) => (call.text += bytes));
    reply.on('end', () => (call.ended = true));
    reply.on('error', () => {});
    return call;
}
const messages = (call) => [...call.text.matchAll(/^data: (.*)$/gm)].map(([, text]) => JSON.parse(text));

for (const [title, connect] of Object.entries(clients))
    test(`${title} gets one text and nothing beside it`, async (t) => {
        const server = await start(t);
        const { client, call, close } = await connect(server);
        t.after(close);
        const tool = (await client.listTools()).tools.find(({ name }) => name === 'approve_tool_use');
        assert.equal(tool.outputSchema, undefined);
        for (const [response, wanted] of [
            [{ value: true }, yes],
            [{ value: true, args: { command: 'git push --dry-run' } }, { behavior: 'allow', updatedInput: { command: 'git push --dry-run' } }],
            [{ value: false, text: 'Not on a Friday.' }, { behavior: 'deny', message: 'Not on a Friday.' }],
        ]) {
            const waiting = call('approve_tool_use', { ...use, tool_use_id: JSON.stringify(response) });
            await decide(server, (await asked(server)).id, response);
            const result = await waiting;
            assert.deepEqual(said(result), wanted);
            assert.deepEqual(result.content.map(({ type }) => type), ['text']);
            for (const member of ['structuredContent', 'isError']) assert.ok(!(member in result), member);
        }
    });

onBothEngines('it is held until the deadline, which is no answer', {}, async (server, t) => {
    const call = await begin(t, server, use, { params: { _meta: { progressToken: 'p' } } });
    assert.equal(call.headers['content-type'], 'text/event-stream');
    await until(() => messages(call).length === 1, 'it goes on');
    for (const { method, params } of messages(call)) {
        assert.equal(method, 'notifications/progress');
        assert.ok(!('total' in params), 'it says when it will end');
    }
    await server.advance(14 * 60_000);
    assert.equal((await open(server)).length, 1);
    await server.advance(2 * 60_000);
    await until(() => call.ended, 'the answer');
    const { behavior, message } = said(messages(call).at(-1).result);
    assert.equal(behavior, 'deny');
    assert.match(message, /^Nobody answered .* Nobody has allowed it and nobody has refused it.*go on with work that does not need it/);
});

// More than the minute in which it looks whether its rights are still there.
test('it is held for longer than other calls', { skip: !full && 'takes a minute and a half', timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const token = await makeToken(server, { role: 'owner', name: 'owner' });
    const short = await server.must(201, 'POST', '/api/tokens', { name: 'short', role: 'agent' }, { token });
    const call = await begin(t, server, use, { token });
    const lost = await begin(t, server, { ...use, tool_use_id: 'toolu_2' }, { token: short.secret });
    await until(async () => (await open(server, token)).length === 2, 'both ask');
    await server.must(204, 'DELETE', `/api/tokens/${short.id}`, undefined, { token });
    await new Promise((wake) => setTimeout(wake, 90_000));
    assert.equal(messages(lost).at(-1)?.error?.data.code, 'unauthorized', lost.text);
    assert.equal(call.ended, false);
    assert.ok(call.text.match(/: waiting/g).length > 10, call.text);
    const mine = (await open(server, token)).find(({ metadata }) => metadata.tool_use_id === 'toolu_1');
    await decide(server, mine.id, { value: true }, token);
    await until(() => call.ended, 'the answer');
    assert.deepEqual(said(messages(call).at(-1).result), yes);
});

test('who takes no stream gets JSON, whose headers come at once and blanks before it', async (t) => {
    const server = await start(t);
    const call = await begin(t, server, use, { accept: 'application/json', params: { _meta: { progressToken: 'p' } } });
    assert.equal(call.status, 200);
    assert.equal(call.headers['content-type'], 'application/json');
    await until(() => call.text === ' ', 'a blank');
    await decide(server, (await asked(server)).id, { value: true });
    await until(() => call.ended, 'the answer');
    assert.deepEqual(said(JSON.parse(call.text).result), yes);
});

onBothEngines('a server that stops answers nothing for the person, and finds the question again', {}, async (server, t) => {
    const call = await begin(t, server, use);
    await held(server);
    await server.stop();
    await until(() => call.ended, 'the end');
    const { result, error } = messages(call).at(-1);
    assert.equal(result, undefined);
    assert.equal(error.data.code, 'unavailable');
    assert.match(error.message, /neither a yes nor a no/);
    await server.restart();
    const again = await begin(t, server, use);
    await held(server);
    assert.equal((await open(server)).length, 1);
    await decide(server, (await asked(server)).id, { value: true });
    await until(() => again.ended, 'the answer');
    assert.deepEqual(said(messages(again).at(-1).result), yes);
});

test('a client that goes away leaves the question open, and finds it again', async (t) => {
    const server = await start(t);
    const call = await begin(t, server, use);
    await held(server);
    call.request.destroy();
    await until(async () => (await server.metric('witan_waits')) === 0, 'nothing is held');
    const [question, ...more] = await open(server);
    assert.deepEqual(more, []);
    await decide(server, question.id, { value: true });
    const again = await begin(t, server, use); // what was said meanwhile
    await until(() => again.ended, 'the answer');
    assert.deepEqual(said(messages(again).at(-1).result), yes);
});

for (const [title, end] of [
    ['stops', (server) => server.stop()],
    ['is killed', (server) => server.kill9()],
])
    test(`over pipes it is held across a server that ${title} and starts again`, async (t) => {
        const server = await start(t);
        const { call, close } = await clients['the SDK of 2026 over pipes'](server);
        t.after(close);
        const waiting = call('approve_tool_use', use);
        waiting.catch(() => {}); // told where it is waited for
        await held(server);
        await end(server);
        await server.restart();
        await held(server);
        assert.equal((await open(server)).length, 1);
        await decide(server, (await asked(server)).id, { value: true });
        assert.deepEqual(said(await waiting), yes);
    });

// The program itself: what its model is told of a tool that it wanted to use.
const doors = {
    HTTP: (server) => ({ type: 'http', url: `${server.url}/mcp` }),
    pipes: (server) => ({ type: 'stdio', command: binary, args: ['mcp', '--url', server.url] }),
};
const skip = !isHere && 'Claude Code is not installed';

for (const [door, entry] of Object.entries(doors)) {
    const run = async (t) => {
        const server = await start(t);
        const folder = await tempFolder(t);
        const input = { command: 'touch made && echo it ran', description: 'Make it' };
        const model = await anthropic(t, (told) => (told.length > 0 ? { type: 'text', text: 'Done.' } : { type: 'tool_use', id: 'toolu_1', name: 'Bash', input }));
        const { done } = claude(t, { folder, model, entry: entry(server) });
        await held(server);
        const ended = async () => {
            const { code, stdout, stderr } = await done;
            assert.equal(code, 0, stdout + stderr);
            return { ...model.told[0], made: await access(join(folder, 'made')).then(() => true, () => false) };
        };
        return { server, ended, question: await asked(server) };
    };

    test(`Claude Code asks over ${door}, and runs the tool that is allowed`, { skip, timeout: 300_000 }, async (t) => {
        const { server, ended, question } = await run(t);
        assert.equal(question.action.name, 'Bash');
        if (full) await new Promise((wake) => setTimeout(wake, 155_000));
        await decide(server, question.id, { value: true });
        assert.deepEqual(await ended(), { tool_use_id: 'toolu_1', text: 'it ran', is_error: false, made: true });
    });

    test(`Claude Code asks over ${door}, and its model reads why not`, { skip, timeout: 300_000 }, async (t) => {
        const { server, ended, question } = await run(t);
        await decide(server, question.id, { value: false, text: 'Not on a Friday.' });
        assert.deepEqual(await ended(), { tool_use_id: 'toolu_1', text: 'Not on a Friday.', is_error: true, made: false });
    });

    test(`Claude Code asks over ${door}, and its model reads that nobody answered`, { skip, timeout: 300_000 }, async (t) => {
        const { server, ended } = await run(t);
        await server.advance(16 * 60_000);
        const { text, made } = await ended();
        assert.match(text, /Nobody has allowed it and nobody has refused it/);
        assert.equal(made, false);
    });

    test(`Claude Code asks over ${door} while the server is started anew`, { skip, timeout: 300_000 }, async (t) => {
        const { server, ended, question } = await run(t);
        await server.stop();
        await server.restart();
        await decide(server, question.id, { value: true });
        const { text, made } = await ended();
        if (door === 'pipes') assert.deepEqual([text, made], ['it ran', true]);
        else assert.match(text, /neither a yes nor a no/);
    });
}
