// Verbs for one question besides answering it, and options before the command.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { makeToken, makeUser } from './lib/identity.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';

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

test('a question is given to a person, who sees it as theirs; a snooze is one’s own', async (t) => {
    const server = await start(t);
    const password = 'a long enough password';
    await makeUser(server, 'Boss', password, 'owner');
    await makeUser(server, 'Maya', password);
    const as = async (user) => {
        const token = await makeToken(server, { name: user, role: 'member', user });
        return (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url, WITAN_TOKEN: token } });
    };
    const [boss, maya] = [await as('Boss'), await as('Maya')];
    const agent = await makeToken(server);
    const ask = async (question, more = {}) =>
        (await server.must(201, 'POST', '/api/questions', { question, type: 'blocking', responseType: 'text', agent: 'Builder', ...more }, { token: agent })).questionId;
    const id = await ask('Which region?');
    await ask('Which key?', { requiredRole: 'admin' });

    assert.match((await maya('inbox')).stderr, /^1 needs you\.$/m);
    assert.match((await maya('inbox')).stdout, / an admin +Which key\?/);
    const given = await maya('assign', id.slice(-8), 'boss', '--note', 'You know them.');
    assert.equal(given.code, 0, given.stderr);
    assert.match(given.stderr, /It is for Boss now\./);
    const list = await maya('inbox');
    assert.match(list.stdout, / FOR +WHAT\n[^]* Boss +Which region\?/);
    assert.match(list.stderr, /^None needs you\.$/m);
    const shown = (await maya('show', id)).stdout;
    assert.match(shown, /for Boss, by Maya: You know them\.\n[^]*This question is assigned to Boss\./);
    assert.doesNotMatch(shown, /answer with/);
    const refused = await maya('answer', id, 'Here');
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /assigned to Boss/);
    assert.equal((await maya('unassign', id)).code, 4);
    assert.match((await boss('inbox')).stderr, /^1 needs you\.$/m, 'a token of a lesser role has that role');

    const snoozed = await boss('snooze', id, '10m');
    assert.equal(snoozed.code, 0, snoozed.stderr);
    assert.match((await boss('inbox')).stdout, / Boss, snoozed +Which region\?/);
    assert.match((await boss('inbox')).stderr, /^None needs you\.$/m);
    assert.equal(JSON.parse((await boss('inbox', '--json')).stdout).needYou, 0);
    assert.equal((await boss('wake', id)).code, 0);
    assert.match((await boss('inbox')).stderr, /^1 needs you\.$/m);
    for (const [time, said] of [['31d', 'must be from 1m to 30d.'], ['30s', 'must be from 1m to 30d.'], ['0m', 'must be more than zero.'], ['20', '20 does not say whether these are minutes.']]) {
        const refused = await boss('snooze', id, time);
        assert.equal(refused.code, 2);
        assert.ok(refused.stderr.startsWith(`witan: TIME ${said}`), refused.stderr);
    }
    assert.equal((await boss('assign', id, 'nobody')).code, 2);
    assert.equal((await boss('unassign', id)).code, 0);
    assert.equal((await maya('answer', id, 'Here')).code, 0);
});

test('templates, the chat and notifications have commands', async (t) => {
    const server = await start(t);
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    assert.equal(JSON.parse((await witan('template', 'list', '--json')).stdout).templates.length > 0, true);
    await witan('chat-post', 'Deploying now.', '--agent', 'Builder');
    assert.match((await witan('chat-log')).stdout, /Deploying now\./);
    assert.match((await witan('notifications')).stderr, /no notifications/);
    await witan('ask', 'Which?', '--no-wait');
    assert.match((await witan('notifications')).stdout, /^KIND +PRIORITY +CAME +WHAT +ABOUT\nquestion .* asks +Which\?\n/);
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
    assert.match(wrong.stderr, /not a yes-or-no question/);
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

    // Jobs are those that somebody began; those of single questions come when they are asked for.
    const jobs = async (...args) => (await witan('job', 'list', ...args)).stdout.trimEnd().split('\n').slice(1);
    assert.equal((await jobs()).length, 1);
    assert.equal((await jobs('--all')).length, 4);
    assert.deepEqual((await jobs('--all', '--sort', 'oldest')).map((line) => line.split(' ')[0]), (await jobs('--all')).map((line) => line.split(' ')[0]).reverse());
    assert.equal((await jobs('--all', '--text', 'bran')).length, 1);
    // Rows say what they are about.
    assert.match((await witan('notifications')).stdout, /ABOUT\n.*Scout asks +Which branch\?\n/);
    await until(async () => /question_answer +question +Deploy\?/.test((await witan('audit', 'list')).stdout), 'the rows have their numbers');
    assert.match((await witan('audit', 'list', '--operation', 'project_create')).stdout, /^ROW +WHEN +WHO +DID +TO +NAME\n\d+ .* project_create +project +Web shop\n$/);
});
