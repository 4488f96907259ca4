// Verbs for one question besides answering it, and options before the command.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { onBothEngines, start } from './lib/server.mjs';

test('cancel, extend, link and restart', async (t) => {
    const server = await start(t);
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    const ask = async (...args) => {
        const asked = await witan('ask', 'Which?', '--no-wait', ...args);
        assert.equal(asked.code, 0, asked.stderr);
        return asked.stdout.trim();
    };
    const question = async (id) => (await server.must(200, 'GET', `/api/questions/${id}`)).question;

    const first = await ask('--timeout', '10m');
    const before = Date.parse((await question(first)).timeoutAt);
    const moved = await witan('extend', first.slice(-8), '--by', '1.5h');
    assert.equal(moved.code, 0, moved.stderr);
    assert.equal(Date.parse(moved.stdout.trim()), before + 5_400_000);
    const far = await witan('extend', first, '--by', '2d');
    assert.equal(far.code, 2);
    assert.match(far.stderr, /--by must be/);

    const link = (await witan('link', first)).stdout.trim();
    assert.ok(link.startsWith(`${server.url}/q/${first}/`), link);
    assert.equal((await fetch(link)).status, 200);

    assert.equal((await witan('cancel', first, '--reason', 'no need')).code, 0);
    assert.equal((await question(first)).status, 'cancelled');
    assert.equal((await witan('cancel', first)).code, 7);

    assert.equal((await fetch(`${server.url}/q/${first}`)).status, 200);
    assert.equal((await fetch(`${server.url}/q/00000000-0000-7000-8000-00000000dead`)).status, 404);

    assert.equal((await witan('restart', first)).code, 7);
    assert.equal((await witan('restart', '00000000-0000-7000-8000-00000000dead')).code, 1);
});

test('templates, the chat and notifications have commands', async (t) => {
    const server = await start(t);
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    assert.equal(JSON.parse((await witan('template', 'list', '--json')).stdout).templates.length > 0, true);
    await witan('chat-post', 'Deploying now.', '--agent', 'Builder');
    assert.match((await witan('chat-log')).stdout, /Deploying now\./);
    assert.match((await witan('notifications')).stderr, /no notifications/);
    await witan('ask', 'Which?', '--no-wait');
    assert.match((await witan('notifications')).stdout, /^KIND +PRIORITY +CAME +WHAT\nquestion /);
});

test('options may stand before the command', async (t) => {
    const server = await start(t);
    for (const args of [
        ['--url', server.url, '--json', 'whoami'],
        [`--url=${server.url}`, 'whoami', '--json'],
    ]) {
        const { code, stdout, stderr } = await cli(server.folder, args, {});
        assert.equal(code, 0, stderr);
        assert.equal(JSON.parse(stdout).caller.name, 'local');
    }
    const wrong = await cli(server.folder, ['--josn', 'whoami'], {});
    assert.equal(wrong.code, 2);
});

test('answers that do not fit are refused, and do not keep others from theirs', async (t) => {
    const server = await start(t);
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    const ask = async (...args) => JSON.parse((await witan('ask', 'Which?', '--no-wait', '--json', ...args)).stdout);
    const status = async (id) => (await server.must(200, 'GET', `/api/questions/${id}`)).question.status;

    const text = await ask();
    assert.equal(text.id, text.questionId);
    const wrong = await witan('answer', text.id, '--approve');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /no question of yes or no/);
    assert.equal(await status(text.id), 'pending');

    const approval = await ask('--approve');
    const nobody = '00000000-0000-7000-8000-00000000dead';
    const batch = await witan('answer', nobody, text.id, approval.id, '--approve', '--yes');
    assert.equal(batch.code, 1, batch.stderr);
    assert.equal(await status(approval.id), 'answered');
    assert.equal(await status(text.id), 'pending');
});

onBothEngines('analytics are figures for people, and JSON for programs', {}, async (server) => {
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    assert.match((await witan('analytics')).stdout, /^from .* to [^]*\nall +0 +0 +0 +0 +0 +0 +- +-\n/);
    await server.must(201, 'POST', '/api/projects', { name: 'Web shop' });
    const ask = async (question) => (await server.must(201, 'POST', '/api/questions', { question, type: 'approval', responseType: 'approval' })).questionId;
    await ask('Deploy?');
    const id = await ask('Deploy?');
    await server.must(200, 'POST', `/api/questions/${id}/answer`, { response: { type: 'approval', value: true } });
    await server.must(201, 'POST', '/api/jobs', { agent: 'Builder', status: 'running' });
    const { code, stdout, stderr } = await witan('analytics');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /QUESTIONS +ASKED +ANSWERED .*\napproval +2 +1 +0 +0 +0 +1 +\d+ m?s +/);
    assert.match(stdout, /asked most often\n +2 {2}Deploy\? \(1 answered, 0 timed out\)/);
    assert.match(stdout, /jobs, but for those made for a single question\n {2}that asked +0: .*\n {2}that did not +1: 0 completed, 0 failed, 0 cancelled, 1 open; /);
    assert.match((await witan('analytics', '--project', 'Web shop')).stdout, /\nall +0 /);
    const unknown = await witan('analytics', '--project', 'Nowhere');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /There is no project "Nowhere"/);
    assert.equal(JSON.parse((await witan('analytics', '--json')).stdout).questions.asked, 2);
    await server.must(201, 'POST', '/api/questions', { question: 'Which branch?', type: 'blocking', responseType: 'text', agent: 'Scout' });
    const one = (await witan('analytics', '--agent', 'Scout')).stdout;
    assert.match(one, /^from .*, of Scout\n/);
    assert.match(one, /\nall +1 +0 /);
    assert.match((await witan('analytics', '--agent', 'Builder')).stdout, /\nall +0 [^]*that did not +1: /);
});
