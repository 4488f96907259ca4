// How much agents may decide by themselves, and how people decide the rest.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { begin, cli } from './lib/cli.mjs';
import { binary, cleanEnv, onBothEngines, until } from './lib/server.mjs';
import { listen } from './lib/streams.mjs';
import { Work, assertHolds, blocked } from './lib/work.mjs';

const categories = ['scopeChanges', 'architectureDecisions', 'dependencyModifications'];
const levels = ['automated', 'notify_and_proceed', 'requires_approval'];
const sentences = {
    automated: 'Full autonomy: proceed without confirmation',
    notify_and_proceed: 'Notify user but proceed',
    requires_approval: 'Confirm all changes before proceeding',
};
const words = {
    confirm_all: {
        scopeChanges: 'requires_approval',
        architectureDecisions: 'requires_approval',
        dependencyModifications: 'requires_approval',
    },
    major_only: {
        scopeChanges: 'requires_approval',
        architectureDecisions: 'requires_approval',
        dependencyModifications: 'notify_and_proceed',
    },
    full: {
        scopeChanges: 'automated',
        architectureDecisions: 'automated',
        dependencyModifications: 'automated',
    },
};

function decide(work, category, fields = {}) {
    return work.post('/decisions', { category, description: `Something about ${category}`, ...fields });
}

function answer(server, id, value) {
    return server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'approval', value } });
}

// Only what waits makes a question; only what is told makes a notification.
async function assertDecided(work, decision, level) {
    if (level === 'requires_approval') {
        assertHolds(decision, { status: 'pending', outcome: null });
        assert.ok(decision.questionId);
        return;
    }
    assertHolds(decision, { status: 'approved', questionId: null });
    assert.equal(decision.outcome.source, 'policy');
}

onBothEngines('each level of each category', {}, async (server) => {
    const work = await Work.begin(server);
    for (const category of categories)
        for (const level of levels) {
            const others = Object.fromEntries(
                categories.map((name) => [name, level === 'automated' ? 'requires_approval' : 'automated']),
            );
            const { hilConfig } = await server.must(200, 'PATCH', work.path(), {
                hilConfig: { ...others, [category]: level },
            });
            assert.deepEqual(hilConfig, { ...others, [category]: level });
            const before = (await server.must(200, 'GET', '/api/notifications?limit=200')).notifications
                .length;
            await assertDecided(work, await decide(work, category), level);
            const after = (await server.must(200, 'GET', '/api/notifications?limit=200')).notifications
                .length;
            assert.equal(
                after > before,
                level !== 'automated',
                `${category} ${level}: ${before} to ${after}`,
            );
        }
});

onBothEngines('a word for all three, and what no config names', {}, async (server) => {
    const fresh = await Work.begin(server);
    assert.deepEqual(fresh.project.hilConfig, words.confirm_all);
    for (const [word, hilConfig] of Object.entries(words)) {
        const work = await Work.begin(server, { name: word, hilConfig: word });
        assertHolds(work.project, { hilConfig, autonomyLevel: word });
        for (const category of categories)
            await assertDecided(work, await decide(work, category), hilConfig[category]);
        await assertDecided(work, await decide(work, 'budgetChanges'), 'requires_approval');
    }
    const partial = await Work.begin(server, {
        name: 'Partial',
        hilConfig: { scopeChanges: 'automated', budgetChanges: 'automated' },
    });
    assert.deepEqual(partial.project.hilConfig, { ...words.confirm_all, scopeChanges: 'automated' });
    await assertDecided(partial, await decide(partial, 'architectureDecisions'), 'requires_approval');
    await assertDecided(partial, await decide(partial, 'budgetChanges'), 'requires_approval');
    for (const hilConfig of ['sometimes', { scopeChanges: 'sometimes' }, { scopeChanges: true }, 3, []]) {
        const reply = await server.api('PATCH', fresh.path(), { hilConfig });
        assert.equal(reply.status, 400, `${JSON.stringify(hilConfig)}: ${reply.text}`);
    }
    assert.deepEqual((await fresh.get('')).hilConfig, words.confirm_all);
});

onBothEngines(
    'a decision is approved or rejected as a question or by its notification',
    {},
    async (server) => {
        const work = await Work.begin(server);
        for (const [value, status] of [
            [true, 'approved'],
            [false, 'rejected'],
        ]) {
            const asked = await decide(work, 'scopeChanges', { details: { adds: ['PDF'] } });
            await answer(server, asked.questionId, value);
            const decided = await work.get(`/decisions/${asked.id}`);
            assertHolds(decided, { status, questionId: asked.questionId });
            assert.equal(decided.outcome.source, 'human');

            const other = await decide(work, 'scopeChanges', { description: `Another ${status}` });
            const set = (await work.notifications()).find(({ questions }) =>
                JSON.stringify(questions).includes(`Another ${status}`),
            );
            assert.ok(set, JSON.stringify(await work.notifications()));
            await work.resolve(set.id, { approved: value });
            assertHolds(await work.get(`/decisions/${other.id}`), { status });
            const { question } = await server.must(200, 'GET', `/api/questions/${other.questionId}`);
            assertHolds(question, { status: 'answered' });
            assert.equal(question.response.value, value);
        }
        const dismissed = await decide(work, 'scopeChanges', { description: 'Dismissed' });
        const [set] = await work.notifications();
        await work.resolve(set.id);
        const after = await work.get(`/decisions/${dismissed.id}`);
        assert.notEqual(after.status, 'approved');
        assert.notEqual(after.status, 'pending');
    },
);

onBothEngines('silence is a no', {}, async (server) => {
    const work = await Work.begin(server);
    const asked = await decide(work, 'scopeChanges');
    await server.advance(25 * 3600_000);
    const decided = await work.get(`/decisions/${asked.id}`);
    assertHolds(decided, { status: 'rejected' });
    assert.equal(decided.outcome.source, 'timeout');
    assert.deepEqual(await work.notifications(), []);
});

onBothEngines('a decision that waits keeps waiting when the levels change', {}, async (server) => {
    const work = await Work.begin(server);
    const asked = await decide(work, 'scopeChanges');
    await server.must(200, 'PATCH', work.path(), { hilConfig: 'full' });
    assertHolds(await work.get(`/decisions/${asked.id}`), { status: 'pending' });
    await assertDecided(work, await decide(work, 'scopeChanges'), 'automated');
    await server.kill9();
    await server.restart();
    assertHolds(await work.get(`/decisions/${asked.id}`), { status: 'pending' });
    await answer(server, asked.questionId, true);
    await server.kill9();
    await server.restart();
    assertHolds(await work.get(`/decisions/${asked.id}`), { status: 'approved' });
});

onBothEngines('an open question blocks under every level', {}, async (server) => {
    for (const hilConfig of Object.keys(words)) {
        const work = await Work.begin(server, { name: hilConfig, hilConfig });
        const task = await work.claimed('Something');
        await work.stuck(task.id, 'Which one?');
        await work.is(task.id, blocked);
        assert.deepEqual(await work.ready(), []);
    }
});

onBothEngines('agents are told in the same words everywhere', {}, async (server) => {
    for (const [word, hilConfig] of [
        ...Object.entries(words),
        [
            'custom',
            {
                scopeChanges: 'notify_and_proceed',
                architectureDecisions: 'automated',
                dependencyModifications: 'requires_approval',
            },
        ],
    ]) {
        const work = await Work.begin(server, { name: word, hilConfig });
        const task = await work.task('Something');
        const config = await work.get(`/tasks/${task.id}/config.json`);
        assert.deepEqual(Object.keys(config), [
            'taskId',
            'projectId',
            'hilConfig',
            'autonomyLevel',
            'autonomyDescription',
        ]);
        assertHolds(config, { taskId: task.id, projectId: work.project.id, hilConfig, autonomyLevel: word });
        for (const level of levels)
            assert.equal(
                config.autonomyDescription.includes(sentences[level]),
                Object.values(hilConfig).includes(level),
                config.autonomyDescription,
            );
        const context = JSON.stringify(await work.get(`/tasks/${task.id}/context`));
        for (const category of categories)
            assert.ok(context.includes(sentences[hilConfig[category]]), context);

        const file = join(server.folder, 'config.json');
        execFileSync('sh', ['-c', `"$0" task config ${task.id} --url ${server.url} > "$1"`, binary, file], {
            env: cleanEnv(server.folder),
        });
        assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), config);
    }
});

onBothEngines('deciding from the command line', {}, async (server, t) => {
    const work = await Work.begin(server, { hilConfig: { dependencyModifications: 'automated' } });
    const args = (category, ...more) => [
        'decide',
        '--category',
        category,
        `About ${category}`,
        '--url',
        server.url,
        ...more,
    ];
    const free = await cli(server.folder, args('dependencyModifications'));
    assert.deepEqual([free.code, free.stdout], [0, 'approved\n'], free.stderr);
    const waiting = await cli(server.folder, args('scopeChanges'));
    assert.deepEqual([waiting.code, waiting.stdout], [3, 'pending\n'], waiting.stderr);
    await server.must(200, 'DELETE', work.path('/notifications'));

    for (const [value, code, word] of [
        [true, 0, 'approved\n'],
        [false, 3, 'rejected\n'],
    ]) {
        const run = begin(server.folder, args('scopeChanges', '--wait', '--details', '{"adds": "PDF"}'));
        const [set] = await until(async () => {
            const sets = await work.notifications();
            return sets.length > 0 && sets;
        }, 'the decision waits');
        assert.equal(run.child.exitCode, null);
        // A server that goes away meanwhile is waited for.
        await server.kill9();
        await server.restart();
        await work.resolve(set.id, { approved: value });
        const done = await run.done;
        assert.deepEqual([done.code, done.stdout], [code, word], done.stderr);
    }
    const run = begin(server.folder, args('scopeChanges', '--wait', '--json'));
    await until(async () => (await work.notifications()).length > 0, 'the decision waits');
    await server.advance(25 * 3600_000);
    const done = await run.done;
    assert.equal(done.code, 5, done.stderr);
    assertHolds(JSON.parse(done.stdout), { status: 'rejected' });
});

onBothEngines('decisions are told as they are made', {}, async (server, t) => {
    const work = await Work.begin(server, { hilConfig: 'major_only' });
    const reader = await listen(t, server, { query: `?projectId=${work.project.id}` });
    const asked = await decide(work, 'scopeChanges');
    await reader.saw('notification.added');
    await answer(server, asked.questionId, true);
    await reader.saw('notification.resolved');
    assert.deepEqual(await work.notifications(), []);
});
