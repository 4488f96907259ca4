// Runs over real wires: tool calls of three providers as aimock plays them, and a model server that misbehaves.
import { LLMock } from '@copilotkit/aimock';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nastyServer } from './lib/nasty.mjs';
import { agent, asked, assertReplays, begin, calls, completed, configured, ended, failed, reply, trace } from './lib/runs.mjs';
import { becomes, start, tempFolder } from './lib/server.mjs';

const key = 'sk-test-0123456789abcdef';

async function mockServer(t) {
    const mock = new LLMock({ port: 0, logLevel: 'silent' });
    await mock.start();
    t.after(() => mock.stop());
    return mock;
}

const models = (mock) => ({
    openai: { provider: 'openai', base_url: `${mock.url}/v1`, model: 'gpt-4o' },
    anthropic: { provider: 'anthropic', base_url: mock.url, model: 'claude-sonnet-4-5' },
    ollama: { provider: 'ollama', base_url: mock.url, model: 'llama3.2' },
});

async function serverWith(t, offered) {
    const folder = await tempFolder(t);
    const args = await configured(folder, { models: offered });
    const server = await start(t, { folder, args, env: { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, http_proxy: 'http://127.0.0.1:1' } });
    for (const name of Object.keys(offered))
        await server.must(201, 'POST', '/api/agents', { name, system_prompt: `You are ${name}.`, ai_model_config: { model: name } });
    return server;
}

for (const wire of ['openai', 'anthropic', 'ollama']) {
    test(`${wire}: a question, its answer at the very call, and the end`, async (t) => {
        const mock = await mockServer(t);
        const question = { question: 'Which city?', type: 'blocking', responseType: 'text' };
        mock.on({ userMessage: /weather/, hasToolResult: false }, { toolCalls: [{ name: 'ask_question', arguments: question }] });
        mock.on({ hasToolResult: true }, { toolCalls: [{ name: 'finish', arguments: { result: 'It rains in York.' } }] });
        const server = await serverWith(t, models(mock));
        const id = await begin(server, { agent: wire, input: { task: 'How is the weather?' } });
        const [open] = await asked(server, id);
        assert.equal(open.question, 'Which city?');
        await reply(server, open, 'York');
        assert.match(JSON.stringify((await completed(server, id)).result), /It rains in York/);
        const last = mock.getRequests().at(-1).body;
        assert.match(JSON.stringify(last.messages.at(-1)), /York/, 'the answer is what it was told last');
        assert.match(JSON.stringify(last.messages.at(-1)), /tool/);
        await assertReplays(server, id);
    });

    test(`${wire}: wrong arguments and an unknown tool are told back`, async (t) => {
        const mock = await mockServer(t);
        mock.on(
            { userMessage: /weather/, hasToolResult: false },
            { toolCalls: [{ name: 'ask_question', arguments: { question: 7 } }, { name: 'fly_to_the_moon', arguments: {} }] },
        );
        mock.on({ hasToolResult: true }, { content: 'I see.' });
        const server = await serverWith(t, models(mock));
        const id = await begin(server, { agent: wire, input: { task: 'How is the weather?' } });
        assert.match(JSON.stringify((await completed(server, id)).result), /I see/);
        assert.deepEqual(calls(await trace(server, id)).slice(0, 2).map(({ outcome }) => outcome), ['invalid', 'unknown']);
        const told = JSON.stringify(mock.getRequests().at(-1).body.messages);
        assert.match(told, /fly_to_the_moon/);
    });

    test(`${wire}: an endless loop ends with its budget`, async (t) => {
        const mock = await mockServer(t);
        mock.on({ userMessage: /weather/ }, { toolCalls: [{ name: 'report_progress', arguments: { done: 1, total: 2 } }] });
        const server = await serverWith(t, models(mock));
        const id = await begin(server, { agent: wire, input: { task: 'How is the weather?' }, budget: { steps: 5 } });
        await failed(server, id, /5/);
        assert.equal(mock.getRequests().length, 5);
    });
}

test('nothing but wrong calls fails in words before the budget does', async (t) => {
    const mock = await mockServer(t);
    mock.on({ userMessage: /weather/ }, { toolCalls: [{ name: 'fly_to_the_moon', arguments: {} }] });
    const server = await serverWith(t, models(mock));
    const id = await begin(server, { agent: 'openai', input: { task: 'How is the weather?' } });
    await failed(server, id, /call|tool|mistake/i);
    assert.ok(mock.getRequests().length < 20);
});

test('a run that asks as much as it can is told when to wait, and ends', async (t) => {
    const mock = await mockServer(t);
    const aside = { question: 'Which?', type: 'non_blocking', responseType: 'text', defaultResponse: { type: 'text', value: 'any' } };
    mock.on({ hasToolResult: false }, { toolCalls: Array.from({ length: 200 }, () => ({ name: 'ask_question', arguments: aside })) });
    mock.on({ hasToolResult: true }, { content: 'I asked.' });
    const server = await serverWith(t, models(mock));
    const id = await begin(server, { agent: 'openai', input: { task: 'Ask everything.' } });
    await completed(server, id);
    const whole = await trace(server, id);
    const made = calls(whole);
    const open = (await server.must(200, 'GET', `/api/jobs/${id}/questions?limit=200`)).questions;
    assert.equal(open.length, made.filter(({ outcome }) => outcome === 'ok').length);
    assert.equal(open.length, 10, 'as many as a job may ask in a minute');
    assert.match(whole.entries.filter(({ kind }) => kind === 'result')[10].text, /minute/, 'it is told why the others were not asked');
    await assertReplays(server, id);
});

// Whatever the server does, the run ends in words that do not show the key, or with what was said.
test('a model server that misbehaves fails a run in words', { timeout: 300_000 }, async (t) => {
    const nasty = await nastyServer(t);
    const ways = ['unfinished', 'halfCall', 'resetCall', 'endless', 'html', 'page404', 'reset', 'notHttp', 'notJson', 'keyEcho', 'bomb', 'redirect'];
    const offered = Object.fromEntries(
        ways.map((way) => [way, { provider: 'openai', base_url: nasty.url(way), model: 'x', retries: 0, first_timeout: '20s', idle_timeout: '20s', timeout: '30s' }]),
    );
    const server = await serverWith(t, offered);
    const ids = await Promise.all(ways.map((way) => begin(server, { agent: way })));
    for (const [index, id] of ids.entries()) {
        const found = await ended(server, id);
        assert.equal(found.status, 'failed', `${ways[index]}: ${JSON.stringify(found)}`);
        assert.ok(found.error.length > 10, ways[index]);
        assert.equal(found.result, null, `${ways[index]}: half of a call is none`);
        assert.ok(!JSON.stringify(await trace(server, id)).includes(key.slice(0, 12)), 'the key is shown');
    }
    await becomes(() => server.metric('witan_runs'), 0, 'nothing is in hand');
});
