// Agents that witan runs: the loop from its first model call to the result, over HTTP.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
    asked, asking, assertAsked, assertReplays, begin, calls, cancel, command, completed, ended, failed, finish, job, question, questions, reply, results,
    stage, step, trace, written,
} from './lib/runs.mjs';
import { becomes, until } from './lib/server.mjs';

// On the embedded store and on PostgreSQL; a few at once, since most of each is starting a server.
const cases = [];
const both = (name, run) => cases.push({ name, run });

// One reply a step, from a list.
const inTurn = (list) => (call) => list[step(call) - 1] ?? 'There is nothing more to say.';

both('a reply without a call is the result', async (t, options) => {
    const { server, voice } = await stage(t, () => 'It is done.', options);
    const id = await begin(server, { input: { task: 'Count the sheep.' } });
    const { result } = await completed(server, id);
    assert.match(JSON.stringify(result), /It is done\./);
    await assertAsked(voice, [1], server);
    assert.match(voice.calls[0].system, /You are Ada\./);
    assert.match(voice.calls[0].user, /Count the sheep\./);
    assert.ok(voice.calls[0].body.tools.some((tool) => tool.function.name === 'finish'));
    await assertReplays(server, id);
});

both('what is answered is the result of the very call that asked', async (t, options) => {
    const { server, voice } = await stage(
        t,
        inTurn([
            { text: 'Two things.', calls: [{ ...question('Which colour?'), id: 'a' }, { ...question('Which size?'), id: 'b' }] },
            { calls: [finish('red and large')] },
        ]),
        options,
    );
    const id = await begin(server);
    const open = await asked(server, id, 2);
    assert.equal((await job(server, id)).status, 'waiting_for_input');
    // It waits as rows alone.
    await until(async () => (await server.metric('witan_runs')) === 0, 'nothing of it is in hand');
    await reply(server, open.find((each) => /size/.test(each.question)), 'large');
    await assertAsked(voice, [1], server); // it goes on when it has both
    await reply(server, open.find((each) => /colour/.test(each.question)), 'red');
    assert.match(JSON.stringify((await completed(server, id)).result), /red and large/);
    await assertAsked(voice, [1, 2], server);
    const given = results(asking(voice, 2));
    assert.match(given.a, /red/);
    assert.match(given.b, /large/);
    await assertReplays(server, id);
});

both('a question that does not block goes on with its default, and a later answer is a note', async (t, options) => {
    let go;
    const held = new Promise((resolve) => (go = resolve));
    const { server, voice } = await stage(
        t,
        (call) =>
            inTurn([
                { calls: [question('Tabs or spaces?', { type: 'non_blocking', defaultResponse: { type: 'text', value: 'tabs' } })] },
                { wait: held, calls: [{ name: 'report_progress', args: { done: 1, total: 2, step: 'half' } }] },
                { calls: [finish('well')] },
            ])(call),
        options,
    );
    const id = await begin(server);
    await until(() => asking(voice, 2), 'it goes on at once');
    assert.match(Object.values(results(asking(voice, 2)))[0], /tabs/);
    const [open] = await asked(server, id);
    await reply(server, open, 'spaces');
    go();
    await completed(server, id);
    const { messages } = asking(voice, 3).body;
    const notes = messages.filter(({ role, content }) => role === 'user' && /spaces/.test(content));
    assert.equal(notes.length, 1, JSON.stringify(messages));
    assert.equal((await trace(server, id)).entries.filter(({ kind }) => kind === 'note').length, 1);
    await assertReplays(server, id);
});

const writes = (name, more) => async (work) => ({
    [name]: await command(work, name, `cat >> ${work}/${name}.txt; echo >> ${work}/${name}.txt; echo done`, { folder: work, ...more }),
});

both('several calls run side by side, and their results stand in the order of the calls', async (t, options) => {
    const { server, voice } = await stage(
        t,
        inTurn([
            { calls: ['1', '0.2', '0.1'].map((time, index) => ({ name: 'nap', args: { time }, id: `c${index}` })) },
            { calls: [finish('rested')] },
        ]),
        {
            ...options,
            // None ends before all have begun.
            tools: async (work) => ({
                nap: await command(work, 'nap', 'read it; n=$(echo "$it" | tr -dc 0-9.); : > "nap.$n"; while [ "$(ls nap.[0-9]* | wc -l)" -lt 3 ]; do sleep 0.05; done; sleep "$n"; echo "slept $n"', {
                    folder: work,
                    timeout: '5m',
                    input_schema: { type: 'object', properties: { time: { type: 'string' } }, required: ['time'] },
                }),
            }),
        },
    );
    const id = await begin(server);
    await completed(server, id);
    const told = asking(voice, 2).body.messages.filter(({ role }) => role === 'tool');
    assert.deepEqual(told.map((each) => each.tool_call_id), ['c0', 'c1', 'c2']);
    told.forEach((each, index) => assert.match(each.content, new RegExp(`slept ${['1', '0.2', '0.1'][index]}`)));
    const all = calls(await trace(server, id)).filter(({ name }) => name === 'nap');
    const begins = Math.max(...all.map(({ startedAt }) => Date.parse(startedAt)));
    const ends = Math.min(...all.map(({ endedAt }) => Date.parse(endedAt)));
    assert.ok(begins < ends, 'all have begun before one has ended');
    await assertReplays(server, id);
});

both('what a command was given is in nothing that it said, whatever its lines end with', async (t, options) => {
    const env = {
        LINES_KEY: '-----BEGIN KEY-----\nk3y-lines-one\nk3y-lines-two\n-----END KEY-----\n',
        WINDOWS_KEY: '-----BEGIN KEY-----\r\nk3y-windows-one\r\nk3y-2\r\n-----END KEY-----\r\n',
        ENDED_KEY: 'k3y-that-ends-with-a-line\n',
    };
    const { server, voice } = await stage(
        t,
        inTurn([{ calls: [{ name: 'show', args: {}, id: 'a' }, { name: 'complain', args: {}, id: 'b' }] }, { calls: [finish('shown')] }]),
        {
            ...options,
            env,
            tools: async (work) => ({
                show: await command(work, 'show', 'echo "<$LINES_KEY>"; printf %s "$WINDOWS_KEY"; printf %s "$ENDED_KEY"', { environment_from: Object.keys(env) }),
                complain: await command(work, 'complain', '{ echo "$LINES_KEY" | sed "s/^/> /"; printf %s "$WINDOWS_KEY"; } >&2; exit 3', {
                    environment_from: Object.keys(env),
                }),
            }),
        },
    );
    const id = await begin(server);
    await completed(server, id);
    const told = results(voice.calls[1]);
    assert.match(told.a, /^<\*\*\*\n>\n\*\*\*\n\*\*\*$/);
    assert.match(told.b, /> -----BEGIN KEY-----\n> \*\*\*\n> \*\*\*\n> -----END KEY-----\n> \n\*\*\*$/);
    assert.doesNotMatch(JSON.stringify([voice.calls, await trace(server, id), await job(server, id)]), /k3y/);
    await assertReplays(server, id);
});

both('what runs is what was approved', async (t, options) => {
    const { server, voice, work } = await stage(
        t,
        inTurn([{ calls: [{ name: 'note', args: { text: 'drop everything' }, id: 'n' }] }, { calls: [finish('noted')] }]),
        { ...options, tools: writes('note', { needs_approval: true }) },
    );
    const id = await begin(server);
    const [open] = await asked(server, id);
    assert.equal(open.type, 'approval');
    assert.equal((await job(server, id)).status, 'waiting_for_approval');
    assert.deepEqual(open.action.args, { text: 'drop everything' });
    assert.deepEqual(await written(join(work, 'note.txt')), []);
    await reply(server, open, true, { args: { text: 'drop one thing' } });
    await completed(server, id);
    assert.deepEqual((await written(join(work, 'note.txt'))).map((line) => JSON.parse(line)), [{ text: 'drop one thing' }]);
    assert.match(results(asking(voice, 2)).n, /done/);
    const [call] = calls(await trace(server, id)).filter(({ name }) => name === 'note');
    assert.deepEqual(JSON.parse(call.approvedArguments), { text: 'drop one thing' });
    await assertReplays(server, id);
});

both('what was rejected is told so, and does not run', async (t, options) => {
    const { server, voice, work } = await stage(
        t,
        inTurn([{ calls: [{ name: 'note', args: { text: 'x' }, id: 'n' }] }, { calls: [finish('left')] }]),
        { ...options, tools: writes('note', { needs_approval: true }) },
    );
    const id = await begin(server);
    const [open] = await asked(server, id);
    await reply(server, open, false, { text: 'Not on a Friday.' });
    await completed(server, id);
    assert.deepEqual(await written(join(work, 'note.txt')), []);
    assert.match(results(asking(voice, 2)).n, /not approved.*Not on a Friday/s);
    await assertReplays(server, id);
});

both('cancelling closes the connection to the model', async (t, options) => {
    const { server, voice } = await stage(t, () => ({ hang: true }), options);
    const id = await begin(server);
    await until(() => voice.calls.length > 0, 'the model is asked');
    await cancel(server, id);
    await until(() => voice.calls.every(({ ended }) => ended === 'closed'), 'the call is closed');
    assert.equal((await job(server, id)).status, 'cancelled');
    await until(async () => (await server.metric('witan_runs')) === 0, 'nothing of it is in hand');
    await pause(50);
    await assertAsked(voice, [1], server);
});

// Whether a process with this argument is left, whoever started it.
async function runs(argument) {
    const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
    return lines.some((line) => line.split('\0').includes(argument));
}

both('cancelling ends the process group of a tool', async (t, options) => {
    const long = `300.${process.pid}${options.engine.length}`;
    const { server, work } = await stage(t, inTurn([{ calls: [{ name: 'stay', args: {} }] }]), {
        ...options,
        tools: async (folder) => ({
            stay: await command(folder, 'stay', `sleep ${long} & echo $$ > ${folder}/self; wait`, { folder, timeout: '5m' }),
        }),
    });
    const id = await begin(server);
    await until(async () => (await written(join(work, 'self'))).length > 0 && (await runs(long)), 'it runs');
    await becomes(() => server.metric('witan_tool_calls'), 1, 'its call is out');
    await cancel(server, id);
    await until(async () => (await server.metric('witan_tool_calls')) === 0, 'it has ended');
    await becomes(() => server.metric('witan_tool_calls_total', 'cancelled'), 1, 'it is counted');
    assert.equal((await job(server, id)).status, 'cancelled');
    assert.ok(!(await runs(long)), 'what it had started is gone as well');
});

both('an endless loop ends with its budget of steps', async (t, options) => {
    const { server, voice } = await stage(t, () => ({ calls: [{ name: 'report_progress', args: { done: 1, total: 9 } }] }), options);
    const id = await begin(server, { budget: { steps: 4 } });
    await failed(server, id, /budget.*4.*steps|4.*steps/is);
    await assertAsked(voice, [1, 2, 3, 4], server);
    await assertReplays(server, id);
});

both('wall time ends a run while its model is asked', async (t, options) => {
    const { server, voice } = await stage(t, () => ({ hang: true }), options);
    // Where there are leases the clock is not moved, since it moves them as well: the run would be claimed anew, and what it
    // has taken until then is not counted. A busy machine may need more of the time until it asks.
    const moves = options.engine === 'sqlite';
    for (const seconds of moves ? [60] : [4, 20, 60]) {
        const id = await begin(server, { budget: { seconds } });
        if (moves) {
            await until(() => voice.calls.length > 0, 'the model is asked');
            await server.advance(61_000);
        }
        await failed(server, id, /time|seconds|minute/i);
        if (voice.calls.length > 0) break;
    }
    await until(() => voice.calls.length > 0 && voice.calls.every(({ ended }) => ended === 'closed'), 'the call is closed');
});

both('an error of the model fails the job in words', async (t, options) => {
    const { server } = await stage(t, () => ({ status: 401, words: 'no such key' }), { ...options, settings: { retries: 0 } });
    await failed(server, await begin(server), /key/i);
});

both('with recover an error of the model becomes a question', async (t, options) => {
    let broken = true;
    const { server, voice } = await stage(t, () => (broken ? { status: 401 } : 'Well again.'), { ...options, settings: { retries: 0 } });
    const id = await begin(server, { recover: true });
    const [open] = await asked(server, id);
    assert.equal(open.type, 'error_recovery');
    broken = false;
    await reply(server, open, 'retry');
    assert.match(JSON.stringify((await completed(server, id)).result), /Well again/);
    await assertAsked(voice, [1, 1], server);
    await assertReplays(server, id);
});

test('what a model says wrongly is told back to it', async (t) => {
    const { server, voice } = await stage(
        t,
        inTurn([
            { calls: [{ name: 'no_such_tool', args: {}, id: 'a' }, { name: 'ask_question', args: { question: 5 }, id: 'b' }] },
            { calls: [finish('understood')] },
        ]),
    );
    const id = await begin(server);
    await completed(server, id);
    const told = results(voice.calls[1]);
    assert.match(told.a, /no_such_tool/);
    assert.match(told.b, /question/);
    assert.deepEqual(await questions(server, id), []);
    assert.deepEqual(calls(await trace(server, id)).slice(0, 2).map(({ outcome }) => outcome), ['unknown', 'invalid']);
    await assertReplays(server, id);
});

test('a job that witan runs is not driven by others', async (t) => {
    const { server } = await stage(t, () => ({ hang: true }));
    const id = await begin(server);
    assert.equal((await server.api('PATCH', `/api/jobs/${id}`, { status: 'completed' })).status, 409);
    await cancel(server, id);
    assert.equal((await ended(server, id)).status, 'cancelled');
});

test('a hundred runs come to their end together', async (t) => {
    const { server, voice } = await stage(t, inTurn([{ calls: [{ name: 'report_progress', args: { done: 1, total: 2 } }] }, { calls: [finish('well')] }]), {
        settings: { max_in_flight: 64 },
    });
    const ids = await Promise.all(Array.from({ length: 100 }, () => begin(server)));
    await Promise.all(ids.map((id) => completed(server, id)));
    assert.equal(voice.calls.length, 200);
});

describe('the loop', { concurrency: 4 }, () => {
    for (const { name, run } of cases)
        for (const engine of ['sqlite', 'postgres']) test(`${name} (${engine})`, { timeout: 300_000 }, (t) => run(t, { engine }));
});
