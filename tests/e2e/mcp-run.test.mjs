// run_agent: a model has another agent work, waits for it, and is told how to go on waiting.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { newClient, oldClient, taskClient } from '../mcp/clients.mjs';
import { makeToken, nobody } from './lib/identity.mjs';
import { begins, jobOf, withRuns } from './lib/run-script.mjs';
import { until } from './lib/server.mjs';

const require = createRequire(new URL('../mcp/package.json', import.meta.url));
const { default: Ajv } = require('ajv/dist/2020.js');
const asks = { call: [['ask_question', { question: 'Which bird?', type: 'blocking', responseType: 'text' }]] };
const finish = (result) => ({ call: [['finish', { result }]] });
const open = (server) =>
    until(async () => (await server.must(200, 'GET', '/api/questions/pending?workspaceId=default')).questions[0], 'a question');
const answer = async (server, value) =>
    server.must(200, 'POST', `/api/questions/${(await open(server)).id}/answer`, { response: { type: 'text', value } });

for (const [era, connect] of [['2025-11-25', oldClient], ['2026-07-28', newClient]])
    test(`a run is started, waited for, and its result comes back (${era})`, async (t) => {
        const server = await withRuns(t, { Scribe: [finish('A wren.'), '!fail The model is ill.'] });
        const { client, call, close } = await connect(server.url, { name: 'Planner' });
        t.after(close);
        const tool = (await client.listTools()).tools.find(({ name }) => name === 'run_agent');
        const schemas = new Ajv({ strict: false, validateFormats: false });
        const fits = schemas.compile(tool.outputSchema);
        const takes = schemas.compile(tool.inputSchema);
        assert.ok(takes({ agent: 'Scribe', task: 'x', budget: { steps: 1, money: 0.5 }, wait_seconds: 0 }));
        assert.ok(takes({ jobId: nobody }));
        assert.ok(!takes({ agent: 'Scribe', task: 'x', budget: { steps: 0 } }));
        const { structuredContent, content, isError } = await call('run_agent', { agent: 'Scribe', task: 'Choose a bird.', budget: { steps: 3 } });
        assert.ok(!isError, content[0].text);
        assert.ok(fits(structuredContent), JSON.stringify(fits.errors));
        assert.deepEqual(JSON.parse(content[0].text), structuredContent);
        assert.equal(structuredContent.status, 'completed');
        assert.equal(structuredContent.pending, false);
        assert.equal(structuredContent.next, undefined);
        assert.match(JSON.stringify(structuredContent.result), /A wren\./);
        const job = await jobOf(server, structuredContent.jobId);
        assert.equal(job.kind, 'agent');
        assert.equal(job.input, 'Choose a bird.');
        const again = await call('run_agent', { jobId: structuredContent.jobId });
        assert.deepEqual(again.structuredContent, structuredContent);
    });

test('while it waits for people the model is told to go on waiting, and not to start it again', async (t) => {
    const server = await withRuns(t, { Scribe: [asks, finish('A wren.')] });
    const { call, close } = await oldClient(server.url, { name: 'Planner' });
    t.after(close);
    const begun = await call('run_agent', { agent: 'Scribe', task: 'Choose a bird.', wait_seconds: 0 });
    const { jobId, pending, next, poll_after_ms } = begun.structuredContent;
    assert.equal(pending, true);
    assert.ok(poll_after_ms > 0);
    assert.ok(next.includes(`Call run_agent with {"jobId": "${jobId}"} to go on waiting.`), next);
    assert.match(next, /Do not start it again/);
    await open(server);
    const waiting = await call('run_agent', { jobId, wait_seconds: 1 });
    assert.equal(waiting.structuredContent.status, 'waiting_for_input');
    assert.equal(waiting.structuredContent.pending, true);
    assert.match(waiting.structuredContent.next, /waits for people.*have been asked a question.*Nothing is wrong.*Do not start it again/);
    assert.ok(waiting.structuredContent.next.includes(jobId));
    // Held meanwhile, with a word now and then; the answer ends the wait at once.
    const heard = [];
    const held = call('run_agent', { jobId }, { onprogress: ({ message }) => heard.push(message), resetTimeoutOnProgress: true });
    await until(() => heard.length > 0, 'a word');
    assert.match(heard[0], /at work, or waits for people/);
    await answer(server, 'a wren');
    const { structuredContent } = await held;
    assert.equal(structuredContent.status, 'completed', JSON.stringify(structuredContent));
    assert.equal((await server.must(200, 'GET', '/api/jobs?kind=agent')).jobs.length, 1);
});

test('what cannot be run is told to the model by its field', async (t) => {
    const server = await withRuns(t, { Scribe: ['!fail The model is ill.'] });
    const { call, close } = await newClient(server.url, { name: 'Planner' });
    t.after(close);
    for (const [args, field, words] of [
        [{}, 'task', /agent and task/],
        [{ agent: 'Scribe' }, 'task', /agent and task/],
        [{ agent: 'Scribe', task: 3 }, 'task', /agent and task/],
        [{ agent: 'Scribe', task: ' ' }, 'task', /agent and task/],
        [{ agent: 'Scribe', task: ' ', taskId: nobody }, 'task', /agent and task/],
        [{ agent: 'Nobody', task: 'x' }, 'agent', /Nobody/],
        [{ agent: 'Scribe', task: 'x', budget: { steps: 0 } }, 'budget.steps', /from 1/],
        [{ agent: 'Scribe', task: 'x', tools: ['no_such_tool'] }, 'tools', /no_such_tool/],
    ]) {
        const { isError, content } = await call('run_agent', args);
        assert.ok(isError, JSON.stringify(args));
        const error = JSON.parse(content[0].text);
        assert.equal(error.field, field, content[0].text);
        assert.match(error.error, words);
    }
    for (const jobId of [nobody, 'x y', 3]) {
        const { isError, content } = await call('run_agent', { jobId });
        assert.ok(isError, content[0].text);
    }
    assert.equal((await server.must(200, 'GET', '/api/jobs')).jobs.length, 0);
    const failed = await call('run_agent', { agent: 'Scribe', task: 'x' });
    assert.ok(!failed.isError);
    assert.equal(failed.structuredContent.status, 'failed');
    assert.match(failed.structuredContent.error, /ill/);
});

test('a run works on a task of a project, and asks people about errors where that is wanted', async (t) => {
    const server = await withRuns(t, { Scribe: ['!fail The model is ill.', finish('A wren.')] });
    const { call, close } = await newClient(server.url, { name: 'Planner' });
    t.after(close);
    const { id: projectId } = await server.must(201, 'POST', '/api/projects', { name: 'Birds' });
    const { id: taskId } = await server.must(201, 'POST', `/api/projects/${projectId}/tasks`, { title: 'Choose a bird.' });
    const { structuredContent, content } = await call('run_agent', { agent: 'Scribe', projectId, taskId, recover: true, wait_seconds: 0 });
    const job = await jobOf(server, structuredContent?.jobId ?? assert.fail(content[0].text));
    assert.equal(job.taskId, taskId);
    const question = await open(server);
    assert.equal(question.type, 'error_recovery');
    await server.must(200, 'POST', `/api/questions/${question.id}/answer`, { response: { type: 'choice', value: 'retry' } });
    await until(async () => (await jobOf(server, job.id)).status === 'completed', 'the end');
});

test('an agent has another one work under its own name, and waits for no run that it may not see', async (t) => {
    const server = await withRuns(t, { Scribe: [asks, finish('A wren.')] });
    const { id: shop } = await server.must(201, 'POST', '/api/projects', { name: 'Shop' });
    const { id: other } = await server.must(201, 'POST', '/api/projects', { name: 'Other' });
    const owner = await makeToken(server, { role: 'owner' });
    const token = await makeToken(server, { role: 'agent', agent: 'Planner' });
    const bound = await makeToken(server, { role: 'agent', agent: 'Clerk', project: other });
    const mine = await oldClient(server.url, { token });
    const theirs = await oldClient(server.url, { token: bound });
    t.after(mine.close);
    t.after(theirs.close);
    const { structuredContent } = await mine.call('run_agent', { agent: 'Scribe', task: 'Choose.', projectId: shop, wait_seconds: 0 });
    const job = await server.must(200, 'GET', `/api/jobs/${structuredContent.jobId}`, undefined, { token: owner });
    assert.equal(job.requestedBy, 'Planner');
    assert.ok((await theirs.call('run_agent', { jobId: structuredContent.jobId })).isError);
    const viewer = await oldClient(server.url, { token: await makeToken(server, { role: 'viewer' }) });
    t.after(viewer.close);
    assert.ok((await viewer.call('run_agent', { agent: 'Scribe', task: 'Choose.' })).isError);
});

test('as a task it outlives a restart, and cancelling it cancels the run', async (t) => {
    const server = await withRuns(t, { Scribe: [asks, finish('A wren.')] });
    const { client, close } = await oldClient(server.url, { name: 'Planner' });
    t.after(close);
    const { ResultSchema: anything } = await import('../mcp/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js');
    const make = () =>
        client.request({ method: 'tools/call', params: { name: 'run_agent', arguments: { agent: 'Scribe', task: 'Choose.' }, task: {} } }, anything);
    const { task } = await make();
    const jobId = task.taskId.split('.')[1];
    assert.equal(task.status, 'working');
    await open(server);
    await server.stop();
    await server.restart();
    assert.equal((await client.experimental.tasks.getTask(task.taskId)).status, 'working');
    await answer(server, 'a wren');
    await until(async () => (await jobOf(server, jobId)).status === 'completed', 'the end');
    const result = await client.experimental.tasks.getTaskResult(task.taskId, anything);
    assert.equal(result.structuredContent.jobId, jobId);
    const second = (await make()).task;
    assert.equal((await client.experimental.tasks.cancelTask(second.taskId)).status, 'cancelled');
    assert.equal((await jobOf(server, second.taskId.split('.')[1])).status, 'cancelled');
    // With the client of the extension, which settles by itself.
    const settles = await taskClient(server.url, { name: 'Planner' });
    t.after(settles.close);
    const settled = settles.call('run_agent', { agent: 'Scribe', task: 'Choose.' });
    await answer(server, 'an owl');
    assert.equal((await settled).structuredContent.status, 'completed');
    await begins(server, 'Scribe', 'Left open.');
});
