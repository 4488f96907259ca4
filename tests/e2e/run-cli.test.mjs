// `witan run`: an agent from its task to its result, as somebody at a terminal and a script see it.
import assert from 'node:assert/strict';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { begin } from './lib/cli.mjs';
import { configure } from './lib/model.mjs';
import { begins, ended, jobOf, run, traceOf, withRuns } from './lib/run-script.mjs';
import { start, tempFolder, until } from './lib/server.mjs';
import { Terminal } from './lib/terminal.mjs';

const asks = (question, more = {}) => ['ask_question', { question, type: 'blocking', responseType: 'text', ...more }];
const choice = { responseType: 'choice', options: [{ label: 'PostgreSQL', value: 'postgres' }, { label: 'SQLite', value: 'sqlite' }] };
const finish = (result) => ({ call: [['finish', { result }]] });
const idIn = (stderr) => stderr.match(/^Job (\S+)$/m)[1];
const question = (server, id) =>
    until(async () => (await server.must(200, 'GET', `/api/jobs/${id}/questions`)).questions.find(({ status }) => status === 'pending'), 'a question');
const answer = (server, id, response) => server.must(200, 'POST', `/api/questions/${id}/answer`, { response });
const text = (value) => ({ type: 'text', value });

const onBoth = (name, work) => {
    for (const engine of ['sqlite', 'postgres']) test(`${name} (${engine})`, (t) => work(t, engine));
};

onBoth('the result alone is printed, and what was done is told beside it', async (t, engine) => {
    const server = await withRuns(
        t,
        {
            Scribe: [
                { say: 'I will look\nfirst.', call: [['report_progress', { done: 1, total: 2, step: 'looking' }]] },
                { call: [['no_such_tool', { a: 1 }]] },
                finish('Three birds.'),
            ],
        },
        { engine },
    );
    const { code, stdout, stderr } = await run(server, ['run', 'Scribe', 'Name three birds.']);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'Three birds.\n');
    assert.match(stderr, /^Scribe:\n {2}I will look\n {2}first\.\n\.\.\. 1 of 2: looking\ncalls no_such_tool \{"a": ?1\}\n {2}no_such_tool unknown/m);
    assert.match(stderr, /Ctrl-C cancels it/);
    const id = idIn(stderr);
    assert.equal((await jobOf(server, id)).status, 'completed');

    const trace = await run(server, ['job', 'trace', id]);
    assert.equal(trace.code, 0, trace.stderr);
    assert.match(trace.stdout, /^Scribe on .*: completed, 3 of 50 steps/);
    for (const kind of ['input', 'reply', 'call', 'result', 'decision']) assert.match(trace.stdout, new RegExp(`^\\S+ +\\d+ +${kind} `, 'm'), kind);
    assert.doesNotMatch(trace.stdout, /^\S+ +\d+ +instructions/m);
    const full = await run(server, ['job', 'trace', id, '--full']);
    assert.match(full.stdout, /^\S+ +\d+ +instructions/m);
    const json = JSON.parse((await run(server, ['job', 'trace', id, '--json'])).stdout);
    assert.deepEqual(json.run, (await traceOf(server, id)).run);
    assert.deepEqual(json.entries, (await traceOf(server, id)).entries);
    const followed = await run(server, ['job', 'trace', id, '--follow', '--json']);
    assert.equal(followed.code, 0);
    assert.deepEqual(followed.stdout.trimEnd().split('\n').map((line) => JSON.parse(line)), json.entries);
    const replay = await run(server, ['job', 'replay', id]);
    assert.equal(replay.code, 0, replay.stdout + replay.stderr);
    assert.match(replay.stdout, /^All \d+ decisions come out as they are stored; no model and no tool was called\.$/m);
    assert.equal(JSON.parse((await run(server, ['job', 'replay', id, '--json'])).stdout).same, true);
});

test('what it says last is the result where it hands in nothing, and --json is the job', async (t) => {
    const server = await withRuns(t, { Scribe: ['Wren, owl, tit.', 'Wren, owl, tit.'] });
    const plain = await run(server, ['run', 'Scribe', '-'], { input: 'Name three birds.\n' });
    assert.equal(plain.code, 0, plain.stderr);
    assert.equal(plain.stdout, 'Wren, owl, tit.\n', 'in a pipe it stands there although it was said');
    assert.equal((await jobOf(server, idIn(plain.stderr))).input, 'Name three birds.');
    const json = await run(server, ['run', 'Scribe', 'Name three birds.', '--json']);
    assert.equal(json.code, 0, json.stderr);
    assert.equal(JSON.parse(json.stdout).status, 'completed');
});

test('a run that fails or is cancelled ends the command otherwise, and says why', async (t) => {
    const loop = Array.from({ length: 20 }, (_, i) => ({ call: [['report_progress', { done: i }]] }));
    const server = await withRuns(t, { Loop: loop, Broken: ['!fail The model is ill.'], Asker: [{ call: [asks('Which?')] }] });
    const budget = await run(server, ['run', 'Loop', 'Count.', '--steps', '3']);
    assert.equal(budget.code, 3, budget.stderr);
    assert.equal(budget.stdout, '');
    assert.match(budget.stderr, /The run failed: .*\b3\b.*steps/);
    const broken = await run(server, ['run', 'Broken', 'Try.']);
    assert.equal(broken.code, 3, broken.stderr);
    assert.match(broken.stderr, /^error: .*ill\.\nThe run failed\.$/m);
    const running = begin(server.folder, ['run', 'Asker', 'Ask.', '--no-input'], { env: { WITAN_URL: server.url } });
    await until(() => /It waits for an answer: Which\?\n {2}witan answer \S+ "\.\.\."/.test(running.stderr), 'it says what it waits for');
    await server.must(200, 'POST', `/api/jobs/${idIn(running.stderr)}/cancel`, { reason: 'Not today.' });
    const cancelled = await running.done;
    assert.equal(cancelled.code, 6, cancelled.stderr);
    assert.match(cancelled.stderr, /The run was cancelled: Not today\./);
});

test('who is not there is named together with those who are', async (t) => {
    const server = await withRuns(t, { Scribe: ['Yes.'] });
    const other = await run(server, ['run', 'Nobody', 'Count.']);
    assert.equal(other.code, 1);
    assert.equal(other.stdout, '');
    assert.match(other.stderr, /^witan: There is no agent of that name in this workspace: Nobody\.[^]*There are analyst, dreamer, planner, coder, Scribe\. `witan agent add/);
    await server.must(201, 'POST', '/api/agents', { name: 'Guest', ai_model_config: { provider: 'external' } });
    const guest = await run(server, ['run', 'Guest', 'Count.']);
    assert.equal(guest.code, 1, guest.stderr);
    assert.match(guest.stderr, /Guest/);
    for (const [args, what] of [
        [['--steps', '0'], /--steps must be from 1/],
        [['--tokens', 'many'], /--tokens takes a whole number/],
        [['--seconds', '-1'], /--seconds must be from 1/],
        [['--money', '0'], /--money takes an amount/],
        [['--tool', 'no_such_tool'], /--tool.*no_such_tool/],
    ]) {
        const { code, stderr } = await run(server, ['run', 'Scribe', 'Count.', ...args]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, what);
    }
    assert.equal((await run(server, ['run', 'Scribe', ' '])).code, 2);
    assert.equal((await server.must(200, 'GET', '/api/jobs')).jobs.length, 0);
    const empty = await start(t, {});
    const model = await run(empty, ['run', 'Scribe', 'Count.']);
    assert.equal(model.code, 1);
    assert.match(model.stderr, /witan agent add/);
});

test('what one of the four works on is named by an option, and what is done already is refused', async (t) => {
    const server = await withRuns(t, { analyst: ['{"status": "success", "summary": "One.", "tasks": [{"title": "Change the price"}]}'] });
    const { id } = await server.must(201, 'POST', '/api/projects', { name: 'shop' });
    const feedback = await server.must(201, 'POST', `/api/projects/${id}/feedback`, { text: 'The price is wrong.' });
    const task = await server.must(201, 'POST', `/api/projects/${id}/tasks`, { title: 'Paint it' });
    const on = (...args) => run(server, ['run', 'analyst', '--project', 'shop', ...args]);
    const first = await on('--feedback', feedback.id);
    assert.equal(first.code, 0, first.stderr);
    assert.equal(JSON.parse(first.stdout).handedIn.tasks, 1);
    assert.equal((await jobOf(server, idIn(first.stderr))).input.feedbackId, feedback.id);
    for (const [args, what] of [
        [['--feedback', feedback.id], /The tasks of this feedback have been made/],
        [['--feedback', 'nothing'], /--feedback names nothing in this project/],
        [['--plan', 'p1'], /--plan is for the planner alone/],
        [[], /TASK is empty/],
        [['--task', task.id], /TASK is empty/],
        [['  ', '--task', task.id], /TASK is empty/],
    ]) {
        const { code, stderr } = await on(...args);
        assert.equal(code, 2, stderr);
        assert.match(stderr, what);
    }
    assert.equal((await server.must(200, 'GET', `/api/projects/${id}/tasks`)).tasks.length, 2);
});

test('an amount of money is taken where it is known what the model costs, and settings that bound nothing are told in the log', async (t) => {
    const folder = await tempFolder(t);
    const ollama = { provider: 'ollama', base_url: 'http://127.0.0.1:9', model: 'llama3.2' };
    const models = { bare: ollama, half: { ...ollama, price_in: '1' }, priced: { ...ollama, price_in: '1', price_out: '5' } };
    const warned = / warn +runner\.money and runner\.project_money do not bound models without price_in and price_out models="?bare, half"?$/gm;
    const server = await start(t, { folder, args: await configure(folder, models), env: { WITAN_RUNNER_PROJECT_MONEY: '5' } });
    assert.equal(server.log.match(warned)?.length, 1, server.log);
    for (const name of ['half', 'priced']) await server.must(201, 'POST', '/api/agents', { name, ai_model_config: { model: name } });
    const { code, stderr } = await run(server, ['run', 'half', 'Count.', '--money', '0.50', '--detach']);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^witan: --money would not bound this run: what its model half costs is not known\.\s+Give the model price_in and price_out/);
    const taken = await run(server, ['run', 'priced', 'Count.', '--money', '0.50', '--detach']);
    assert.equal(taken.code, 0, taken.stderr);
    assert.equal((await server.must(200, 'GET', '/api/jobs')).jobs.length, 1);
});

test('detached it is left to itself, and followed later', async (t) => {
    const server = await withRuns(t, { Scribe: [{ call: [asks('Which bird?')] }, finish('A wren.')] });
    const left = await run(server, ['run', 'Scribe', 'Choose.', '--detach']);
    assert.equal(left.code, 0, left.stderr);
    const id = left.stdout.trim();
    assert.match(id, /^[0-9a-f-]{36}$/);
    const follower = begin(server.folder, ['job', 'trace', id, '--follow'], { env: { WITAN_URL: server.url } });
    const { id: asked } = await question(server, id);
    await until(() => /ask_question/.test(follower.stdout), 'the call');
    await answer(server, asked, text('a wren'));
    const followed = await follower.done;
    assert.equal(followed.code, 0, followed.stderr);
    assert.match(followed.stdout, /result +ask_question ok: .*a wren/);
    assert.match(followed.stderr, /The run completed\./);
    const looker = begin(server.folder, ['job', 'trace', (await begins(server, 'Scribe', 'Again.')).id, '--follow'], { env: { WITAN_URL: server.url } });
    await until(() => /ask_question/.test(looker.stdout), 'the call');
    looker.child.kill('SIGINT');
    const { code, stderr } = await looker.done;
    assert.equal(code, 130);
    assert.match(stderr, /It goes on; follow it with:\n {2}witan job trace/);
});

test('a run that was cancelled says so at once, whatever it was at', async (t) => {
    const nap = 'tools:\n  nap:\n    description: Sleeps.\n    input_schema: {type: object}\n    argv: [/bin/sleep, "300"]\n    timeout: 5m\n';
    const server = await withRuns(t, { Scribe: [{ call: [['nap', {}]] }] }, { more: nap });
    const { id } = await begins(server, 'Scribe', 'Rest.');
    await until(async () => (await traceOf(server, id)).entries.some(({ call }) => call?.state === 'running'), 'it naps');
    const cancelled = await run(server, ['job', 'cancel', id, '--reason', 'why not']);
    assert.equal(cancelled.stderr, 'The job was cancelled.\n');
    assert.match((await run(server, ['job', 'trace', id])).stdout, /^Scribe on \S+: cancelled, 1 of/);
    assert.match((await run(server, ['job', 'show', id])).stdout, /local cancelled the job: why not$/m);
    const agents = await run(server, ['agent', 'list']);
    assert.match(agents.stdout, /^\S+ +Scribe .*\nBuilt in: analyst, dreamer, planner, coder\.\n$/m);
});

test('an answer that nobody has waited for is told so', async (t) => {
    const server = await withRuns(t, {
        Scribe: [{ call: [asks('Which colour?', { type: 'non_blocking', defaultResponse: { type: 'text', value: 'blue' } })] }, finish({ colour: 'blue' })],
    });
    const { code, stdout, stderr } = await run(server, ['run', 'Scribe', 'Paint it.']);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '{"colour":"blue"}\n');
    assert.match(stderr, /^ {2}ask_question ok.*: goes on with "blue", the default$/m);
    const { id } = await question(server, idIn(stderr));
    const late = await run(server, ['answer', id, 'red', '--yes']);
    assert.equal(late.code, 0, late.stderr);
    assert.match(late.stderr, /^Answered .*: red\. The job had completed by then/m);
});

test('Ctrl-C cancels the run and says so; --keep and other signals leave it going', async (t) => {
    const server = await withRuns(t, { Scribe: [{ call: [asks('Which bird?')] }, finish('A wren.')] });
    for (const [args, signal, code, status] of [
        [[], 'SIGINT', 130, 'cancelled'],
        [['--keep'], 'SIGINT', 130, 'waiting_for_input'],
        [[], 'SIGTERM', 143, 'waiting_for_input'],
    ]) {
        const running = begin(server.folder, ['run', 'Scribe', 'Choose.', ...args], { env: { WITAN_URL: server.url } });
        await until(() => /It waits for an answer/.test(running.stderr), 'it waits');
        running.child.kill(signal);
        const { code: got, stdout, stderr } = await running.done;
        assert.equal(got, code, stderr);
        assert.equal(stdout, '');
        assert.equal((await jobOf(server, idIn(stderr))).status, status);
        assert.match(stderr, status === 'cancelled' ? /The run was cancelled\./ : /It goes on; follow it with:/);
    }
});

onBoth('who follows it outlasts a restart of the server, and nothing is shown twice', async (t, engine) => {
    const server = await withRuns(t, { Scribe: [{ say: 'I ask.', call: [asks('Which bird?')] }, { say: 'Good.', call: [['finish', { result: 'A wren.' }]] }] }, { engine });
    const running = begin(server.folder, ['run', 'Scribe', 'Choose.', '--patience', '2m'], { env: { WITAN_URL: server.url } });
    await until(() => /It waits for an answer/.test(running.stderr), 'it waits');
    await server.stop();
    await until(() => /Trying again/.test(running.stderr), 'it notices');
    await server.restart();
    await answer(server, (await question(server, idIn(running.stderr))).id, text('a wren'));
    const { code, stdout, stderr } = await running.done;
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'A wren.\n');
    assert.equal(stderr.match(/I ask\./g).length, 1);
    assert.equal(stderr.match(/It waits for an answer/g).length, 1);
    assert.equal(stderr.match(/Good\./g).length, 1);
});

test('at a terminal it asks right there: a text, a choice, a yes', async (t) => {
    const server = await withRuns(t, {
        Scribe: [
            { call: [asks('What is it called?')] },
            { call: [asks('Which database?', choice)] },
            { call: [asks('Shall I?', { responseType: 'boolean' })] },
            finish('Done.'),
        ],
    });
    const terminal = await Terminal.open(t, server);
    const { code, shown } = await terminal.run("witan run Scribe 'Set it up.'", async () => {
        await terminal.saw(/What is it called\?[^]*> $/);
        terminal.type('\n');
        await terminal.saw(/> > $/);
        terminal.type('Wren\n');
        await terminal.saw(/Which database\?[^]*postgres[^]*one of the options> $/);
        terminal.type('oracle\n');
        await terminal.saw(/"oracle" is not one of the options[^]*1 postgres \(PostgreSQL\), 2 sqlite \(SQLite\)[^]*one of the options> $/);
        terminal.type('2\n');
        await terminal.saw(/Shall I\?[^]*yes or no> $/);
        terminal.type('yes\n');
    });
    assert.equal(code, 0, shown);
    assert.match(shown, /Done\.\n$/);
    const [{ id }] = (await server.must(200, 'GET', '/api/jobs?kind=agent')).jobs;
    const { questions } = await server.must(200, 'GET', `/api/jobs/${id}/questions`);
    assert.deepEqual(questions.map(({ response }) => response.value), ['Wren', 'sqlite', true]);
});

test('what is typed while the server is away is not taken, and can be typed again', async (t) => {
    const server = await withRuns(t, { Scribe: [{ call: [asks('Which bird?')] }, finish('Done.')] });
    const terminal = await Terminal.open(t, server);
    const { code, shown } = await terminal.run("witan run Scribe 'Ask.'", async () => {
        await terminal.saw(/Which bird\?[^]*> $/);
        // It may still read what came behind the question, and reads on when the server is back: until then it hears nothing.
        await until(async () => {
            const reads = await server.metric('witan_requests_total', 'run_trace');
            await pause(1000);
            return reads === (await server.metric('witan_requests_total', 'run_trace'));
        }, 'it has read all');
        await server.kill9();
        await terminal.saw(/Trying again/);
        terminal.type('a wren\n');
        await terminal.saw(/witan: Cannot reach[^]*> $/);
        await server.restart();
        await terminal.saw(/The server is back\.\s+> $/);
        terminal.type('a wren\n');
    });
    assert.equal(code, 0, shown);
    const [{ id }] = (await server.must(200, 'GET', '/api/jobs?kind=agent')).jobs;
    assert.equal((await server.must(200, 'GET', `/api/jobs/${id}/questions`)).questions[0].response.value, 'a wren');
});

test('a question that somebody else answers goes away, and one can be left to others', async (t) => {
    const server = await withRuns(t, { Scribe: [{ call: [asks('First?')] }, { call: [asks('Second?')] }, finish('Done.')] });
    const terminal = await Terminal.open(t, server);
    const { code, shown } = await terminal.run("witan run Scribe 'Ask.'", async () => {
        await terminal.saw(/First\?[^]*> $/);
        const [{ id }] = (await server.must(200, 'GET', '/api/jobs?kind=agent')).jobs;
        terminal.type('half an ans');
        await answer(server, (await question(server, id)).id, text('elsewhere'));
        await terminal.saw(/This has ended meanwhile, by .*: elsewhere\.[^]*Second\?[^]*> $/);
        terminal.type('\x04');
        await terminal.saw(/Left open\. Answer it with:/);
        await answer(server, (await question(server, id)).id, text('there'));
    });
    assert.equal(code, 0, shown);
    assert.match(shown, /Done\.\n$/);
});

test('Ctrl-C while it asks cancels the run and answers nothing', async (t) => {
    const server = await withRuns(t, { Scribe: [{ call: [asks('Shall I?', { responseType: 'boolean' })] }, finish('Done.')] });
    const terminal = await Terminal.open(t, server);
    const { code, shown } = await terminal.run("witan run Scribe 'Ask.'", async () => {
        await terminal.saw(/yes or no> $/);
        terminal.type('yes\x03');
    });
    assert.equal(code, 130, shown);
    assert.match(shown, /The run was cancelled\./);
    const [{ id, status }] = (await server.must(200, 'GET', '/api/jobs?kind=agent')).jobs;
    assert.equal(status, 'cancelled');
    assert.equal((await server.must(200, 'GET', `/api/jobs/${id}/questions`)).questions[0].status, 'cancelled');
});

test('with its output elsewhere it asks at the terminal all the same', async (t) => {
    const server = await withRuns(t, { Scribe: [{ say: 'I ask.', call: [asks('Which bird?')] }, finish('A wren.')] });
    const terminal = await Terminal.open(t, server);
    const { code, shown } = await terminal.run("witan run Scribe 'Ask.' >out 2>log", async () => {
        await terminal.saw(/Which bird\?[^]*> $/);
        terminal.type('a wren\n');
    });
    assert.equal(code, 0, shown);
    assert.doesNotMatch(shown, /I ask\.|A wren\./);
    assert.equal(await readFile(join(server.folder, 'out'), 'utf8'), 'A wren.\n');
    const log = await readFile(join(server.folder, 'log'), 'utf8');
    assert.match(log, /I ask\./);
    assert.doesNotMatch(log, /> |left; then/);
});

// A tool of the operator's that says what it was given.
const tools = 'tools:\n  say:\n    description: Says it.\n    input_schema: {type: object, properties: {words: {type: string}}, required: [words]}\n    argv: [/bin/cat]\n    needs_approval: true\n';

test('an approval shows the arguments, which can be edited, and what was approved is what runs', async (t) => {
    const say = (words) => ({ call: [['say', { words }]] });
    const server = await withRuns(t, { Scribe: [say('first'), say('second'), say('third'), say('fourth'), finish('Done.')] }, { more: tools });
    const editor = join(server.folder, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i s/third/edited/ "$1"\n', { mode: 0o755 });
    const terminal = await Terminal.open(t, server, { EDITOR: editor });
    const { code, shown } = await terminal.run("witan run Scribe 'Say it.'", async () => {
        await terminal.saw(/words: first[^]*approve, reject or edit> $/);
        for (const word of ['n', 'yes', 'approve it', '']) {
            terminal.type(`${word}\n`);
            await terminal.saw(new RegExp(`Nothing is decided[^]*not "${word}"[^]*edit to change the arguments[^]*edit> $`));
        }
        terminal.type('approve\n');
        await terminal.saw(/words: second[^]*edit> $/);
        terminal.type('{"words": "typed"}\n');
        await terminal.saw(/would be approved with:[^]*words: typed[^]*Nothing is approved yet\.[^]*edit> $/);
        terminal.type('approve\n');
        await terminal.saw(/words: third[^]*edit> $/);
        terminal.type('edit\n');
        await terminal.saw(/words: edited[^]*Nothing is approved yet\.[^]*edit> $/);
        terminal.type('approve\n');
        await terminal.saw(/words: fourth[^]*edit> $/);
        terminal.type('reject not on a Friday\ntouch read-by-the-shell\n');
    });
    assert.equal(code, 0, shown);
    await terminal.run('true');
    await assert.rejects(access(join(server.folder, 'read-by-the-shell')), 'what stood behind the answer is no command');
    const [{ id }] = (await server.must(200, 'GET', '/api/jobs?kind=agent')).jobs;
    const results = (await traceOf(server, id)).entries.filter(({ kind, call }) => kind === 'result' && call.name === 'say');
    assert.deepEqual(results.map(({ call }) => call.outcome), ['ok', 'ok', 'ok', 'rejected']);
    assert.match(results[1].text, /^Somebody approved this call with other arguments: \{"words":"typed"\}\n/);
    const said = ({ text }) => JSON.parse(text.replace(/^Somebody [^\n]*\n/, '')).words;
    assert.deepEqual(results.slice(0, 3).map(said), ['first', 'typed', 'edited']);
    assert.match(results[3].text, /not on a Friday/);
    const { questions } = await server.must(200, 'GET', `/api/jobs/${id}/questions`);
    assert.deepEqual(questions[2].approvedArgs, { words: 'edited' });
});

test('without an editor of their own people get one that is there', async (t) => {
    const server = await withRuns(t, { Scribe: [{ call: [['say', { words: 'first' }]] }, finish('Done.')] }, { more: tools });
    const terminal = await Terminal.open(t, server, { EDITOR: '', VISUAL: '' });
    await writeFile(join(server.folder, 'bin', 'editor'), '#!/bin/sh\nsed -i s/first/edited/ "$1"\n', { mode: 0o755 });
    const { code, shown } = await terminal.run("witan run Scribe 'Say it.'", async () => {
        await terminal.saw(/words: first[^]*edit> $/);
        terminal.type('edit\n');
        await terminal.saw(/words: edited[^]*Nothing is approved yet\.[^]*edit> $/);
        terminal.type('approve\n');
    });
    assert.equal(code, 0, shown);
});

onBoth('over HTTP: a run asks, is answered, and goes on with the very call that asked', async (t, engine) => {
    const server = await withRuns(t, { Analyst: [{ call: [asks('Which database?', choice)] }, finish({ database: 'sqlite' })] }, { engine });
    const made = await begins(server, 'Analyst', { goal: 'Choose' }, { budget: { steps: 5, tokens: 10_000, seconds: 600 } });
    assert.equal(made.kind, 'agent');
    assert.equal(made.agent, 'Analyst');
    assert.deepEqual(made.input, { goal: 'Choose' });
    const asked = await question(server, made.id);
    assert.equal((await jobOf(server, made.id)).status, 'waiting_for_input');
    const waiting = await traceOf(server, made.id);
    assert.equal(waiting.run.phase, 'waiting');
    assert.equal(waiting.run.waitsFor[0].questionId, asked.id);
    assert.deepEqual([waiting.run.budget.steps, waiting.run.budget.tokens, waiting.run.budget.seconds], [5, 10_000, 600]);
    const refused = await server.api('PATCH', `/api/jobs/${made.id}`, { status: 'completed' });
    assert.equal(refused.status, 409, refused.text);
    await answer(server, asked.id, { type: 'choice', value: 'sqlite' });
    const job = await ended(server, made.id);
    assert.equal(job.status, 'completed', JSON.stringify(job));
    const { entries, run: whole } = await traceOf(server, made.id);
    assert.equal(whole.phase, 'ended');
    const call = entries.find((entry) => entry.kind === 'call' && entry.call.name === 'ask_question');
    const result = entries.find((entry) => entry.kind === 'result' && entry.call.id === call.call.id);
    assert.equal(result.call.questionId, asked.id);
    assert.match(result.text, /sqlite/);
    assert.equal(entries.filter((entry) => entry.kind === 'call' && entry.call.name === 'ask_question').length, 1, 'asked once');
    assert.equal((await server.must(200, 'GET', `/api/jobs/${made.id}/replay`)).same, true);
});
