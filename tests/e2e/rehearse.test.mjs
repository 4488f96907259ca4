// A rehearsal from the command line: real rows in a workspace of their own, no model, and gone with one command.
import assert from 'node:assert/strict';
import { cli } from './lib/cli.mjs';
import { onBothEngines, until } from './lib/server.mjs';

onBothEngines('a rehearsal is held, watched and removed from the command line', {}, async (server) => {
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    const held = await witan('rehearse');
    assert.equal(held.code, 0, held.stderr);
    assert.match(held.stderr, /Rehearsal: scripted lines, no model is called\./);
    assert.match(held.stdout, /\/discussions\/\S+\?workspace=rehearsal-/);
    assert.match(held.stdout, /\/inbox\/\S+\?workspace=rehearsal-/);
    const slug = held.stdout.match(/workspace=(\S+)/)[1];
    const there = { headers: { 'X-Witan-Workspace': slug } };
    const get = (path) => server.must(200, 'GET', path, undefined, there);
    assert.equal((await get('/api/me')).rehearsal, true);

    // The discussion runs to its end by the script; one that somebody starts there calls no model either.
    const [discussion] = (await get('/api/discussions')).discussions;
    await until(async () => (await get(`/api/discussions/${discussion.id}`)).discussion.status === 'completed', 'it has ended');
    const { entries: log } = await get(`/api/discussions/${discussion.id}`);
    assert.ok(log.length >= 6);
    assert.ok(log.every(({ metadata }) => metadata.rehearsed), 'every entry says so');
    const { discussion: own } = await server.must(
        201,
        'POST',
        '/api/discussions',
        { topic: 'Mine?', rounds: 1, participants: [{ agentName: 'Critical' }], options: { rehearse: false } },
        there,
    );
    assert.equal(own.options.rehearse, true);

    // The approval is answered as any other, and its job ends with it.
    const { questions } = await get(`/api/questions/pending?workspaceId=${slug}`);
    await server.must(200, 'POST', `/api/questions/${questions[0].id}/answer`, { response: { type: 'approval', value: true } }, there);
    assert.equal((await get(`/api/jobs/${questions[0].jobId}`)).status, 'completed');

    // Nothing of it is found in the workspace of work, nor counted there.
    assert.equal((await server.must(200, 'GET', '/api/search?q=production')).results.length, 0);
    assert.equal((await get('/api/search?q=production')).results.length, 1);
    assert.equal((await server.must(200, 'GET', '/api/discussions')).discussions.length, 0);

    const removed = await witan('rehearse', '--remove');
    assert.equal(removed.code, 0, removed.stderr);
    assert.equal((await server.api('GET', '/api/me', undefined, there)).status, 404);
    const again = await witan('rehearse', '--remove');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /There is no rehearsal/);
});
