// A person at the command line: logging in, being somebody, answering what is for nobody else.
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cli } from './lib/cli.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { onBothEngines } from './lib/server.mjs';

const password = 'correct horse battery';

onBothEngines('what is asked of one person is answered by that person', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const witan = (...args) => cli(server.folder, args, { env });
    await makeUser(server, 'maya', password);
    await makeUser(server, 'noor', password);
    const agent = await makeToken(server, { role: 'agent', agent: 'Builder' });
    const as = (token, ...args) => cli(server.folder, args, { env: { ...env, WITAN_TOKEN: token } });

    const asked = await as(agent, 'ask', '--approve', 'Deploy?', '--to', 'maya', '--no-wait', '--json');
    assert.equal(asked.code, 0, asked.stderr);
    const id = JSON.parse(asked.stdout).questionId;

    const wrong = await cli(server.folder, ['login', 'maya', '--password-stdin'], { env, input: 'wrong one\n' });
    assert.equal(wrong.code, 4, wrong.stderr);
    assert.equal((await witan('whoami')).code, 4);

    const noor = await cli(server.folder, ['login', 'noor', '--password-stdin'], { env, input: `${password}\n` });
    assert.equal(noor.code, 0, noor.stderr);
    assert.match((await witan('whoami')).stdout, /^noor \(user, member\) in default at http/);
    assert.equal((await stat(join(server.folder, 'witan', 'session'))).mode & 0o777, 0o600);
    const refused = await witan('answer', id, 'approve', '--yes');
    assert.equal(refused.code, 4, refused.stderr);
    assert.equal((await witan('logout')).code, 0);

    const maya = await cli(server.folder, ['login', 'maya', '--password-stdin'], { env, input: `${password}\n` });
    assert.equal(maya.code, 0, maya.stderr);
    assert.match((await witan('inbox')).stdout, / FOR +WHAT\n[^]* maya +Deploy\?/);
    const answered = await witan('answer', id, 'approve', '--yes');
    assert.equal(answered.code, 0, answered.stderr);
    assert.equal((await as(agent, 'wait', id)).stdout.trim(), 'approved');

    // The login is for this server alone, and a token that is named goes before it.
    assert.match((await as(agent, 'whoami')).stdout, /speaks as Builder/);
    assert.equal((await witan('logout')).code, 0);
    assert.equal((await witan('whoami')).code, 4);
    assert.match((await witan('logout')).stderr, /Nobody was logged in/);
});

onBothEngines('a token that belongs to a user is that user, and ends with them', {}, async (server) => {
    const env = { WITAN_URL: server.url };
    const witan = (...args) => cli(server.folder, args, { env });
    const as = (token, ...args) => cli(server.folder, args, { env: { ...env, WITAN_TOKEN: token } });
    const onStore = (...args) => witan(...args, '--db', server.db);
    await makeUser(server, 'boss', password, 'owner');
    await makeUser(server, 'maya', password);
    await makeUser(server, 'noor', password);
    const agent = await makeToken(server, { role: 'agent', agent: 'Builder' });
    const ask = async (...more) => {
        const asked = await as(agent, 'ask', '--approve', 'Deploy?', ...more, '--no-wait');
        assert.equal(asked.code, 0, asked.stderr);
        return asked.stdout.trim();
    };

    const nobody = await onStore('token', 'create', '--user', 'nobody');
    assert.equal(nobody.code, 1);
    assert.match(nobody.stderr, /no user nobody in this workspace/);
    const both = await onStore('token', 'create', '--user', 'maya', '--agent', 'Builder');
    assert.equal(both.code, 2, both.stderr);
    assert.match(both.stderr, /a user or speaks as an agent, not both/);

    const mine = (await onStore('token', 'create', '--user', 'maya', '--role', 'owner')).stdout.trim();
    const noors = (await onStore('token', 'create', '--user', 'noor', '--name', 'laptop')).stdout.trim();
    // Never more than the user may.
    assert.match((await as(mine, 'whoami')).stdout, /^maya \(user, member\) in default at http/);
    assert.match((await onStore('token', 'list')).stdout, /USER +NAME\n[^]* noor +laptop/);

    // What is for one person is answered by that person's token and no other.
    const id = await ask('--to', 'maya');
    assert.equal((await as(noors, 'answer', id, '--approve', '--yes')).code, 4);
    assert.equal((await as(mine, 'answer', id, '--approve', '--yes')).code, 0);
    assert.equal((await as(agent, 'wait', id)).stdout.trim(), 'approved');

    // They speak in a discussion under their own name, whatever the machine calls them.
    for (const name of ['Ann', 'Ben']) assert.equal((await as(mine, 'agent', 'add', name)).code, 0);
    const talk = await as(mine, 'discuss', 'Tea?', '--mode', 'turns', '--agents', 'Ann,Ben', '--rounds', '1', '--rehearse', '--json');
    assert.equal(talk.code, 0, talk.stderr);
    assert.equal(JSON.parse(talk.stdout).entries[0].speaker, 'maya');

    // The login and the token are one person, who counts once.
    const two = await ask('--approvals', '2');
    const cookie = await login(server, 'maya', password);
    assert.equal((await as(mine, 'answer', two, '--approve', '--yes')).code, 0);
    const body = { response: { approved: true } };
    await server.api('POST', `/api/questions/${two}/answer`, body, { headers: { Cookie: cookie, Origin: server.url } });
    const { question } = await server.must(200, 'GET', `/api/questions/${two}`, undefined, { token: agent });
    assert.equal(question.status, 'pending');
    assert.equal(question.approvals.have, 1);
    // It stands neither for the password nor for other workspaces.
    const change = { oldPassword: password, newPassword: 'another horse battery' };
    assert.equal((await server.api('PUT', '/api/me/password', change, { token: mine })).status, 403);
    // Nor does whoever manages users make themselves another.
    const boss = (await onStore('token', 'create', '--user', 'boss')).stdout.trim();
    const { caller } = await server.must(200, 'GET', '/api/me', undefined, { token: mine });
    const forMaya = await server.api('POST', '/api/tokens', { name: 'x', userId: caller.id }, { token: boss });
    assert.equal(forMaya.status, 403, forMaya.text);
    const own = (await server.must(200, 'GET', '/api/me', undefined, { token: boss })).caller.id;
    const made = await server.must(201, 'POST', '/api/tokens', { name: 'x', role: 'viewer', userId: own }, { token: boss });
    assert.match((await as(made.secret, 'whoami')).stdout, /^boss \(user, viewer\)/);

    assert.equal((await onStore('user', 'disable', 'maya')).code, 0);
    assert.match((await as(mine, 'whoami')).stderr, /belongs to has been disabled/);
    assert.equal((await onStore('user', 'disable', 'maya', '--undo')).code, 0);
    assert.equal((await as(mine, 'whoami')).code, 0);
    assert.equal((await onStore('user', 'remove', 'maya')).code, 0);
    assert.equal((await as(mine, 'whoami')).code, 4);
    assert.equal((await as(noors, 'whoami')).code, 0);
});
