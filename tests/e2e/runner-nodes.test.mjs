// Two servers on one PostgreSQL: one runs an agent, and the other takes over when it is gone. And a run that waits while the
// server is another.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { agent, asked, asking, assertAsked, assertReplays, begin, command, completed, configured, finish, job, question, reply, stage, step, trace, written } from './lib/runs.mjs';
import { model, openai } from './lib/model.mjs';
import { atEnd, start, tempFolder, until } from './lib/server.mjs';

const progress = (done) => ({ calls: [{ name: 'report_progress', args: { done, total: 3 } }] });
const told = (call) => [progress(1), progress(2), { calls: [finish('well')] }][step(call) - 1];

// Two nodes, each with a model server of its own, so that it can be seen who asked.
async function pair(t, first, tools) {
    const slow = await model(t, (call) => first(call) || told(call));
    const quick = await model(t, told);
    const work = await tempFolder(t);
    const node = async (voice, more) => {
        const folder = await tempFolder(t);
        const args = await configured(folder, { models: { default: openai(voice) }, tools: tools && (await tools(work)) });
        return start(t, { engine: 'postgres', folder, args, clock: false, ...more });
    };
    const a = await node(slow);
    await agent(a);
    return { slow, quick, a, work, more: () => node(quick, { db: a.db }) };
}

async function assertSteps(server, id, count) {
    const { entries } = await trace(server, id);
    assert.equal(entries.filter(({ kind }) => kind === 'reply').length, count);
    await assertReplays(server, id);
}

// Most of each is waiting for a lease to run out.
describe('two nodes', { concurrency: true }, () => {
    test('the other node takes over when one is killed', { timeout: 300_000 }, async (t) => {
        const { slow, quick, a, more } = await pair(t, (call) => step(call) > 1 && { hang: true });
        const id = await begin(a);
        await until(() => asking(slow, 2), 'the second step is out');
        const b = await more();
        await a.kill9();
        await completed(b, id);
        await assertAsked(quick, [2, 3], b); // what was stored is not asked for again
        await assertSteps(b, id, 3);
    });

    test('a node that stops in order lets go at once', { timeout: 300_000 }, async (t) => {
        const { slow, a, more } = await pair(t, (call) => step(call) > 1 && { hang: true });
        const id = await begin(a);
        await until(() => asking(slow, 2), 'the second step is out');
        const b = await more();
        await a.stop();
        await completed(b, id);
        await until(() => slow.calls.every((call) => call.ended === (step(call) === 1 ? 'whole' : 'closed')), 'the call was closed');
        await assertSteps(b, id, 3);
    });

    test('what a node writes after it was stopped for longer than its lease is refused', { timeout: 300_000 }, async (t) => {
        let release;
        const held = new Promise((resolve) => (release = resolve));
        const { slow, a, more } = await pair(t, (call) => step(call) === 2 && { ...progress(99), wait: held });
        const id = await begin(a);
        await until(() => asking(slow, 2), 'the second step is out');
        const b = await more();
        a.child.kill('SIGSTOP');
        atEnd(t, () => a.child.kill('SIGCONT'));
        await completed(b, id);
        const before = await trace(b, id);
        release();
        await until(() => slow.calls.every(({ ended }) => ended), 'the late reply is out');
        const asks = slow.calls.length;
        a.child.kill('SIGCONT');
        await until(() => /lease on runs ran out|a run is not this node's any more/.test(a.log), 'nothing came of the late reply');
        await until(async () => (await a.metric('witan_runs')) === 0, 'nothing is in hand there any more');
        assert.deepEqual(await trace(b, id), before);
        assert.equal(slow.calls.length, asks, 'it asks for nothing more');
    });

    // The node that died had a command under way: nobody knows how far it came, so people are asked.
    test('a command that ran on a node that died is asked about by the other', { timeout: 300_000 }, async (t) => {
        const { a, work, more } = await pair(
            t,
            (call) => [{ calls: [{ name: 'long', args: {} }] }, { calls: [finish('well')] }][step(call) - 1],
            async (folder) => ({ long: await command(folder, 'long', `echo began >> ${folder}/long.txt; sleep 300`, { folder, timeout: '10m' }) }),
        );
        const id = await begin(a);
        await until(async () => (await written(join(work, 'long.txt'))).length === 1, 'it runs');
        const b = await more();
        await a.kill9();
        const [open] = await asked(b, id);
        assert.equal(open.type, 'error_recovery');
        assert.match(JSON.stringify(open), /long/);
        assert.match(JSON.stringify(open), /interrupted/);
        await reply(b, open, 'skip');
        await completed(b, id);
        assert.equal((await written(join(work, 'long.txt'))).length, 1, 'it was not run again');
    });
});

// Takes the newest migrations back, so that the next start has to bring the store from an older version to this one.
// 034 finds what it replaces or leaves it, and so is only forgotten.
const newest = {
    number: 37,
    undo: [
        'DROP INDEX projects_names',
        'DROP INDEX jobs_called_off',
        'DROP TABLE project_spending',
        'DROP TABLE coder_takes',
        'DROP INDEX projects_orchestrated',
        ...['on', 'parallel', 'coder'].map((name) => `ALTER TABLE projects DROP COLUMN orchestrator_${name}`),
        'DELETE FROM schema_migrations WHERE number >= 33',
    ],
};

async function downgrade(server) {
    const [[number]] = await server.sql('SELECT MAX(number) FROM schema_migrations');
    assert.equal(Number(number), newest.number, 'there is a newer migration: take that one back here');
    for (const statement of newest.undo) await server.sql(statement);
}

for (const engine of ['sqlite', 'postgres'])
    test(`a run waits while its server is stopped, upgraded and started again (${engine})`, { timeout: 300_000 }, async (t) => {
        const { server, voice } = await stage(t, (call) => (step(call) === 1 ? { calls: [question('Which way?')] } : { calls: [finish('north')] }), { engine });
        const id = await begin(server);
        const [open] = await asked(server, id);
        await server.stop();
        await downgrade(server);
        await server.restart();
        assert.match(server.log, new RegExp(`migrated the store.* from=32 to=${newest.number}`));
        assert.equal((await job(server, id)).status, 'waiting_for_input');
        await assertAsked(voice, [1], server);
        await reply(server, open, 'north');
        await completed(server, id);
        await assertAsked(voice, [1, 2], server);
        await assertReplays(server, id);
    });
