// kill -9 between every two steps of a run: it goes on after the restart and ends as it would have. Each command ran once,
// or people were asked about it.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertReplays, begin, command, job, questions, reply, stage, trace, written } from './lib/runs.mjs';
import { full, until } from './lib/server.mjs';

const patience = 300_000; // a machine that has a lot to do beside this is no failure
const commands = ['first', 'second', 'third'];
const result = 'Blue and green: three commands have run.';

// Ten steps, which ask twice and run three commands, whose output does not fit the model's window: so it is condensed on the
// way. What is said in each depends on nothing but which it is.
const script = [
    'I begin.\\n!call report_progress {"done": 0, "total": 10}',
    '!call ask_question {"question": "Which colour is the sky?", "type": "blocking", "responseType": "text"}',
    '!call first {"n": 1}',
    'Two at once.\\n!call report_progress {"done": 3, "total": 10}\\n!call second {"n": 2}',
    '!call ask_question {"question": "Which colour is the grass?", "type": "blocking", "responseType": "text"}',
    '!call report_progress {"done": 5, "total": 10}',
    '!call third {"n": 3}',
    '!call report_progress {"done": 7, "total": 10}',
    '!call report_progress {"done": 8, "total": 10}',
    `!call finish {"result": "${result}"}`,
];
const lines = [...script.map((line) => `Ada: ${line}`), '* (summary): What was done so far is summed up here.'];

async function prepare(t, engine, env = {}) {
    return stage(
        t,
        { provider: 'scripted', window: 2500 },
        {
            engine,
            env,
            tools: async (work) => {
                await writeFile(join(work, 'script.txt'), `${lines.join('\n')}\n`);
                const all = {};
                for (const name of commands) all[name] = await command(work, name, `cat >> ${work}/${name}.txt; echo >> ${work}/${name}.txt; printf '%04096d' 7`, { folder: work });
                return all;
            },
        },
    );
}

// What a person does who looks before they answer: a command that left its line is not run again.
async function answer(work, server, open) {
    if (open.type !== 'error_recovery') return reply(server, open, /sky/.test(open.question) ? 'blue' : 'green');
    const name = commands.find((each) => JSON.stringify(open).includes(each));
    assert.ok(name, `it asks about a command: ${JSON.stringify(open)}`);
    return reply(server, open, (await written(join(work, `${name}.txt`))).length > 0 ? 'skip' : 'retry');
}

const over = ({ status }) => ['completed', 'failed', 'cancelled'].includes(status);

// Answers what is asked until the run has ended (true) or the server has (false).
async function drive(work, server, id) {
    let dead = false;
    server.ended.then(() => (dead = true));
    return until(
        async () => {
            if (dead) return 'dead';
            try {
                for (const open of await questions(server, id)) await answer(work, server, open);
                return over(await job(server, id)) && 'over';
            } catch (error) {
                if (error.code === 'ERR_ASSERTION' && !dead) throw error;
            }
        },
        'it ends',
        patience,
    );
}

async function assertOutcome(work, server, id) {
    const ended = await job(server, id);
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    assert.ok(JSON.stringify(ended.result).includes(result), JSON.stringify(ended.result));
    for (const [index, name] of commands.entries())
        assert.deepEqual((await written(join(work, `${name}.txt`))).map((line) => JSON.parse(line)), [{ n: index + 1 }], name);
    const { run, entries } = await trace(server, id);
    assert.equal(run.phase, 'ended');
    const replies = entries.filter(({ kind }) => kind === 'reply');
    assert.equal(replies.length, script.length, 'no step is missing, and none is there twice');
    await assertReplays(server, id);
}

// A server that is gone comes back; the lease of the one before is over.
async function comeBack(server, env) {
    server.env = env;
    try {
        await server.restart();
        await server.advance(10_000);
    } catch (error) {
        assert.ok(env.WITAN_TEST_CRASH_AT, error); // or it has died by then
    }
}

// The server may die before its reply is out: then it is told once more, by the same key, which begins nothing twice.
async function beginOnce(server, env) {
    for (let lives = 1; ; lives++)
        try {
            return { id: await begin(server, {}, { headers: { 'Idempotency-Key': 'once' } }), lives };
        } catch (error) {
            if (error.code === 'ERR_ASSERTION') throw error;
            assert.equal((await server.ended).signal, 'SIGKILL', error);
            await comeBack(server, env);
        }
}

// Whether it died on the way.
async function crashesAt(t, engine, point) {
    const { server, work } = await prepare(t, engine, { WITAN_TEST_CRASH_AT: point });
    const { id, lives } = await beginOnce(server, {});
    const went = await drive(work, server, id);
    if (went === 'dead') {
        assert.equal(lives, 1);
        assert.equal((await server.ended).signal, 'SIGKILL');
        await comeBack(server, {});
        assert.equal(await drive(work, server, id), 'over');
    }
    await assertOutcome(work, server, id);
    return lives > 1 || went === 'dead';
}

// Dies again and again, so many commits after each start.
async function crashesOn(t, engine, point) {
    const { server, work } = await prepare(t, engine, { WITAN_TEST_CRASH_AT: point });
    const begun = await beginOnce(server, { WITAN_TEST_CRASH_AT: point });
    const id = begun.id;
    let lives = begun.lives;
    while ((await drive(work, server, id)) === 'dead') {
        assert.ok(++lives < 60, 'it comes to its end');
        await comeBack(server, lives < 40 ? { WITAN_TEST_CRASH_AT: point } : {});
    }
    assert.ok(lives > 4, `${lives} lives`);
    await assertOutcome(work, server, id);
}

for (const engine of ['sqlite', 'postgres'])
    test(`a crash in each phase of a run changes nothing (${engine})`, { timeout: 900_000, concurrency: 4 }, async (t) => {
        const { server: listed } = await prepare(t, engine, { WITAN_TEST_CRASH_AT: '?' });
        const [, names] = await until(() => listed.log.match(/of=runs phases="?([a-z_,]+)/), 'it lists them');
        const phases = names.split(',');
        assert.ok(phases.length >= 6, names);
        const points = phases.flatMap((phase) => ['before', 'after'].map((when) => `${phase}:${when}`));
        await Promise.all([
            ...points.map((point) =>
                t.test(point, async (t) => assert.ok(await crashesAt(t, engine, point), `a commit enters ${point}`)),
            ),
            t.test('never', async (t) => {
                const { server, work } = await prepare(t, engine);
                const id = await begin(server);
                assert.equal(await drive(work, server, id), 'over');
                await assertOutcome(work, server, id);
            }),
            t.test('again and again', (t) => crashesOn(t, engine, engine === 'sqlite' ? 'any:after:4' : 'any:before:5')),
        ]);
    });

// One life for each commit that there is, or for some of them: what was done since the one before it is lost, and nothing else is.
// There are 23 or 24; a machine that has a lot to do beside this may make some more of them.
const most = 40;
const some = [3, 9, 14];

for (const engine of ['sqlite', 'postgres'])
    test(`a crash before ${full ? 'each commit' : 'some commits'} of a run changes nothing (${engine})`, { timeout: 900_000, concurrency: 4 }, async (t) => {
        const points = full ? Array.from({ length: most }, (_, index) => index + 1) : some;
        const died = await Promise.all(
            points.map(async (point) => {
                let dies;
                await t.test(`before the commit ${point}`, async (t) => (dies = await crashesAt(t, engine, `any:before:${point}`)));
                return dies;
            }),
        );
        const count = died.filter(Boolean).length;
        if (full) assert.ok(count >= 16 && count < most, `${count} commits`);
        else assert.equal(count, some.length);
    });
