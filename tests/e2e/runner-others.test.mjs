// What a run asks other agents, the squad and a discussion: it waits as rows alone, the server is killed and started again
// meanwhile, and what they said is the result of the very call that asked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agent, asking, assertAsked, assertReplays, begin, calls, completed, finish, job, results, stage, step, trace } from './lib/runs.mjs';
import { becomes, until } from './lib/server.mjs';

// A run whose first reply makes this call; whoever else is asked for words gives what `speak` says. Gives what the run waits
// for and `voice`, whose calls are the requests of its own.
async function waits(t, engine, call, speak) {
    const voice = { calls: [] };
    const answer = (asked) => {
        if (!asked.body.tools?.some((tool) => tool.function.name === 'finish')) return speak(asked);
        voice.calls.push(asked);
        return step(asked) === 1 ? { calls: [{ ...call, id: 'c' }] } : { calls: [finish('We go left.')] };
    };
    const { server } = await stage(t, answer, { engine });
    await agent(server, 'Bob');
    const id = await begin(server);
    const [made] = await until(async () => {
        const waiting = calls(await trace(server, id)).filter(({ state }) => state === 'waiting');
        return waiting.length > 0 && waiting;
    }, 'its call waits');
    return { server, id, made, voice };
}

// Nobody has it in hand, and nothing came of its call yet.
async function assertWaits({ server, id, voice }) {
    await until(async () => (await server.metric('witan_runs')) === 0, 'nothing of it is in hand');
    await becomes(() => server.sql(`SELECT wanted, COALESCE(node, 'nobody') FROM runs WHERE job_id = '${id}'`), [['0', 'nobody']], 'nobody has it');
    assert.equal((await job(server, id)).status, 'running');
    await assertAsked(voice, [1], server);
}

// The one that comes has the same store; the leases of the one before are over.
async function dies({ server }) {
    await server.kill9();
    await server.restart();
    await server.advance(10_000);
}

async function assertTold({ server, id, voice }) {
    assert.match(JSON.stringify((await completed(server, id)).result), /We go left\./);
    await assertAsked(voice, [1, 2], server); // its model is asked once more
    await assertReplays(server, id);
    return JSON.parse(results(asking(voice, 2)).c);
}

for (const engine of ['sqlite', 'postgres']) {
    test(`what the squad replies while the server dies is told to the run that asked (${engine})`, { timeout: 300_000 }, async (t) => {
        const run = await waits(t, engine, { name: 'ask_squad', args: { message: 'Left or right?', required_responses: 2 } });
        const { server, made } = run;
        await assertWaits(run);
        assert.equal((await server.answer(made.promptId, 'Bob', 'Left, by the river.')).status, 201);
        await dies(run);
        await assertWaits(run);
        assert.equal((await server.answer(made.promptId, 'Cleo', 'Right is a swamp.')).status, 201);
        const { promptId, status, responses } = await assertTold(run);
        assert.deepEqual([promptId, status], [made.promptId, 'resolved']);
        assert.match(JSON.stringify(responses), /Bob.*Left, by the river\..*Cleo.*Right is a swamp\./);
    });

    test(`how a discussion ends while the server dies is told to the run that began it (${engine})`, { timeout: 300_000 }, async (t) => {
        let speak;
        const held = new Promise((resolve) => (speak = resolve));
        let turns = 0;
        const bob = (asked) => {
            turns += /You are Bob\./.test(asked.system);
            return { text: 'Left, I say.', wait: held };
        };
        const run = await waits(t, engine, { name: 'start_discussion', args: { topic: 'Left or right?', agents: ['Bob'], rounds: 1 } }, bob);
        await until(() => turns > 0, 'Bob is asked');
        await assertWaits(run);
        const before = turns;
        await dies(run);
        await until(() => turns > before, 'Bob is asked again');
        await assertWaits(run);
        speak();
        const { discussionId, status, endReason, summary } = await assertTold(run);
        assert.deepEqual([discussionId, status, endReason], [run.made.discussionId, 'completed', 'rounds_used']);
        assert.match(summary, /Left, I say\./);
    });
}
