// Projects and tasks: dependencies, claims, what is ready, and the commands for them.
import assert from 'node:assert/strict';
import { cli } from './lib/cli.mjs';
import { login, makeToken, makeUser, makeWorkspace } from './lib/identity.mjs';
import { assertInOrder, connect, listen } from './lib/streams.mjs';
import { onBothEngines } from './lib/server.mjs';
import { Work, assertHolds, blocked, open, streamJson } from './lib/work.mjs';

onBothEngines(
    'what is ready comes by priority, then by age, and only when all it depends on is closed',
    {},
    async (server) => {
        const work = await Work.begin(server);
        const [later, first, second] = [
            await work.task('Later', { priority: 3 }),
            await work.task('First', { priority: 0 }),
            await work.task('Second', { priority: 0 }),
        ];
        const last = await work.task('Last', { priority: 0, depends_on: [first.id, second.id] });
        assert.deepEqual(last.depends_on.toSorted(), [first.id, second.id].toSorted());
        assert.deepEqual(await work.ready(), [first.id, second.id, later.id]);
        const early = await server.api('POST', work.path(`/tasks/${last.id}/claim`), { agent: 'coder' });
        assert.equal(early.status, 409, early.text);
        await work.set(first.id, { status: 'closed' });
        assert.deepEqual(await work.ready(), [second.id, later.id]);
        await work.set(second.id, { status: 'closed' });
        assert.deepEqual(await work.ready(), [last.id, later.id]);
        await work.set(second.id, { status: 'open' });
        assert.deepEqual(await work.ready(), [second.id, later.id]);
        const gone = await server.api('DELETE', work.path(`/tasks/${second.id}`));
        assert.ok([200, 204].includes(gone.status), gone.text);
        assert.deepEqual(await work.ready(), [last.id, later.id], 'what was deleted keeps nobody waiting');
        await work.set(later.id, { status: 'blocked', block_reason: 'The supplier' });
        assert.deepEqual(await work.ready(), [last.id]);
        const page = await work.get('/tasks/ready?limit=1');
        assert.deepEqual(
            page.tasks.map(({ id }) => id),
            [last.id],
        );
    },
);

onBothEngines('a circle of dependencies is refused', {}, async (server) => {
    const work = await Work.begin(server);
    const other = await Work.begin(server, { name: 'Another' });
    const a = await work.task('A');
    const b = await work.task('B', { depends_on: [a.id] });
    const c = await work.task('C', { depends_on: [b.id] });
    const foreign = await other.task('Foreign');
    for (const depends_on of [
        [c.id],
        [b.id],
        [a.id],
        [foreign.id],
        ['01990000-0000-7000-8000-000000000001'],
        'b',
    ]) {
        const reply = await server.api('PATCH', work.path(`/tasks/${a.id}`), { depends_on });
        assert.ok([400, 409].includes(reply.status), `${depends_on}: ${reply.text}`);
    }
    assertHolds(await work.show(a.id), { depends_on: [] });
    assert.deepEqual(await work.ready(), [a.id]);
});

onBothEngines('of many claimers one wins', {}, async (server, t) => {
    const work = await Work.begin(server);
    const reader = await connect(t, server, { query: `?projectId=${work.project.id}` });
    for (let round = 0; round < 20; round++) {
        const task = await work.task(`Round ${round}`);
        const replies = await Promise.all(
            Array.from({ length: 8 }, (_, i) =>
                server.api('POST', work.path(`/tasks/${task.id}/claim`), { agent: `agent-${i}` }),
            ),
        );
        const won = replies.filter(({ status }) => status === 200);
        assert.equal(won.length, 1);
        assert.ok(replies.every(({ status }) => status === 200 || status === 409));
        const winner = won[0].body.assignee;
        assertHolds(await work.show(task.id), { status: 'in_progress', assignee: winner });
        for (const { body } of replies.filter(({ status }) => status === 409))
            assert.match(body.error, new RegExp(winner));
    }
    await reader.saw('task.updated', 20);
    assertInOrder(reader.events);
    assert.deepEqual(await work.ready(), []);
});

onBothEngines('nothing of a project crosses the wall of its workspace', { args: [] }, async (server) => {
    const work = await Work.begin(server);
    const task = await work.claimed('Something');
    const { notificationId } = await work.stuck(task.id, 'What?');
    await makeWorkspace(server, 'research');
    const stranger = await makeToken(server, { role: 'owner', workspace: 'research' });
    const agent = await makeToken(server, { role: 'agent' });
    for (const [method, path, body] of [
        ['GET', ''],
        ['GET', '/tasks'],
        ['GET', `/tasks/${task.id}`],
        ['GET', '/notifications'],
        ['PATCH', `/notifications/${notificationId}`],
        ['POST', '/results', { agent: 'coder', source: 'execute', sourceId: task.id, output: 'x' }],
        ['POST', '/decisions', { category: 'scopeChanges', description: 'x' }],
        ['DELETE', ''],
    ]) {
        const reply = await server.api(method, work.path(path), body, { token: stranger });
        assert.equal(reply.status, 404, `${method} ${path}: ${reply.text}`);
    }
    assert.deepEqual(
        (await server.must(200, 'GET', '/api/projects', undefined, { token: stranger })).projects,
        [],
    );
    // An agent may not answer what people were asked.
    for (const body of [
        undefined,
        { responses: [{ questionId: 'q1', answer: 'I say so.' }] },
        { approved: true },
    ]) {
        const reply = await server.api('PATCH', work.path(`/notifications/${notificationId}`), body, {
            token: agent,
        });
        assert.equal(reply.status, 403, reply.text);
    }
    const cleared = await server.api('DELETE', work.path('/notifications'), undefined, { token: agent });
    assert.equal(cleared.status, 403, cleared.text);
    assertHolds(
        await server.must(200, 'GET', work.path(`/tasks/${task.id}`), undefined, { token: agent }),
        blocked,
    );
});

onBothEngines('a project may say who answers for it', {}, async (server) => {
    const work = await Work.begin(server, { settings: { answerers: ['maya'] } });
    const decision = await work.post('/decisions', { category: 'scopeChanges', description: 'Add PDF' });
    const task = await work.claimed('Something');
    const { notificationId } = await work.stuck(task.id, 'What?');
    const cookies = {};
    for (const name of ['maya', 'tom']) {
        await makeUser(server, name, 'correct horse', 'member');
        cookies[name] = {
            headers: { Cookie: await login(server, name, 'correct horse'), Origin: server.url },
        };
    }
    const settle = (name, id) =>
        server.api('PATCH', work.path(`/notifications/${id}`), { approved: true }, cookies[name]);
    const response = { type: 'approval', value: true };
    const asked = `/api/questions/${decision.questionId}/answer`;
    assert.equal((await server.api('POST', asked, { response }, cookies.tom)).status, 403);
    for (const id of [notificationId, decision.id]) {
        assert.equal((await settle('tom', id)).status, 403);
        assert.equal((await settle('maya', id)).status, 200);
    }
    const shown = await server.must(200, 'GET', work.path(`/tasks/${task.id}`), undefined, cookies.tom);
    assertHolds(shown, open);
});

// The commands, from the first to the last, as a person and an agent's script would use them.
onBothEngines('a project from the command line', {}, async (server, t) => {
    const run = async (code, args, options = {}) => {
        const result = await cli(server.folder, [...args, '--url', server.url], options);
        assert.equal(
            result.code,
            code,
            `witan ${args.join(' ')}: ${result.code}\n${result.stdout}${result.stderr}`,
        );
        return result.stdout;
    };
    const json = async (code, args, options) => JSON.parse(await run(code, [...args, '--json'], options));
    const project = (await run(0, ['project', 'add', 'Web shop', '--autonomy', 'major_only'])).trim();
    assert.match(await run(0, ['project', 'list']), /major_only.*Web shop/);
    // Every command takes a project by its name.
    const asked = (await run(0, ['ask', 'Ship?', '--project', 'Web shop', '--no-wait'])).trim();
    assert.match(await run(0, ['inbox', '--project', 'Web shop']), /Ship\?/);
    await run(0, ['answer', asked, 'Yes']);
    assert.match(await run(0, ['job', 'list', '--all', '--project', 'Web shop']), /question/);
    const about = ['--project', 'Web shop'];
    assert.match(await run(0, ['feedback', 'add', 'Nice.', ...about]), /^[0-9a-f-]{36}\n$/);
    assert.match(await run(0, ['feedback', 'list', ...about]), /^ID +STATUS +CAME +FROM +WHAT\n.* new .* Nice\.\n$/);
    assert.equal(JSON.parse(await run(0, ['feedback', 'list', '--json', ...about])).feedback[0].text, 'Nice.');
    await run(1, ['inbox', '--project', 'Nowhere']);
    const action = { name: 'sh', args: { cmd: 'ls' } };
    const { questionId } = await server.must(201, 'POST', '/api/questions', {
        question: 'Run it?',
        type: 'approval',
        responseType: 'approval',
        action,
    });
    await run(0, ['answer', questionId, '--args', '{"cmd": "pwd"}']);
    const { question } = await server.must(200, 'GET', `/api/questions/${questionId}`);
    assert.deepEqual(question.response.args, { cmd: 'pwd' });
    assert.equal((await json(0, ['project', 'show', 'Web shop'])).id, project);
    const set = await json(0, ['project', 'set', 'Web shop', '--autonomy', 'scopeChanges=automated']);
    assert.deepEqual(set.hilConfig, {
        scopeChanges: 'automated',
        architectureDecisions: 'requires_approval',
        dependencyModifications: 'notify_and_proceed',
    });
    await run(2, ['project', 'set', 'Web shop', '--autonomy', 'scopechanges=automated']);
    await run(2, ['project', 'set', 'Web shop', '--autonomy', 'scopeChanges=sometimes']);
    await run(2, ['project', 'set', 'Web shop']);
    await run(1, ['project', 'show', 'Web Shop']);

    // With one project there is no need to name it.
    const first = (
        await run(0, ['task', 'add', 'Cache the price list', '--description', '-'], {
            input: 'It is slow.\n',
        })
    ).trim();
    const second = (
        await run(0, ['task', 'add', 'Measure it', '--depends-on', first, '--priority', '0'])
    ).trim();
    assert.deepEqual(
        (await json(0, ['task', 'ready'])).tasks.map(({ id }) => id),
        [first],
    );
    assert.match(await run(0, ['task', 'list']), /Cache the price list/);
    assert.match(await run(0, ['task', 'show', second]), new RegExp(`depends on: ${first}`));
    await run(7, ['task', 'claim', second, '--agent', 'coder']);
    assert.equal((await run(0, ['task', 'claim', '--agent', 'coder'])).trim(), first);
    await run(3, ['task', 'claim', '--agent', 'coder']);
    await run(7, ['task', 'claim', first, '--agent', 'other']);

    const config = await run(0, ['task', 'config', first]);
    assert.deepEqual(
        JSON.parse(config),
        await server.must(200, 'GET', `/api/projects/${project}/tasks/${first}/config.json`),
    );

    // The agent's output comes on stdin, with a byte in it that is no text and colours that are not ours to show.
    const output = Buffer.concat([
        Buffer.from([0xff]),
        Buffer.from(
            streamJson(
                '{"status": "failed", "open_questions": [{"text": "Which \\u001b[31mcache?"}, {"id": "size", "text": "How large?"}]}',
            ),
        ),
    ]);
    const found = await run(3, ['result', '--agent', 'coder', '--source-id', first], { input: output });
    assert.match(found, /Which .*cache\?/);
    assert.ok(!found.includes('\u001b'), JSON.stringify(found));
    assert.match(await run(0, ['task', 'list', '--status', 'blocked']), /Open Question/);
    const [{ id }] = (await json(0, ['open-questions'])).notifications;
    const guess = await run(3, ['result', '--agent', 'coder', '--source-id', first], {
        input: '{"status": "success", "summary": "Guessed."}',
    });
    assert.match(guess, /still open/);
    const shown = await run(0, ['open-questions']);
    assert.ok(shown.includes(id) && shown.includes('How large?') && !shown.includes('\u001b'), shown);
    await run(2, ['resolve', id]);
    await run(2, ['resolve', id, 'Redis']);
    await run(2, ['resolve', id, '--approve', '--dismiss']);
    await run(0, ['resolve', id, 'q1=Redis', 'size=1 GB = enough']);
    const missing = await cli(server.folder, ['resolve', id, 'q9=x', '--url', server.url]);
    assert.match(missing.stderr, /no question q9 in this set/);
    const late = await cli(server.folder, ['resolve', id, '--dismiss', '--url', server.url]);
    assert.equal(late.code, 7);
    assert.match(late.stderr, /settled differently by local, (now|\d+s ago); nothing was changed/);
    assert.deepEqual((await json(0, ['open-questions'])).notifications, []);
    const chat = await run(0, ['task', 'chat', first]);
    assert.ok(chat.includes('Redis') && chat.includes('1 GB = enough'), chat);
    await run(0, ['task', 'chat', first, 'Mind the currency.']);
    await run(0, ['task', 'chat', first, '-', '--agent', 'coder'], { input: 'I do.\n' });
    const { messages } = await json(0, ['task', 'chat', first]);
    assert.deepEqual(
        messages
            .filter(({ message }) => ['Mind the currency.', 'I do.'].includes(message))
            .map(({ is_human }) => is_human)
            .toSorted(),
        [false, true],
    );
    assert.match(await run(0, ['task', 'context', first]), /1 GB = enough/);

    await run(0, ['task', 'claim', first, '--agent', 'coder']);
    await run(1, ['result', '--agent', 'coder', '--source-id', first, '-'], { input: 'Done, I think.' });
    await run(
        0,
        ['result', '--agent', 'coder', '--source', 'execute', '--source-id', first, '--project', 'Web shop'],
        { input: '{"status": "success", "summary": "Cached."}' },
    );
    assert.deepEqual(
        (await json(0, ['task', 'ready'])).tasks.map(({ id: task }) => task),
        [second],
    );
    await run(0, ['task', 'block', second, '--reason', 'The supplier']);
    assert.match(await run(0, ['task', 'show', second]), /blocked by: The supplier/);
    await run(0, ['task', 'open', second]);
    await run(0, ['task', 'close', second]);
    assert.deepEqual((await json(0, ['task', 'ready'])).tasks, []);
    await run(1, ['task', 'show', '01990000-0000-7000-8000-000000000001']);

    await run(0, ['project', 'add', 'Another']);
    await run(2, ['task', 'list']);
    await run(0, ['task', 'list', '--project', 'Another']);
    await run(0, ['task', 'list'], { env: { WITAN_PROJECT: project } });
    await run(0, ['task', 'show', second]);
    await run(2, ['project', 'remove', 'Web shop']);
    await run(0, ['project', 'remove', 'Web shop', '--yes']);
    await run(1, ['project', 'show', 'Web shop']);
});
