// Asking people from the command line: what goes where, and that nothing but a yes is a yes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { begin, cli } from './lib/cli.mjs';
import { makeToken } from './lib/identity.mjs';
import { binary, cleanEnv, onBothEngines, start, tempFolder, until } from './lib/server.mjs';
import { Terminal, numbersIn } from './lib/terminal.mjs';

const minute = 60_000;
const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/;

function ask(server, args, options = {}) {
    return begin(server.folder, ['ask', ...args], {
        env: { WITAN_URL: server.url, ...options.env },
        ...options,
    });
}

const idOf = async (run) => (await until(() => run.stderr.match(uuid), 'it says which question'))[0];
const holds = (server, count = 1) =>
    until(async () => (await server.metric('witan_waits')) === count, `${count} wait`);

async function waiting(server, args, options) {
    const run = ask(server, args, options);
    const id = await idOf(run);
    await holds(server);
    return { run, id };
}

const reply = (server, id, response, options) =>
    server.must(200, 'POST', `/api/questions/${id}/answer`, { response }, options);

onBothEngines('the answer alone is on stdout, and the exit code says yes or no', {}, async (server) => {
    const rows = [
        [['Which region?'], { type: 'text', value: 'eu\nwest' }, 0, 'eu\nwest\n'],
        [['Region?', '--choice', 'eu', '--choice', 'us'], { type: 'choice', value: 'us' }, 0, 'us\n'],
        [
            ['Region?', '--choice', 'eu', '--allow-other'],
            { type: 'choice', text: 'somewhere else' },
            0,
            'somewhere else\n',
        ],
        [['Sure?', '--yes-no'], { type: 'boolean', value: true }, 0, 'yes\n'],
        [['Sure?', '--yes-no'], { type: 'boolean', value: false, text: 'Not yet.' }, 3, 'no\n'],
        [['--approve', 'Deploy?'], { type: 'approval', value: true }, 0, 'approved\n'],
        [['--approve', 'Deploy?'], { type: 'approval', value: false, text: 'On Monday.' }, 3, 'rejected\n'],
        [['Go on?', '--type', 'approval'], { type: 'approval', value: true }, 0, 'approved\n'],
        [['Retry?', '--type', 'error_recovery'], { type: 'text', value: 'retry' }, 0, 'retry\n'],
    ];
    for (const [args, response, code, stdout] of rows) {
        const { run, id } = await waiting(server, args);
        await reply(server, id, response);
        const done = await run.done;
        assert.deepEqual([done.code, done.stdout], [code, stdout], `${args.join(' ')}\n${done.stderr}`);
        assert.match(done.stderr, /Answered by/);
        if (response.text && response.value !== undefined)
            assert.match(done.stderr, new RegExp(response.text));
        assert.match(done.stderr, new RegExp(`${server.url}/q/${id}`));
    }
});

onBothEngines('a template says what is not said', {}, async (server) => {
    await server.must(201, 'POST', '/api/templates', {
        name: 'release',
        question: 'Release it?',
        type: 'approval',
        responseType: 'approval',
    });
    const { run, id } = await waiting(server, ['--template', 'release', '--approvals', '1']);
    const { question } = await server.must(200, 'GET', `/api/questions/${id}`);
    assert.deepEqual([question.question, question.type], ['Release it?', 'approval']);
    await reply(server, id, { type: 'approval', value: false });
    assert.equal((await run.done).code, 3);
    for (const args of [[], ['--template', 'release', '--default', 'yes'], ['--template', 'none'], ['Who?', '--to', 'x']])
        assert.equal((await ask(server, args).done).code, 2, args.join(' '));
});

onBothEngines('an answer never moves the cursor', {}, async (server) => {
    const { run, id } = await waiting(server, ['Which?']);
    await reply(server, id, { type: 'text', value: 'plain \u001b[2Jtext' });
    assert.equal((await run.done).stdout, 'plain [2Jtext\n');
});

onBothEngines('silence is no answer', {}, async (server) => {
    const { run } = await waiting(server, ['--approve', 'Deploy?']);
    await server.advance(16 * minute);
    const done = await run.done;
    assert.deepEqual([done.code, done.stdout], [5, '']);

    // A default that approves has to be allowed in so many words.
    const refused = await ask(server, ['--approve', 'Deploy?', '--default', 'approve']).done;
    assert.deepEqual([refused.code, refused.stdout], [2, '']);

    const no = await waiting(server, ['--approve', 'Deploy?', '--default', 'reject']);
    await server.advance(16 * minute);
    const rejected = await no.run.done;
    assert.deepEqual([rejected.code, rejected.stdout], [3, 'rejected\n']);
    assert.match(rejected.stderr, /default/);
});

onBothEngines('a default is told from a person', {}, async (server) => {
    const args = ['Which?', '--choice', 'a', '--choice', 'b', '--default', 'b', '--timeout', '10m'];
    const plain = await waiting(server, args);
    await server.advance(11 * minute);
    const said = await plain.run.done;
    assert.deepEqual([said.code, said.stdout], [0, 'b\n']);
    assert.match(said.stderr, /default/);

    const json = await waiting(server, [...args, '--json']);
    await server.advance(11 * minute);
    const told = await json.run.done;
    assert.equal(told.code, 0);
    const { respondedBy, outcome, response } = JSON.parse(told.stdout);
    assert.deepEqual([respondedBy, outcome.source, response.value], ['system', 'default', 'b']);

    const strict = await waiting(server, [...args, '--require-human']);
    await server.advance(11 * minute);
    const nobody = await strict.run.done;
    assert.deepEqual([nobody.code, nobody.stdout], [5, '']);

    const human = await waiting(server, [...args, '--require-human', '--json']);
    await reply(server, human.id, { type: 'choice', value: 'a' });
    const person = await human.run.done;
    assert.deepEqual([person.code, JSON.parse(person.stdout).outcome.source], [0, 'human']);
});

onBothEngines('a cancelled question is not an answer', {}, async (server) => {
    const { run, id } = await waiting(server, ['--approve', 'Deploy?']);
    await server.must(200, 'POST', `/api/questions/${id}/cancel`, {});
    const done = await run.done;
    assert.deepEqual([done.code, done.stdout], [6, '']);
});

onBothEngines('a server that goes away and comes back does not end the wait', {}, async (server) => {
    const { run, id } = await waiting(server, ['--approve', 'Deploy?']);
    await server.kill9();
    await until(() => run.stderr.includes('Trying again'), 'it says so');
    await server.restart();
    await until(() => run.stderr.includes('is back'), 'it says that, too');
    await reply(server, id, { type: 'approval', value: true });
    const done = await run.done;
    assert.deepEqual([done.code, done.stdout], [0, 'approved\n'], done.stderr);

    // The same when it stops in order, and the answer is given before anybody asks again.
    const orderly = await waiting(server, ['--approve', 'Deploy again?']);
    await server.stop();
    await server.restart();
    await reply(server, orderly.id, { type: 'approval', value: false });
    assert.equal((await orderly.run.done).code, 3);
});

test('a server that stays away is no yes', async (t) => {
    const server = await start(t);
    const { run } = await waiting(server, ['--approve', 'Deploy?', '--patience', '2s']);
    await server.kill9();
    const done = await run.done;
    assert.deepEqual([done.code, done.stdout], [8, '']);
    const nobody = await ask(server, ['--approve', 'Deploy?', '--patience', '1s']).done;
    assert.deepEqual([nobody.code, nobody.stdout], [8, '']);
    await server.restart();
});

// Whatever answers on that port, a reply that is not a yes of witan's is not a yes.
test('no reply of a stranger is a yes', async (t) => {
    const folder = await tempFolder(t);
    const asked = { questionId: '018f0000-0000-7000-8000-000000000000', timeoutAt: null, jobId: 'x' };
    const replies = [
        [200, 'text/html', '<html>It works!</html>'],
        [200, 'application/json', '{}'],
        [200, 'application/json', 'null'],
        [200, 'application/json', '{"question":null}'],
        [200, 'application/json', '{"question":{"status":"answered"}}'],
        [
            200,
            'application/json',
            '{"question":{"status":"answered","responseType":"approval","response":{"value":"yes"}}}',
        ],
        [
            200,
            'application/json',
            '{"question":{"status":"answered","responseType":"approval","response":{"value":tr',
        ],
        [204, 'application/json', ''],
        [301, 'text/html', 'moved'],
        [404, 'application/json', '{"error":"There is no such question.","code":"not_found"}'],
        [401, 'application/json', '{"error":"No.","code":"unauthorized"}'],
        [500, 'text/plain', 'oops'],
        [502, 'text/html', 'bad gateway'],
    ];
    for (const [status, type, body] of replies) {
        for (const askFails of [true, false]) {
            const fake = http.createServer((request, response) => {
                if (request.method === 'POST' && !askFails)
                    return response
                        .writeHead(201, { 'Content-Type': 'application/json' })
                        .end(JSON.stringify(asked));
                response.writeHead(status, { 'Content-Type': type }).end(body);
            });
            await new Promise((listening) => fake.listen(0, '127.0.0.1', listening));
            const env = { WITAN_URL: `http://127.0.0.1:${fake.address().port}` };
            const done = await cli(folder, ['ask', '--approve', 'Deploy?', '--patience', '1s'], { env });
            fake.closeAllConnections();
            fake.close();
            assert.notEqual(done.code, 0, `${status} ${body}`);
            assert.equal(done.stdout, '', `${status} ${body}`);
        }
    }
});

test('a full disk or a closed pipe is no yes', async (t) => {
    const server = await start(t);
    const { id } = await server
        .must(201, 'POST', '/api/questions', {
            question: 'Deploy?',
            type: 'approval',
            responseType: 'approval',
        })
        .then(({ questionId }) => ({ id: questionId }));
    await reply(server, id, { type: 'approval', value: true });
    const shell = (line) => {
        const child = spawn('sh', ['-c', line], { env: cleanEnv(server.folder, { WITAN_URL: server.url }) });
        return once(child, 'close').then(([code]) => code);
    };
    assert.equal(await shell(`${binary} wait ${id}`), 0);
    assert.notEqual(await shell(`${binary} wait ${id} >/dev/full`), 0);
});

onBothEngines('--no-wait prints the id and leaves; --job asks within a job', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const witan = (...args) => cli(server.folder, args, { env });
    const left = await witan('ask', 'Later?', '--no-wait');
    assert.equal(left.code, 0);
    assert.match(left.stdout, /^[0-9a-f-]{36}\n$/);
    const { question } = await server.must(200, 'GET', `/api/questions/${left.stdout.trim()}`);
    assert.equal(question.question, 'Later?');

    const job = (await witan('job', 'create', '--agent', 'Builder')).stdout.trim();
    const asking = ask(server, [
        'Which branch?',
        '--job',
        job,
        '--context',
        'currentStep=build',
        '--context',
        'n=@/etc/hostname',
    ]);
    const id = await idOf(asking);
    await holds(server);
    assert.equal((await server.must(200, 'GET', `/api/jobs/${job}`)).status, 'waiting_for_input');
    const asked = (await server.must(200, 'GET', `/api/questions/${id}`)).question;
    assert.equal(asked.jobId, job);
    assert.equal(asked.context.currentStep, 'build');
    assert.ok(asked.context.n.length > 0);
    await reply(server, id, { type: 'text', value: 'main' });
    assert.equal((await asking.done).stdout, 'main\n');
    assert.equal((await server.must(200, 'GET', `/api/jobs/${job}`)).status, 'running');

    assert.equal((await witan('job', 'progress', job, '3', '--total', '4', '--step', 'Testing')).code, 0);
    assert.equal((await witan('job', 'log', job, 'All green.')).code, 0);
    const following = begin(server.folder, ['job', 'follow', job], { env });
    await until(async () => (await server.metric('witan_streams')) === 1, 'it follows');
    assert.equal((await witan('job', 'log', job, '\u001b[32mNearly\u001b[0m done.')).code, 0); // in colours, which pages show
    assert.equal((await witan('job', 'done', job, '{"tests": 42}')).code, 0);
    const followed = await following.done;
    assert.equal(followed.code, 0, followed.stderr);
    assert.match(followed.stdout, /Nearly done\./);
    const shown = (await witan('job', 'show', job)).stdout;
    assert.match(shown, / Nearly done\.$/m);
    assert.ok(!shown.includes('\u001b') && !shown.includes('[32m'), shown);
    for (const text of ['completed', 'Which branch?', 'main', 'All green.', '"tests":42'])
        assert.ok(shown.includes(text), `${text} in\n${shown}`);
    assert.equal((await witan('ask', 'Too late?', '--job', job)).code, 7);
    assert.equal((await witan('job', 'fail', job)).code, 7);
    assert.match((await witan('job', 'list', '--status', 'completed')).stdout, new RegExp(job));
});

onBothEngines('a non-blocking question goes on with its default at once', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const args = ['ask', 'Tabs or spaces?', '--type', 'non_blocking', '--default', 'spaces'];
    const first = await cli(server.folder, args, { env });
    assert.deepEqual([first.code, first.stdout], [0, 'spaces\n']);
    const id = first.stderr.match(uuid)[0];
    assert.equal((await server.must(200, 'GET', `/api/questions/${id}`)).question.status, 'pending');
    await reply(server, id, { type: 'text', value: 'tabs' });
    // What was answered is told the next time; it is not applied by itself.
    const second = await cli(server.folder, args, { env });
    assert.deepEqual([second.code, second.stdout], [0, 'spaces\n']);
    assert.match(second.stderr, /tabs/);
    assert.equal((await cli(server.folder, [...args, '--require-human'], { env })).code, 2);
});

test('wrong words are usage errors before anything is asked', async (t) => {
    const server = await start(t);
    const rows = [
        ['Which?', '--choice', 'a', '--yes-no'],
        ['Which?', '--approve', '--yes-no'],
        ['Which?', '--allow-other'],
        ['Which?', '--timeout', 'soon'],
        ['Which?', '--timeout', '1m'],
        ['Which?', '--type', 'shouting'],
        ['Which?', '--choice', 'a', '--default', 'b'],
        ['Sure?', '--yes-no', '--default', 'perhaps'],
        ['Which?', '--context', 'nothing'],
        ['Which?', '--context', '@/nowhere/at/all'],
        ['Which?', '--type', 'non_blocking'],
        [''],
        [],
    ];
    for (const args of rows) {
        const done = await ask(server, args).done;
        assert.deepEqual([done.code, done.stdout], [2, ''], `${args.join(' ')}\n${done.stderr}`);
    }
    assert.equal(
        (await server.must(200, 'GET', '/api/questions/pending?workspaceId=default')).questions.length,
        0,
    );
});

onBothEngines('the inbox lists what is open, and answers go by number and by id', {}, async (server, t) => {
    const env = { WITAN_URL: server.url };
    const witan = (...args) => cli(server.folder, args, { env });
    const make = async (fields) =>
        (
            await server.must(201, 'POST', '/api/questions', {
                type: 'blocking',
                responseType: 'text',
                ...fields,
            })
        ).questionId;
    const nothing = await witan('inbox');
    assert.deepEqual([nothing.code, nothing.stdout], [0, '']);

    const ids = [
        await make({
            question: 'Which region?',
            responseType: 'choice',
            options: [
                { label: 'Europe', value: 'eu' },
                { label: 'US', value: 'us' },
            ],
            defaultResponse: { type: 'choice', value: 'eu' },
        }),
        await make({ question: 'Deploy?', type: 'approval', responseType: 'approval' }),
        await make({ question: 'A name?' }),
    ];
    const list = await witan('inbox');
    const lines = list.stdout.trimEnd().split('\n');
    assert.equal(lines.length, 4);
    assert.match(lines[1], /^[0-9a-f]{8} +approval +(15:00|14:\d\d) +not approved .*Deploy\?$/);
    assert.match(lines[2], /^[0-9a-f]{8} +blocking +(30:00|29:\d\d) +takes "eu" .*Which region\?$/);
    assert.deepEqual(
        (await witan('inbox', '--plain', '--sort', 'created')).stdout
            .trim()
            .split('\n')
            .map((line) => line.split('\t')[0]),
        ids,
    );
    assert.deepEqual(
        JSON.parse((await witan('inbox', '--json')).stdout).questions.map(({ id }) => id),
        ids,
    );
    assert.equal((await witan('inbox', '--type', 'approval', '--plain')).stdout.split('\n').length, 2);

    // Numbers stay what they were when the list was shown, whatever has happened since.
    const terminal = await Terminal.open(t, server);
    const shown = (await terminal.run('witan inbox --sort created')).shown;
    assert.deepEqual(numbersIn(shown), { 'Which region?': '1', 'Deploy?': '2', 'A name?': '3' });
    const wrong = await terminal.run('witan answer 1 mars');
    assert.equal(wrong.code, 2);
    assert.match(wrong.shown, /Choose one of: eu \(Europe\), us/);
    assert.equal((await terminal.run('witan answer 1 Europe')).code, 0);
    assert.equal((await terminal.run('witan answer 2 --reject --yes --note "Not on a Friday."')).code, 0);
    const piped = await terminal.run("echo 'From a pipe.' | witan answer 3 -");
    assert.equal(piped.code, 0, piped.shown);
    const states = await Promise.all(
        ids.map(async (id) => (await server.must(200, 'GET', `/api/questions/${id}`)).question),
    );
    assert.deepEqual(
        states.map(({ response }) => response.value),
        ['eu', false, 'From a pipe.'],
    );
    assert.equal(states[1].response.text, 'Not on a Friday.');

    // Whoever comes second hears who was first, and with what.
    const second = await witan('answer', ids[0], 'us');
    assert.equal(second.code, 7);
    assert.match(second.stderr, /already answered/);
    assert.match(second.stderr, /: eu/);
});

onBothEngines('several are shown first, and each has its own result', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const make = async (question) =>
        (
            await server.must(201, 'POST', '/api/questions', {
                question,
                type: 'approval',
                responseType: 'approval',
            })
        ).questionId;
    const ids = [await make('Deploy one?'), await make('Deploy two?'), await make('Delete all?')];
    const asked = await cli(server.folder, ['answer', ids[0], ids[1], '--approve'], { env });
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /--yes/);
    assert.match(asked.stderr, /Deploy one\?/);
    assert.equal((await server.must(200, 'GET', `/api/questions/${ids[0]}`)).question.status, 'pending');

    const some = await cli(server.folder, ['answer', '--filter', 'text=deploy', '--approve', '--yes'], {
        env,
    });
    assert.equal(some.code, 0, some.stderr);
    assert.deepEqual(
        some.stdout.trim().split('\n').sort(),
        [`${ids[0]}\tanswered\tDeploy one?`, `${ids[1]}\tanswered\tDeploy two?`].sort(),
    );
    assert.equal((await server.must(200, 'GET', `/api/questions/${ids[2]}`)).question.status, 'pending');

    const lines = `${ids[2]} reject\n${ids[0]} approve\n`;
    const mixed = await cli(server.folder, ['answer', '--stdin', '--yes', '--json'], { env, input: lines });
    assert.equal(mixed.code, 7);
    assert.deepEqual(
        JSON.parse(mixed.stdout).results.map(({ id, status }) => [id, status]),
        [
            [ids[2], 'answered'],
            [ids[0], 'conflict'],
        ],
    );
    assert.equal(
        (await cli(server.folder, ['answer', '--filter', 'type=approval', '--approve', '--yes'], { env }))
            .code,
        1,
    );
});

onBothEngines('inbox --watch follows without missing what comes between', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const make = async (question) =>
        (
            await server.must(201, 'POST', '/api/questions', {
                question,
                type: 'blocking',
                responseType: 'text',
            })
        ).questionId;
    const first = await make('Before?');
    const json = begin(server.folder, ['inbox', '--watch', '--json'], { env });
    const text = begin(server.folder, ['inbox', '--watch'], { env });
    const events = () =>
        json.stdout
            .split('\n')
            .slice(0, -1) // what has come of the next
            .map((line) => JSON.parse(line));
    await until(() => events().length === 1 && text.stdout.includes('Before?'), 'both show the list');
    const second = await make('After?');
    await reply(server, first, { type: 'text', value: 'done' });
    await until(() => events().length === 3 && text.stdout.includes('answered: done\n'), 'both hear of it');
    assert.deepEqual(
        events().map(({ type, question, questionId }) => [type, question?.id ?? questionId]),
        [
            ['question_pending', first],
            ['question_asked', second],
            ['question_answered', first],
        ],
    );
    const [one, two] = [first.slice(-8), second.slice(-8)];
    assert.match(text.stdout, new RegExp(`\\n${two} .*After\\?\\n${one} .*answered: done\\n`));
    assert.equal((await cli(server.folder, ['answer', two, 'by its id'], { env })).code, 0);
    for (const run of [json, text]) {
        run.child.kill('SIGINT');
        assert.equal((await run.done).code, 130);
    }
});

test('agents may ask and may not answer', async (t) => {
    const server = await start(t);
    const agent = await makeToken(server, { role: 'agent' });
    const member = await makeToken(server, { role: 'member' });
    const env = { WITAN_URL: server.url, WITAN_TOKEN: agent };
    const run = begin(server.folder, ['ask', '--approve', 'Deploy?'], { env });
    const id = await idOf(run);
    const own = await cli(server.folder, ['answer', id, '--approve'], { env });
    assert.equal(own.code, 4);
    assert.equal(
        (await cli(server.folder, ['answer', id, '--approve'], { env: { ...env, WITAN_TOKEN: member } }))
            .code,
        0,
    );
    assert.equal((await run.done).code, 0);
    const none = await cli(server.folder, ['ask', '--approve', 'Deploy?'], {
        env: { WITAN_URL: server.url },
    });
    assert.deepEqual([none.code, none.stdout], [4, '']);
});

test('on a terminal the time left counts down and leaves no trace', async (t) => {
    const server = await start(t);
    const line = `${binary} ask 'Deploy?' --approve`;
    const child = spawn('script', ['-qec', line, '/dev/null'], {
        env: cleanEnv(server.folder, { WITAN_URL: server.url, TERM: 'xterm' }),
        stdio: ['ignore', 'pipe', 'pipe'],
    });
    let shown = '';
    child.stdout.on('data', (bytes) => (shown += bytes));
    const ended = once(child, 'close');
    await until(() => new Set(shown.match(/1[45]:\d\d left/g)).size >= 2, 'it counts down');
    await reply(server, shown.match(uuid)[0], { type: 'approval', value: true });
    assert.equal((await ended)[0], 0);
    assert.match(shown, /\r\u001b\[KAnswered by/);
});
