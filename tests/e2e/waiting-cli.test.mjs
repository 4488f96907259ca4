// Waiting on the command line: what a signal does to what was asked, and that nothing is asked twice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin, cli } from './lib/cli.mjs';
import { binary, cleanEnv, onBothEngines, start, tempFolder, until } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/;
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };

const idOf = async (run) => (await until(() => run.stderr.match(uuid), 'it says which question'))[0];
const holds = (server, count = 1) =>
    until(async () => (await server.metric('witan_waits')) === count, `${count} wait`);

async function waiting(server, args, more = {}) {
    const run = begin(server.folder, ['ask', ...args], { env: { WITAN_URL: server.url }, ...more });
    const id = await idOf(run);
    await holds(server);
    return { run, id };
}

const stateOf = async (server, id) => (await server.must(200, 'GET', `/api/questions/${id}`)).question.status;
const countOpen = async (server) =>
    (await server.must(200, 'GET', '/api/questions/pending?workspaceId=default')).questions.length;
const approve = (server, id) =>
    server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'approval', value: true } });

// The command that was printed to go on with, run as somebody pastes it into a shell.
async function paste(server, stderr, before = /with:\n {2}/) {
    const line = stderr.match(new RegExp(`${before.source}(witan .*)`))?.[1];
    assert.ok(line, stderr);
    const bin = join(server.folder, 'bin');
    await mkdir(bin, { recursive: true });
    await symlink(binary, join(bin, 'witan')).catch(() => {});
    const env = cleanEnv(server.folder, { PATH: `${bin}:${process.env.PATH}` });
    const child = spawn('sh', ['-c', line], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const run = { child, line, stdout: '', stderr: '' };
    child.stdout.on('data', (bytes) => (run.stdout += bytes));
    child.stderr.on('data', (bytes) => (run.stderr += bytes));
    run.done = once(child, 'close').then(([code]) => ({ code, stdout: run.stdout, stderr: run.stderr }));
    return run;
}

onBothEngines('only Ctrl-C cancels a question; it can be kept from doing so', {}, async (server) => {
    for (const [signal, code] of Object.entries(signals)) {
        const { run, id } = await waiting(server, ['Anybody?']);
        run.child.kill(signal);
        const done = await run.done;
        await holds(server, 0);
        assert.deepEqual([done.code, done.stdout], [code, ''], signal);
        assert.equal(await stateOf(server, id), signal === 'SIGINT' ? 'cancelled' : 'pending', signal);
        assert.equal(/stays open/.test(done.stderr), signal !== 'SIGINT', done.stderr);
    }
    const kept = await waiting(server, ['Anybody?', '--keep']);
    kept.run.child.kill('SIGINT');
    assert.equal((await kept.run.done).code, 130);
    assert.equal(await stateOf(server, kept.id), 'pending');
});

test('what is printed waits for the same question in the same way', async (t) => {
    const server = await start(t);
    const run = begin(server.folder, [
        'ask', '--approve', 'Deploy?', '--url', server.url, '--json', '--require-human', '--patience', '7s',
    ]);
    const id = await idOf(run);
    await holds(server);
    run.child.kill('SIGTERM');
    await holds(server, 0);
    const again = await paste(server, (await run.done).stderr);
    assert.equal(again.line, `witan wait ${id} --url ${server.url} --json --require-human --patience 7s`);
    await holds(server);
    await approve(server, id);
    const done = await again.done;
    assert.equal(done.code, 0, done.stderr);
    assert.equal(JSON.parse(done.stdout).id, id);
});

test('a lost terminal and a closed session leave the question open', async (t) => {
    const server = await start(t);
    const env = cleanEnv(server.folder, { WITAN_URL: server.url, TERM: 'xterm' });
    const terminal = spawn('script', ['-qec', `${binary} ask 'Deploy?' --approve`, '/dev/null'], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
    });
    await holds(server);
    const [{ id }] = (await server.must(200, 'GET', '/api/questions/pending?workspaceId=default')).questions;
    terminal.kill('SIGKILL');
    await holds(server, 0);
    assert.equal(await stateOf(server, id), 'pending');

    // What was told to survive a hangup does.
    const line = `trap '' HUP; exec ${binary} wait ${id}`;
    const kept = spawn('sh', ['-c', line], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    kept.stdout.on('data', (bytes) => (said += bytes));
    const ended = once(kept, 'close');
    await holds(server);
    kept.kill('SIGHUP');
    await approve(server, id);
    assert.deepEqual([(await ended)[0], said], [0, 'approved\n']);
});

test('every command that waits leaves open what it waits for', async (t) => {
    const server = await start(t);
    const env = { WITAN_URL: server.url };
    const work = await Work.begin(server, { hilConfig: 'confirm_all' });
    for (const [signal, code] of Object.entries(signals)) {
        const prompt = begin(server.folder, ['prompt', 'ask', 'Why?', '--agent', 'Dev', '--wait'], { env });
        const id = await idOf(prompt);
        await holds(server);
        prompt.child.kill(signal);
        const asked = await prompt.done;
        await holds(server, 0);
        assert.deepEqual([asked.code, asked.stdout], [code, ''], asked.stderr);
        assert.match(asked.stderr, new RegExp(`witan prompt show ${id} --wait`));
        assert.equal((await server.show(id)).status, 'collecting');

        const decide = begin(
            server.folder,
            ['decide', 'An export', '--category', 'scopeChanges', '--project', work.project.id, '--wait'],
            { env },
        );
        const question = await idOf(decide);
        await holds(server);
        decide.child.kill(signal);
        const decided = await decide.done;
        await holds(server, 0);
        assert.deepEqual([decided.code, decided.stdout], [code, ''], decided.stderr);
        assert.match(decided.stderr, new RegExp(`witan wait ${question}`));
        assert.equal(await stateOf(server, question), 'pending');
    }
    const job = (await cli(server.folder, ['job', 'create'], { env })).stdout.trim();
    const follow = begin(server.folder, ['job', 'follow', job], { env });
    await until(async () => (await server.metric('witan_streams')) === 1, 'it follows');
    follow.child.kill('SIGTERM');
    const followed = await follow.done;
    assert.equal(followed.code, 143, followed.stderr);
    assert.match(followed.stderr, new RegExp(`witan job follow ${job}`));
});

onBothEngines('an agent that is restarted waits for the same question', {}, async (server) => {
    const args = ['--approve', 'Deploy 1.4?', '--idempotency-key', 'deploy-1.4'];
    const first = await waiting(server, args);
    first.run.child.kill('SIGKILL');
    await first.run.done;
    await holds(server, 0);
    await server.advance(14 * 60_000);
    const second = await waiting(server, args);
    assert.equal(second.id, first.id);
    assert.match(second.run.stderr, /asked before/);
    assert.equal(await countOpen(server), 1);
    await approve(server, first.id);
    assert.equal((await second.run.done).code, 0);
    const env = { WITAN_URL: server.url };
    const late = await cli(server.folder, ['ask', ...args], { env });
    assert.deepEqual([late.code, late.stdout], [0, 'approved\n'], late.stderr);
    const other = await cli(server.folder, ['ask', 'Deploy 1.5?', ...args.slice(2), '--approve'], { env });
    assert.deepEqual([other.code, other.stdout], [7, ''], other.stderr);
    assert.equal(await countOpen(server), 0);
});

onBothEngines('a server that is away while asking is waited for, and asked once', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    await Work.begin(server);
    await server.kill9();
    const commands = [
        ['ask', '--approve', 'Deploy?', '--project', 'Web shop'],
        ['prompt', 'ask', 'Why?', '--agent', 'Dev', '--wait'],
    ];
    const runs = commands.map((args) => begin(server.folder, args, { env }));
    const given = begin(server.folder, ['ask', '--approve', 'It\'s "me"?', '--url', server.url]);
    for (const run of [...runs, given])
        await until(() => run.stderr.includes('Trying again'), 'it says so');
    // Whoever has to go meanwhile is told how to go on, without knowing whether it was asked.
    given.child.kill('SIGTERM');
    const left = await given.done;
    assert.equal(left.code, 143, left.stderr);
    await server.restart();
    await holds(server, 2);
    assert.equal(await countOpen(server), 1);
    for (const run of runs) {
        run.child.kill('SIGKILL');
        await run.done;
    }
    const pasted = await paste(server, left.stderr, /twice:\n {2}/);
    const id = await idOf(pasted);
    const twice = await paste(server, left.stderr, /twice:\n {2}/);
    assert.equal(await idOf(twice), id);
    assert.equal(await countOpen(server), 2);
    await approve(server, id);
    for (const run of [pasted, twice]) assert.equal((await run.done).code, 0, run.stderr);
    const refused = await cli(server.folder, ['ask', 'Too late?', '--patience', 'soon'], { env });
    assert.equal(refused.code, 2);
    assert.equal(await countOpen(server), 1);
});

// The reply to what was asked is lost on its way; the question is there.
async function lossyProxy(t, server) {
    let lost = 0;
    const proxy = http.createServer((request, response) => {
        const onwards = http.request(
            server.url + request.url,
            { method: request.method, headers: { ...request.headers, host: new URL(server.url).host } },
            (reply) => {
                if (request.method === 'POST' && lost++ === 0) {
                    reply.resume();
                    reply.on('end', () => request.socket.destroy());
                    return;
                }
                response.writeHead(reply.statusCode, reply.headers);
                reply.pipe(response);
            },
        );
        onwards.on('error', () => request.socket.destroy());
        request.pipe(onwards);
    });
    await new Promise((listening) => proxy.listen(0, '127.0.0.1', listening));
    t.after(() => {
        proxy.closeAllConnections();
        proxy.close();
    });
    return { url: `http://127.0.0.1:${proxy.address().port}`, lost: () => lost };
}

test('a reply that is lost does not make two questions', async (t) => {
    const server = await start(t);
    const proxy = await lossyProxy(t, server);
    const run = begin(server.folder, ['ask', '--approve', 'Deploy?'], { env: { WITAN_URL: proxy.url } });
    const id = await idOf(run);
    assert.ok(proxy.lost() > 1);
    assert.equal(await countOpen(server), 1);
    await approve(server, id);
    assert.equal((await run.done).code, 0);

    // Without patience it ends, and says how to go on; that is the same question then.
    const second = await lossyProxy(t, server);
    const args = ['ask', '--approve', 'It\'s "me"?', '--url', second.url, '--patience', '0s'];
    const failed = await cli(server.folder, args);
    assert.equal(failed.code, 8, failed.stderr);
    assert.equal(await countOpen(server), 1);
    const again = await paste(server, failed.stderr, /twice:\n {2}/);
    const asked = await idOf(again);
    assert.equal(await countOpen(server), 1);
    await approve(server, asked);
    assert.deepEqual(await again.done.then(({ code, stdout }) => [code, stdout]), [0, 'approved\n']);
});

test('who does not wait for an answer does not wait for a server', async (t) => {
    const folder = await tempFolder(t);
    const env = { WITAN_URL: 'http://127.0.0.1:9' };
    for (const args of [['ask', 'Deploy?'], ['discuss', 'Tea?'], ['discuss', 'fork', '01890a5d-ac96-774b-bcce-b302099a8057', '--at', '1']]) {
        const { code, stderr } = await cli(folder, [...args, '--no-wait'], { env });
        assert.equal(code, 8, stderr);
        assert.match(stderr, /Cannot reach witan/);
        assert.doesNotMatch(stderr, /Trying again/);
    }
    const patient = await cli(folder, ['ask', 'Deploy?', '--no-wait', '--patience', '1s'], { env });
    assert.equal(patient.code, 8);
    assert.match(patient.stderr, /Trying again for up to 1 seconds/);
});
