// `witan mcp`: the door for clients that start programs, with clients that others wrote.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { inspector, newStdioClient, stdioClient } from '../mcp/clients.mjs';
import { begin } from './lib/cli.mjs';
import { binary, cleanEnv, start, tempFolder, until } from './lib/server.mjs';

const question = { question: 'Which cache?', type: 'blocking', responseType: 'text' };
const pending = (server) =>
    until(async () => {
        const list = await server.must(200, 'GET', '/api/questions/pending?workspaceId=default');
        return list.questions.at(-1);
    }, 'a question');
const answer = (server, id, value) =>
    server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'text', value } });

for (const [title, connect] of [
    ['the SDK of 2025', stdioClient],
    ['the SDK of 2026', newStdioClient],
]) {
    test(`${title} asks over pipes, and goes on over a restart`, async (t) => {
        const server = await start(t);
        const { call, close } = await connect(binary, ['mcp', '--url', server.url], cleanEnv(server.folder));
        t.after(close);
        const asked = call('ask_question', question);
        const open = await pending(server);
        const chat = await call('post_to_chat', { message: 'meanwhile' }); // one that waits keeps no other
        assert.equal(chat.structuredContent.message.message, 'meanwhile');
        await answer(server, open.id, 'small');
        assert.equal((await asked).structuredContent.question.response.value, 'small');
        await server.stop();
        const later = call('list_squad_prompts', {});
        await server.restart();
        assert.deepEqual((await later).structuredContent.prompts, []);
    });
}

test('what changed is told over pipes', async (t) => {
    const server = await start(t);
    const { client, call, close } = await stdioClient(binary, ['mcp', '--url', server.url], cleanEnv(server.folder));
    t.after(close);
    const asked = await call('ask_question', { ...question, wait_seconds: 0 });
    const uri = `witan://questions/${asked.structuredContent.questionId}`;
    const told = [];
    client.fallbackNotificationHandler = async (word) => told.push(word.params.uri);
    await client.subscribeResource({ uri });
    await answer(server, asked.structuredContent.questionId, 'x');
    await until(() => told.includes(uri), 'the change');
});

test('the inspector lists and calls over HTTP and over pipes', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const env = { ...cleanEnv(server.folder), PATH: process.env.PATH };
    for (const target of [
        [`${server.url}/mcp`, '--transport', 'http'],
        [binary, 'mcp', '--url', server.url],
    ]) {
        const list = await inspector([...target, '--method', 'tools/list'], env);
        assert.equal(list.code, 0, list.stderr + list.stdout);
        assert.ok(JSON.parse(list.stdout).tools.some((tool) => tool.name === 'ask_question'));
        const called = await inspector(
            [...target, '--method', 'tools/call', '--tool-name', 'post_to_chat', '--tool-arg', 'message=hello'],
            env,
        );
        assert.equal(called.code, 0, called.stderr + called.stdout);
        assert.equal(JSON.parse(called.stdout).structuredContent.message.message, 'hello');
    }
});

test('a task of 2026-07-28 is made and asked for over pipes', async (t) => {
    const server = await start(t);
    const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    };
    const line = (id, method, params) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })}\n`;
    const say = async (text) => {
        const { stdout } = await begin(server.folder, ['mcp', '--url', server.url], { input: text }).done;
        return JSON.parse(stdout).result;
    };
    const made = await say(line(1, 'tools/call', { name: 'ask_question', arguments: question }));
    assert.equal(made.resultType, 'task');
    const { taskId } = made;
    assert.equal((await say(line(2, 'tasks/get', { taskId }))).status, 'working');
    await answer(server, (await pending(server)).id, 'small');
    const done = await say(line(3, 'tasks/get', { taskId }));
    assert.equal(done.result.structuredContent.question.response.value, 'small');
});

test('lines that are no messages are answered, and the end of input is the end', async (t) => {
    const server = await start(t);
    const run = begin(server.folder, ['mcp', '--url', server.url], {
        input: 'nonsense\n{"jsonrpc":"2.0","id":7,"method":"ping"}\n{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"no"}}',
    });
    const { code, stdout } = await run.done;
    assert.equal(code, 0);
    const lines = stdout.trim().split('\n').map(JSON.parse);
    assert.equal(lines.find((line) => line.id === 7).result !== undefined, true);
    assert.equal(lines.find((line) => line.id === 8).error.code, -32602);
    assert.equal(lines.find((line) => line.id === null).error.code, -32700);
});

// The id is where the SDKs write it, behind everything else, and there are others inside.
test('a line that is too long is answered, and so is what follows it', async (t) => {
    const server = await start(t);
    const long = JSON.stringify({ method: 'tools/call', params: { id: 1, message: 'x'.repeat(33 << 20) }, jsonrpc: '2.0', id: 'long' });
    const run = begin(server.folder, ['mcp', '--url', server.url], { input: `${long}\n{"jsonrpc":"2.0","id":8,"method":"ping"}\n${'['.repeat(33 << 20)}` });
    const { code, stdout } = await run.done;
    assert.equal(code, 0);
    const lines = stdout.trim().split('\n').map(JSON.parse);
    assert.deepEqual(lines.find(({ id }) => id === 'long').error, { code: -32600, message: 'The message is longer than 32 MB and was not read.' });
    assert.deepEqual(lines.find(({ id }) => id === 8).result, {});
    assert.equal(lines.find(({ id }) => id === null).error.code, -32600);
});

// It would be held for as long as nobody answers, and nobody does.
test('what is held when the input ends is let go, and stays open', async (t) => {
    const server = await start(t);
    const held = (id, name, args) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
    const run = begin(server.folder, ['mcp', '--url', server.url], {
        input: `${held(1, 'approve_tool_use', { tool_name: 'Bash', input: {} })}\n${held(2, 'ask_question', question)}`,
    });
    const { code, stdout } = await run.done;
    assert.equal(code, 0);
    const lines = stdout.trim().split('\n').map(JSON.parse);
    for (const id of [1, 2]) assert.match(lines.find((line) => line.id === id).error.message, /^The input ended/);
    await until(async () => (await server.metric('witan_waits')) === 0, 'nothing is held');
    const { questions } = await server.must(200, 'GET', '/api/questions/pending?workspaceId=default');
    assert.equal(questions.length, 2);
});

test('what cannot be sent when the input ends is told', async (t) => {
    const folder = await tempFolder(t);
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout } = await begin(folder, ['mcp', '--url', url], { input: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }).done;
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).error.message, `witan at ${url} does not answer. Start it with \`witan serve\`.`);
});

for (const [title, connect] of [
    ['the SDK of 2025', stdioClient],
    ['the SDK of 2026', newStdioClient],
])
    test(`${title} cancels over pipes, and nothing is held any more`, async (t) => {
        const server = await start(t);
        const { call, close } = await connect(binary, ['mcp', '--url', server.url], cleanEnv(server.folder));
        t.after(close);
        const stop = new AbortController();
        const asked = call('approve_tool_use', { tool_name: 'Bash', input: {} }, { signal: stop.signal });
        await until(async () => (await server.metric('witan_waits')) === 1, 'the call is held');
        stop.abort();
        await assert.rejects(asked);
        await until(async () => (await server.metric('witan_waits')) === 0, 'nothing is held');
        assert.equal((await pending(server)).status, 'pending');
    });

// One that nobody listens on, from where neither the machine nor tests/pg takes any.
async function freePort() {
    for (;;) {
        const port = 10_000 + Math.floor(Math.random() * 10_000);
        const listener = createServer().listen(port, '127.0.0.1');
        const taken = await once(listener, 'listening').then(() => false, () => true);
        if (taken) continue;
        listener.close();
        await once(listener, 'close');
        return port;
    }
}

const textOf = (pid, what) => readFile(`/proc/${pid}/${what}`, 'utf8').catch(() => '');

// Those whose command line and environment are as they are looked for.
async function processes(are) {
    const found = [];
    for (const pid of await readdir('/proc'))
        if (/^\d+$/.test(pid) && are(await textOf(pid, 'cmdline'), (await textOf(pid, 'environ')).split('\0'))) found.push(pid);
    return found;
}

test('without a server it starts one, for this machine', async (t) => {
    const folder = await tempFolder(t);
    const port = await freePort();
    const env = cleanEnv(folder, { WITAN_SERVER_LISTEN: `127.0.0.1:${port}` });
    const { call, close } = await stdioClient(binary, ['mcp', '--start'], env);
    t.after(close);
    const posted = await call('post_to_chat', { message: 'first' });
    assert.equal(posted.structuredContent.message.agent_name, 'stdio-client');
    const [pid, ...more] = await processes((words, variables) => words.startsWith('witan\0serve\0') && variables.includes(`WITAN_SERVER_LISTEN=127.0.0.1:${port}`));
    assert.ok(pid && more.length === 0, `${pid} ${more}`);
    process.kill(Number(pid), 'SIGTERM');
    await until(async () => (await textOf(pid, 'cmdline')) === '', 'it has ended');
});
