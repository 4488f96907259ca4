// Agents hand in what they printed: questions are found, block their task, are answered, and the work goes on.
import assert from 'node:assert/strict';
import { assertInOrder, connect, listen } from './lib/streams.mjs';
import { onBothEngines } from './lib/server.mjs';
import { Work, assertHolds, blocked, open, streamJson } from './lib/work.mjs';

const database = 'Which database should we use: PostgreSQL or SQLite?';
const pages = 'Should the API support pagination?';
const asking = JSON.stringify({
    status: 'failed',
    open_questions: [
        { id: 'q1', text: database },
        { id: 'q2', text: pages },
    ],
});

// What an event tells of an object is the whole object. How the task of a set stands is looked up for whoever reads the set.
function assertTells(event, { task, ...object }) {
    for (const [key, value] of Object.entries(object))
        assert.deepEqual(event[key], value, `${key} of ${event.type}`);
}

// From the first question on: what was told before is how the task came to be claimed.
function storyOf(reader) {
    const story = reader.events.filter(({ type }) => /^(notification|task)\.|^chat\.message$/.test(type));
    return story.slice(story.findIndex(({ type }) => type === 'notification.added'));
}

onBothEngines(
    'a coder that cannot go on asks, waits, and goes on with the answers',
    {},
    async (server, t) => {
        const work = await Work.begin(server);
        const other = await Work.begin(server, { name: 'Another' });
        const task = await work.claimed('Cache the price list');
        assertHolds(task, { status: 'in_progress', assignee: 'coder' });
        const query = `?projectId=${work.project.id}`;
        const readers = [await connect(t, server, { query }), await listen(t, server, { query })];
        const elsewhere = await listen(t, server, { query: `?projectId=${other.project.id}` });

        const reply = await work.coder(
            task.id,
            streamJson(`I cannot decide this alone.\n\n\`\`\`json\n${asking}\n\`\`\`\n`),
        );
        assert.deepEqual(
            reply.questions.map(({ id, text }) => [id, text]),
            [
                ['q1', database],
                ['q2', pages],
            ],
        );
        assertHolds(reply.task, { id: task.id, ...blocked });
        await work.is(task.id, blocked);
        assert.deepEqual(await work.ready(), []);
        const refused = await server.api('POST', work.path(`/tasks/${task.id}/claim`), { agent: 'coder' });
        assert.equal(refused.status, 409, refused.text);

        const [set, ...more] = await work.notifications();
        assert.equal(more.length, 0);
        assertHolds(set, {
            id: reply.notificationId,
            projectId: work.project.id,
            source: 'execute',
            sourceId: task.id,
            status: 'open',
            resolvedAt: null,
            questions: reply.questions,
        });
        assert.ok(set.questions.every(({ createdAt }) => /Z$/.test(createdAt)));
        for (const reader of readers) {
            await reader.until(
                () => reader.of('task.updated').some(({ status }) => status === 'blocked'),
                'the task is blocked',
            );
            const [added, updated] = storyOf(reader);
            assert.deepEqual([added.type, updated.type], ['notification.added', 'task.updated']);
            assertTells(added, set);
            assertTells(updated, await work.show(task.id));
        }

        const resolved = await work.answer(set.id, { q1: 'PostgreSQL', q2: 'Yes, 50 a page.' });
        assertHolds(resolved, {
            id: set.id,
            status: 'resolved',
            responses: [
                { questionId: 'q1', answer: 'PostgreSQL' },
                { questionId: 'q2', answer: 'Yes, 50 a page.' },
            ],
        });
        assert.match(resolved.resolvedAt, /Z$/);
        await work.is(task.id, open);
        assert.deepEqual(await work.ready(), [task.id]);
        assert.deepEqual(await work.notifications(), []);
        const { messages } = await work.get(`/tasks/${task.id}/chat`);
        const said = messages.map(({ message }) => message).join('\n');
        for (const text of ['PostgreSQL', 'Yes, 50 a page.']) assert.ok(said.includes(text), said);
        assert.ok(
            messages.every((message) => message.is_human && message.task_ref === task.id),
            JSON.stringify(messages),
        );
        const context = JSON.stringify(await work.get(`/tasks/${task.id}/context`));
        for (const text of [database, pages, 'PostgreSQL', 'Yes, 50 a page.'])
            assert.ok(context.includes(text), context);

        for (const reader of readers) {
            await reader.until(
                () => reader.of('task.updated').at(-1).status === 'open',
                'the task is open again',
            );
            const types = storyOf(reader)
                .slice(2)
                .map(({ type }) => type);
            assert.deepEqual(
                types.filter((type) => type !== 'chat.message'),
                ['notification.resolved', 'task.updated'],
            );
            assert.equal(
                types[0],
                'chat.message',
                'the answer is in the chat before the question is resolved',
            );
            assertTells(reader.of('notification.resolved')[0], resolved);
            assertTells(reader.of('task.updated').at(-1), await work.show(task.id));
            assertInOrder(reader.events);
        }
        assert.deepEqual(elsewhere.types(), []);

        await work.post(`/tasks/${task.id}/claim`, { agent: 'coder' }, 200);
        const done = await work.coder(task.id, { status: 'success', summary: 'Cached.' });
        assertHolds(done, { accepted: true, questions: [], notificationId: null });
        assertHolds(await work.show(task.id), { status: 'closed' });
    },
);

onBothEngines('a dismissal resolves, unblocks, and counts as not approved', {}, async (server) => {
    const work = await Work.begin(server);
    for (const [prefix, body] of [
        ['/api', undefined],
        ['', undefined],
        ['/api', {}],
    ]) {
        const task = await work.claimed('Something vague');
        const { notificationId } = await work.stuck(task.id, 'What exactly?');
        await work.is(task.id, blocked);
        const set = await work.resolve(notificationId, body, prefix);
        assertHolds(set, { status: 'resolved', responses: [] });
        assert.notEqual(set.approved, true);
        await work.is(task.id, open);
        assert.ok((await work.ready()).includes(task.id));
        await work.set(task.id, { status: 'closed' });
    }
});

onBothEngines(
    'a second answer changes nothing, and one to an unknown question is refused',
    {},
    async (server, t) => {
        const work = await Work.begin(server);
        const task = await work.claimed('Something');
        const { notificationId } = await work.stuck(task.id, database);
        const bad = await server.api('PATCH', work.path(`/notifications/${notificationId}`), {
            responses: [{ questionId: 'q9', answer: 'x' }],
        });
        assert.equal(bad.status, 400, bad.text);
        await work.is(task.id, blocked);
        const reader = await listen(t, server, { query: `?projectId=${work.project.id}` });
        const first = await work.answer(notificationId, { q1: 'SQLite' });
        for (const body of [
            { responses: [{ questionId: 'q1', answer: 'PostgreSQL' }] },
            undefined,
            { approved: true },
        ])
            assert.deepEqual(await work.resolve(notificationId, body), first);
        await work.post(`/tasks/${task.id}/claim`, { agent: 'coder' }, 200);
        await reader.until(
            () =>
                reader.of('task.updated').at(-1)?.assignee === 'coder' &&
                reader.of('notification.resolved').length > 0,
        );
        assert.equal(reader.of('notification.resolved').length, 1);
        // What was told before the reader came may reach it, too, on a busy machine: up to the block.
        const told = reader.of('task.updated').map(({ status }) => status);
        const since = told.slice(told.lastIndexOf('blocked') + 1);
        assert.equal(since.filter((status) => status === 'open').length, 1, told.join());
        const { answers } = await work.get(`/tasks/${task.id}/context`);
        assert.deepEqual(
            answers.map(({ question, answer }) => [question, answer]),
            [[database, 'SQLite']],
        );
    },
);

onBothEngines('a task waits for all its sets of questions', {}, async (server) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Something');
    const first = await work.stuck(task.id, database);
    const second = await work.stuck(task.id, pages);
    assert.notEqual(first.notificationId, second.notificationId);
    assert.deepEqual(
        (await work.notifications()).map(({ id }) => id),
        [second.notificationId, first.notificationId],
    );
    await work.answer(first.notificationId, { q1: 'SQLite' });
    await work.is(task.id, blocked);
    assert.deepEqual(await work.ready(), []);
    await work.resolve(second.notificationId);
    await work.is(task.id, open);
    assert.deepEqual(await work.ready(), [task.id]);
});

onBothEngines('the same question is not asked twice while it is open', {}, async (server, t) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Something');
    const reader = await listen(t, server, { query: '?types=notification.added' });
    const first = await work.stuck(task.id, database);
    const second = await work.stuck(task.id, database);
    assert.equal(second.notificationId, first.notificationId);
    assert.equal((await work.notifications()).length, 1);
    await work.answer(first.notificationId, { q1: 'SQLite' });
    await work.is(task.id, open);
    const third = await work.stuck(task.id, database);
    assert.notEqual(third.notificationId, first.notificationId);
    await reader.saw('notification.added', 2);
    await work.is(task.id, blocked);
});

onBothEngines('a task that was closed meanwhile stays closed', {}, async (server) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Something');
    const { notificationId } = await work.stuck(task.id, database);
    await work.set(task.id, { status: 'closed' });
    assert.deepEqual(await work.notifications(), [], 'its question has ended with it');
    await work.answer(notificationId, { q1: 'SQLite' });
    assertHolds(await work.show(task.id), { status: 'closed' });
    const late = await work.stuck(task.id, pages);
    assert.equal(late.questions.length, 1);
    assertHolds(await work.show(task.id), { status: 'closed' });
});

onBothEngines('a project that was deleted meanwhile takes its questions along', {}, async (server) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Something');
    const { notificationId } = await work.stuck(task.id, database);
    const { count } = await server.must(200, 'GET', '/api/notifications/pending-count');
    assert.equal(count, 1);
    const gone = await server.api('DELETE', work.path());
    assert.ok([200, 204].includes(gone.status), gone.text);
    for (const [method, path] of [
        ['PATCH', `/notifications/${notificationId}`],
        ['GET', '/notifications'],
        ['GET', ''],
        ['GET', `/tasks/${task.id}`],
        ['GET', '/tasks/ready'],
    ]) {
        const reply = await server.api(method, work.path(path));
        assert.equal(reply.status, 404, `${method} ${path}: ${reply.text}`);
    }
    const late = await server.api('POST', work.path('/results'), {
        agent: 'coder',
        source: 'execute',
        sourceId: task.id,
        result: { status: 'success', summary: 'Done.' },
    });
    assert.equal(late.status, 404, late.text);
    assert.equal((await server.must(200, 'GET', '/api/notifications/pending-count')).count, 0);
});

onBothEngines('what is of another project is not there', {}, async (server) => {
    const work = await Work.begin(server);
    const other = await Work.begin(server, { name: 'Another' });
    const task = await work.claimed('Something');
    const { notificationId } = await work.stuck(task.id, database);
    for (const [method, path, body] of [
        ['PATCH', `/notifications/${notificationId}`, { responses: [{ questionId: 'q1', answer: 'x' }] }],
        ['PATCH', `/notifications/${notificationId}`],
        ['GET', `/tasks/${task.id}`],
        ['GET', `/tasks/${task.id}/context`],
        ['GET', `/tasks/${task.id}/config.json`],
        ['GET', `/tasks/${task.id}/chat`],
        ['POST', `/tasks/${task.id}/claim`, { agent: 'coder' }],
        ['PATCH', `/tasks/${task.id}`, { status: 'closed' }],
        [
            'POST',
            '/results',
            {
                agent: 'coder',
                source: 'execute',
                sourceId: task.id,
                result: { status: 'success', summary: 'x' },
            },
        ],
    ]) {
        const reply = await server.api(method, other.path(path), body);
        assert.equal(reply.status, 404, `${method} ${path}: ${reply.text}`);
    }
    const bare = await server.api('PATCH', `/projects/${other.project.id}/notifications/${notificationId}`);
    assert.equal(bare.status, 404);
    await work.is(task.id, blocked);
    assert.deepEqual(await other.notifications(), []);
});

onBothEngines('a successful result with questions only notifies', {}, async (server) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Something');
    const reply = await work.coder(task.id, {
        status: 'success',
        summary: 'Done.',
        openQuestions: [{ text: 'Ship it today?' }],
    });
    assert.deepEqual(
        reply.questions.map(({ id, text }) => [id, text]),
        [['q1', 'Ship it today?']],
    );
    assert.notEqual((await work.show(task.id)).status, 'blocked');
    const [set] = await work.notifications();
    assert.equal(set.id, reply.notificationId);
    await work.answer(set.id, { q1: 'Tomorrow.' });
    assert.deepEqual(await work.notifications(), []);
    assert.notEqual((await work.show(task.id)).status, 'blocked');
});

onBothEngines('clearing the list dismisses everything in it', {}, async (server) => {
    const work = await Work.begin(server);
    const other = await Work.begin(server, { name: 'Another' });
    const tasks = [await work.claimed('One'), await work.claimed('Two'), await other.claimed('Three')];
    await work.stuck(tasks[0].id, database);
    await work.stuck(tasks[0].id, pages);
    await work.stuck(tasks[1].id, pages);
    await other.stuck(tasks[2].id, pages);
    assert.deepEqual(await server.must(200, 'DELETE', work.path('/notifications')), { deletedCount: 3 });
    assert.deepEqual(await work.notifications(), []);
    for (const { id } of tasks.slice(0, 2)) await work.is(id, open);
    await other.is(tasks[2].id, blocked);
    assert.equal((await other.notifications()).length, 1);
    assert.deepEqual(await server.must(200, 'DELETE', work.path('/notifications')), { deletedCount: 0 });
});

// What agents print, and the questions in it.
const printed = {
    'the bare object': [asking, [database, pages]],
    'a stream of JSON lines': [streamJson(asking), [database, pages]],
    'a stream that ends in prose': [
        streamJson('Both ways work.\n\nShould I use the cache or the index?'),
        ['Should I use the cache or the index?'],
    ],
    'a stream of items': [
        [
            { type: 'thread.started', thread_id: 't1' },
            {
                type: 'item.completed',
                item: { id: 'i1', type: 'reasoning', text: '**Looking at {the} task**' },
            },
            { type: 'item.completed', item: { id: 'i2', type: 'agent_message', text: asking } },
            { type: 'turn.completed', usage: { input_tokens: 24763, output_tokens: 122 } },
        ]
            .map((line) => JSON.stringify(line))
            .join('\n'),
        [database, pages],
    ],
    'a fence in prose': [
        `Here is where I stand.\n\n\`\`\`json\n${asking}\n\`\`\`\n\nLet me know!`,
        [database, pages],
    ],
    'camel case': ['{"status": "failed", "openQuestions": [{"text": "Which port?"}]}', ['Which port?']],
    'one level down': [
        '{"result": {"status": "failed", "open_questions": [{"text": "Which port?"}]}}',
        ['Which port?'],
    ],
    'other objects first': [
        `{"tool": "ls", "args": {"path": "/"}}\n{"ok": true}\n${asking}`,
        [database, pages],
    ],
    'an unclosed brace earlier': [`function f() {\n  return "x\n${asking}`, [database, pages]],
    'a trailing comma and raw line breaks': [
        '{"status": "failed", "open_questions": [{"text": "Which\nport?"},]}',
        ['Which\nport?'],
    ],
    'indented, with CRLF': [
        JSON.stringify(JSON.parse(asking), null, 2).replaceAll('\n', '\r\n'),
        [database, pages],
    ],
    'entries without text are dropped': [
        '{"status": "failed", "open_questions": [{"text": " "}, {"id": "a"}, {"text": " Which port? "}]}',
        ['Which port?'],
    ],
    'prose that asks': [
        'I found two ways to do it: a cache or an index.\n\nWhich option do you prefer?',
        ['Which option do you prefer?'],
    ],
    'prose that offers': [
        'All the tests pass now.\n\nWould you like me to also remove the old code?',
        ['Would you like me to also remove the old code?'],
    ],
};

onBothEngines('whatever way an agent prints its questions, they block its task', {}, async (server) => {
    const work = await Work.begin(server);
    for (const [name, [output, texts]] of Object.entries(printed)) {
        const task = await work.claimed(name);
        const reply = await work.coder(task.id, output);
        assert.deepEqual(
            reply.questions.map(({ text }) => text),
            texts,
            name,
        );
        assert.equal(new Set(reply.questions.map(({ id }) => id)).size, texts.length, name);
        await work.is(task.id, blocked);
        const summary = (await work.show(task.id)).result?.summary;
        if (summary !== undefined) assert.equal(summary, 'Needs clarification before proceeding.', name);
        await work.resolve(reply.notificationId);
        await work.set(task.id, { status: 'closed' });
    }
});

onBothEngines('what cannot be read is never taken for success', {}, async (server) => {
    const work = await Work.begin(server);
    for (const output of [
        '',
        'Done.',
        '{"status": "success"',
        '{"status": "success", "summ',
        "{'status': 'maybe'}",
        '{"status": "perhaps", "summary": "?"}',
    ]) {
        const task = await work.claimed(`Output ${JSON.stringify(output)}`);
        const reply = await work.coder(task.id, output);
        assert.ok(reply.problems.length > 0, output);
        const after = await work.show(task.id);
        assert.notEqual(after.status, 'closed', output);
        assert.deepEqual(after.problems, reply.problems, output);
    }
});

onBothEngines('an agent hands in about its own kind of source only', {}, async (server) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Something');
    const result = { status: 'success', summary: 'Done.' };
    for (const body of [
        { agent: 'analyst', source: 'execute', sourceId: task.id, result },
        { agent: 'coder', source: 'eval', sourceId: task.id, result },
        { agent: 'nobody', source: 'execute', sourceId: task.id, result },
        { agent: 'coder', source: 'execute', sourceId: task.id },
        { agent: 'coder', source: 'execute', sourceId: task.id, result, output: 'both' },
    ]) {
        const reply = await server.api('POST', work.path('/results'), body);
        assert.equal(reply.status, 400, `${JSON.stringify(body)}: ${reply.text}`);
    }
    assertHolds(await work.show(task.id), { status: 'in_progress', assignee: 'coder' });
});

onBothEngines('vague feedback gives questions and no task until they are answered', {}, async (server) => {
    const work = await Work.begin(server);
    const feedback = await work.post('/feedback', { text: 'It is too slow.' });
    const analyst = (given) => work.result('analyst', 'eval', feedback.id, given);
    const vague = await analyst(
        '```json\n{"open_questions": [{"text": "Which page is slow?"}], "tasks": [{"title": "Guess"}]}\n```',
    );
    assert.deepEqual(
        vague.questions.map(({ text }) => text),
        ['Which page is slow?'],
    );
    assert.deepEqual((await work.get('/tasks')).tasks, []);
    assertHolds((await work.notifications())[0], { source: 'eval', sourceId: feedback.id });

    const again = await analyst({ open_questions: [{ text: 'Which page is slow?' }] });
    assert.equal((await work.notifications()).length, 1, 'no duplicate while it is open');
    assert.equal(again.notificationId, vague.notificationId);

    await work.answer(vague.notificationId, { q1: 'The price list.' });
    const context = JSON.stringify(await work.get(`/feedback/${feedback.id}/context`));
    for (const text of ['It is too slow.', 'Which page is slow?', 'The price list.'])
        assert.ok(context.includes(text), context);
    const clear = await analyst({
        tasks: [
            { title: 'Cache the price list', priority: 1 },
            { title: 'Measure it', depends_on: ['Cache the price list'] },
        ],
    });
    assert.equal(clear.accepted, true);
    const { tasks } = await work.get('/tasks');
    const cache = tasks.find(({ title }) => title === 'Cache the price list');
    const measure = tasks.find(({ title }) => title === 'Measure it');
    assert.equal(tasks.length, 2);
    assert.deepEqual(measure.depends_on, [cache.id]);
    assert.deepEqual(await work.ready(), [cache.id]);
});

onBothEngines('the analyst asks once whether one is sure', {}, async (server) => {
    const work = await Work.begin(server);
    const feedback = await work.post('/feedback', { text: 'Remove the login.' });
    const sure = (text) => work.result('analyst', 'eval', feedback.id, { open_questions: [{ text }] });
    const first = await sure('Are you sure you want to remove the login?');
    assert.equal(first.questions.length, 1);
    await work.answer(first.notificationId, { q1: 'Yes.' });
    const second = await sure('Are you sure? This removes the login for everybody.');
    assert.deepEqual(second.questions, [], 'at most one confirmation for each feedback');
    assert.deepEqual(await work.notifications(), []);
    const other = await work.result('analyst', 'eval', feedback.id, {
        open_questions: [{ text: 'Which login: the shop or the office?' }],
    });
    assert.equal(other.questions.length, 1, 'another question is still a question');
});

onBothEngines('the dreamer and the planner wait for clarification, too', {}, async (server) => {
    const work = await Work.begin(server);
    await server.must(201, 'PUT', work.path('/prd/checkout'), { text: 'One page.' });
    await server.must(201, 'PUT', work.path('/plans/first'), { text: 'First the cache.' });
    for (const [agent, source, sourceId, path, result] of [
        ['dreamer', 'prd', 'checkout', '/prd/checkout', { prd: 'Two pages.' }],
        [
            'planner',
            'plan',
            'first',
            '/plans/first',
            { plan: 'First the index.', tasks: [{ title: 'Index' }] },
        ],
    ]) {
        const before = await work.get(path);
        const stuck = await work.result(agent, source, sourceId, {
            ...result,
            open_questions: [{ text: 'For whom?' }],
        });
        assert.equal(stuck.questions.length, 1);
        assert.equal((await work.get(path)).text, before.text);
        assert.deepEqual((await work.get('/tasks')).tasks, []);
        assertHolds((await work.notifications())[0], { source, sourceId });
        await work.answer(stuck.notificationId, { q1: 'For shops.' });
        const context = JSON.stringify(await work.get(`${path}/context`));
        for (const text of ['For whom?', 'For shops.']) assert.ok(context.includes(text), context);
        assert.equal((await work.result(agent, source, sourceId, result)).accepted, true);
        assert.equal((await work.get(path)).text, result.prd ?? result.plan);
    }
    assert.deepEqual(
        (await work.get('/tasks')).tasks.map(({ title }) => title),
        ['Index'],
    );
});

onBothEngines('a crash at any point of the flow loses nothing', {}, async (server, t) => {
    const work = await Work.begin(server);
    const crash = async () => {
        await server.kill9();
        await server.restart();
    };
    const task = await work.claimed('Something');
    const feedback = await work.post('/feedback', { text: 'It is too slow.' });
    await crash();
    assertHolds(await work.show(task.id), { status: 'in_progress', assignee: 'coder' });
    const stuck = await work.stuck(task.id, database);
    const vague = await work.result('analyst', 'eval', feedback.id, {
        open_questions: [{ text: 'Which page?' }],
    });
    await crash();
    await work.is(task.id, blocked);
    assert.deepEqual(await work.ready(), []);
    assert.equal((await work.notifications()).length, 2);
    await work.answer(stuck.notificationId, { q1: 'SQLite' });
    await crash();
    await work.is(task.id, open);
    assert.deepEqual(await work.ready(), [task.id]);
    assert.ok(JSON.stringify(await work.get(`/tasks/${task.id}/context`)).includes('SQLite'));
    await work.answer(vague.notificationId, { q1: 'All.' });
    await crash();
    assert.deepEqual(await work.notifications(), []);
    const reader = await listen(t, server, { query: `?projectId=${work.project.id}&after=0` });
    await reader.saw('notification.resolved', 2);
    assertInOrder(reader.events);
    assert.deepEqual(
        reader.types().filter((type) => type.startsWith('notification.')),
        ['notification.added', 'notification.added', 'notification.resolved', 'notification.resolved'],
    );
});

onBothEngines('answers and new questions that race leave no task behind', {}, async (server) => {
    const work = await Work.begin(server);
    for (let round = 0; round < 25; round++) {
        const task = await work.claimed(`Round ${round}`);
        const first = await work.stuck(task.id, database);
        const [, second] = await Promise.all([
            work.answer(first.notificationId, { q1: 'SQLite' }),
            work.stuck(task.id, pages),
            work.answer(first.notificationId, { q1: 'PostgreSQL' }),
        ]);
        await work.is(task.id, blocked);
        await work.resolve(second.notificationId);
        await work.is(task.id, open);
        const { answers } = await work.get(`/tasks/${task.id}/context`);
        assert.equal(answers.filter(({ question }) => question === database).length, 1);
    }
    assert.deepEqual(await work.notifications(), []);
});

onBothEngines('the same output handed in by many at once asks once', {}, async (server) => {
    const work = await Work.begin(server);
    for (let round = 0; round < 5; round++) {
        const task = await work.claimed(`Round ${round}`);
        const replies = await Promise.all(Array.from({ length: 6 }, () => work.stuck(task.id, database)));
        assert.equal(new Set(replies.map(({ notificationId }) => notificationId)).size, 1);
        assert.equal((await work.notifications()).length, round + 1);
    }
});

onBothEngines('megabytes of output are read, and more than the limit is refused', {}, async (server) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Something');
    const noise = '> building {"step": [1, 2, {"x": "y"}]} and { more "quotes\n'.repeat(70_000);
    const reply = await work.coder(task.id, `${noise}\n${asking}\n`);
    assert.deepEqual(
        reply.questions.map(({ text }) => text),
        [database, pages],
    );
    await work.is(task.id, blocked);
    const large = {
        agent: 'coder',
        source: 'execute',
        sourceId: task.id,
        output: 'x'.repeat(10 * 1024 * 1024),
    };
    assert.equal((await server.api('POST', work.path('/results'), large)).status, 413);
});
