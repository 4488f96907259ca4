// Whether what recipes.mjs has added works: in the program that make.mjs has built of the copy, on a store that the program as it is
// had made. tests/run makes both.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { visit } from '../e2e/lib/browser.mjs';
import { cli } from '../e2e/lib/cli.mjs';
import { makeToken } from '../e2e/lib/identity.mjs';
import { configure } from '../e2e/lib/model.mjs';
import { atEnd, binary, cleanEnv, start, tempFolder } from '../e2e/lib/server.mjs';
import { listen } from '../e2e/lib/streams.mjs';

const run = promisify(execFile);
const tree = join(dirname(binary), '..');
const doc = (name) => readFileSync(join(tree, 'docs', name), 'utf8');

// A server of the copy, on a store that was migrated by the program without the recipes.
const upgraded = (t, engine, options = {}) => start(t, { engine, prepare: (db, folder) => run('build/witan', ['migrate', '--db', db], { env: cleanEnv(folder) }), ...options });

for (const engine of ['sqlite', 'postgres']) {
    test(`a column of a job is stored and shown (${engine})`, async (t) => {
        const server = await upgraded(t, engine);
        const job = await server.must(201, 'POST', '/api/jobs', { kind: 'import', branch: 'main' });
        assert.equal(job.branch, 'main');
        const other = await server.must(201, 'POST', '/api/jobs', { kind: 'import' });
        const { jobs } = await server.must(200, 'GET', '/api/jobs');
        assert.deepEqual(Object.fromEntries(jobs.map(({ id, branch }) => [id, branch])), { [job.id]: 'main', [other.id]: null });
    });

    test(`a type of question is asked, waits, is told and listed, and no other word can be stored (${engine})`, async (t) => {
        const server = await upgraded(t, engine);
        const job = await server.must(201, 'POST', '/api/jobs', { kind: 'import', status: 'running' });
        const ask = { question: 'Does this read well?', type: 'review', responseType: 'text' };
        const { questionId, timeoutAt } = await server.must(201, 'POST', `/api/jobs/${job.id}/questions`, ask);
        const { question } = await server.must(200, 'GET', `/api/questions/${questionId}`);
        assert.equal(Date.parse(timeoutAt) - Date.parse(question.createdAt), 20 * 60_000);
        assert.equal((await server.must(200, 'GET', `/api/jobs/${job.id}`)).status, 'waiting_for_input');
        const { notifications } = await server.must(200, 'GET', '/api/notifications');
        assert.match(notifications[0].title, / wants a review$/);
        assert.equal(notifications[0].priority, 'normal');
        const { items } = await server.must(200, 'GET', '/api/inbox?type=review');
        assert.deepEqual(items.map(({ id }) => id), [questionId]);
        await server.must(400, 'POST', `/api/jobs/${job.id}/questions`, { ...ask, type: 'revue' });
        await assert.rejects(server.sql(`UPDATE agent_questions SET type = 'revue' WHERE id = '${questionId}'`));
        await server.sql(`UPDATE agent_questions SET type = 'blocking' WHERE id = '${questionId}'`);
    });

    test(`a role answers, and does nothing else that changes something (${engine})`, async (t) => {
        const server = await upgraded(t, engine);
        const token = await makeToken(server, { role: 'reviewer' });
        const asker = await makeToken(server, { role: 'member', name: 'asker' });
        const { caller } = await server.must(200, 'GET', '/api/me', undefined, { token });
        assert.deepEqual([caller.role, caller.answers, caller.manages], ['reviewer', true, false]);
        const ask = { question: 'Shall it be blue?', type: 'blocking', responseType: 'text', requiredRole: 'reviewer' };
        const { questionId } = await server.must(201, 'POST', '/api/questions', ask, { token: asker });
        await server.must(403, 'POST', '/api/questions', ask, { token });
        await server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response: { type: 'text', value: 'Yes.' } }, { token });
        await assert.rejects(server.sql(`UPDATE tokens SET role = 'judge'`));
    });

    test(`an event reaches a stream (${engine})`, async (t) => {
        const server = await upgraded(t, engine);
        const heard = await listen(t, server, { query: '?types=job.filed' });
        const job = await server.must(201, 'POST', '/api/jobs', { kind: 'import' });
        assert.equal((await heard.saw('job.filed')).jobId, job.id);
    });

    test(`an operation is called by every door (${engine})`, async (t) => {
        const server = await upgraded(t, engine);
        await server.must(201, 'POST', '/api/questions', { question: 'Well?', type: 'blocking', responseType: 'text' });
        assert.deepEqual(await server.must(200, 'GET', '/api/notifications/total'), { count: 1 });
        const { code, stdout } = await cli(server.folder, ['call', 'notification_total', '--json'], { env: { WITAN_URL: server.url } });
        assert.deepEqual([code, JSON.parse(stdout)], [0, { count: 1 }]);
        const viewer = await makeToken(server, { role: 'viewer' });
        await server.must(403, 'GET', '/api/notifications/total', undefined, { token: viewer });
    });
}

test('words, members and rights are what the tests take them for', async () => {
    const tests = (name, ...args) => run(join(tree, 'build/tests', name), args, { cwd: tree });
    await tests('unit/db_states');
    await tests('unit/db_nouns');
    await tests('contract', '*meant_for*');
});

test('a page is in the rail, has an address and shows itself; beside it there is nothing', async (t) => {
    const server = await upgraded(t, 'sqlite');
    const headers = { Accept: 'text/html' };
    assert.equal((await server.api('GET', '/library', undefined, { headers })).status, 200);
    assert.equal((await server.api('GET', '/librarian', undefined, { headers })).status, 404);
    const seen = await visit(t, server, '/inbox');
    await seen.getByRole('link', { name: 'Library' }).click();
    await seen.getByRole('heading', { name: 'Library', exact: true }).waitFor();
    assert.equal(new URL(seen.url()).pathname, '/library');
    await seen.reload();
    await seen.getByRole('heading', { name: 'Library', exact: true }).waitFor();
});

test('the pages name a type of question', async (t) => {
    const server = await upgraded(t, 'sqlite');
    await server.must(201, 'POST', '/api/questions', { question: 'Does this read well?', type: 'review', responseType: 'text', agent: 'Scout' });
    const seen = await visit(t, server, '/inbox');
    await seen.locator('.kind').getByText('Review', { exact: true }).first().waitFor();
});

test('a setting has its default, is set, and is held to its range', async (t) => {
    const folder = await tempFolder(t);
    const value = async (env) => (await cli(folder, ['config', '--json'], { env })).stdout;
    assert.match(await value({}), /"limits\.branches"[^}]*\b7\b/);
    assert.match(await value({ WITAN_LIMITS_BRANCHES: '9' }), /"limits\.branches"[^}]*\b9\b/);
    assert.notEqual((await cli(folder, ['config'], { env: { WITAN_LIMITS_BRANCHES: '51' } })).code, 0);
});

test('a provider of models is asked in its own way', async (t) => {
    const folder = await tempFolder(t);
    const asked = [];
    const model = http.createServer(async (request, reply) => {
        let body = '';
        for await (const part of request) body += part;
        asked.push([request.url, JSON.parse(body)]);
        reply.setHeader('Content-Type', 'application/json');
        reply.end(JSON.stringify({ say: 'Hello to you.' }));
    });
    model.listen(0, '127.0.0.1');
    await once(model, 'listening');
    atEnd(t, () => model.close());
    const config = await configure(folder, { mine: { provider: 'plain', base_url: `http://127.0.0.1:${model.address().port}`, model: 'any' } });
    const { stdout, stderr } = await cli(folder, ['model', 'test', 'mine', '--json', ...config, '--prompt', 'hello']);
    const [result] = JSON.parse(stdout).models;
    assert.deepEqual([result.kind, result.text, stderr], ['ok', 'Hello to you.', '']);
    assert.deepEqual(asked, [['/say', { ask: 'hello' }]]);
});

test('the references tell of all of it', () => {
    for (const words of ['notification_total', 'review: it waits for a reader', 'reviewer: answers and approves', 'The branch it works on.']) assert.ok(doc('api.md').includes(words), words);
    assert.ok(doc('events.md').includes('job.filed'));
});
