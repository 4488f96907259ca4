// A person at the command line: logging in, being somebody, answering what is for nobody else.
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cli } from './lib/cli.mjs';
import { makeToken, makeUser } from './lib/identity.mjs';
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
