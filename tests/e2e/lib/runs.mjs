// Agents that witan runs itself: a model that the test plays, commands as tools, and what became of a run.
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { model, openai } from './model.mjs';
import { start, tempFolder, until } from './server.mjs';

// A command as a tool: a script for /bin/sh that gets its arguments as JSON on its standard input.
export async function command(folder, name, script, more = {}) {
    const file = join(folder, `${name}.sh`);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return { description: `The tool ${name}.`, input_schema: { type: 'object' }, argv: ['/bin/sh', file], timeout: '30s', ...more };
}

// A config.yaml with these models, tools and MCP servers.
export async function configured(folder, { models, tools, mcp }) {
    const file = join(folder, 'runs.yaml');
    await mkdir(folder, { recursive: true });
    await writeFile(file, JSON.stringify({ models, ...(tools && { tools }), ...(mcp && { mcp }) }));
    return ['--config', file];
}

// Whether a model is told all of it: who it is, its task, and to each call that it has made the result.
function whole({ body: { messages } }) {
    const made = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    const told = messages.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => id);
    return messages[0]?.role === 'system' && messages[1]?.role === 'user' && made.join() === told.join();
}

const heeds = (answer) => (call, server) => (whole(call) ? answer(call, server) : { status: 400, words: 'This is a part of a conversation.' });

// A server whose model says what `answer` gives (lib/model.mjs), with an agent called Ada. `tools` is given a folder that
// commands may write to, and gives the tools; so is `mcp`, and gives the servers. Instead of `answer`, the settings of a scripted
// model, whose lines `tools` writes to script.txt there.
export async function stage(t, answer, { tools, mcp, settings = {}, ...options } = {}) {
    const voice = typeof answer === 'function' ? await model(t, heeds(answer)) : undefined;
    const folder = options.folder ?? (await tempFolder(t));
    const work = join(folder, 'work');
    await mkdir(work, { recursive: true });
    const offered = tools && (await tools(work));
    const scripted = { ...answer, script: join(work, 'script.txt'), ...settings };
    const args = await configured(folder, { models: { default: voice ? openai(voice, settings) : scripted }, tools: offered, mcp: mcp?.(work) });
    const server = await start(t, { ...options, folder, args: [...args, ...(options.args ?? [])] });
    await agent(server);
    return { server, voice, work };
}

export const agent = (server, name = 'Ada') =>
    server.must(201, 'POST', '/api/agents', { name, system_prompt: `You are ${name}.` });

// Starts a run and gives the job's id.
export async function begin(server, fields = {}, options) {
    return (await server.must(201, 'POST', '/api/jobs', { kind: 'agent', agent: 'Ada', input: { task: 'Do it.' }, ...fields }, options)).id;
}

export const job = (server, id) => server.must(200, 'GET', `/api/jobs/${id}`);
export const cancel = (server, id) => server.must(200, 'POST', `/api/jobs/${id}/cancel`, {});

const over = new Set(['completed', 'failed', 'cancelled']);

// The job when it has ended.
export const ended = (server, id) =>
    until(async () => {
        const found = await job(server, id);
        return over.has(found.status) && found;
    }, 'the run has ended');

export async function completed(server, id) {
    const found = await ended(server, id);
    assert.equal(found.status, 'completed', JSON.stringify(found));
    return found;
}

export async function failed(server, id, why) {
    const found = await ended(server, id);
    assert.equal(found.status, 'failed', JSON.stringify(found));
    assert.match(found.error, why);
    return found;
}

// All of it: what was told, said, called, decided.
export async function trace(server, id) {
    const entries = [];
    let cursor = '';
    let run;
    for (;;) {
        const page = await server.must(200, 'GET', `/api/jobs/${id}/trace?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
        run ??= page.run;
        entries.push(...page.entries);
        if (!page.nextCursor) return { run, entries };
        cursor = page.nextCursor;
    }
}

export const calls = ({ entries }) => entries.filter(({ kind }) => kind === 'call').map(({ call }) => call);

// What its own decisions are when they are made again.
export async function assertReplays(server, id) {
    const replay = await server.must(200, 'GET', `/api/jobs/${id}/replay`);
    assert.ok(replay.decisions > 0, JSON.stringify(replay));
    assert.equal(replay.same, true, JSON.stringify(replay.differences));
}

export const questions = async (server, id) =>
    (await server.must(200, 'GET', `/api/jobs/${id}/questions`)).questions.filter(({ status }) => status === 'pending');

// Its open questions, when there are so many.
export const asked = (server, id, count = 1) =>
    until(async () => {
        const open = await questions(server, id);
        return open.length >= count && open;
    }, `it asks ${count}`);

export const reply = (server, question, value, more = {}) =>
    server.must(200, 'POST', `/api/questions/${question.id ?? question.questionId}/answer`, {
        response: { type: question.responseType, value, ...more },
    });

// The lines that a command has written to a file.
export const written = (file) => readFile(file, 'utf8').then((text) => text.split('\n').filter(Boolean), () => []);

// What a model server was told: of each tool call its result, by the call's id.
export const results = (call) =>
    Object.fromEntries(call.body.messages.filter(({ role }) => role === 'tool').map((each) => [each.tool_call_id, each.content]));
export const finish = (result, id) => ({ name: 'finish', args: { result }, id });
export const question = (text, more = {}) => ({
    name: 'ask_question',
    args: { question: text, type: 'blocking', responseType: 'text', ...more },
});
// So many of its own replies a conversation has: which step this is, from 1, however often it is asked.
export const step = (call) => call.body.messages.filter(({ role }) => role === 'assistant').length + 1;

// The last request for a step. There is one for each, unless a server was held up for longer than its lease: then it closes what it
// has out and asks again, and its log says so.
export const asking = ({ calls }, number) => calls.findLast((call) => step(call) === number);

// That a model was asked for these steps, in this order, and for none once more but after such a lapse of one of the servers.
export async function assertAsked({ calls }, wanted, ...servers) {
    const lapsed = () => servers.some(({ log }) => /the lease on runs ran out/.test(log));
    const steps = () => calls.map(step);
    // The log comes by another way than the requests, and may be the later one.
    await until(
        () => isDeepStrictEqual(steps(), wanted) || (lapsed() && isDeepStrictEqual(new Set(steps()), new Set(wanted))),
        'it is asked for these steps',
    ).catch(() => {
        assert.deepEqual(steps(), wanted, 'the steps that it was asked for');
    });
}
