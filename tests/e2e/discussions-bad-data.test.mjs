// Stored data that no call would have taken, planted with plain SQL under a running server: discussions come to an end all the
// same, say why, and are counted.
import assert from 'node:assert/strict';
import { run } from './lib/sql.mjs';
import { onBothEngines, until } from './lib/server.mjs';
import { make, over, show, speakerOf, stage } from './lib/stage.mjs';

const wordings = async (server, text) => {
    const [[workspace]] = await server.sql('SELECT workspace_id FROM agent_templates LIMIT 1');
    const rows = ['role_first', 'role_later'].map((name) => `('${workspace}', '${name}', '${text}', 1)`);
    await server.sql(`INSERT INTO wordings (workspace_id, name, text, updated_at) VALUES ${rows.join(', ')}`);
};

// The counters are raised a moment after what they count can be seen.
const counted = (server, name, wanted) =>
    until(async () => (await server.metric(name)) === wanted, `${name} is ${wanted}`);

onBothEngines('a wording with a placeholder that there is not: passes with the reason, and no call', {}, async (server, t) => {
    const answers = await stage(server, t, ['Anna', 'Bert'], () => 'Words.');
    await wordings(server, 'About {{topic}}, in a {{mood}} mood.');
    const topic = 'What becomes of words that cannot be filled in?';
    const { id } = await make(server, topic, 'rounds', ['Anna', 'Bert'], { rounds: 3 });
    const ended = await over(server, id);
    assert.equal(ended.discussion.status, 'failed');
    assert.deepEqual(
        ended.entries.map(({ speaker, metadata }) => [speaker, metadata.reason]),
        ['Anna', 'Bert'].map((name) => [name, 'The prompt asks for {{mood}}, for which there is no value here.']),
    );
    assert.equal(ended.discussion.usage.calls, 0);
    // By their words: another program may still call whoever had this model's port before.
    assert.deepEqual(answers.calls.filter(({ user }) => user.includes(topic)), []);
    await counted(server, 'witan_turns_given_up_total', 2);
    await counted(server, 'witan_discussions_given_up_total', 0);
});

onBothEngines('a place in the log that somebody else has taken: the discussion has failed and says why', {}, async (server, t) => {
    let release;
    const held = new Promise((resolve) => (release = resolve));
    t.after(() => release());
    const answers = await stage(server, t, ['Anna'], () => ({ text: 'Too late.', wait: held }));
    const { id } = await make(server, 'What now?', 'rounds', ['Anna'], { rounds: 1 });
    await until(() => answers.calls.length === 1, 'the call is out');
    await server.sql(
        `INSERT INTO discussion_logs (id, workspace_id, discussion_id, seq, kind, speaker, content, turn_index, round_number)
         SELECT 'planted', workspace_id, discussion_id, 1, 'turn', 'Somebody', 'Mine.', 0, 1 FROM discussion_state
          WHERE discussion_id = '${id}'`,
    );
    release();
    const ended = await over(server, id);
    assert.equal(ended.discussion.status, 'failed');
    assert.equal(ended.discussion.outcome.source, 'policy');
    assert.ok(ended.result.failure.reason.length > 0);
    assert.doesNotMatch(ended.result.failure.reason, /constraint|discussion_logs/i, 'the words of the database are for the log');
    await counted(server, 'witan_turns_given_up_total', 1);
    await counted(server, 'witan_discussions_given_up_total', 1);
    // Nothing is tried any more.
    const repeated = await server.metric('witan_turn_writes_repeated_total');
    await server.stop();
    await server.restart();
    assert.equal((await show(server, id)).discussion.status, 'failed');
    assert.ok(repeated < 20, `${repeated} writes were tried again`);
});

onBothEngines('a task that takes no result: its discussion fails by its own row alone', {}, async (server, t) => {
    await stage(server, t, ['Anna'], (call) => `${speakerOf(call)} speaks.`);
    const { id: project } = await server.must(201, 'POST', '/api/projects', { name: 'Shop' });
    const { id: task } = await server.must(201, 'POST', `/api/projects/${project}/tasks`, { title: 'Decide' });
    if (server.engine === 'sqlite')
        await run(
            server.db,
            `CREATE TRIGGER planted BEFORE UPDATE ON tasks WHEN OLD.id = '${task}' BEGIN SELECT RAISE(ABORT, 'planted'); END`,
        );
    else
        await run(
            server.db,
            `CREATE FUNCTION planted() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''planted''; END';
             CREATE TRIGGER planted BEFORE UPDATE ON tasks FOR EACH ROW WHEN (OLD.id = '${task}') EXECUTE FUNCTION planted()`,
        );
    const { id } = await make(server, 'What now?', 'rounds', ['Anna'], { rounds: 1, projectId: project, taskId: task });
    const ended = await over(server, id);
    assert.equal(ended.discussion.status, 'failed');
    assert.ok(ended.result.failure.reason.length > 0);
    await counted(server, 'witan_discussions_given_up_total', 1);
});

onBothEngines('a model that is none, and a seat without its agent: passed with the reason, and skipped', {}, async (server, t) => {
    await stage(server, t, ['Anna', 'Bert', 'Cleo'], (call) => `${speakerOf(call)} speaks.`);
    const { id } = await make(server, 'What now?', 'rounds', ['user', 'Anna', 'Bert', 'Cleo'], { rounds: 1 });
    await until(async () => (await show(server, id)).discussion.phase === 'outside', 'it waits for the person');
    await server.sql(`UPDATE agent_templates SET ai_model_config = '{"provider": "nowhere"}' WHERE name = 'Anna'`);
    await server.sql(`UPDATE discussion_participants SET agent_id = NULL WHERE discussion_id = '${id}' AND name = 'Bert'`);
    await server.must(200, 'POST', `/api/discussions/${id}`, { message: 'Go on.', userId: 'paula' });
    const ended = await over(server, id);
    assert.equal(ended.discussion.status, 'completed');
    assert.equal(ended.entries[1].metadata.pass, true, JSON.stringify(ended.entries));
    assert.ok(ended.entries[1].metadata.reason.length > 0);
    assert.equal(ended.entries[2].metadata.skipped, true);
    assert.equal(ended.entries[3].content, 'Cleo speaks.');
});
