// What a yes is worth: whose it is, how many it takes, and to which arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { makeToken } from './lib/identity.mjs';
import { onBothEngines, start } from './lib/server.mjs';

const propose = {
    question: 'Scale up?',
    type: 'approval',
    responseType: 'approval',
    action: { name: 'scale', args: { to: 5 } },
};

onBothEngines('one approval is 1 of 1, by whoever gave it', {}, async (server) => {
    const { questionId } = await server.must(201, 'POST', '/api/questions', propose);
    const path = `/api/questions/${questionId}`;
    assert.deepEqual((await server.must(200, 'GET', path)).question.approvals, { have: 0, need: 1, by: [] });
    await server.must(200, 'POST', `${path}/answer`, { response: { type: 'approval', value: true } });
    const { approvals } = (await server.must(200, 'GET', path)).question;
    assert.deepEqual([approvals.have, approvals.need, approvals.by.length], [1, 1, 1]);
    assert.equal(approvals.by[0].by, 'local');
    const other = await server.must(201, 'POST', '/api/questions', propose);
    await server.must(200, 'POST', `/api/questions/${other.questionId}/answer`, {
        response: { type: 'approval', value: false },
    });
    assert.equal(
        (await server.must(200, 'GET', `/api/questions/${other.questionId}`)).question.approvals.have,
        0,
    );
});

test('a yes to other arguments is not taken for the yes that was asked for', async (t) => {
    const server = await start(t);
    const witan = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url } });
    const { questionId } = await server.must(201, 'POST', '/api/questions', propose);
    await server.must(200, 'POST', `/api/questions/${questionId}/answer`, {
        response: { type: 'approval', value: true, args: { to: 3 } },
    });
    const plain = await witan('wait', questionId);
    assert.equal(plain.code, 9);
    assert.match(plain.stderr, /other arguments than those proposed: \{"to": ?3\}/);
    const asked = await witan('wait', questionId, '--args');
    assert.equal(asked.code, 0);
    assert.deepEqual(JSON.parse(asked.stdout), { to: 3 });
    assert.match((await witan('help', 'exit-codes')).stdout, /\n +9 +approved, but with other arguments/);
});

test('a second yes of the same person says that another is needed', async (t) => {
    const server = await start(t);
    const agent = await makeToken(server, { role: 'agent' });
    const member = await makeToken(server, { role: 'member' });
    const as = (token, ...args) =>
        cli(server.folder, args, { env: { WITAN_URL: server.url, WITAN_TOKEN: token } });
    const asked = await as(agent, 'ask', '--approve', 'Drop it?', '--approvals', '2', '--no-wait');
    const id = asked.stdout.trim();
    for (const says of [/Noted for .*1 of 2 approvals\. Another person has to approve it too/, /Nothing was changed for .*1 of 2 approvals\. You had approved this before/]) {
        const answered = await as(member, 'answer', id, '--approve', '--yes');
        assert.equal(answered.code, 0, answered.stderr);
        assert.match(answered.stderr, says);
    }
});

test('which witan this is', async (t) => {
    const server = await start(t);
    const said = await Promise.all(
        ['--version', '-V', 'version'].map((word) => cli(server.folder, [word], {})),
    );
    for (const { code, stdout } of said) {
        assert.equal(code, 0);
        assert.match(stdout, /^witan \d+\.\d+/);
    }
});
