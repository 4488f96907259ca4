// Seed 004's flow by itself: a task that is ready is taken, its coder asks, people answer in the task's chat, it is taken up
// again and closed. The coder is a command of the operator's, or an agent of the runner on a model that plays.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { cli } from './lib/cli.mjs';
import { configure, model, openai } from './lib/model.mjs';
import { asked, assertAsked, assertReplays, calls, command as tool, ended, question, reply, results, step, trace } from './lib/runs.mjs';
import { becomes, onBothEngines, start, tempFolder, until } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

// Works in the folder of its task. It notes each run and what it was told, and asks until it has an answer.
const coder = `
echo run >> runs
cat > "told.$(wc -l < runs | tr -d ' ')"
cp "told.$(wc -l < runs | tr -d ' ')" told
case "$(cat told)" in
*'# Slow'*) echo $$ > pid; sleep 600 ;;
*'# Tick'*) while :; do echo >> ticks; sleep 0.05; done ;;
*'# Wait'*) touch began; while [ ! -e go ]; do sleep 0.05; done ;;
*'# Broken'*) echo 'no disk' >&2; exit 3 ;;
*'# Key'*) echo "I have $CODER_KEY."; echo "It is $CODER_KEY" >&2; echo "{\\"status\\": \\"success\\", \\"summary\\": \\"With $CODER_KEY.\\"}"; exit 0 ;;
*'# Lines'*) echo "I have $CODER_KEY"; echo "$CODER_KEY" | sed 's/^/> /' >&2; echo '{"status": "success", "summary": "Done."}'; exit 0 ;;
*'# Half'*) printf 'x%s%016378d' "$CODER_KEY" 0 >&2; exit 3 ;;
*'# Mute'*) echo 'I have done it.'; exit 0 ;;
*'# Bytes'*) printf '\\377\\000{"status": "failed", "open_questions": ["Which \\303\\050?"]}'; exit 0 ;;
esac
case "$(cat told)" in
*'# Ask'*'Answer ('*) ;;
*'# Ask'*) echo 'Let me see. {"status": "failed", "open_questions": [{"id": "q1", "text": "Which colour?"}]}'; exit 0 ;;
esac
echo "Done. {\\"status\\": \\"success\\", \\"summary\\": \\"Task $WITAN_TASK_ID is done.\\"}"
`;

// Without `placed` no setting says where tasks have their folders.
async function prepare(t, engine, { command = true, coders = '', placed = true, tools, answer, env } = {}) {
    const folder = await tempFolder(t);
    const tasks = placed ? join(folder, 'work') : engine === 'sqlite' ? join(folder, 'tasks') : join(folder, 'witan', 'tasks');
    if (placed) await mkdir(tasks);
    const script = join(folder, 'coder.sh');
    await writeFile(script, coder);
    let more = placed ? `orchestrator: {folder: ${JSON.stringify(tasks)}}\n` : '';
    if (command) more += `coder: {argv: [/bin/sh, ${JSON.stringify(script)}], timeout: 5m${coders}}\n`;
    if (tools) more += `tools: ${JSON.stringify(await tools(folder))}\n`;
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

// What a job came to may be told a moment after what became of its task, and so may the room that it leaves.
const roomIsFree = (work) => becomes(async () => (await work.get('/orchestrator')).out, [], 'its room is free');
const jobsAbout = async (work, id) => (await work.server.must(200, 'GET', `/api/jobs?taskId=${id}`)).jobs;
const jobsBecome = (work, id, wanted) =>
    becomes(async () => (await jobsAbout(work, id)).map(({ status, kind }) => `${kind} ${status}`), wanted, 'what its jobs came to');

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
    await jobsBecome(work, id, ['coder completed', 'coder completed']);
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

onEach('a question that is dismissed runs nothing again, before somebody opens the task', async (t, engine) => {
    const { server, work, tasks } = await prepare(t, engine);
    const { id } = await work.task('Broken');
    await switchOn(work);
    await becomesStatus(work, id, 'blocked');
    const [notice] = await notices(work);
    const said = await cli(server.folder, ['resolve', notice.id, '--dismiss', '--url', server.url]);
    assert.equal(said.code, 0, said.stderr);
    assert.match(said.stderr, /^Dismissed\. The task stays blocked: Its question was dismissed; open the task to have it worked on\.\n/);
    assert.match(said.stderr, new RegExp(`^Open it with: witan task open ${id}\n`, 'm'));
    const stays = await task(work, id);
    assert.equal(stays.status, 'blocked');
    assert.match(stays.block_reason, /^Its question was dismissed/);
    // What comes after it is taken, and so it has been looked at.
    const next = await work.task('Next');
    await becomesStatus(work, next.id, 'closed');
    assert.equal(await runs(tasks, id), 1);
    assert.equal((await cli(server.folder, ['task', 'open', id, '--url', server.url])).code, 0);
    await until(async () => (await runs(tasks, id)) >= 2, 'it is run again');
    await until(async () => (await notices(work)).length >= 1, 'it asks again');
    assert.equal(await runs(tasks, id), 2);
    const dismissing = await cli(server.folder, ['resolve', '--help']);
    assert.match(dismissing.stdout.replace(/\s+/g, ' '), /its task stays blocked until `witan task open`: nothing is run again by it/);
});

onEach('closing a task ends its question; an answer to what a closed one had asked is kept with it, and says so', async (t, engine) => {
    const { server, work } = await prepare(t, engine);
    const run = (...args) => cli(server.folder, [...args, '--url', server.url]);
    const { id } = await work.task('Broken');
    await switchOn(work);
    await becomesStatus(work, id, 'blocked');
    const [notice] = await notices(work);
    assert.equal((await run('task', 'close', id)).code, 0);
    assert.deepEqual(await notices(work), []);
    assert.doesNotMatch((await run('inbox', '--plain')).stdout, /open_questions/);
    const late = await run('answer', notice.id, 'do it anyway');
    assert.equal(late.code, 7, late.stderr);
    assert.match(late.stderr, /settled differently/);
    assert.equal((await task(work, id)).status, 'closed');
    // A coder that only tells of a question, and then closes its task.
    await switchOn(work, { on: false });
    const told = await work.task('Told');
    await work.result('coder', 'execute', told.id, { status: 'success', summary: 'x', open_questions: ['Blue?'] });
    await work.result('coder', 'execute', told.id, { status: 'success', summary: 'x' });
    const [kept] = await notices(work);
    const said = await run('answer', kept.id, 'Yes.');
    assert.match(said.stderr, /^Resolved\. The task is closed, and stays so: the answer is kept with it\.\n/);
});

onEach('what coders ask is listed and shown with the title of its task', async (t, engine) => {
    const { server, work } = await prepare(t, engine);
    const run = (...args) => cli(server.folder, [...args, '--url', server.url]);
    const long = `Mute ${'so '.repeat(30)}far`;
    const ids = [];
    for (const title of ['Mute the bell', 'Mute the horn', long]) ids.push((await work.task(title)).id);
    await switchOn(work);
    for (const id of ids) await becomesStatus(work, id, 'blocked');
    const lines = (await run('inbox')).stdout.split('\n').filter((line) => /could not be taken/.test(line));
    for (const words of [/Mute the bell: The coder's result/, /Mute the horn: The coder's result/, /Mute (so ){11}so\.\.\.: The coder's/])
        assert.equal(lines.filter((line) => words.test(line)).length, 1, `${words} in ${lines.join('\n')}`);
    const found = (await notices(work)).find(({ sourceId }) => sourceId === ids[1]);
    assert.match((await run('show', found.id)).stdout, new RegExp(`^about: execute ${ids[1]}  Mute the horn$`, 'm'));
    assert.match((await run('open-questions')).stdout, new RegExp(`^${found.id}  open_question  execute/${ids[1]}  .*  Mute the horn$`, 'm'));
    // So is what the coder's job asks.
    const job = await server.must(201, 'POST', '/api/jobs', { kind: 'x', agent: 'coder', projectId: work.project.id, taskId: ids[0] });
    const { questionId } = await server.must(201, 'POST', `/api/jobs/${job.id}/questions`, { question: 'May coder call touch_here?', type: 'approval', responseType: 'approval' });
    assert.match((await run('inbox')).stdout, /Mute the bell: May coder call touch_here\?/);
    assert.match((await run('show', questionId)).stdout, new RegExp(`^about: execute ${ids[0]}  Mute the bell$`, 'm'));
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
    await until(async () => (await began()).length >= 2, 'two have begun');
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
    await until(async () => (await began()).length >= 3, 'the next begins');
    assert.equal((await began()).length, 3);
    assert.equal((await work.get('/orchestrator')).out.length, 2);
    // Switched off it takes no more, and finishes what it has.
    const off = await cli(server.folder, ['orchestrate', work.project.id, 'off', '--url', server.url]);
    assert.match(off.stdout, /^off, 2 at a time, coder: command\n/);
    for (const { id } of made) if ((await runs(tasks, id)) > 0) await writeFile(join(tasks, id, 'go'), '');
    await becomesStatus(work, made[1].id, 'closed');
    await becomesStatus(work, made[2].id, 'closed');
    assert.equal((await task(work, made[3].id)).status, 'open');
    await roomIsFree(work);
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
    await jobsBecome(work, id, ['coder failed']);
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
async function diesAt(t, engine, point) {
    const { server, work, tasks } = await prepare(t, engine, { env: { WITAN_TEST_CRASH_AT: point } });
    const { id } = await work.task('Plain');
    const died = server.ended;
    // The switch and the first take may be of one commit, which is then lost with both; nobody was told otherwise.
    const isOn = await switchOn(work).then(() => true, () => false);
    assert.equal((await died).signal, 'SIGKILL');
    server.env = {};
    await server.restart();
    if (!isOn) await switchOn(work);
    const ended = await until(async () => {
        const found = await task(work, id);
        return ['closed', 'blocked'].includes(found.status) && found;
    }, 'it ends');
    const times = await runs(tasks, id);
    assert.ok(times <= 1, `it ran ${times} times`);
    if (ended.status === 'closed') assert.equal(times, 1);
    else assert.match((await notices(work))[0].questions[0].text, /was not run again/);
    await roomIsFree(work);
}

onEach('kill -9 around the commit that enters each phase of a task that is out', async (t, engine) => {
    const { server } = await prepare(t, engine, { env: { WITAN_TEST_CRASH_AT: '?' } });
    const [, names] = await until(() => server.log.match(/of="tasks that are out" phases="?([a-z_,]+)/), 'it lists them');
    const phases = names.split(',');
    assert.ok(phases.length >= 3, names);
    for (const phase of phases)
        for (const when of ['before', 'after']) await t.test(`${when} ${phase}`, (t) => diesAt(t, engine, `${phase}:${when}`));
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

const jobsOf = async (work) => (await work.server.must(200, 'GET', `/api/jobs?projectId=${work.project.id}`)).jobs;

onEach('what the coder was given is in nothing that it said', async (t, engine) => {
    const key = '/k3y+of/the/coder='; // as base64 may be, and not a path
    const { server, work } = await prepare(t, engine, { coders: ', environment_from: [CODER_KEY]', env: { CODER_KEY: key } });
    const { id } = await work.task('Key');
    await switchOn(work);
    await becomesStatus(work, id, 'closed');
    const [job] = await until(async () => {
        const jobs = await jobsOf(work);
        return jobs[0].endedAt && jobs;
    }, 'its job has ended');
    const logs = await server.must(200, 'GET', `/api/jobs/${job.id}/logs`);
    const said = JSON.stringify([job, logs, await task(work, id)]);
    assert.match(said, /I have \*\*\*\./);
    assert.match(said, /It is \*\*\*/);
    assert.match(said, /With \*\*\*\./);
    assert.ok(!said.includes(key));
    // Of what it complains the last 16 KB are kept, which begin in the middle of the key here.
    const half = await work.task('Half');
    await becomesStatus(work, half.id, 'blocked');
    const [failed] = await until(async () => (await jobsOf(work)).filter(({ endedAt, taskId }) => endedAt && taskId === half.id), 'its job has ended');
    const complained = JSON.stringify(await server.must(200, 'GET', `/api/jobs/${failed.id}/logs`));
    assert.match(complained, /0{8000}/);
    assert.doesNotMatch(complained, /=0000/);
});

onEach('nor is a line of it, where it has several', async (t, engine) => {
    const key = '-----BEGIN KEY-----\r\nk3y-line-one/1=\r\nk3y-line-two/2=\r\n-----END KEY-----\r\n';
    const { server, work } = await prepare(t, engine, { coders: ', environment_from: [CODER_KEY]', env: { CODER_KEY: key } });
    const { id } = await work.task('Lines');
    await switchOn(work);
    await becomesStatus(work, id, 'closed');
    const [job] = await until(async () => {
        const jobs = await jobsOf(work);
        return jobs[0].endedAt && jobs;
    }, 'its job has ended');
    const said = JSON.stringify([job, await server.must(200, 'GET', `/api/jobs/${job.id}/logs`), await task(work, id)]);
    assert.match(said, /I have \*\*\*/);
    assert.match(said, /> -----BEGIN KEY-----\\n> \*\*\*\\n> \*\*\*\\n> -----END KEY-----/);
    assert.doesNotMatch(said, /k3y/);
});

// Each way in which people take a task from its coder. What they decided stands, and the program is ended.
onEach('a command is ended when its task is given to another, closed or deleted', async (t, engine) => {
    const { server, work, tasks } = await prepare(t, engine);
    await switchOn(work);
    for (const [how, words, check] of [
        [(id) => server.must(200, 'PATCH', work.path(`/tasks/${id}`), { assignee: 'Bob' }), /given to Bob/, 'in_progress'],
        [(id) => server.must(200, 'PATCH', work.path(`/tasks/${id}`), { status: 'closed' }), /was closed/, 'closed'],
        [(id) => server.must(204, 'DELETE', work.path(`/tasks/${id}`)), /was deleted/, null],
    ]) {
        const { id } = await work.task('Tick');
        const ticks = () => readFile(join(tasks, id, 'ticks'), 'utf8').catch(() => '');
        await until(ticks, 'it runs');
        await how(id);
        await until(async () => {
            const before = await ticks();
            await pause(300);
            return before === (await ticks());
        }, 'its program has ended');
        const job = await until(async () => (await jobsOf(work)).find(({ status, error }) => status === 'cancelled' && words.test(error)), 'its job is cancelled');
        assert.equal(job.kind, 'coder');
        await roomIsFree(work);
        if (check) assert.equal((await task(work, id)).status, check);
        assert.equal(await runs(tasks, id), 1);
    }
    assert.deepEqual(await notices(work), []);
});

onEach('a run is cancelled when its task is given to another or deleted', async (t, engine) => {
    const { server, work, answers } = await prepare(t, engine, { command: false, answer: () => ({ hang: true }) });
    await switchOn(work, { coder: 'runner' });
    for (const [how, words] of [
        [(id) => server.must(200, 'PATCH', work.path(`/tasks/${id}`), { assignee: 'Bob' }), /given to Bob/],
        [(id) => server.must(204, 'DELETE', work.path(`/tasks/${id}`)), /was deleted/],
    ]) {
        const before = answers.calls.length;
        const { id } = await work.task('Plain');
        await until(() => answers.calls.length > before, 'the model is asked');
        await how(id);
        const job = await until(async () => (await jobsOf(work)).find(({ status, error }) => status === 'cancelled' && words.test(error)), 'it is cancelled');
        assert.equal(job.agent, 'coder');
        await roomIsFree(work);
    }
});

test('what cannot be is refused at the start, with the setting that is wrong', async (t) => {
    for (const [more, words] of [
        ['coder: {timeout: 5m}\n', /coder\.argv/],
        ['coder: {argv: [/no/such/program]}\n', /coder\.argv/],
        ['coder: {argv: [/bin/true], folder: /tmp}\n', /coder\.folder: there is no such setting of the coder/],
        ['coder: [/bin/true]\n', /coder takes settings/],
        ['orchestrator: {folder: /no/such/folder}\n', /orchestrator\.folder/],
    ]) {
        const folder = await tempFolder(t);
        const args = await configure(folder, { default: { provider: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'x' } }, more);
        await assert.rejects(start(t, { folder, args }), words, more);
    }
});

onEach('tasks have their folders where the embedded store is or would be, when no setting says where', async (t, engine) => {
    const { work, tasks } = await prepare(t, engine, { placed: false });
    const { id } = await work.task('Plain');
    await switchOn(work);
    await becomesStatus(work, id, 'closed');
    assert.equal(await runs(tasks, id), 1);
    assert.deepEqual(JSON.parse(await readFile(join(tasks, id, 'config.json'), 'utf8')), await work.get(`/tasks/${id}/config.json`));
});

test('a server that can make no folder for tasks says so and starts all the same, unless a program is to work in them', async (t) => {
    const env = { XDG_DATA_HOME: '/proc/none' };
    const server = await start(t, { engine: 'postgres', env });
    assert.match(server.log, / WARN .*orchestrator\.folder names a place.* why="?Cannot make the folder \/proc\/none/i);
    await assert.rejects(prepare(t, 'postgres', { placed: false, env }), /orchestrator\.folder/);
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
    await assertAsked(answers, [1, 1], server); // once for each take
    assert.match(answers.calls.at(-1).user, /Green\./);
    await jobsBecome(work, id, ['agent completed', 'agent completed']);
    const jobs = await jobsAbout(work, id);
    assert.deepEqual(jobs.map(({ agent }) => agent), ['coder', 'coder']);
    assert.equal(jobs[0].result.handedIn.accepted, true);
    await roomIsFree(work);
});

onEach('a run of the coder that says nothing of use, or fails, is asked about', async (t, engine) => {
    let say = finish({ result: 'I think so.' });
    const { server, work } = await prepare(t, engine, { command: false, answer: () => say });
    const unclear = await work.task('Unclear');
    await switchOn(work, { coder: 'runner' });
    await becomesStatus(work, unclear.id, 'blocked');
    assert.match((await notices(work))[0].questions[0].text, /could not be taken/);
    await jobsBecome(work, unclear.id, ['agent failed']);
    assert.match((await jobsAbout(work, unclear.id))[0].error, /The result was not taken/);
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
    await jobsBecome(work, id, ['agent completed']);
});

// Notes where it is and for whom, and waits for the test. What it prints is what it was told to work by.
const workInFolder = `
pwd > where
echo "$WITAN_JOB_ID $WITAN_PROJECT_ID $WITAN_TASK_ID" > ids
touch began
while [ ! -e go ]; do sleep 0.05; done
cat config.json`;

// Tries what no tool of one task should do to another's. Each try is told by a word.
const pryAtOther = `
read args
other="../$(echo "$args" | tr -dc 0-9a-f-)"
try() { sh -c "$2" 2>/dev/null && echo "$1 done" || echo "$1 refused"; }
try list "ls .."
try read "cat $other/ids"
try write "echo x > $other/x"
try link "ln -s $other way && cat way/ids"
try through "echo x > way/x"
try hard "ln $other/ids mine"
try away "mv ../$WITAN_TASK_ID ../gone"
rm config.json
ln -s $other/ids config.json
try own "echo mine > own"`;

const folderTools = (more = {}) => async (folder) => ({
    // It waits for what the test does meanwhile.
    work: await tool(folder, 'work', workInFolder, { folder: 'task', timeout: '5m', ...more }),
    pry: await tool(folder, 'pry', pryAtOther, { folder: 'task' }),
    plain: await tool(folder, 'plain', 'pwd; echo "$WITAN_JOB_ID,$WITAN_PROJECT_ID,$WITAN_TASK_ID"'),
});

const call = (name, args = {}) => ({ calls: [{ name, id: name, args }] });
const exists = (...path) => readFile(join(...path), 'utf8').then(() => true, () => false);

onEach('the tools of two coders at a time work each in the folder of its own task, and not in the other', async (t, engine) => {
    const made = {};
    const told = {};
    // Left works first and then pries at Right, while Right is at work.
    const answer = (asked) => {
        const title = asked.user.match(/# (\w+)/)[1];
        const left = title === 'Left';
        told[title] = { ...results(asked), user: asked.user, offered: asked.body.tools.map(({ function: { name } }) => name) };
        if (step(asked) === 1) return call('work');
        if (step(asked) === 2 && left) return call('pry', { other: made.Right });
        if (step(asked) === 2 + left) return call('plain');
        return finish({ status: 'success', summary: 'It is done.', result: 'done' });
    };
    const { server, work, tasks } = await prepare(t, engine, { command: false, tools: folderTools(), answer });
    for (const title of ['Left', 'Right']) made[title] = (await work.task(title)).id;
    await switchOn(work, { coder: 'runner', parallel: 2 });
    for (const id of Object.values(made)) await until(() => exists(tasks, id, 'began'), 'both have begun');
    await writeFile(join(tasks, made.Left, 'go'), '');
    await becomesStatus(work, made.Left, 'closed');
    assert.equal((await task(work, made.Right)).status, 'in_progress');
    await writeFile(join(tasks, made.Right, 'go'), '');
    await becomesStatus(work, made.Right, 'closed');
    for (const [title, id] of Object.entries(made)) {
        const { jobs } = await server.must(200, 'GET', `/api/jobs?taskId=${id}`);
        assert.equal(jobs.length, 1);
        const ids = `${jobs[0].id} ${work.project.id} ${id}`;
        assert.equal(await readFile(join(tasks, id, 'ids'), 'utf8'), `${ids}\n`);
        assert.equal(await readFile(join(tasks, id, 'where'), 'utf8'), `${join(tasks, id)}\n`);
        assert.deepEqual(JSON.parse(told[title].work), await work.get(`/tasks/${id}/config.json`));
        const [where, variables] = told[title].plain.split('\n');
        assert.ok(!where.startsWith(tasks), 'another tool works elsewhere');
        assert.equal(variables, ids.replaceAll(' ', ','), 'and knows for whom');
        assert.ok(told[title].user.includes(`The task of this job has the id ${id}. `), told[title].user);
        assert.match(told[title].user, /work in its folder, in which config\.json .*: (work, pry|pry, work)\./);
        assert.ok(!told[title].user.includes(tasks), 'where that is, is nobody else\'s business');
        await assertReplays(server, jobs[0].id);
    }
    const tried = ['list', 'read', 'write', 'link', 'through', 'hard', 'away'];
    if (!/ programs .*(read|write)="not held"/.test(server.log))
        assert.deepEqual(told.Left.pry.split('\n'), [...tried.map((what) => `${what} refused`), 'own done']);
    assert.equal(await exists(tasks, made.Right, 'x'), false);
    assert.equal(await readFile(join(tasks, made.Left, 'own'), 'utf8'), 'mine\n');
});

onEach('a tool of tasks is not started where there is no folder of the task, and the model is told why', async (t, engine) => {
    let name = 'pry';
    const answer = (asked) => (step(asked) === 1 ? call(name) : 'It could not be done.');
    const { server, work, tasks } = await prepare(t, engine, { command: false, tools: folderTools(), answer });
    const run = async (fields) => {
        const { id } = await server.must(201, 'POST', '/api/jobs', { kind: 'agent', agent: 'analyst', input: 'Try it.', ...fields });
        assert.equal((await ended(server, id)).status, 'completed');
        await assertReplays(server, id);
        return calls(await trace(server, id))[0];
    };
    const none = await run({});
    assert.equal(none.outcome, 'forbidden');
    assert.equal(none.output, 'This tool works in the folder of a task, and this job has none.');
    const inProject = await run({ projectId: work.project.id });
    assert.equal(inProject.outcome, 'forbidden');
    // A task that no orchestrator has taken has no folder, and none is made for it.
    const { id } = await work.task('Untouched');
    const untaken = await run({ projectId: work.project.id, taskId: id });
    assert.equal(untaken.outcome, 'unavailable');
    assert.match(untaken.output, /cannot be used: No such file or directory\. It works in the folder of its task/);
    assert.equal(await exists(tasks, id, 'own'), false);
    // Nor does a link lead to the folder of another.
    await mkdir(join(tasks, 'other'));
    await symlink(join(tasks, 'other'), join(tasks, id));
    const linked = await run({ projectId: work.project.id, taskId: id });
    assert.equal(linked.outcome, 'unavailable');
    assert.match(linked.output, /is outside of what/);
    assert.deepEqual(await readdir(join(tasks, 'other')), []);
    // Other tools are there for all of them.
    name = 'plain';
    assert.match((await run({})).output, /\n[0-9a-f-]{36},,$/);
    // And one that is named for a job without a task is refused by its name.
    const named = await server.api('POST', '/api/jobs', { kind: 'agent', agent: 'analyst', input: 'Try it.', tools: ['plain', 'pry'] });
    assert.equal(named.status, 400);
    assert.equal(named.body.field, 'tools');
    assert.match(named.body.error, /pry works in the folder of a task/);
    const { tools } = await server.must(200, 'GET', '/api/tools');
    assert.deepEqual(Object.fromEntries(tools.map((each) => [each.name, each.inTaskFolder])), { plain: false, pry: true, work: true });
    const listed = await cli(server.folder, ['tool', 'list', '--url', server.url]);
    assert.match(listed.stdout, /pry +this machine +- +jobs with a task/);
    assert.match(listed.stdout, /plain +this machine +- +all/);
});

onEach('a task that is deleted while its tool waits for approval takes the folder from it', async (t, engine) => {
    const answer = (asked) => (step(asked) === 1 ? call('work') : 'It could not be done.');
    const { server, work, tasks } = await prepare(t, engine, { command: false, tools: folderTools({ needs_approval: true }), answer });
    const { id } = await work.task('Fleeting');
    await mkdir(join(tasks, id));
    const fields = { kind: 'agent', agent: 'analyst', input: 'Try it.', projectId: work.project.id, taskId: id };
    const job = await server.must(201, 'POST', '/api/jobs', fields);
    const [open] = await asked(server, job.id);
    await server.must(204, 'DELETE', work.path(`/tasks/${id}`));
    await reply(server, open, true);
    await ended(server, job.id);
    const [made] = calls(await trace(server, job.id));
    assert.equal(made.outcome, 'forbidden');
    assert.equal(await exists(tasks, id, 'began'), false);
    await assertReplays(server, job.id);
});

test('where tools work on tasks is looked at when the server starts', async (t) => {
    const models = { default: { provider: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'x' } };
    const settings = { description: 'Works.', input_schema: { type: 'object' }, argv: ['/bin/true'] };
    const refused = async (tools, words, options = {}, more = '') => {
        const folder = await tempFolder(t);
        const args = await configure(folder, models, `${more}tools: ${JSON.stringify(tools(folder))}\n`);
        await assert.rejects(start(t, { folder, args, ...options }), words);
    };
    await refused(() => ({ a: { ...settings, folder: 'tasks' } }), /tools\.a\.folder: it must be an absolute path, or task/);
    await refused(() => ({ a: { ...settings, folder: 'task', environment: { WITAN_TASK_ID: 'x' } } }), /tools\.a\.environment: WITAN_TASK_ID/);
    const nowhere = { engine: 'postgres', env: { XDG_DATA_HOME: '/proc/none' } };
    await refused(() => ({ a: { ...settings, folder: 'task' } }), /tools\.a\.folder: there is no place for the folders of tasks/, nowhere);
    // What another tool may write must not hold the folder of a task, nor lie in it.
    const inner = (folder) => {
        mkdirSync(join(folder, 'tasks', 'one'), { recursive: true });
        return { a: { ...settings, folder: 'task' }, b: { ...settings, folder: join(folder, 'tasks', 'one') } };
    };
    await refused(inner, /tools\.b\.folder: the way to .* leads through the folder of orchestrator\.folder/);
});

// The other three, as jobs that anybody starts.
const agentJob = async (server, fields) => {
    const job = await server.must(201, 'POST', '/api/jobs', { kind: 'agent', ...fields });
    return ended(server, job.id);
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
    // It asks for choices with what speaks for each, and does not guess at what is missing or contradicts itself.
    assert.match(answers.calls[0].system, /question of trade-offs[^]*A\) .*Pros: .*Cons: /);
    assert.match(answers.calls[0].system, /something that you need is missing, or if it contradicts itself[^]*Do not guess/);
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
    assert.equal((await work.get(`/feedback/${feedback.id}`)).status, 'handled');
    const again = await server.api('POST', '/api/jobs', { kind: 'agent', ...about });
    assert.equal(again.status, 400, 'its tasks would be made twice');
    assert.equal(again.body.field, 'input.feedbackId');
    assert.match(again.body.error, /have been made\. Give it as new feedback/);
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
        [{ planId: 5 }, 'input.planId'],
        [{ planId: 'p1', feedbackId: 'x' }, 'input.feedbackId'],
        [{ feedbackId: 'x' }, 'input.feedbackId'],
        [{ taskId: '01a1ee65-ae61-734c-800a-0fb87185d213' }, 'input.taskId'],
    ]) {
        const wrong = await server.api('POST', '/api/jobs', { kind: 'agent', agent: 'planner', projectId: work.project.id, input });
        assert.equal(wrong.status, 400, wrong.text);
        assert.equal(wrong.body.field, field);
    }
    const done = await work.task('Done');
    await server.must(200, 'PATCH', work.path(`/tasks/${done.id}`), { status: 'closed' });
    const other = await work.task('Other');
    for (const [fields, field] of [
        [{ taskId: done.id }, 'taskId'],
        [{ taskId: other.id, input: { taskId: done.id } }, 'input.taskId'],
    ]) {
        const wrong = await server.api('POST', '/api/jobs', { kind: 'agent', agent: 'coder', projectId: work.project.id, ...fields });
        assert.equal(wrong.status, 400, wrong.text);
        assert.equal(wrong.body.field, field);
    }
});

onEach('an agent that was not told what to work on asks by itself, and never fails in silence', async (t, engine) => {
    const questions = { status: 'failed', result: '', open_questions: [{ id: 'q1', text: 'Which price?' }] };
    let say = ({ number }) => [finish(questions), { calls: [question('Which price?')] }, finish({ result: 'The old one.' })][number - 1];
    const { server, work, answers } = await prepare(t, engine, { command: false, answer: (call) => say(call) });
    const loose = { kind: 'agent', agent: 'analyst', projectId: work.project.id, input: 'Look at it.' };
    const asking = await server.must(201, 'POST', '/api/jobs', loose);
    const [open] = await asked(server, asking.id);
    assert.match(JSON.stringify(answers.calls[1].body.messages), /not told what it works on \(feedbackId\)/);
    await reply(server, open, 'The old one.');
    const answered = await ended(server, asking.id);
    assert.equal(answered.status, 'completed', answered.error);
    await assertReplays(server, asking.id);
    say = () => finish({ status: 'failed', summary: 'The shop is closed.', result: '' });
    const failed = await agentJob(server, loose);
    assert.equal(failed.status, 'failed');
    assert.equal(failed.error, 'The shop is closed.');
    say = () => JSON.stringify(questions);
    const lost = await agentJob(server, loose);
    assert.equal(lost.status, 'failed');
    assert.match(lost.error, /nobody was asked: Which price\?/);
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
