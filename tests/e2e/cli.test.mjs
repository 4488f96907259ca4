// The command line: what it prints where, and how it ends.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin, cli } from './lib/cli.mjs';
import { makeToken } from './lib/identity.mjs';
import { binary, cleanEnv, freshStore, onBothEngines, start, tempFolder, until } from './lib/server.mjs';
import { Terminal } from './lib/terminal.mjs';

const commands = [
    'serve',
    'chat-post',
    'prompt ask',
    'prompt list',
    'prompt show',
    'prompt answer',
    'prompt resolve',
    'prompt cancel',
    'events',
    'call',
    'user add',
    'user list',
    'user password',
    'user disable',
    'user remove',
    'user erase',
    'token create',
    'token list',
    'token rotate',
    'token revoke',
    'workspace add',
    'workspace list',
    'workspace remove',
    'audit verify',
    'audit anchor',
    'audit export',
    'backup',
    'restore',
    'purge',
    'agent add',
    'agent list',
    'agent show',
    'agent set',
    'agent delete',
    'discuss',
    'discuss list',
    'discuss show',
    'discuss pause',
    'discuss resume',
    'discuss cancel',
    'discuss next',
    'discuss interject',
    'discuss fork',
    'discuss replay',
    'chat',
    'config',
    'config init',
    'migrate',
    'doctor',
    'docs',
    'completion',
];
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n$/;

test('every command has help, on stdout, with an example', async (t) => {
    const folder = await tempFolder(t);
    const { stdout: all, code } = await cli(folder, ['help', 'all']);
    assert.equal(code, 0);
    for (const command of commands) {
        assert.ok(all.includes(command), `help all names ${command}`);
        for (const flag of ['--help', '-h']) {
            const { code: helped, stdout, stderr } = await cli(folder, [...command.split(' '), flag]);
            assert.equal(helped, 0, command);
            assert.equal(stderr, '');
            assert.match(stdout, /examples:\n  /);
            assert.match(stdout, new RegExp(`usage: witan ${command}`));
        }
    }
    const version = await cli(folder, ['--version']);
    assert.equal(version.code, 0);
    assert.match(version.stdout, /\d+\.\d+\.\d+/);
});

test('wrong words are usage, with the nearest right one', async (t) => {
    const folder = await tempFolder(t);
    const wrong = [
        [['promt', 'ask'], /prompt/],
        [['prompt', 'aks'], /prompt ask/],
        [['prompt', 'ask', 'Q', '--agnet', 'A'], /--agent/],
        [['serve', '--listne', 'x'], /--listen/],
        [['prompt', 'ask', 'Q'], /--agent/],
        [['prompt', 'show'], /ID/],
        [['prompt', 'ask', 'Q', '--agent'], /--agent/],
        [['prompt', 'show', 'a', 'b'], /b/],
        [['docs', 'nothing'], /api/],
        [['completion', 'tcsh'], /bash/],
        [['token', 'create', '--role', 'king'], /owner/],
    ];
    for (const [args, hint] of wrong) {
        const { code, stdout, stderr } = await cli(folder, args);
        assert.equal(code, 2, `witan ${args.join(' ')}: ${code} ${stderr}`);
        assert.equal(stdout, '');
        assert.match(stderr, /^witan: /);
        assert.match(stderr, hint, `witan ${args.join(' ')}`);
    }
});

test('a server that is not there is 8', async (t) => {
    const folder = await tempFolder(t);
    for (const args of [
        ['prompt', 'list'],
        ['chat-post', 'x', '--agent', 'A'],
        ['prompt', 'show', '00000000-0000-7000-8000-000000000000'],
        ['call', 'me_get'],
        ['events'],
    ]) {
        const { code, stdout, stderr } = await cli(folder, [...args, '--url', 'http://127.0.0.1:9']);
        assert.equal(code, 8, `${args.join(' ')}: ${stderr}`);
        assert.equal(stdout, '');
        assert.match(stderr, /127\.0\.0\.1:9/);
    }
    assert.equal((await cli(folder, ['prompt', 'list', '--url', 'ftp://x'])).code, 2);
});

onBothEngines('ask, list, show, answer, resolve, cancel', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const witan = (args, input) => cli(server.folder, args, { env, input });
    const asked = await witan([
        'prompt',
        'ask',
        'Cache or index?',
        '--agent',
        'Planner',
        '--responses',
        '2',
        '--timeout',
        '10m',
        '--task',
        'T-1',
    ]);
    assert.equal(asked.code, 0, asked.stderr);
    assert.match(asked.stdout, uuid);
    const id = asked.stdout.trim();
    const { prompt } = await server.show(id);
    assert.deepEqual(
        [prompt.required_responses, prompt.timeout_minutes, prompt.task_id, prompt.requester_agent],
        [2, 10, 'T-1', 'Planner'],
    );

    const listed = await witan(['prompt', 'list', '--agent', 'Builder']);
    assert.equal(listed.code, 0);
    assert.match(listed.stdout, new RegExp(`${id}.*collecting.*0/2.*Planner.*Cache or index`));
    const json = await witan(['prompt', 'list', '--json']);
    assert.equal(JSON.parse(json.stdout).prompts[0].id, id);
    const none = await witan(['prompt', 'list', '--agent', 'Planner']);
    assert.deepEqual([none.code, none.stdout], [0, '']);

    const answered = await witan(
        ['prompt', 'answer', id, '-', '--agent', 'Builder'],
        'Mind the cache.\nAnd the index.',
    );
    assert.equal(answered.code, 0, answered.stderr);
    assert.equal(answered.stdout, '');
    const shown = await witan(['prompt', 'show', id]);
    assert.match(shown.stdout, /collecting.*1 of 2/);
    assert.match(shown.stdout, /Builder:\n  Mind the cache\.\n  And the index\./);
    assert.equal(JSON.parse((await witan(['prompt', 'show', id, '--json'])).stdout).responseCount, 1);

    const resolved = await witan(['prompt', 'resolve', id]);
    assert.equal(resolved.code, 0, resolved.stderr);
    assert.match(resolved.stdout, /Mind the cache/);
    const again = await witan(['prompt', 'cancel', id]);
    assert.equal(again.code, 7, again.stderr);
    assert.equal(again.stdout, '');
    const late = await witan(['prompt', 'answer', id, 'Late.', '--agent', 'Growth']);
    assert.notEqual(late.code, 0);
    assert.match(late.stderr, /Cannot respond to prompt with status: resolved/);
    assert.equal((await witan(['prompt', 'show', '00000000-0000-7000-8000-00000000dead'])).code, 1);

    assert.equal((await witan(['chat-post', 'Deploying now.', '--agent', 'Builder'])).code, 0);
    assert.equal((await server.must(200, 'GET', '/api/chat?limit=1')).messages[0].message, 'Deploying now.');
    const called = await witan(['call', 'me_get', '--json']);
    assert.equal(JSON.parse(called.stdout).caller.kind, 'local');
    const twice = ['prompt', 'ask', 'Once?', '--agent', 'A', '--idempotency-key', 'k'];
    assert.equal((await witan(twice)).stdout, (await witan(twice)).stdout);
});

onBothEngines('ask --wait holds until others have answered', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const waiting = () =>
        begin(
            server.folder,
            [
                'prompt',
                'ask',
                'Ship it?',
                '--agent',
                'Planner',
                '--responses',
                '1',
                '--timeout',
                '5m',
                '--wait',
            ],
            { env },
        );
    const idOf = async (run) =>
        (await until(() => run.stderr.match(/[0-9a-f]{8}-[0-9a-f-]{27}/), 'it says which prompt'))[0];

    const answered = waiting();
    const id = await idOf(answered);
    assert.equal(
        (await cli(server.folder, ['prompt', 'answer', id, 'Yes.', '--agent', 'Builder'], { env })).code,
        0,
    );
    const done = await answered.done;
    assert.deepEqual([done.code, done.stdout], [0, 'Builder:\n  Yes.\n']);

    const cancelled = waiting();
    await cli(server.folder, ['prompt', 'cancel', await idOf(cancelled)], { env });
    assert.equal((await cancelled.done).code, 6);

    const late = waiting();
    await idOf(late);
    await until(async () => (await server.metric('witan_waits')) === 1, 'it waits');
    await server.advance(6 * 60_000);
    assert.equal((await late.done).code, 5);

    // A server that goes away and comes back does not end the wait.
    const patient = waiting();
    const kept = await idOf(patient);
    await until(async () => (await server.metric('witan_waits')) === 1, 'it waits');
    await server.kill9();
    await server.restart();
    await server.answer(kept, 'Builder', 'Still here.');
    assert.equal((await patient.done).code, 0);

    const stopped = waiting();
    await idOf(stopped);
    stopped.child.kill('SIGINT');
    assert.equal((await stopped.done).code, 130);
});

test('the token comes from the environment, a named file, or the usual file', async (t) => {
    const server = await start(t);
    const token = await makeToken(server, { role: 'member' });
    const viewer = await makeToken(server, { role: 'viewer' });
    const env = { WITAN_URL: server.url };
    const none = await cli(server.folder, ['prompt', 'list'], { env });
    assert.equal(none.code, 4);
    assert.equal(
        (await cli(server.folder, ['prompt', 'list'], { env: { ...env, WITAN_TOKEN: 'witan_wrong' } })).code,
        4,
    );
    assert.equal(
        (await cli(server.folder, ['prompt', 'list'], { env: { ...env, WITAN_TOKEN: token } })).code,
        0,
    );
    assert.equal(
        (
            await cli(server.folder, ['chat-post', 'x', '--agent', 'A'], {
                env: { ...env, WITAN_TOKEN: viewer },
            })
        ).code,
        4,
    );
    const file = join(server.folder, 'mine');
    await writeFile(file, `${token}\n`);
    assert.equal((await cli(server.folder, ['prompt', 'list', '--token-file', file], { env })).code, 0);
    assert.notEqual(
        (await cli(server.folder, ['prompt', 'list', '--token-file', `${file}.not`], { env })).code,
        0,
    );
    await mkdir(join(server.folder, 'witan'), { recursive: true });
    await writeFile(join(server.folder, 'witan', 'token'), token);
    assert.equal((await cli(server.folder, ['prompt', 'list'], { env })).code, 0);
    // The server may stand in the configuration.
    await writeFile(
        join(server.folder, 'witan', 'config.yaml'),
        `server:\n  listen: ${new URL(server.url).host}\n`,
    );
    assert.equal((await cli(server.folder, ['prompt', 'list'])).code, 0);
});

test('colour is for terminals only', async (t) => {
    const server = await start(t);
    const { id } = await server.ask();
    const escape = /\x1b\[/;
    const show = ['prompt', 'show', id];
    const env = { WITAN_URL: server.url, TERM: 'xterm', NO_COLOR: '' };
    const inTerminal = (more) =>
        execFileSync('script', ['-qec', `'${binary}' ${show.join(' ')}`, '/dev/null'], {
            env: cleanEnv(server.folder, { ...env, ...more }),
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'pipe'],
        });
    assert.doesNotMatch((await cli(server.folder, show, { env })).stdout, escape);
    assert.match(inTerminal({}), escape);
    assert.doesNotMatch(inTerminal({ NO_COLOR: '1' }), escape);
});

test('events follow what happens', async (t) => {
    const server = await start(t);
    await server.say('Developer', 'first');
    const run = begin(server.folder, ['events', '--after', '0', '--json'], {
        env: { WITAN_URL: server.url },
    });
    await until(() => run.stdout.includes('first'), 'the first event');
    await server.say('Developer', 'second');
    await until(() => run.stdout.includes('second'), 'the second event');
    run.child.kill('SIGINT');
    const { code, stdout } = await run.done;
    assert.equal(code, 130);
    assert.deepEqual(
        stdout
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line).message),
        ['first', 'second'],
    );

    // Each line has its number, by which another run goes on; a line of a job's log as well.
    const { seq } = JSON.parse(stdout.split('\n')[0]);
    const job = await server.must(201, 'POST', '/api/jobs', { agent: 'Builder' });
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { message: 'third' });
    const rest = begin(server.folder, ['events', '--after', String(seq), '--json'], { env: { WITAN_URL: server.url } });
    await until(() => rest.stdout.includes('third'), 'the line of the log');
    rest.child.kill('SIGINT');
    const later = (await rest.done).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    assert.equal(later[0].message, 'second');
    for (const [i, event] of later.entries()) assert.equal(event.seq, seq + 1 + i);
    assert.ok(later.some(({ type, line }) => type === 'job.log' && line > 0));
});

test('times are local, with the date where it is not today, and whole with --utc', async (t) => {
    const server = await start(t);
    await server.say('Developer', 'first');
    const line = async (args, TZ) => {
        const run = begin(server.folder, ['events', '--after', '0', ...args], { env: { WITAN_URL: server.url, TZ } });
        await until(() => run.stdout.includes('first'), 'the event');
        run.child.kill('SIGINT');
        return (await run.done).stdout;
    };
    const whole = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d:\d\d)Z  /.exec(await line(['--utc'], 'EST5'));
    assert.ok(whole);
    const [, , hour, rest] = whole;
    const here = String((Number(hour) + 19) % 24).padStart(2, '0');
    assert.match(await line([], 'EST5'), new RegExp(`^(\\d{4}-\\d\\d-\\d\\d )?${here}:${rest}  `));
});

onBothEngines('users, tokens and workspaces on the store', {}, async (server) => {
    const witan = async (code, args, input) => {
        const run = await cli(server.folder, [...args, '--db', server.db], { input });
        assert.equal(run.code, code, `witan ${args.join(' ')}: ${run.code} ${run.stderr}`);
        return run.stdout;
    };
    const id = (await witan(0, ['workspace', 'add', 'Research'])).trim();
    assert.match(`${id}\n`, uuid);
    const { workspaces } = JSON.parse(await witan(0, ['workspace', 'list', '--json']));
    assert.deepEqual(workspaces.map(({ slug }) => slug).sort(), ['default', 'research']);
    await witan(7, ['workspace', 'add', 'Research']);

    await witan(0, ['user', 'add', 'ada', '--role', 'owner', '--password-stdin'], 'correct horse\n');
    await witan(7, ['user', 'add', 'ADA', '--role', 'owner', '--password-stdin'], 'correct horse\n');
    await witan(2, ['user', 'add', 'bob', '--role', 'owner', '--password-stdin'], 'short');
    await witan(2, ['user', 'add', 'bob', '--role', 'owner', '--no-input']);
    await witan(0, ['user', 'add', 'bob', '--role', 'member', '--password-stdin'], 'correct horse');
    assert.match(await witan(0, ['user', 'list']), /ada +owner/);
    await witan(0, ['user', 'password', 'bob', '--password-stdin'], 'battery staple');
    assert.equal(
        (await server.api('POST', '/api/login', { name: 'bob', password: 'battery staple' })).status,
        200,
    );
    await witan(0, ['user', 'disable', 'bob']);
    assert.equal(
        (await server.api('POST', '/api/login', { name: 'bob', password: 'battery staple' })).status,
        401,
    );
    await witan(0, ['user', 'remove', 'bob']);
    assert.doesNotMatch(await witan(0, ['user', 'list']), /bob/);
    await witan(1, ['user', 'remove', 'bob']);

    const secret = (
        await witan(0, ['token', 'create', '--name', 'ci', '--role', 'member', '--expires', '90d'])
    ).trim();
    assert.equal((await server.api('GET', '/api/chat', undefined, { token: secret })).status, 200);
    const { tokens } = JSON.parse(await witan(0, ['token', 'list', '--json']));
    const token = tokens.find(({ name }) => name === 'ci');
    assert.equal(token.role, 'member');
    await witan(0, ['token', 'revoke', token.id]);
    assert.equal((await server.api('GET', '/api/chat', undefined, { token: secret })).status, 401);
    await witan(1, ['token', 'revoke', '00000000-0000-7000-8000-00000000dead']);

    assert.notEqual(
        (await cli(server.folder, ['workspace', 'remove', 'research', '--db', server.db])).code,
        0,
    );
    await witan(0, ['workspace', 'remove', 'research', '--yes']);
    await witan(0, ['audit', 'verify']);
    const lines = (await witan(0, ['audit', 'export']))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    assert.ok(lines.some(({ operation, door }) => operation === 'token_create' && door));
});

test('a password that is typed as soon as it is asked for is taken, and not shown', async (t) => {
    const server = await start(t);
    const terminal = await Terminal.open(t, server, { WITAN_STORE_URL: server.db });
    const { code, shown } = await terminal.run('stty echo; witan user add ada --role owner', async () => {
        for (const prompt of [/Password: $/, /Once more: $/]) {
            await terminal.saw(prompt);
            terminal.type('correct horse\n');
        }
    });
    assert.equal(code, 0, shown);
    assert.doesNotMatch(shown, /horse/);
    await server.must(200, 'POST', '/api/login', { name: 'ada', password: 'correct horse' });
});

test('config says where each value comes from', async (t) => {
    const folder = await tempFolder(t);
    await mkdir(join(folder, 'witan'));
    const file = join(folder, 'witan', 'config.yaml');
    await writeFile(file, 'server:\n  listen: 127.0.0.1:8001\nlimits:\n  token_rate: 7\n');
    const env = { WITAN_LIMITS_TOKEN_RATE: '9', WITAN_EVENTS_KEEP: '7d' };
    const { code, stdout } = await cli(folder, ['config', '--json'], { env });
    assert.equal(code, 0);
    const text = JSON.stringify(JSON.parse(stdout));
    for (const part of [
        '127.0.0.1:8001',
        `${file}:2`,
        'WITAN_LIMITS_TOKEN_RATE',
        'WITAN_EVENTS_KEEP',
        'default',
    ])
        assert.ok(text.includes(part), `${part} in ${text}`);
    // What it prints can be used.
    const yaml = await cli(folder, ['config'], { env });
    assert.equal(yaml.code, 0);
    const copy = join(folder, 'copy.yaml');
    await writeFile(copy, yaml.stdout);
    assert.equal((await cli(folder, ['config', '--config', copy])).code, 0);
    // Typos are not defaults.
    await writeFile(file, 'server:\n  listne: 127.0.0.1:8001\n');
    const typo = await cli(folder, ['config']);
    assert.equal(typo.code, 2);
    assert.match(typo.stderr, /config\.yaml:2/);
    await writeFile(file, '');
    for (const [name, value] of [
        ['WITAN_LIMITS_TOKEN_RATE', 'many'],
        ['WITAN_EVENTS_KEEP', '5'],
        ['WITAN_LOG_LEVEL', 'loud'],
    ]) {
        const key = name.slice(6).toLowerCase().replace('_', '.');
        const bad = await cli(folder, ['config'], { env: { [name]: value } });
        assert.equal(bad.code, 2, `${name}=${value}: ${bad.stdout}`);
        assert.ok(bad.stderr.includes(key) && bad.stderr.includes(value), bad.stderr);
    }
});

test('migrate, and a store that is too new', async (t) => {
    for (const engine of ['sqlite', 'postgres']) {
        const folder = await tempFolder(t);
        const db = await freshStore(t, engine, folder);
        const { code: before } = await cli(folder, ['migrate', '--check', '--db', db]);
        assert.equal(
            before,
            engine === 'sqlite' ? 1 : 3,
            'a look does not make the file; an empty database is behind',
        );
        assert.equal((await cli(folder, ['migrate', '--db', db])).code, 0);
        assert.equal((await cli(folder, ['migrate', '--db', db])).code, 0);
        assert.equal((await cli(folder, ['migrate', '--check', '--db', db])).code, 0);
        const server = await start(t, { engine, db, folder });
        await server.say('Developer', 'x');
        await server.stop();
        await server.sql(
            `INSERT INTO schema_migrations (number, name, applied_at) VALUES (9999, 'from the future', 0)`,
        );
        for (const args of [['migrate'], ['serve', '--listen', '127.0.0.1:0'], ['user', 'list']]) {
            const { code, stderr } = await cli(folder, [...args, '--db', db]);
            assert.notEqual(code, 0, args.join(' '));
            assert.match(stderr, /9999/);
            assert.match(stderr, /Use witan \d+\.\d+\.\d+ or newer.*witan restore/s);
        }
    }
    const folder = await tempFolder(t);
    for (const db of ['mysql://x', 'sqlite:/proc/at/all/x.db', 'postgres://nobody@127.0.0.1:9/x']) {
        const { code, stderr } = await cli(folder, ['serve', '--listen', '127.0.0.1:0', '--db', db]);
        assert.notEqual(code, 0);
        assert.match(stderr, /^witan: .+\n/m);
    }
});

test("a password in the store's address is not printed", async (t) => {
    const folder = await tempFolder(t);
    const db = 'postgres://witan:s3cret@127.0.0.1:9/witan';
    for (const args of [['config'], ['config', '--json'], ['migrate', '--db', db], ['doctor', '--db', db]]) {
        const { stdout, stderr } = await cli(folder, args, { env: { WITAN_STORE_URL: db } });
        assert.ok(!(stdout + stderr).includes('s3cret'), `witan ${args.join(' ')}`);
    }
});

onBothEngines('doctor', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const { code, stdout, stderr } = await cli(server.folder, ['doctor', '--db', server.db], { env });
    assert.equal(code, 0, stdout + stderr);
    const { stdout: json } = await cli(server.folder, ['doctor', '--json', '--db', server.db], { env });
    assert.ok(JSON.parse(json));
    await server.stop();
    const away = await cli(server.folder, ['doctor', '--db', server.db], { env });
    assert.match(away.stdout + away.stderr, /reach|answer/);
    assert.equal(
        (await cli(server.folder, ['doctor', '--db', 'postgres://nobody@127.0.0.1:9/x'], { env })).code,
        1,
    );
});

test('completion scripts parse', async (t) => {
    const folder = await tempFolder(t);
    for (const shell of ['bash', 'zsh', 'fish']) {
        const { code, stdout } = await cli(folder, ['completion', shell]);
        assert.equal(code, 0);
        if (shell !== 'fish') execFileSync(shell, ['-n'], { input: stdout });
    }
    const { stdout } = await cli(folder, ['completion', 'bash']);
    // What is offered for the last of these words.
    const offered = (...words) =>
        execFileSync(
            'bash',
            [
                '-c',
                `witan() { '${binary}' "$@"; }\n${stdout}\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        eval "$(complete -p witan | sed -E "s/.*-F ([^ ]+).*/\\1/")"; printf '%s\\n' "\${COMPREPLY[@]}"`,
                'bash',
                ...words,
            ],
            { encoding: 'utf8' },
        )
            .trim()
            .split(/\s+/)
            .sort();
    assert.deepEqual(offered('witan', 'prompt', 'a'), ['answer', 'ask']);
    // A command that others begin with: its own options, theirs, and they.
    assert.deepEqual(offered('witan', 'discuss', 're'), ['replay', 'resume']);
    assert.deepEqual(offered('witan', 'discuss', '--rou'), ['--rounds']);
    assert.deepEqual(offered('witan', 'discuss', 'fork', '--a'), ['--at']);
});

test('nobody on the other end of stdout is an error, not a crash', async (t) => {
    const folder = await tempFolder(t);
    await chmod(folder, 0o700);
    const run = begin(folder, ['config']);
    run.child.stdout.destroy();
    const { code } = await run.done;
    assert.ok([0, 1].includes(code), String(code));
});
