// A person is taken out of the store: nothing of theirs is left anywhere in it, and nothing of others is touched.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { cli } from './lib/cli.mjs';
import { everything } from './lib/everything.mjs';
import { login, makeToken, makeUser, makeWorkspace } from './lib/identity.mjs';
import { onBothEngines, until } from './lib/server.mjs';
import { sql } from './lib/sql.mjs';

const witan = (server, ...args) => cli(server.folder, [...args, '--db', server.db]);
const words = 'xylophone'; // in everything that the person writes
const mark = 'kazoo'; // in everything that others write
const password = 'another long password';

// What comes a moment after a write has come: words that are searched by, the numbers of events, the seals of the log.
async function settled(server) {
    const waiting = async () =>
        (await server.sql('SELECT (SELECT COUNT(*) FROM search_queue) + (SELECT COUNT(*) FROM events WHERE seq IS NULL)'))[0][0];
    await until(async () => Number(await waiting()) === 0, 'nothing is left to be done');
    await verified(server);
}

const holding = (rows, part) => rows.filter((row) => row.toLowerCase().includes(part));

// A store in which questions cannot be changed.
const stumble = {
    sqlite: `CREATE TRIGGER stumble BEFORE UPDATE ON agent_questions BEGIN SELECT RAISE(ABORT, 'stop'); END`,
    postgres: `CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stop'; END $$;
        CREATE TRIGGER stumble BEFORE UPDATE ON agent_questions FOR EACH ROW EXECUTE FUNCTION stumble()`,
};

// The store as if its rows were from before they said by id who did something, brought up to date as an upgrade does.
async function asUpgraded(server) {
    const migration = await readFile(new URL(`../../src/db/migrations/030_actors.${server.engine}.sql`, import.meta.url), 'utf8');
    const fills = migration.replace(/^--.*\n/gm, '').split(/;\n/).map((text) => text.trim()).filter((text) => /^(UPDATE|CREATE INDEX|DROP INDEX)/.test(text));
    const columns = [...migration.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+_id) /g)].map(([, table, column]) => `UPDATE ${table} SET ${column} = NULL`);
    assert.ok(columns.length >= 15 && fills.length >= 15, `${columns.length} columns, ${fills.length} statements`);
    await sql(server.db, [...columns, ...fills, ''].join(';\n'));
}

// Others, of whom one has the person's name: an agent here, and everybody in another workspace.
async function others(server, name) {
    await makeUser(server, 'Boss', 'a long enough password', 'owner');
    const boss = await makeToken(server, { name: 'boss', role: 'owner' });
    const agent = await makeToken(server, { name: 'agents', agent: name });
    const helper = await makeToken(server, { name: 'helper', agent: 'Helper' });
    await makeWorkspace(server, 'other');
    const elsewhere = await makeToken(server, { name, role: 'member', workspace: 'other' });
    const say = (token, is_human) =>
        server.must(201, 'POST', '/api/chat', { agent_name: name, message: `${mark} @Helper`, is_human }, { token });
    await say(agent, false);
    await say(elsewhere, true);
    for (const token of [agent, elsewhere]) {
        await server.ask({ requester_agent: name, prompt_message: mark, required_responses: 1 }, { token });
        await server.must(
            201,
            'POST',
            '/api/questions',
            { type: 'blocking', question: mark, responseType: 'text', context: { mark } },
            { token },
        );
    }
    const project = await server.must(201, 'POST', '/api/projects', { name: mark, settings: { answerers: [name, 'Boss'] } }, { token: elsewhere });
    await server.must(201, 'POST', `/api/projects/${project.id}/feedback`, { text: mark }, { token: elsewhere });
    const here = await server.must(
        201,
        'POST',
        '/api/projects',
        { name: mark, hilConfig: { scopeChanges: 'automated' }, settings: { answerers: [name, 'Boss', 'bob'] } },
        { token: boss },
    );
    await server.must(201, 'POST', `/api/projects/${here.id}/feedback`, { text: mark }, { token: agent });
    const { id: task } = await server.must(201, 'POST', `/api/projects/${here.id}/tasks`, { title: mark }, { token: boss });
    await server.must(200, 'POST', `/api/projects/${here.id}/tasks/${task}/claim`, { agent: name }, { token: agent });
    // The agent has a turn in a discussion in which no person sits.
    await server.must(201, 'POST', '/api/agents', { name, ai_model_config: { provider: 'external' } }, { token: boss });
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: mark, mode: 'rounds', participants: [{ agentName: name }] }, { token: boss });
    await until(async () => (await server.must(200, 'GET', '/api/turns', undefined, { token: boss })).turns.length === 1, 'it waits for the agent');
    return { boss, agent, helper, elsewhere, project: here.id, talk: discussion.id };
}

// Everything that a person can do, with the words in all of it.
async function doEverything(server, name, { boss, helper, project }) {
    const cookie = await login(server, name, password);
    const as = { headers: { Cookie: cookie, Origin: server.url } };
    const post = (path, body, status = 200, who = as) => server.must(status, 'POST', path, body, who);
    const own = { question: `${words}?`, context: { why: words }, metadata: { note: words } };

    await post('/api/chat', { agent_name: name, message: `${words} @Helper`, is_human: true }, 201);
    const prompt = await server.ask({ requester_agent: 'Helper', required_responses: 3 }, { token: helper });
    await post(`/api/discussion/${prompt.id}`, { agent_name: name, message: words, is_human: true }, 201);
    await server.ask({ requester_agent: name, prompt_message: `${words} @Helper`, required_responses: 1 }, as);

    // The reply to somebody else's call repeats it, and is kept for when that is made again.
    await post(
        `/api/discussion/${prompt.id}`,
        { agent_name: 'Scribe', message: 'So do I.' },
        201,
        { token: boss, headers: { 'Idempotency-Key': 'reply' } },
    );

    // Asked by the person, moved, and taken back.
    const { questionId: asked } = await post(
        '/api/questions',
        { type: 'blocking', responseType: 'choice', options: [{ value: 'a', label: words }], timeoutMinutes: 30, ...own },
        201,
    );
    await post(`/api/questions/${asked}/extend`, { minutes: 5 });
    await post(`/api/questions/${asked}/cancel`, { reason: words });

    // Asked by others: typed, answered, approved, one of two, too late and started again.
    const ask = async (type, responseType, more = {}) =>
        (await post('/api/questions', { type, question: `Which ${type}?`, responseType, ...more }, 201, { token: helper })).questionId;
    const said = await ask('blocking', 'text', { timeoutMinutes: 30 });
    await post(`/api/questions/${said}/extend`, { minutes: 5 });
    await post(`/api/questions/${said}/draft`, {});
    await post(`/api/questions/${said}/answer`, { response: { type: 'text', value: words } });
    const typing = await ask('blocking', 'text');
    await post(`/api/questions/${typing}/draft`, {});
    const approved = await ask('approval', 'approval');
    await post(`/api/questions/${approved}/answer`, { response: { type: 'approval', value: true, comment: words } });
    const both = await ask('approval', 'approval', { requiredApprovals: 2 });
    await server.api('POST', `/api/questions/${both}/answer`, { response: { type: 'approval', value: true, comment: words } }, as);
    const { id: job } = await post('/api/jobs', { kind: 'build', agent: 'Helper' }, 201);
    const late = (
        await post(`/api/jobs/${job}/questions`, { type: 'blocking', question: 'Now?', responseType: 'text', timeoutMinutes: 5 }, 201, as)
    ).questionId;
    await server.advance(360_000, { token: boss });
    assert.equal((await server.api('POST', `/api/questions/${late}/answer`, { response: { type: 'text', value: words } }, as)).status, 409);
    await post(`/api/questions/${late}/restart`, {}, 201);
    const { id: dropped } = await post('/api/jobs', { kind: 'build', agent: 'Helper' }, 201);
    await post(`/api/jobs/${dropped}/cancel`, { reason: words });
    await post(`/api/questions/${typing}/link`, {}, 201);

    // Feedback, a section, a task, a set of open questions, a token, a project.
    const { id: mine } = await post('/api/projects', { name: 'Shop' }, 201);
    await post(`/api/projects/${mine}/feedback`, { text: words }, 201);
    await server.must(201, 'PUT', `/api/projects/${mine}/prd/goals`, { text: 'Sell.' }, as);
    const { id: task } = await post(`/api/projects/${mine}/tasks`, { title: 'Build' }, 201);
    await post(`/api/projects/${mine}/tasks/${task}/claim`, { agent: name });
    const { id: open } = await post(`/api/projects/${mine}/tasks`, { title: 'Paint' }, 201, { token: boss });
    await post(`/api/projects/${mine}/tasks/${open}/claim`, { agent: 'coder' }, 200, { token: boss });
    const open_questions = ['Which colour?', 'Which size?'].map((text, i) => ({ id: `q${i + 1}`, text }));
    const handed = { agent: 'coder', source: 'execute', sourceId: open, result: { status: 'failed', open_questions } };
    const set = (await post(`/api/projects/${mine}/results`, handed, 201, { token: boss })).notificationId;
    const path = `/api/projects/${mine}/notifications/${set}`;
    const one = (id) => ({ responses: [{ questionId: id, answer: words }] });
    await server.must(200, 'PATCH', path, one('q1'), as);
    await server.must(200, 'PATCH', path, one('q2'), as);
    await server.must(200, 'PATCH', `/api/projects/${mine}`, { description: 'A shop', settings: { answerers: [name, 'Boss'] } }, as);
    await post('/api/tokens', { name, role: 'member' }, 201);

    // A discussion that the person starts, speaks in, and ends.
    await post('/api/agents', { name: 'Ada', ai_model_config: { provider: 'external' } }, 201);
    const { discussion } = await post('/api/discussions', { topic: words, mode: 'turns', participants: [{ role: 'user', name }, { agentName: 'Ada' }] }, 201);
    await post(`/api/discussions/${discussion.id}?wait=5`, { message: words });
    await post(`/api/discussions/${discussion.id}/interject`, { content: words });
    await post(`/api/discussions/${discussion.id}/cancel`, {});
    return { as, approved, prompt: prompt.id, project };
}

async function verified(server) {
    return until(async () => {
        const { code, stdout, stderr } = await witan(server, 'audit', 'verify', '--json');
        assert.equal(code, 0, stdout + stderr);
        return JSON.parse(stdout).unsealed === 0 && JSON.parse(stdout);
    }, 'sealed');
}

async function erase(server, name) {
    const looked = await witan(server, 'user', 'erase', name, '--dry-run', '--json');
    assert.equal(looked.code, 0, looked.stderr);
    const { code, stdout, stderr } = await witan(server, 'user', 'erase', name, '--yes', '--json');
    assert.equal(code, 0, stderr);
    const report = JSON.parse(stdout);
    const counts = ({ erased, ...rest }) => rest;
    assert.deepEqual(counts(JSON.parse(looked.stdout)), counts(report), 'what was said is what happened');
    return report;
}

onBothEngines('witan user erase leaves neither name nor words', {}, async (server) => {
    await makeUser(server, 'Quentin', password, 'admin');
    const around = await others(server, 'Namesake');
    const { as, approved, prompt } = await doEverything(server, 'Quentin', around);
    await settled(server);
    const before = await everything(server);
    assert.ok(holding(before, words).length > 15 && holding(before, 'quentin').length > 25);
    assert.ok(holding(before, words).some((row) => row.startsWith('idempotency:')));
    const unsure = await witan(server, 'user', 'erase', 'quentin');
    assert.equal(unsure.code, 2, unsure.stderr);
    assert.match(unsure.stdout, /Would erase Quentin/);
    assert.equal((await server.api('GET', '/api/me', undefined, as)).status, 200, 'nothing happened yet');
    assert.equal((await witan(server, 'user', 'erase', 'nobody', '--yes')).code, 1);

    const report = await erase(server, 'quentin');
    assert.equal(report.account, true);
    assert.ok(report.messages >= 4 && report.answers >= 6 && report.lines >= 8 && report.audit > 15, JSON.stringify(report));
    assert.equal((await server.api('GET', '/api/me', undefined, as)).status, 401, 'the login has ended');
    const after = await everything(server);
    assert.deepEqual(holding(after, words), []);
    assert.deepEqual(holding(after, 'quentin'), []);

    // What was decided stays, and everything goes on.
    const { question } = await server.must(200, 'GET', `/api/questions/${approved}`, undefined, { token: around.boss });
    assert.equal(question.response.value, true);
    const growth = { agent_name: 'Growth', message: 'and I' };
    await server.must(201, 'POST', `/api/discussion/${prompt}`, growth, { token: await makeToken(server, { agent: 'Growth' }) });
    assert.equal((await server.show(prompt, { token: around.boss })).status, 'resolved');
    assert.equal((await verified(server)).erased, report.audit);
    // The last owner cannot be erased: nobody could log in any more.
    assert.notEqual((await witan(server, 'user', 'erase', 'boss', '--yes')).code, 0);
});

async function leavesOthersAlone(server, { upgraded }) {
    await makeUser(server, 'admin', password, 'admin');
    const around = await others(server, 'admin');
    const theirs = holding(await everything(server), mark);
    const { as, prompt, project } = await doEverything(server, 'admin', around);
    // The agent of the same name replies to the same prompt; in a millisecond of its own, by which rows from before are told apart.
    await server.advance(1000, { token: around.boss });
    await server.must(201, 'POST', `/api/discussion/${prompt}`, { agent_name: 'admin', message: mark }, { token: around.agent });
    await settled(server);
    // In the talk of that agent sat a person who was erased before; the name in it is the agent's all the same.
    await sql(server.db, `INSERT INTO discussion_participants (workspace_id, discussion_id, name, role, sequence_order)
        SELECT workspace_id, discussion_id, 'erased', 'user', 99 FROM discussion_participants WHERE discussion_id = '${around.talk}'`);
    if (upgraded) await asUpgraded(server);
    const before = await everything(server);

    // Interrupted half-way, the account is locked and the log is whole; run again, it goes on.
    await sql(server.db, stumble[server.engine]);
    const stopped = await witan(server, 'user', 'erase', 'admin', '--yes');
    assert.notEqual(stopped.code, 0, stopped.stdout);
    assert.match(stopped.stderr, /run the command again/);
    assert.equal((await server.api('GET', '/api/me', undefined, as)).status, 401);
    await verified(server);
    assert.ok(holding(await everything(server), words).length > 5);
    // Without a server; events of PostgreSQL then have no number yet.
    await server.stop();
    await sql(server.db, `DROP TRIGGER stumble${server.engine === 'sqlite' ? '' : ' ON agent_questions'}`);
    if (server.engine === 'postgres') await sql(server.db, `UPDATE events SET seq = NULL WHERE data LIKE '%${words}%'`);
    await erase(server, 'admin');
    const after = await everything(server);
    await server.restart();

    assert.deepEqual(holding(after, words), []);
    // Of the others' rows three are changed: the project whose list of answerers named them, the audit row of who
    // made it, and the prompt that both have replied to.
    const left = new Set(after);
    assert.ok(theirs.length > 20);
    const touched = holding(before, mark).filter((row) => !left.has(row));
    assert.deepEqual(touched.map((row) => row.split(':')[0]).sort(), ['audit', 'discussion_prompts', 'projects'], touched.join('\n'));
    for (const row of touched) assert.ok(row.includes(project) || row.includes(prompt), row);
    const talk = before.filter((row) => row.includes(around.talk) && row.includes('admin'));
    assert.ok(talk.length >= 4, talk.join('\n'));
    assert.deepEqual(talk.filter((row) => !left.has(row)), []);
    const { projects } = await server.must(200, 'GET', '/api/projects', undefined, { token: around.boss });
    const kept = projects.find(({ id }) => id === project);
    assert.deepEqual(kept.settings.answerers, ['Boss', 'bob']);
    assert.equal(kept.hilConfig.scopeChanges, 'automated');
    const elsewhere = await server.must(200, 'GET', '/api/projects', undefined, { token: around.elsewhere });
    assert.deepEqual(elsewhere.projects[0].settings.answerers, ['admin', 'Boss']);
    const thread = await server.show(prompt, { token: around.boss });
    assert.deepEqual(
        thread.collectedContext.map(({ agent, message }) => [agent, message]),
        [
            ['erased', '[erased]'],
            ['Scribe', 'So do I.'],
            ['admin', mark],
        ],
    );
    await verified(server);
}

onBothEngines('witan user erase leaves others of the same name alone', {}, (server) => leavesOthersAlone(server, { upgraded: false }));
onBothEngines('witan user erase leaves others alone in rows from before, by what the audit log knows', {}, (server) =>
    leavesOthersAlone(server, { upgraded: true }),
);

onBothEngines('witan user erase goes by the name where the audit log has been purged', {}, async (server) => {
    await makeUser(server, 'Quentin', password, 'admin');
    const around = await others(server, 'Namesake');
    await doEverything(server, 'Quentin', around);
    await server.advance(1000, { token: around.boss });
    await settled(server);
    const purged = await witan(server, 'purge', '--older-than', '0s', '--kind', 'audit', '--yes');
    assert.equal(purged.code, 0, purged.stderr);
    const theirs = holding(await everything(server), mark);
    await erase(server, 'quentin');
    const after = await everything(server);
    assert.deepEqual(holding(after, words), []);
    assert.deepEqual(holding(after, 'quentin'), []);
    assert.deepEqual(theirs.filter((row) => !after.includes(row)), []);
    await verified(server);
});

onBothEngines('witan user erase leaves what nobody can tell apart, and says how much that is', {}, async (server) => {
    await makeUser(server, 'admin', password, 'admin');
    const around = await others(server, 'admin');
    await doEverything(server, 'admin', around);
    await server.advance(1000, { token: around.boss });
    await settled(server);
    const purged = await witan(server, 'purge', '--older-than', '0s', '--kind', 'audit', '--yes');
    assert.equal(purged.code, 0, purged.stderr);
    const known = JSON.parse((await witan(server, 'user', 'erase', 'admin', '--dry-run', '--json')).stdout);
    assert.equal(known.unknown, 0, 'every row says whose it is');
    await asUpgraded(server);
    const theirs = holding(await everything(server), mark).filter((row) => !/^(projects|audit):/.test(row));
    const report = await erase(server, 'admin');
    assert.ok(report.unknown > 5 && report.feedback === 0, JSON.stringify(report));
    const after = await everything(server);
    assert.deepEqual(theirs.filter((row) => !after.includes(row)), []);
    // What says whose it is in itself is gone all the same: answers, what is marked as a person's, discussions.
    assert.ok(report.messages >= 4 && report.answers >= 5, JSON.stringify(report));
    await verified(server);
});
