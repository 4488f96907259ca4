// Seed 004's flow by itself: a task that is ready is taken, its coder asks, people answer in the task's chat, it is taken up
// again and closed. The coder is a command of the operator's, or an agent of the runner on a model that plays.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { onBothEngines, start, tempFolder, until } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

// Works in the folder of its task. It notes each run and what it was told, and asks until it has an answer.
const coder = `
echo run >> runs
cat > "told.$(wc -l < runs | tr -d ' ')"
cp "told.$(wc -l < runs | tr -d ' ')" told
case "$(cat told)" in
*'# Slow'*) echo $$ > pid; sleep 600 ;;
*'# Wait'*) touch began; while [ ! -e go ]; do sleep 0.05; done ;;
*'# Broken'*) echo 'no disk' >&2; exit 3 ;;
*'# Mute'*) echo 'I have done it.'; exit 0 ;;
*'# Bytes'*) printf '\\377\\000{"status": "failed", "open_questions": ["Which \\303\\050?"]}'; exit 0 ;;
esac
case "$(cat told)" in
*'# Ask'*'Answer ('*) ;;
*'# Ask'*) echo 'Let me see. {"status": "failed", "open_questions": [{"id": "q1", "text": "Which colour?"}]}'; exit 0 ;;
esac
echo "Done. {\\"status\\": \\"success\\", \\"summary\\": \\"Task $WITAN_TASK_ID is done.\\"}"
`;

async function prepare(t, engine, { command = true, answer, env } = {}) {
    const folder = await tempFolder(t);
    const tasks = join(folder, 'work');
    await mkdir(tasks);
    const script = join(folder, 'coder.sh');
    await writeFile(script, coder);
    let more = `orchestrator: {folder: ${JSON.stringify(tasks)}}\n`;
    if (command) more += `coder: {argv: [/bin/sh, ${JSON.stringify(script)}], timeout: 5m}\n`;
    const answers = await model(t, answer ?? (() => 'Nothing.'));
    const args = await configure(folder, { default: openai(answers) }, more);
    const server = await start(t, { engine, folder, args, env });
    const work = await Work.begin(server);
    return { server, work, answers, tasks };
}

const switchOn = (work, wish = {}) =>
    work.server.must(200, 'PATCH', work.path(''), { orchestrator: { on: true, coder: 'command', ...wish } });
const task = async (work, id) => work.server.must(200, 'GET', work.path(`/tasks/${id}`));
const becomesStatus = (work, id, status) =>
    until(async () => {
        const found = await task(work, id);
        return found.status === status && found;
    }, `the task is ${status}`);
const notices = async (work) => (await work.get('/notifications')).notifications;
const runs = async (tasks, id) => (await readFile(join(tasks, id, 'runs'), 'utf8').catch(() => '')).split('\n').length - 1;

const engines = ['sqlite', 'postgres'];
function onEach(name, run) {
    for (const engine of engines) test(`${name} (${engine})`, { timeout: 600_000 }, (t) => run(t, engine));
}

onEach('a task is taken, asks, waits, is answered, and is taken up again and closed by a command', async (t, engine) => {
    const { server, work, tasks } = await prepare(t, engine);
    const { id } = await work.task('Ask');
    assert.equal((await task(work, id)).status, 'open');
    await switchOn(work);
    const blocked = await becomesStatus(work, id, 'blocked');
    assert.equal(blocked.block_reason, 'Open Question');
    assert.equal(blocked.assignee, null);
    const [notice] = await notices(work);
    assert.equal(notice.source, 'execute');
    assert.equal(notice.sourceId, id);
    assert.deepEqual(
        notice.questions.map(({ text }) => text),
        ['Which colour?'],
    );
    const config = JSON.parse(await readFile(join(tasks, id, 'config.json'), 'utf8'));
    assert.deepEqual(config, await work.get(`/tasks/${id}/config.json`));
    assert.equal(await runs(tasks, id), 1, 'it is not run again before somebody answers');
    await server.must(200, 'PATCH', work.path(`/notifications/${notice.id}`), {
        responses: [{ questionId: 'q1', answer: 'Green.' }],
    });
    const closed = await becomesStatus(work, id, 'closed');
    assert.equal(closed.result.summary, `Task ${id} is done.`);
    assert.equal(await runs(tasks, id), 2);
    const told = await readFile(join(tasks, id, 'told.2'), 'utf8');
    assert.match(told, /Which colour\?/);
    assert.match(told, /Green\./);
    assert.match(told, /Confirm all changes before proceeding/, 'how much it may decide');
    const { messages } = await work.get(`/tasks/${id}/chat`);
    assert.ok(messages.some(({ message }) => message.includes('Green.')), 'the answer is in the chat');
    const { jobs } = await server.must(200, 'GET', `/api/jobs?taskId=${id}`);
    assert.deepEqual(
        jobs.map(({ status, kind }) => [status, kind]),
        [
            ['completed', 'coder'],
            ['completed', 'coder'],
        ],
    );
});

onEach('a command that fails or says nothing that can be read is asked about', async (t, engine) => {
    const { work, tasks } = await prepare(t, engine);
    const broken = await work.task('Broken');
    await switchOn(work);
    await becomesStatus(work, broken.id, 'blocked');
    assert.match((await notices(work))[0].questions[0].text, /status 3: "no disk"/);
    const mute = await work.task('Mute');
    await becomesStatus(work, mute.id, 'blocked');
    assert.match((await notices(work))[0].questions[0].text, /could not be taken/);
    assert.equal(await runs(tasks, broken.id), 1);
    assert.equal(await runs(tasks, mute.id), 1);
    const bytes = await work.task('Bytes');
    await becomesStatus(work, bytes.id, 'blocked');
    assert.equal((await notices(work))[0].questions[0].text, 'Which ?(?', 'what is no text is marked');
});

onEach('two are worked on at a time, and no more', async (t, engine) => {
    const { server, work, tasks } = await prepare(t, engine);
    const made = [];
    for (const title of ['Wait', 'Wait', 'Wait', 'Wait']) made.push(await work.task(title));
    await switchOn(work, { parallel: 2 });
    const began = async () => {
        const found = [];
        for (const { id } of made) if ((await runs(tasks, id)) > 0) found.push(id);
        return found;
    };
    await until(async () => (await began()).length === 2, 'two have begun');
    const state = await work.get('/orchestrator');
    assert.equal(state.out.length, 2);
    assert.deepEqual(
        state.out.map(({ taskId }) => taskId),
        made.slice(0, 2).map(({ id }) => id),
    );
    await work.task('Another');
    assert.equal((await began()).length, 2);
    await writeFile(join(tasks, made[0].id, 'go'), '');
    await becomesStatus(work, made[0].id, 'closed');
    await until(async () => (await began()).length === 3, 'the next begins');
    assert.equal((await work.get('/orchestrator')).out.length, 2);
    // Switched off it takes no more, and finishes what it has.
    const off = await cli(server.folder, ['orchestrate', work.project.id, 'off', '--url', server.url]);
    assert.match(off.stdout, /^off, 2 at a time, coder: command\n/);
    for (const { id } of made) if ((await runs(tasks, id)) > 0) await writeFile(join(tasks, id, 'go'), '');
    await becomesStatus(work, made[1].id, 'closed');
    await becomesStatus(work, made[2].id, 'closed');
    assert.equal((await task(work, made[3].id)).status, 'open');
    assert.deepEqual((await work.get('/orchestrator')).out, []);
});

onEach('a command that ran when the server was killed is asked about, and not run again', async (t, engine) => {
    const { server, work, tasks } = await prepare(t, engine);
    const { id } = await work.task('Slow');
    await switchOn(work);
    await until(() => readFile(join(tasks, id, 'pid'), 'utf8').catch(() => ''), 'it runs');
    await server.kill9();
    await server.restart();
    const blocked = await becomesStatus(work, id, 'blocked');
    assert.equal(blocked.block_reason, 'Open Question');
    const [notice] = await notices(work);
    assert.match(notice.questions[0].text, /was not run again/);
    assert.equal(await runs(tasks, id), 1);
    const { jobs } = await server.must(200, 'GET', `/api/jobs?taskId=${id}`);
    assert.deepEqual(
        jobs.map(({ status }) => status),
        ['failed'],
    );
    // The answer is what sets it going again.
    await server.must(200, 'PATCH', work.path(`/notifications/${notice.id}`), {
        responses: [{ questionId: 'q1', answer: 'Begin anew.' }],
    });
    const told = () => readFile(join(tasks, id, 'told.2'), 'utf8').catch(() => '');
    await until(async () => /Begin anew\./.test(await told()), 'it is run again, with the answer');
    assert.equal(await runs(tasks, id), 2);
});

test('another node asks about what ran on one that died, and takes the next', { timeout: 600_000 }, async (t) => {
    const { server, work, tasks } = await prepare(t, 'postgres');
    const { id } = await work.task('Slow');
    await switchOn(work);
    await until(() => readFile(join(tasks, id, 'pid'), 'utf8').catch(() => ''), 'it runs');
    const second = await start(t, { engine: 'postgres', db: server.db, folder: server.folder, args: server.args });
    await server.kill9();
    work.server = second;
    await becomesStatus(work, id, 'blocked');
    assert.match((await notices(work))[0].questions[0].text, /was not run again/);
    assert.equal(await runs(tasks, id), 1);
    const next = await work.task('Plain');
    await becomesStatus(work, next.id, 'closed');
    assert.equal(await runs(tasks, next.id), 1);
});

// Whatever commit it dies at: the coder has run at most once for each take, and the task ends or is asked about.
for (const engine of engines)
    for (const phase of ['taking', 'coding', 'settling'])
        for (const when of ['before', 'after'])
            test(`kill -9 ${when} the commit that enters ${phase} (${engine})`, { timeout: 600_000 }, async (t) => {
                const { server, work, tasks } = await prepare(t, engine, { env: { WITAN_TEST_CRASH_AT: `${phase}:${when}` } });
                const { id } = await work.task('Plain');
                const died = server.ended;
                await switchOn(work).catch(() => {});
                assert.equal((await died).signal, 'SIGKILL');
                server.env = {};
                await server.restart();
                const ended = await until(async () => {
                    const found = await task(work, id);
                    return ['closed', 'blocked'].includes(found.status) && found;
                }, 'it ends');
                const times = await runs(tasks, id);
                assert.ok(times <= 1, `it ran ${times} times`);
                if (ended.status === 'closed') assert.equal(times, 1);
                else assert.match((await notices(work))[0].questions[0].text, /was not run again/);
                assert.deepEqual((await work.get('/orchestrator')).out, []);
            });

onEach('a cancelled command is ended and asked about', async (t, engine) => {
    const { server, work, tasks } = await prepare(t, engine);
    const { id } = await work.task('Slow');
    await switchOn(work);
    const pid = await until(() => readFile(join(tasks, id, 'pid'), 'utf8').catch(() => ''), 'it runs');
    assert.ok(Number(pid) > 0);
    const { jobs } = await server.must(200, 'GET', `/api/jobs?taskId=${id}`);
    await server.must(200, 'POST', `/api/jobs/${jobs[0].id}/cancel`, { reason: 'Wrong branch.' });
    await becomesStatus(work, id, 'blocked');
    assert.match((await notices(work))[0].questions[0].text, /was cancelled: Wrong branch\./);
});

test('what cannot be is refused at the start, with the setting that is wrong', async (t) => {
    for (const [more, words] of [
        ['coder: {timeout: 5m}\n', /coder\.argv/],
        ['coder: {argv: [/no/such/program]}\n', /coder\.argv/],
        ['coder: {argv: [/bin/true], folder: /tmp}\n', /coder\.folder/],
        ['coder: [/bin/true]\n', /coder takes settings/],
        ['orchestrator: {folder: /no/such/folder}\n', /orchestrator\.folder/],
    ]) {
        const folder = await tempFolder(t);
        const args = await configure(folder, { default: { provider: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'x' } }, more);
        await assert.rejects(start(t, { folder, args }), words, more);
    }
});

// What the model of the coder does: asks until it has an answer, by calls of finish as a model makes them.
const finish = (args) => ({ calls: [{ name: 'finish', args }] });
const playCoder = ({ user }) =>
    user.includes('# Ask') && !user.includes('Answer (')
        ? finish({ status: 'failed', result: 'I have to ask.', open_questions: [{ id: 'q1', text: 'Which colour?\nA) Green. Pros: calm. Cons: dull.' }] })
        : finish({ status: 'success', summary: 'It is done.', result: 'done' });

onEach('the same with an agent of the runner', async (t, engine) => {
    const { server, work, answers, tasks } = await prepare(t, engine, { command: false, answer: playCoder });
    const { id } = await work.task('Ask', { description: 'Paint the door.' });
    await switchOn(work, { coder: 'runner' });
    const blocked = await becomesStatus(work, id, 'blocked');
    assert.equal(blocked.block_reason, 'Open Question');
    assert.equal(blocked.assignee, null);
    const [notice] = await notices(work);
    assert.equal(notice.questions[0].text, 'Which colour?\nA) Green. Pros: calm. Cons: dull.', 'options are kept');
    assert.deepEqual(JSON.parse(await readFile(join(tasks, id, 'config.json'), 'utf8')), await work.get(`/tasks/${id}/config.json`));
    assert.match(answers.calls[0].system, /the coder of the project "Web shop"/);
    assert.match(answers.calls[0].system, /Confirm all changes before proceeding/);
    assert.match(answers.calls[0].user, /Paint the door\./);
    await server.must(200, 'PATCH', work.path(`/notifications/${notice.id}`), {
        responses: [{ questionId: 'q1', answer: 'Green.' }],
    });
    const closed = await becomesStatus(work, id, 'closed');
    assert.equal(closed.result.summary, 'It is done.');
    assert.equal(answers.calls.length, 2, 'one call of the model for each take');
    assert.match(answers.calls[1].user, /Green\./);
    const { jobs } = await server.must(200, 'GET', `/api/jobs?taskId=${id}`);
    assert.deepEqual(
        jobs.map(({ status, kind, agent }) => [status, kind, agent]),
        [
            ['completed', 'agent', 'coder'],
            ['completed', 'agent', 'coder'],
        ],
    );
    assert.equal(jobs[0].result.handedIn.accepted, true);
    assert.deepEqual((await work.get('/orchestrator')).out, []);
});

onEach('a run of the coder that says nothing of use, or fails, is asked about', async (t, engine) => {
    let say = finish({ result: 'I think so.' });
    const { server, work } = await prepare(t, engine, { command: false, answer: () => say });
    const unclear = await work.task('Unclear');
    await switchOn(work, { coder: 'runner' });
    await becomesStatus(work, unclear.id, 'blocked');
    assert.match((await notices(work))[0].questions[0].text, /could not be taken/);
    const { jobs } = await server.must(200, 'GET', `/api/jobs?taskId=${unclear.id}`);
    assert.equal(jobs[0].status, 'failed');
    assert.match(jobs[0].error, /The result was not taken/);
    say = { status: 401 };
    const failing = await work.task('Failing');
    await becomesStatus(work, failing.id, 'blocked');
    assert.match((await notices(work))[0].questions[0].text, /ended without a result/);
});

onEach('a run of the coder goes on after kill -9, and its task is worked on once', async (t, engine) => {
    let held = true;
    const { server, work, answers } = await prepare(t, engine, {
        command: false,
        answer: (call) => (held ? { hang: true } : playCoder(call)),
    });
    const { id } = await work.task('Plain');
    await switchOn(work, { coder: 'runner' });
    await until(() => answers.calls.length > 0, 'the model is asked');
    await server.kill9();
    held = false;
    await server.restart();
    await becomesStatus(work, id, 'closed');
    const { jobs } = await server.must(200, 'GET', `/api/jobs?taskId=${id}`);
    assert.deepEqual(
        jobs.map(({ status }) => status),
        ['completed'],
    );
});

// The other three, as jobs that anybody starts.
const agentJob = async (server, fields) => {
    const job = await server.must(201, 'POST', '/api/jobs', { kind: 'agent', ...fields });
    return server.must(200, 'GET', `/api/jobs/${job.id}?wait=50`);
};

onEach('the analyst asks, once, and then makes tasks of the answer', async (t, engine) => {
    const sure = { id: 's', text: 'Are you sure?', confirmation: true };
    const say = [
        finish({ result: { open_questions: [{ id: 'q1', text: 'Which price?\nA) Old. Pros: known.\nB) New.' }, sure] } }),
        finish({ result: { open_questions: [sure] } }),
        'Here it is: {"status": "success", "summary": "One task.", "tasks": [{"title": "Change the price"}]}',
    ];
    const { server, work, answers } = await prepare(t, engine, { command: false, answer: ({ number }) => say[number - 1] });
    const feedback = await work.post('/feedback', { text: 'The price is wrong.' });
    const about = { agent: 'analyst', projectId: work.project.id, input: { feedbackId: feedback.id } };
    const first = await agentJob(server, about);
    assert.equal(first.status, 'completed', first.error);
    assert.equal(first.result.handedIn.questions, 2);
    const [notice] = await notices(work);
    assert.equal(notice.source, 'eval');
    assert.match(notice.questions[0].text, /A\) Old\. Pros: known\.\nB\) New\./);
    assert.match(answers.calls[0].system, /the analyst of/);
    assert.match(answers.calls[0].user, /The price is wrong\./);
    await server.must(200, 'PATCH', work.path(`/notifications/${notice.id}`), {
        responses: [
            { questionId: 'q1', answer: 'The new one.' },
            { questionId: 's', answer: 'Yes.' },
        ],
    });
    const second = await agentJob(server, about);
    assert.match(answers.calls[1].user, /The new one\./, 'earlier answers are told');
    assert.match(second.result.handedIn.problems.join(), /confirmation a second time/);
    assert.deepEqual(await notices(work), []);
    const third = await agentJob(server, about);
    assert.equal(third.status, 'completed', third.error);
    assert.equal(third.result.handedIn.tasks, 1);
    assert.deepEqual(
        (await work.get('/tasks')).tasks.map(({ title }) => title),
        ['Change the price'],
    );
});

onEach('the dreamer writes a section and the planner a plan with its tasks; a template of that name wins', async (t, engine) => {
    const { server, work, answers } = await prepare(t, engine, {
        command: false,
        answer: ({ system }) =>
            system.includes('dreamer')
                ? finish({ result: '', status: 'success', summary: 'Written.', prd: '# Cart' })
                : finish({ result: '', status: 'success', summary: 'Planned.', plan: '# Plan', tasks: [{ title: 'One' }] }),
    });
    const dreamt = await agentJob(server, { agent: 'dreamer', projectId: work.project.id, input: { sectionKey: 'cart' } });
    assert.equal(dreamt.status, 'completed', dreamt.error);
    assert.equal((await work.get('/prd/cart')).text, '# Cart');
    // The workspace's own words, and then an agent that people made.
    await server.must(200, 'PUT', '/api/wordings', { name: 'agent_planner', text: 'You are {{name}} of {{project}}, and nobody else.' });
    const own = { kind: 'agent', agent: 'planner', projectId: work.project.id, input: 'Say hello.' };
    await server.must(201, 'POST', '/api/jobs', own);
    await until(() => answers.calls.at(-1).system.startsWith('You are planner of the project "Web shop", and nobody'), 'it is told them');
    assert.match(answers.calls.at(-1).system, /Confirm all changes before proceeding/, 'and what it may decide');
    await server.must(201, 'POST', '/api/agents', { name: 'Planner', role: 'planner', system_prompt: 'You plan our way.' });
    const planned = await agentJob(server, { agent: 'planner', projectId: work.project.id, input: { planId: 'p1' } });
    assert.equal(planned.status, 'completed', planned.error);
    assert.match(answers.calls.at(-1).system, /^You plan our way\./);
    assert.match(answers.calls.at(-1).system, /How much you may decide by yourself/);
    assert.equal((await work.get('/plans/p1')).text, '# Plan');
    assert.equal((await work.get('/tasks')).tasks.length, 1);
    for (const [input, field] of [
        [{ feedbackId: 'x' }, 'input.feedbackId'],
        [{ taskId: '01a1ee65-ae61-734c-800a-0fb87185d213' }, 'input.taskId'],
    ]) {
        const wrong = await server.api('POST', '/api/jobs', { kind: 'agent', agent: 'planner', projectId: work.project.id, input });
        assert.equal(wrong.status, 400, wrong.text);
        assert.equal(wrong.body.field, field);
    }
});

onBothEngines('the switch is a command', {}, async (server) => {
    const work = await Work.begin(server);
    const on = await cli(server.folder, ['orchestrate', work.project.id, 'on', '--parallel', '3', '--url', server.url]);
    assert.match(on.stdout, /^on, 3 at a time, coder: runner\n/);
    const state = await cli(server.folder, ['orchestrate', work.project.id, '--json', '--url', server.url]);
    assert.deepEqual(JSON.parse(state.stdout), { on: true, parallel: 3, coder: 'runner', out: [] });
    const wrong = await cli(server.folder, ['orchestrate', work.project.id, 'on', '--parallel', '0', '--url', server.url]);
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.stderr, /--parallel/);
    const none = await cli(server.folder, ['orchestrate', work.project.id, 'on', '--coder', 'command', '--url', server.url]);
    assert.notEqual(none.code, 0);
    assert.match(none.stderr, /--coder: this server has no command for coders/);
    const off = await cli(server.folder, ['orchestrate', work.project.id, 'off', '--url', server.url]);
    assert.match(off.stdout, /^off, 3 at a time/);
});
