// Long waits as tasks, and results that ask, with the clients that others wrote for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newClient, oldClient, taskClient } from '../mcp/clients.mjs';
import { makeToken } from './lib/identity.mjs';
import { onBothEngines, Server, start, until } from './lib/server.mjs';

const { ResultSchema: anything } = await import('../mcp/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js');
const question = { question: 'Which cache?', type: 'blocking', responseType: 'text' };
const nobody = '00000000-0000-7000-8000-00000000dead';
const pending = (server, options) =>
    until(async () => {
        const list = await server.must(200, 'GET', '/api/questions/pending?workspaceId=default', undefined, options);
        return list.questions.at(-1);
    }, 'a question');
const answer = (server, id, response, options) =>
    server.must(200, 'POST', `/api/questions/${id}/answer`, { response }, options);

const extension = 'io.modelcontextprotocol/tasks';
// A message of 2026-07-28 as it is.
async function send(server, method, params, { capabilities = { extensions: { [extension]: {} } }, token } = {}) {
    const named = params.taskId ?? params.name;
    const reply = await server.api(
        'POST',
        '/mcp',
        {
            jsonrpc: '2.0',
            id: 1,
            method,
            params: {
                ...params,
                _meta: {
                    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                    'io.modelcontextprotocol/clientCapabilities': capabilities,
                    'io.modelcontextprotocol/clientInfo': { name: 'Raw', version: '1' },
                },
            },
        },
        {
            token,
            headers: {
                Accept: 'application/json, text/event-stream',
                'MCP-Protocol-Version': '2026-07-28',
                'Mcp-Method': method,
                ...(named ? { 'Mcp-Name': named } : {}),
            },
        },
    );
    return JSON.parse(reply.text.match(/^data: (.*)$/gm)?.at(-1).slice(6) ?? reply.text);
}

onBothEngines('2025-11-25: a question becomes a task, which outlives a restart', { timeout: 600_000 }, async (server, t) => {
    const { client, close } = await oldClient(server.url, { name: 'Planner' });
    t.after(close);
    const tasks = client.experimental.tasks;
    assert.deepEqual(client.getServerCapabilities().tasks, { list: {}, cancel: {}, requests: { tools: { call: {} } } });
    const { tools } = await client.listTools();
    assert.deepEqual(
        tools.filter((tool) => tool.execution?.taskSupport === 'optional').map((tool) => tool.name),
        ['ask_question', 'wait_for_answer', 'wait_for_squad', 'request_decision', 'wait_for_discussion', 'run_agent', 'approve_tool_use'],
    );
    const seen = [];
    const all = (async () => {
        for await (const word of tasks.callToolStream({ name: 'ask_question', arguments: question }, undefined, { task: {} }))
            seen.push(word);
    })();
    const created = await until(() => seen.find((word) => word.type === 'taskCreated'), 'the task');
    assert.equal(created.task.status, 'working');
    assert.equal(created.task.ttl, null);
    const { taskId } = created.task;
    const open = await pending(server);
    assert.equal(taskId, `ask_question.${open.id}`);
    assert.equal(created.task.createdAt, open.createdAt);
    assert.ok((await tasks.listTasks()).tasks.some((task) => task.taskId === taskId));
    await server.stop();
    await server.restart();
    assert.equal((await tasks.getTask(taskId)).status, 'working');
    await answer(server, open.id, { type: 'text', value: 'small' });
    await all;
    assert.equal(seen.at(-1).type, 'result', JSON.stringify(seen.at(-1)));
    assert.equal(seen.at(-1).result.structuredContent.question.response.value, 'small');
    assert.equal((await tasks.getTask(taskId)).status, 'completed');
    const again = await tasks.getTaskResult(taskId, anything);
    assert.deepEqual(again._meta['io.modelcontextprotocol/related-task'], { taskId });
    assert.equal(again.structuredContent.pending, false);
});

test('2025-11-25: tasks are cancelled, listed for who asked, and refused where there are none', async (t) => {
    const server = await start(t);
    const { client, close } = await oldClient(server.url, { name: 'Planner' });
    const other = await oldClient(server.url, { name: 'Reviewer' });
    t.after(close);
    t.after(other.close);
    const tasks = client.experimental.tasks;
    const make = (name, args) =>
        client.request({ method: 'tools/call', params: { name, arguments: args, task: {} } }, anything);
    const { task } = await make('ask_question', question);
    const cancelled = await tasks.cancelTask(task.taskId);
    assert.equal(cancelled.status, 'cancelled');
    assert.equal((await server.must(200, 'GET', `/api/questions/${task.taskId.split('.')[1]}`)).question.status, 'cancelled');
    await assert.rejects(tasks.cancelTask(task.taskId), /-32602/);
    await assert.rejects(tasks.getTask(`ask_question.${nobody}`), /-32602/);
    await assert.rejects(tasks.getTask('post_to_chat.x'), /-32602/);
    await assert.rejects(tasks.getTask('nonsense'), /-32602/);
    await assert.rejects(tasks.getTask(`request_decision.${nobody}`), /-32602/);
    await assert.rejects(make('post_to_chat', { message: 'x' }), /-32601/);
    await assert.rejects(make('ask_question', { question: '' }), /-32602/);

    // A prompt's replies; a task that only waits is not cancelled.
    const { structuredContent } = await other.call('ask_squad', { prompt_message: 'Cursor?', required_responses: 1 });
    const { id } = structuredContent.prompt;
    const waiting = (await make('wait_for_squad', { id })).task;
    assert.equal(waiting.status, 'working');
    await assert.rejects(tasks.cancelTask(waiting.taskId), /only waits/);
    const mine = async (of) => {
        const found = [];
        let cursor;
        do {
            const page = await of.client.experimental.tasks.listTasks(cursor);
            found.push(...page.tasks.map((one) => one.taskId));
            cursor = page.nextCursor;
        } while (cursor);
        return found;
    };
    assert.deepEqual(await mine({ client }), []);
    assert.deepEqual(await mine(other), [`wait_for_squad.${id}`]);
    const result = tasks.getTaskResult(waiting.taskId, anything); // holds
    await client.callTool({ name: 'answer_squad', arguments: { id, message: 'Cursor.' } });
    assert.equal((await result).structuredContent.ready, true);

    // A decision names its project as well.
    const shop = await server.must(201, 'POST', '/api/projects', { name: 'Shop' });
    const decision = (
        await make('request_decision', { id: shop.id, category: 'dependencyModifications', description: 'Add libvips' })
    ).task;
    const open = await pending(server);
    await answer(server, open.id, { type: 'approval', value: true });
    const decided = await tasks.getTaskResult(decision.taskId, anything);
    assert.equal(decided.structuredContent.status, 'approved');
});

onBothEngines('2026-07-28: a wait comes back as a task to those who have them', { timeout: 600_000 }, async (server, t) => {
    const { client, begin, close } = await taskClient(server.url, { name: 'Planner' });
    t.after(close);
    assert.deepEqual(client.getServerCapabilities().extensions, { [extension]: {} });
    const execution = await begin('ask_question', question);
    const settled = execution.settle();
    const open = await pending(server);
    await server.stop();
    await server.restart();
    await answer(server, open.id, { type: 'text', value: 'small' });
    const { outcome } = await settled;
    assert.equal(outcome.result.structuredContent.question.response.value, 'small', JSON.stringify(outcome));

    // Those who have none get what they got before, and a look is a look.
    const plain = await newClient(server.url);
    t.after(plain.close);
    const first = await plain.call('ask_question', { ...question, wait_seconds: 1 });
    assert.equal(first.structuredContent.pending, true);
    const looked = await send(server, 'tools/call', { name: 'ask_question', arguments: { ...question, wait_seconds: 0 } });
    assert.equal(looked.result.resultType, 'complete');
});

test('2026-07-28: tasks say what they are, and take what they ask for', async (t) => {
    const server = await start(t);
    const made = (await send(server, 'tools/call', { name: 'ask_question', arguments: question })).result;
    assert.equal(made.resultType, 'task');
    assert.equal(made.status, 'working');
    assert.equal(made.ttlMs, null);
    const { taskId } = made;
    const got = async (options) => (await send(server, 'tasks/get', { taskId }, options)).result;
    assert.equal((await got()).resultType, 'complete');

    // For a person who can be asked, it asks.
    const capabilities = { elicitation: {}, extensions: { [extension]: {} } };
    const asking = await got({ capabilities });
    assert.equal(asking.status, 'input_required');
    assert.equal(asking.inputRequests.answer.params.message, 'Which cache?');
    const told = await send(server, 'tasks/update', { taskId, inputResponses: { answer: { action: 'decline' }, other: {} } }, { capabilities });
    assert.equal(told.result.resultType, 'complete');
    assert.equal((await got()).status, 'working');
    await send(server, 'tasks/update', { taskId, inputResponses: { answer: { action: 'accept', content: { answer: 'lite' } } } }, { capabilities });
    const done = await got();
    assert.equal(done.status, 'completed');
    assert.equal(done.result.structuredContent.question.response.value, 'lite');
    const late = await send(server, 'tasks/update', { taskId, inputResponses: { answer: { action: 'accept', content: { answer: 'late' } } } }, { capabilities });
    assert.equal(late.result.resultType, 'complete');
    assert.equal((await got()).result.structuredContent.question.response.value, 'lite');

    const second = (await send(server, 'tools/call', { name: 'ask_question', arguments: question })).result;
    assert.deepEqual(Object.keys((await send(server, 'tasks/cancel', { taskId: second.taskId })).result).sort(), ['_meta', 'resultType']);
    assert.equal((await send(server, 'tasks/get', { taskId: second.taskId })).result.status, 'cancelled');

    // Who has not said that they have tasks gets none.
    for (const [method, params] of [
        ['tasks/get', { taskId }],
        ['tasks/cancel', { taskId }],
        ['tasks/update', { taskId, inputResponses: {} }],
        ['subscriptions/listen', { notifications: { taskIds: [taskId] } }],
    ]) {
        const { error } = await send(server, method, params, { capabilities: {} });
        assert.equal(error.code, -32021, method);
        assert.deepEqual(error.data.requiredCapabilities, { extensions: { [extension]: {} } });
    }
    assert.equal((await send(server, 'tasks/get', { taskId: `ask_question.${nobody}` })).error.code, -32602);
    assert.equal((await send(server, 'tasks/result', { taskId })).error.code, -32601);
    const wrong = await send(server, 'tools/call', { name: 'ask_question', arguments: { question: '' } });
    assert.equal(wrong.result.isError, true);
});

test('a task is whose the row is', async (t) => {
    let coder, stranger;
    const server = await start(t, {
        args: ['--require-auth'],
        prepare: async (db, folder) => {
            coder = await makeToken({ db, folder }, { agent: 'Coder', name: 'coder' });
            await (await import('./lib/identity.mjs')).makeWorkspace({ db, folder }, 'other');
            stranger = await makeToken({ db, folder }, { role: 'owner', name: 'stranger', workspace: 'other' });
        },
    });
    const capabilities = { elicitation: {}, extensions: { [extension]: {} } };
    const made = (await send(server, 'tools/call', { name: 'ask_question', arguments: question }, { token: coder, capabilities })).result;
    // An agent's own question is not put to whoever sits before it.
    assert.equal((await send(server, 'tasks/get', { taskId: made.taskId }, { token: coder, capabilities })).result.status, 'working');
    assert.equal((await send(server, 'tasks/get', { taskId: made.taskId }, { token: stranger })).error.code, -32602);
    assert.equal((await send(server, 'tasks/cancel', { taskId: made.taskId }, { token: stranger })).error.code, -32602);
});

test('2026-07-28: a person at the client is asked by the result, and the first answer wins', async (t) => {
    const server = await start(t);
    const { client, call, close } = await newClient(server.url, { capabilities: { elicitation: { form: {} } } });
    t.after(close);
    const asked = [];
    let say = async () => ({ action: 'accept', content: { answer: 'lite' } });
    client.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params);
        return say();
    });
    const options = [{ label: 'PostgreSQL', value: 'pg' }, { label: 'SQLite', value: 'lite' }];
    const first = await call('ask_question', { ...question, responseType: 'choice', options });
    assert.equal(first.structuredContent.question.response.value, 'lite');
    assert.deepEqual(asked[0].requestedSchema.properties.answer.oneOf.map((one) => one.const), ['pg', 'lite']);

    // The inbox is quicker: its answer is the result, and only one question was asked.
    say = async () => {
        await answer(server, (await pending(server)).id, { type: 'text', value: 'from the inbox' });
        return { action: 'accept', content: { answer: 'too late' } };
    };
    const second = await call('ask_question', question);
    assert.equal(second.structuredContent.question.response.value, 'from the inbox');
    const left = await server.must(200, 'GET', '/api/questions/pending?workspaceId=default');
    assert.equal(left.questions.length, 0);

    // Who declines leaves it to the inbox, and is not asked again.
    say = async () => ({ action: 'decline' });
    const declined = await call('ask_question', { ...question, wait_seconds: 2 });
    assert.equal(declined.structuredContent.pending, true);
    assert.equal(asked.length, 3);
    const approval = await call('ask_question', { ...question, type: 'approval', responseType: 'approval', wait_seconds: 1 });
    assert.equal(approval.structuredContent.pending, true);
    assert.equal(asked.length, 3);
});

for (const engine of ['sqlite', 'postgres'])
    test(`requestState opens after a restart and nowhere that it was not meant for (${engine})`, async (t) => {
        const tokens = {};
        const server = await start(t, {
            engine,
            args: ['--require-auth'],
            prepare: async (db, folder) => {
                tokens.ada = await makeToken({ db, folder }, { role: 'owner', name: 'ada' });
                tokens.bob = await makeToken({ db, folder }, { role: 'owner', name: 'bob' });
            },
        });
        const ask = (more, token, args = question, to = server) =>
            send(to, 'tools/call', { name: 'ask_question', arguments: args, ...more }, { capabilities: { elicitation: {} }, token });
        const asking = (await ask({}, tokens.ada)).result;
        assert.equal(asking.resultType, 'input_required');
        const { requestState } = asking;
        const inputResponses = { answer: { action: 'accept', content: { answer: 'yes' } } };
        await server.stop();
        await server.restart();
        const refused = async (more, token, args) =>
            assert.equal((await ask({ inputResponses, ...more }, token, args)).error?.code, -32602);
        const at = requestState.indexOf('.') - 3;
        await refused({ requestState: requestState.slice(0, at) + (requestState[at] === 'A' ? 'B' : 'A') + requestState.slice(at + 1) }, tokens.ada);
        await refused({ requestState: `${requestState}x` }, tokens.ada);
        await refused({ requestState: 7 }, tokens.ada);
        await refused({ requestState }, tokens.bob);
        await refused({ requestState }, tokens.ada, { ...question, question: 'Another?' });
        const open = (await server.must(200, 'GET', '/api/questions/pending?workspaceId=default', undefined, { token: tokens.ada })).questions;
        assert.equal(open.length, 1);

        // Another node on the same store opens it as well.
        let to = server;
        if (engine === 'postgres') {
            to = await new Server({ folder: server.folder, db: server.db, args: ['--require-auth'], clock: false }).up();
            t.after(() => to.stop());
        }
        const done = (await ask({ inputResponses, requestState }, tokens.ada, question, to)).result;
        assert.equal(done.structuredContent.question.response.value, 'yes', JSON.stringify(done));
    });

test('a tool use that is asked for again is the same question', async (t) => {
    const server = await start(t);
    const { call, close } = await oldClient(server.url, { name: 'Claude' });
    const other = await newClient(server.url, { name: 'Codex' });
    t.after(close);
    t.after(other.close);
    const open = async () => (await server.must(200, 'GET', '/api/questions/pending?workspaceId=default')).questions;
    const input = { command: 'git push', deep: { b: 1, a: [true] } };
    const use = { tool_name: 'Bash', input, tool_use_id: 'toolu_1', wait_seconds: 0 };
    const decide = async (id, response) => answer(server, id, { type: 'approval', ...response });
    const behavior = async (result) => JSON.parse((await result).content[0].text).behavior;

    assert.equal(await behavior(call('approve_tool_use', use)), 'deny');
    assert.equal(await behavior(call('approve_tool_use', use)), 'deny');
    assert.equal((await open()).length, 1);
    await server.stop();
    await server.restart();
    const waiting = call('approve_tool_use', { ...use, wait_seconds: 50 });
    await decide((await open())[0].id, { value: true });
    assert.equal(await behavior(waiting), 'allow');
    assert.equal(await behavior(call('approve_tool_use', use)), 'allow'); // the reply was lost
    assert.equal((await open()).length, 0);

    // Another use, another input, or another client is another question.
    await call('approve_tool_use', { ...use, tool_use_id: 'toolu_2' });
    await call('approve_tool_use', { ...use, input: { command: 'git push -f' } });
    await other.call('approve_tool_use', use);
    assert.equal((await open()).length, 3);

    // Without a name for the use it is the same while it is open.
    const { tool_use_id, ...unnamed } = { ...use, input: { command: 'make' } };
    assert.equal(tool_use_id, 'toolu_1');
    await call('approve_tool_use', unnamed);
    await call('approve_tool_use', unnamed);
    await other.call('approve_tool_use', unnamed);
    assert.equal((await open()).length, 5);
    const mine = (await open()).find((one) => one.askedBy === 'Claude' && one.action.args.command === 'make');
    await decide(mine.id, { value: false, text: 'no' });
    await call('approve_tool_use', unnamed);
    assert.equal((await open()).length, 5);

    // The question shows the beginning of a long name, and cuts no letter in two.
    const long = `x${'ü'.repeat(240)}`;
    assert.equal(await behavior(call('approve_tool_use', { ...use, tool_name: long, tool_use_id: 'toolu_3' })), 'deny');
    assert.ok((await open()).some((one) => one.action.name === long && one.question.includes('üü...')));
});
