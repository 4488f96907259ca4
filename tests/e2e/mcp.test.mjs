// The MCP door on the running program, with clients that others wrote and the protocol's own suite.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { conformance, newClient, oldClient } from '../mcp/clients.mjs';
import { cli } from './lib/cli.mjs';
import { makeToken } from './lib/identity.mjs';
import { binary, cleanEnv, full, start, until, withFixtures } from './lib/server.mjs';

const clients = { 'the SDK of 2025': oldClient, 'the SDK of 2026': newClient };
const question = { question: 'Which cache?', type: 'blocking', responseType: 'text' };

// One message as it is; the reply parsed, whether it came as JSON or as a stream.
async function send(server, message, { headers = {}, token, session } = {}) {
    const reply = await server.api('POST', '/mcp', message, {
        token,
        headers: {
            Accept: 'application/json, text/event-stream',
            ...(session ? { 'Mcp-Session-Id': session } : {}),
            ...headers,
        },
    });
    const last = reply.text?.match(/^data: (.*)$/gm)?.at(-1);
    return { ...reply, message: last ? JSON.parse(last.slice(6)) : reply.body };
}
const request = (method, params, id = 1) => ({ jsonrpc: '2.0', id, method, params });
const call = async (server, tool, args, options) =>
    (await send(server, request('tools/call', { name: tool, arguments: args }), options)).message;
const pending = (server) =>
    until(async () => {
        const list = await server.must(200, 'GET', '/api/questions/pending?workspaceId=default');
        return list.questions.at(-1);
    }, 'a question');
const answer = (server, id, response) =>
    server.must(200, 'POST', `/api/questions/${id}/answer`, { response });

for (const revision of ['2025-11-25', '2026-07-28'])
    test(`every scenario that ${revision} requires passes`, { timeout: 600_000 }, async (t) => {
        const server = await start(t, { program: withFixtures });
        const { code, stdout, stderr } = await conformance(
            ['server', '--url', `${server.url}/mcp`, '--requirements', revision],
            cleanEnv(server.folder),
        );
        assert.equal(code, 0, stdout + stderr);
        assert.match(stdout, /✓ tools-call-with-progress/);
    });

test('what the suite calls is not in the program', async (t) => {
    const listed = async (program) => {
        const { message } = await send(await start(t, { program }), request('tools/list'));
        return message.result.tools.filter(({ name }) => name.startsWith('test_')).length;
    };
    assert.ok((await listed(withFixtures)) > 0);
    assert.equal(await listed(binary), 0);
    assert.doesNotMatch(await readFile(binary, 'latin1'), /fixture/i);
});

test('2026-07-28: a header that names something else than the message is refused, and nothing is done', async (t) => {
    const server = await start(t);
    const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'Raw', version: '1' },
    };
    const say = (method, params, headers) =>
        send(server, request(method, { ...params, _meta: meta }), { headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...headers } });
    const coded = (text) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
    const cases = [
        ['tools/call', { name: 'post_to_chat', arguments: { message: 'Hello.' } }, 'post_to_chat', 'ask_squad'],
        ['prompts/get', { name: 'hold_a_council', arguments: { topic: 'caches' } }, 'hold_a_council', 'ask_before_you_guess'],
        ['resources/read', { uri: 'witan://inbox' }, 'witan://inbox', 'witan://inbox/'],
        ['tasks/get', { taskId: 'one' }, 'one', 'two'],
        ['tasks/update', { taskId: 'one', inputResponses: {} }, 'one', 'two'],
        ['tasks/cancel', { taskId: 'one' }, 'one', 'two'],
    ];
    const mismatch = -32020;
    for (const [method, params, name, other] of cases) {
        for (const wrong of [other, coded(other), name.slice(0, -1), name.toUpperCase(), '', '=?base64?!?=', undefined]) {
            const { status, message } = await say(method, params, wrong === undefined ? {} : { 'Mcp-Name': wrong });
            assert.equal(status, 400, `${method} ${wrong}`);
            assert.equal(message.error.code, mismatch, `${method} ${wrong}`);
            assert.match(message.error.message, /Mcp-Name must say the same/);
        }
        const { message } = await say(method, params, { 'Mcp-Name': name, 'Mcp-Method': 'tools/list' });
        assert.match(message.error.message, /Mcp-Method must say the same/);
    }
    const chat = async () => (await server.must(200, 'GET', '/api/chat')).messages.length;
    assert.equal(await chat(), 0);
    for (const [method, params, name] of cases)
        for (const right of [name, coded(name)]) {
            const { message } = await say(method, params, { 'Mcp-Name': right });
            assert.notEqual(message.error?.code, mismatch, `${method} ${right}`);
        }
    assert.equal(await chat(), 2);
});

for (const [title, connect] of Object.entries(clients)) {
    test(`${title} asks, a person answers through REST`, async (t) => {
        const server = await start(t);
        const { call, close } = await connect(server.url);
        t.after(close);
        const asked = call('ask_question', question);
        const open = await pending(server);
        assert.equal(open.askedBy, title.includes('2025') ? 'old-client' : 'new-client');
        await answer(server, open.id, { type: 'text', value: 'the small one' });
        const { structuredContent, content, isError } = await asked;
        assert.ok(!isError);
        assert.equal(structuredContent.pending, false);
        assert.equal(structuredContent.question.response.value, 'the small one');
        assert.deepEqual(JSON.parse(content[0].text), structuredContent);
    });

    test(`${title} is told how to go on, and goes on over a restart`, async (t) => {
        const server = await start(t);
        const { call, close } = await connect(server.url);
        t.after(close);
        const first = await call('ask_question', { ...question, wait_seconds: 1 });
        assert.equal(first.structuredContent.pending, true);
        assert.match(first.structuredContent.next, /wait_for_answer/);
        await server.stop();
        await server.restart();
        const id = first.structuredContent.questionId;
        const waiting = call('wait_for_answer', { id });
        await answer(server, id, { type: 'text', value: 'yes' });
        assert.equal((await waiting).structuredContent.question.response.value, 'yes');
    });

    test(`${title} is allowed, allowed with a change, and denied the use of a tool`, async (t) => {
        const server = await start(t);
        const { call, close } = await connect(server.url);
        t.after(close);
        const input = { command: 'git push' };
        let uses = 0;
        const decide = async (response) => {
            const asked = call('approve_tool_use', { tool_name: 'Bash', input, tool_use_id: `toolu_${uses++}` });
            const open = await pending(server);
            assert.deepEqual(open.action, { name: 'Bash', args: input });
            await answer(server, open.id, { type: 'approval', ...response });
            return JSON.parse((await asked).content[0].text);
        };
        assert.deepEqual(await decide({ value: true }), { behavior: 'allow', updatedInput: input });
        const args = { command: 'git push --dry-run' };
        assert.deepEqual(await decide({ value: true, args }), { behavior: 'allow', updatedInput: args });
        assert.deepEqual(await decide({ value: false, text: 'Not on a Friday.' }), {
            behavior: 'deny',
            message: 'Not on a Friday.',
        });
    });
}

// Two at once and one more: the client does not name its uses, so it is one question until that has ended.
test('a use of a tool that has no name is asked about once at a time', async (t) => {
    const server = await start(t);
    const use = { tool_name: 'Bash', input: { command: 'git push' }, wait_seconds: 0 };
    const open = async () => {
        const path = '/api/questions/pending?workspaceId=default&type=approval';
        return (await server.must(200, 'GET', path)).questions.map(({ id }) => id);
    };
    await Promise.all([call(server, 'approve_tool_use', use), call(server, 'approve_tool_use', use)]);
    await call(server, 'approve_tool_use', { ...use, wait_seconds: 1 });
    const [first, ...more] = await open();
    assert.deepEqual(more, []);
    await call(server, 'approve_tool_use', { ...use, input: { command: 'git pull' } });
    assert.equal((await open()).length, 2);
    await answer(server, first, { type: 'approval', value: false });
    const again = await call(server, 'approve_tool_use', use);
    assert.match(JSON.parse(again.result.content[0].text).message, /Nobody has answered yet/);
    const now = await open();
    assert.equal(now.length, 2);
    assert.ok(!now.includes(first));
});

test('an answer given on the command line reaches the client', async (t) => {
    const server = await start(t);
    const { call, close } = await oldClient(server.url);
    t.after(close);
    const asked = call('ask_question', question);
    const open = await pending(server);
    const { code, stderr } = await cli(server.folder, ['answer', open.id, 'from the shell', '--url', server.url]);
    assert.equal(code, 0, stderr);
    assert.equal((await asked).structuredContent.question.response.value, 'from the shell');
});

test('a client that gave a token hears that it goes on', async (t) => {
    const server = await start(t);
    const { call, close } = await oldClient(server.url);
    t.after(close);
    const heard = [];
    const asked = call('ask_question', question, { onprogress: (word) => heard.push(word) });
    const open = await pending(server);
    await until(() => heard.length > 0, 'progress');
    await answer(server, open.id, { type: 'text', value: 'now' });
    await asked;
    assert.match(heard[0].message, /Waiting/);
});

test('a wait longer than a minute ends with the answer', { skip: !full && 'takes a minute', timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const { call, close } = await newClient(server.url);
    t.after(close);
    const first = await call('ask_question', question);
    assert.equal(first.structuredContent.pending, true);
    const waiting = call('wait_for_answer', { id: first.structuredContent.questionId });
    await new Promise((wake) => setTimeout(wake, 15_000));
    await answer(server, first.structuredContent.questionId, { type: 'text', value: 'late' });
    assert.equal((await waiting).structuredContent.question.response.value, 'late');
});

test('a person at the client is asked as well, and the first answer wins', async (t) => {
    const server = await start(t);
    const { ElicitRequestSchema } = await import('../mcp/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js');
    const { client, call, close } = await oldClient(server.url, { capabilities: { elicitation: {} } });
    t.after(close);
    const asked = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        asked.push(params);
        return { action: 'accept', content: { answer: 'lite' } };
    });
    const options = [{ label: 'PostgreSQL', value: 'pg' }, { label: 'SQLite', value: 'lite' }];
    const first = await call('ask_question', { ...question, responseType: 'choice', options });
    assert.equal(first.structuredContent.question.response.value, 'lite');
    assert.deepEqual(asked[0].requestedSchema.properties.answer.oneOf, [
        { const: 'pg', title: 'PostgreSQL' },
        { const: 'lite', title: 'SQLite' },
    ]);

    // The inbox is quicker: the form, which is there a moment after the question, goes away.
    let shown = false;
    let withdrawn = false;
    client.setRequestHandler(ElicitRequestSchema, (_, { signal }) => {
        shown = true;
        return new Promise((done) =>
            signal.addEventListener('abort', () => {
                withdrawn = true;
                done({ action: 'cancel' });
            }),
        );
    });
    const second = call('ask_question', question);
    await until(() => shown, 'the form is there');
    await answer(server, (await pending(server)).id, { type: 'text', value: 'from the inbox' });
    assert.equal((await second).structuredContent.question.response.value, 'from the inbox');
    await until(() => withdrawn, 'the form is gone');

    // An approval is not asked of the one who asks for it; one who declines leaves it to the inbox.
    client.setRequestHandler(ElicitRequestSchema, async () => {
        asked.push('again');
        return { action: 'decline' };
    });
    const approval = await call('ask_question', { ...question, type: 'approval', responseType: 'approval', wait_seconds: 1 });
    assert.equal(approval.structuredContent.pending, true);
    assert.equal(asked.length, 1);
    const declined = await call('ask_question', { ...question, wait_seconds: 1 });
    assert.equal(declined.structuredContent.pending, true);
    assert.equal(asked.length, 2);
});

test('the squad is asked and answers', async (t) => {
    const server = await start(t);
    const asker = await newClient(server.url, { name: 'Planner' });
    const other = await oldClient(server.url, { name: 'Reviewer' });
    t.after(asker.close);
    t.after(other.close);
    const made = await asker.call('ask_squad', { prompt_message: 'Cursor or offset?', required_responses: 1 });
    const { id } = made.structuredContent.prompt;
    const listed = await other.call('list_squad_prompts', { agent: 'Reviewer' });
    assert.equal(listed.structuredContent.prompts[0].id, id);
    const waiting = asker.call('wait_for_squad', { id });
    await other.call('answer_squad', { id, message: 'Cursor.' });
    const { structuredContent } = await waiting;
    assert.equal(structuredContent.ready, true);
    assert.equal(structuredContent.responses[0].agent_name, 'Reviewer');
});

test('a discussion is held between agents that witan does not run', async (t) => {
    const server = await start(t);
    const one = await newClient(server.url, { name: 'Architect' });
    const two = await oldClient(server.url, { name: 'Reviewer' });
    t.after(one.close);
    t.after(two.close);
    for (const name of ['Architect', 'Reviewer'])
        await server.must(201, 'POST', '/api/agents', {
            name,
            role: 'agent',
            system_prompt: 'Speak.',
            ai_model_config: { provider: 'external' },
        });
    const made = await one.call('start_discussion', {
        topic: 'Monolith or services?',
        participants: [{ agentName: 'Architect' }, { agentName: 'Reviewer' }],
        rounds: 1,
    });
    assert.ok(!made.isError, made.content[0].text);
    const { id } = made.structuredContent.discussion ?? made.structuredContent;
    const waiting = one.call('wait_for_discussion', { id });
    for (const { call } of [one, two]) {
        await until(async () => (await call('list_turns', {})).structuredContent.turns.length === 1, 'the turn');
        const taken = await call('take_turn', { id, content: 'Services, but only two.' });
        assert.ok(!taken.isError, taken.content[0].text);
    }
    const { structuredContent } = await waiting;
    assert.equal(structuredContent.pending, false);
    const read = await two.client.readResource({ uri: `witan://discussions/${id}/transcript` });
    assert.equal(read.contents[0].mimeType, 'text/plain');
    assert.match(read.contents[0].text, /^🐝 .*\n[^]*:\nServices, but only two\.\n/);
    for (const format of ['text', 'markdown']) {
        const { format: told, transcript } = (await two.call('read_transcript', { id, format })).structuredContent;
        assert.equal(told, format);
        assert.match(transcript, /Services, but only two\./);
    }
    const { transcript: result } = (await two.call('read_transcript', { id, format: 'json' })).structuredContent;
    assert.equal(result.total_contributions, 2);
});

test('a discussion needs nothing but a topic', async (t) => {
    const server = await start(t);
    const { client, call, close } = await oldClient(server.url, { name: 'Planner' });
    t.after(close);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.find(({ name }) => name === 'start_discussion').inputSchema.required, ['topic']);
    const bare = await call('start_discussion', { topic: 'Monolith or services?' });
    assert.ok(bare.isError);
    assert.match(bare.content[0].text, /Divergent cannot speak/, 'there is no model here');
    const made = await call('start_discussion', { topic: 'Monolith or services?', rounds: 1, options: { rehearse: true } });
    assert.ok(!made.isError, made.content[0].text);
    const { id } = made.structuredContent.discussion;
    const { structuredContent } = await call('wait_for_discussion', { id });
    assert.deepEqual(structuredContent.speakerOrder, ['Divergent', 'Convergent', 'Critical']);
});

test('progress goes to the job that the agent has open', async (t) => {
    const server = await start(t);
    const { call, close } = await oldClient(server.url, { name: 'Builder' });
    t.after(close);
    const none = await call('report_progress', { done: 1, total: 2 });
    assert.equal(JSON.parse(none.content[0].text).code, 'not_found');
    const job = await server.must(201, 'POST', '/api/jobs', { agent: 'Builder', status: 'running' });
    const { structuredContent } = await call('report_progress', { done: 1, total: 2, step: 'half' });
    assert.equal(structuredContent.id, job.id);
});

test('resources are read, and a change is told', async (t) => {
    const server = await start(t);
    const { client, call, close } = await oldClient(server.url);
    t.after(close);
    const asked = await call('ask_question', { ...question, wait_seconds: 0 });
    const uri = `witan://questions/${asked.structuredContent.questionId}`;
    const read = async () => JSON.parse((await client.readResource({ uri })).contents[0].text).question;
    assert.equal((await read()).status, 'pending');
    const told = [];
    const { ResourceUpdatedNotificationSchema } = await import('../mcp/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js');
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (word) => told.push(word.params.uri));
    await client.subscribeResource({ uri });
    await answer(server, asked.structuredContent.questionId, { type: 'text', value: 'x' });
    await until(() => told.includes(uri), 'the change');
    assert.equal((await read()).status, 'answered');
    const inbox = await client.readResource({ uri: 'witan://inbox' });
    assert.ok(Array.isArray(JSON.parse(inbox.contents[0].text).notifications));
    await assert.rejects(client.readResource({ uri: 'witan://questions/nothing' }), /-32002/);
});

test('the example in each description fits the tool', async (t) => {
    const server = await start(t);
    const { tools } = (await send(server, request('tools/list'))).message.result;
    for (const { name, description, inputSchema } of tools) {
        const example = JSON.parse(description.match(/Example: (\{.*\})$/)[1]);
        const known = Object.keys(inputSchema.properties);
        for (const key of Object.keys(example)) assert.ok(known.includes(key), `${name} has no ${key}`);
        for (const key of inputSchema.required ?? []) assert.ok(key in example, `${name} needs ${key}`);
    }
});

// The schema of ask_question is known to agents that were written before this server was.
test('a model is told what a question cannot do without', async (t) => {
    const server = await start(t);
    const { tools } = (await send(server, request('tools/list'))).message.result;
    const { properties, required } = tools.find(({ name }) => name === 'ask_question').inputSchema;
    assert.deepEqual(required, ['question', 'type', 'responseType']);
    assert.deepEqual(properties.type.enum, ['blocking', 'non_blocking', 'approval', 'error_recovery']);
    assert.deepEqual(properties.responseType.enum, ['text', 'choice', 'boolean', 'approval']);
    // What the others must be given is what their rows refuse to do without; the rest can be called with nothing.
    const free = tools.filter((tool) => !tool.inputSchema.required).map(({ name }) => name);
    assert.deepEqual(free, ['list_squad_prompts', 'report_progress', 'list_discussions', 'list_turns', 'list_agents', 'run_agent']);
});

test('prompts are filled in', async (t) => {
    const server = await start(t);
    const { client, close } = await newClient(server.url);
    t.after(close);
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
        prompts.map((prompt) => prompt.name),
        ['ask_before_you_guess', 'hold_a_council', 'hand_in_with_open_questions'],
    );
    const council = await client.getPrompt({ name: 'hold_a_council', arguments: { topic: 'the {topic} cache' } });
    assert.match(council.messages[0].content.text, /on: the \{topic\} cache/);
});

test('two hundred connections wait, and each gets its own answer', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const many = await Promise.all(
        Array.from({ length: 200 }, (_, i) => (i % 2 ? newClient : oldClient)(server.url, { name: `agent-${i}` })),
    );
    t.after(() => Promise.all(many.map(({ close }) => close())));
    const asked = many.map(({ call }, i) => call('ask_question', { ...question, question: `Number ${i}?` }));
    await until(async () => (await server.metric('witan_waits')) === 200, '200 waits');
    let cursor = '';
    const open = [];
    do {
        const page = await server.must(
            200,
            'GET',
            `/api/questions/pending?workspaceId=default&limit=100${cursor && `&cursor=${cursor}`}`,
        );
        open.push(...page.questions);
        cursor = page.nextCursor;
    } while (cursor);
    assert.equal(open.length, 200);
    await Promise.all(open.map(({ id, question: text }) => answer(server, id, { type: 'text', value: text })));
    for (const [i, result] of (await Promise.all(asked)).entries())
        assert.equal(result.structuredContent.question.response.value, `Number ${i}?`);
});

test('who is not known is told how to be', async (t) => {
    let token;
    const server = await start(t, {
        args: ['--require-auth'],
        prepare: async (db, folder) => {
            token = await makeToken({ db, folder }, { agent: 'Coder' });
        },
    });
    const refused = await send(server, request('tools/list'));
    assert.equal(refused.status, 401);
    const [, where] = refused.headers['www-authenticate'].match(/resource_metadata="([^"]+)"/);
    const metadata = await (await fetch(where)).json();
    assert.equal(metadata.resource, `${server.url}/mcp`);
    assert.equal((await send(server, request('tools/call', { name: 'ask_squad', arguments: {} }))).status, 401);
    const { call: use, close } = await oldClient(server.url, { token, name: 'whatever' });
    t.after(close);
    const posted = await use('post_to_chat', { message: 'hello' });
    assert.equal(posted.structuredContent.message.agent_name, 'Coder');
    const other = await use('post_to_chat', { message: 'hello', agent_name: 'Boss' });
    assert.equal(JSON.parse(other.content[0].text).code, 'forbidden');
});

test('messages that are none are refused, and nothing is stored', async (t) => {
    const server = await start(t);
    const code = async (message, options) => (await send(server, message, options)).message?.error?.code;
    assert.equal(await code('{'), -32700);
    assert.equal(await code([request('ping')]), -32600);
    for (const id of [null, 1.5, {}, [], true]) assert.equal(await code(request('ping', {}, id)), -32600);
    assert.equal(await code({ jsonrpc: '1.0', id: 1, method: 'ping' }), -32600);
    assert.equal(await code(request('tools/call', { name: 'nothing' })), -32602);
    assert.equal(await code(request('tools/call', { name: 'ask_squad', arguments: [] })), -32602);
    assert.equal(await code(request('no/method')), -32601);
    assert.equal(await code(request('ping'), { headers: { 'MCP-Protocol-Version': '1999-01-01' } }), -32022);
    assert.equal((await send(server, request('ping'), { session: 'nonsense' })).status, 404);
    assert.equal((await send(server, request('ping'), { headers: { Origin: 'http://evil.example' } })).status, 403);
    assert.equal((await send(server, request('ping'), { headers: { Host: 'evil.example' } })).status, 403);
    assert.equal((await send(server, { jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
    assert.equal((await send(server, { jsonrpc: '2.0', id: 'x', result: {} })).status, 202);
    const deep = '['.repeat(100_000);
    assert.ok((await send(server, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep}`)).status >= 400);
    const large = await call(server, 'post_to_chat', { message: 'x'.repeat(200_000) });
    assert.match(JSON.parse(large.result.content[0].text).error, /too long/);
    const huge = await server.api('POST', '/mcp', Buffer.alloc(64 << 20, 32)).catch(() => ({ status: 413 }));
    assert.equal(huge.status, 413);
    assert.equal((await server.api('GET', '/mcp')).status, 405);
    assert.equal((await server.must(200, 'GET', '/api/chat')).messages.length, 0);
});

test('a cancelled wait is answered no more, and a question stays', async (t) => {
    const server = await start(t);
    const { call: use, close } = await oldClient(server.url);
    t.after(close);
    const stop = new AbortController();
    const asked = use('ask_question', question, { signal: stop.signal });
    const open = await pending(server);
    await until(async () => (await server.metric('witan_waits')) === 1, 'the wait');
    stop.abort();
    await assert.rejects(asked);
    await until(async () => (await server.metric('witan_waits')) === 0, 'no wait');
    assert.equal((await server.must(200, 'GET', `/api/questions/${open.id}`)).question.status, 'pending');
});
