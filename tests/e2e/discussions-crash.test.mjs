// kill -9 in every phase of a discussion: it goes on after the restart and ends as it would have, with no turn twice and
// none missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agent, allRest, deterministic, discussions, said, state } from './lib/councils.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { start, tempFolder, until } from './lib/server.mjs';

const patience = 300_000; // a machine that has a lot to do beside this is no failure

// Discussions that come through every phase together. They are written at once: a child that another program writes
// before its parent may have ended by then.
async function scenario(server) {
    const [anna, bert, cleo] = await Promise.all(['Anna', 'Bert', 'Cleo'].map((name) => agent(server, name)));
    const outside = await agent(server, 'Otto', { ai_model_config: '{"provider":"external"}' });
    const prompt = await server.ask({ required_responses: 1 });
    const voting = { vote: { choices: ['tea', 'coffee'], rule: 'majority' }, smart_termination: 'shadow' };
    return discussions(server, [
        [1, [anna, bert, cleo], { options: JSON.stringify(voting), ref_kind: 'prompt', ref_id: prompt.id }],
        [2, [anna, bert], { rounds: 1 }],
        [3, [cleo, anna], { rounds: 1, parent_id: '00000000-0000-4000-8000-000000000002', depth: 1 }],
        [4, [bert, outside], { rounds: 1 }],
        [5, [anna, bert, null], { mode: 'turns' }],
        [6, [anna, cleo], { options: '{"smart_termination":"on","judge":true}' }],
    ]);
}

async function outcome(server, discussions) {
    await until(() => allRest(server, discussions), 'all rest', patience);
    return Promise.all(
        discussions.map(async (of) => {
            const { status, reason, phase } = await state(server, of);
            return { status, reason, phase, said: await said(server, of) };
        }),
    );
}

async function prepare(t, engine, env) {
    const answers = await model(t, (call) => {
        const text = deterministic(call);
        // Held until the server is gone, so that the text so far is saved however long that takes.
        return /speaking/.test(env.WITAN_TEST_CRASH_AT ?? '') && call.number === 1
            ? { pieces: text.split(/(?<= )/).slice(0, 3), stay: true }
            : text;
    });
    const folder = await tempFolder(t);
    const args = await configure(folder, { default: openai(answers) });
    return { answers, server: await start(t, { engine, folder, args, env }) };
}

// Runs it until the commit that it is to die at. That may be the one after which all rest, and its end is heard of later.
async function crash(server, phase) {
    let ended;
    server.ended.then((how) => (ended = how));
    await until(() => ended, `a commit enters the phase ${phase}`, patience);
    assert.equal(ended.signal, 'SIGKILL');
}

async function crashesAt(t, engine, phase, when, wanted) {
    const { server, answers } = await prepare(t, engine, { WITAN_TEST_CRASH_AT: `${phase}:${when}` });
    const discussions = await scenario(server);
    await crash(server, phase);
    server.env = {};
    await server.restart();
    await server.advance(10_000); // the lease of the node that died is over
    assert.deepEqual(await outcome(server, discussions), wanted);
    assert.ok(answers.calls.length > 0);
}

for (const engine of ['sqlite', 'postgres'])
    test(`a crash in each phase changes nothing (${engine})`, { timeout: 900_000, concurrency: 4 }, async (t) => {
        const listed = (await prepare(t, engine, { WITAN_TEST_CRASH_AT: '?' })).server;
        const [, names] = await until(() => listed.log.match(/of=discussions phases="?([a-z,]+)/), 'it lists them');
        const phases = names.split(',');
        assert.ok(phases.length >= 12, phases.join());
        const { server } = await prepare(t, engine, {});
        const wanted = await outcome(server, await scenario(server));
        assert.deepEqual(
            wanted.map(({ status, reason }) => [status, reason]),
            [
                ['completed', 'rounds_used'],
                ['completed', 'rounds_used'],
                ['completed', 'rounds_used'],
                ['active', ''],
                ['active', ''],
                ['completed', 'rounds_used'],
            ],
        );
        const points = phases.flatMap((phase) => ['before', 'after'].map((when) => [phase, when]));
        await Promise.all(
            points.map(([phase, when]) =>
                t.test(`${when} ${phase}`, (t) => crashesAt(t, engine, phase, when, wanted)),
            ),
        );
    });
