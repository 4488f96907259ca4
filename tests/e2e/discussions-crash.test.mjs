// kill -9 in every phase of a discussion: it goes on after the restart and ends as it would have, with no turn twice and
// none missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agent, deterministic, discussion, said, state } from './lib/councils.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { start, tempFolder, until } from './lib/server.mjs';

// Discussions that come through every phase together.
async function scenario(server) {
    const [anna, bert, cleo] = [
        await agent(server, 'Anna'),
        await agent(server, 'Bert'),
        await agent(server, 'Cleo'),
    ];
    const outside = await agent(server, 'Otto', { ai_model_config: '{"provider":"external"}' });
    const prompt = await server.ask({ required_responses: 1 });
    const voting = { vote: { choices: ['tea', 'coffee'], rule: 'majority' }, smart_termination: 'shadow' };
    return [
        await discussion(server, 1, [anna, bert, cleo], {
            options: JSON.stringify(voting),
            ref_kind: 'prompt',
            ref_id: prompt.id,
        }),
        await discussion(server, 3, [cleo, anna], { rounds: 1, parent_id: '00000000-0000-4000-8000-000000000002', depth: 1 }),
        await discussion(server, 2, [anna, bert], { rounds: 1 }),
        await discussion(server, 4, [bert, outside], { rounds: 1 }),
        await discussion(server, 5, [anna, bert, null], { mode: 'turns' }),
        await discussion(server, 6, [anna, cleo], { options: '{"smart_termination":"on","judge":true}' }),
    ];
}

const rests = ({ status, phase }) => status !== 'active' || phase === 'person' || phase === 'outside';

async function outcome(server, discussions) {
    const settled = async (all) => (await Promise.all(all.map((of) => state(server, of)))).every(rests);
    await until(() => settled(discussions), 'all rest', 60_000);
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
        // Slow enough for the text so far to be saved.
        return /speaking/.test(env.WITAN_TEST_CRASH_AT ?? '') && call.number === 1
            ? { pieces: text.split(/(?<= )/), every: 400 }
            : text;
    });
    const folder = await tempFolder(t);
    const args = await configure(folder, { default: openai(answers) });
    return { answers, server: await start(t, { engine, folder, args, env }) };
}

for (const engine of ['sqlite', 'postgres']) {
    test(`a crash in each phase changes nothing (${engine})`, { timeout: 900_000 }, async (t) => {
        const listed = (await prepare(t, engine, { WITAN_TEST_CRASH_AT: '?' })).server;
        const phases = listed.log.match(/phases="?([a-z,]+)/)[1].split(',');
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
        for (const phase of phases)
            for (const when of ['before', 'after'])
                await t.test(`${when} ${phase}`, async (t) => {
                    const { server, answers } = await prepare(t, engine, { WITAN_TEST_CRASH_AT: `${phase}:${when}` });
                    const discussions = await scenario(server).catch((why) => why);
                    if (!Array.isArray(discussions)) throw discussions;
                    const ended = await Promise.race([
                        server.ended,
                        outcome(server, discussions).then(() => null, () => server.ended),
                    ]);
                    assert.ok(ended, `no commit entered the phase ${phase}`);
                    assert.equal(ended.signal, 'SIGKILL');
                    server.env = {};
                    await server.restart();
                    assert.deepEqual(await outcome(server, discussions), wanted);
                    assert.ok(answers.calls.length > 0);
                });
    });
}
