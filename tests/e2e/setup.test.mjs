// The first owner of a server that others can reach: with the code that it prints, and in no other way.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { login, makeToken } from './lib/identity.mjs';
import { onBothEngines, start } from './lib/server.mjs';

const beyond = Object.values(networkInterfaces())
    .flat()
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const open = { listen: `${beyond ?? '127.0.0.1'}:0`, args: ['--require-auth', '--setup'] };
const link = (server) => server.said.match(/(http\S+)\/account#(witano_\S+)\n/);
const claim = (server, code, fields = {}) =>
    server.api('POST', '/api/setup', { code, name: 'Ada', password: 'correct horse', ...fields });

onBothEngines('the code that a fresh server prints makes one owner, once', open, async (server) => {
    const [, url, code] = link(server);
    assert.equal(url, server.url);
    assert.ok(!server.log.includes(code), 'the log has it not');
    assert.ok((await server.sql('SELECT hash FROM setup_codes')).every(([hash]) => !code.includes(hash)));
    // A stranger can do nothing, and a wrong code costs nothing and changes nothing.
    assert.equal((await server.api('GET', '/api/me')).status, 401);
    assert.equal((await server.api('POST', '/api/users', { name: 'Eve', password: 'correct horse', role: 'owner' })).status, 401);
    assert.equal((await server.api('POST', '/api/tokens', { name: 'eve', role: 'owner' })).status, 401);
    for (const wrong of ['x', `${code}x`, code.slice(0, -1), 'witano_']) assert.equal((await claim(server, wrong)).status, 403);
    assert.equal((await server.must(200, 'GET', '/api/setup')).open, true);
    // A password that will not do does not use the code up.
    const weak = await claim(server, code, { password: 'password123' });
    assert.equal(weak.status, 400);
    assert.equal(weak.body.field, 'password');
    const all = await Promise.all(Array.from({ length: 5 }, (_, i) => claim(server, code, { name: `Ada ${i}` })));
    assert.deepEqual(all.map((reply) => reply.status).sort(), [201, 403, 403, 403, 403]);
    const { name } = all.find((reply) => reply.status === 201).body;
    assert.equal((await server.sql('SELECT COUNT(*) FROM users'))[0][0].toString(), '1');
    const me = await server.must(200, 'GET', '/api/me', undefined, { headers: { Cookie: await login(server, name, 'correct horse') } });
    assert.equal(me.caller.role, 'owner');
    assert.equal((await server.must(200, 'GET', '/api/setup')).open, false);
    assert.equal((await claim(server, code, { name: 'Eve' })).status, 403);
    await server.stop();
    await server.restart();
    assert.equal(link(server), null, 'no code is printed any more');
});

test('a code ends with the first token made elsewhere, and after a day', async (t) => {
    const server = await start(t, open);
    const [, , code] = link(server);
    await server.advance(24 * 3600_000 + 1000);
    assert.equal((await claim(server, code)).status, 403);
    await server.stop();
    await server.restart();
    const [, , next] = link(server);
    assert.notEqual(next, code);
    await makeToken(server, { name: 'first', role: 'owner' });
    assert.equal((await claim(server, next)).status, 403);
});

test('without --setup it does not start, and says what would help; in solo mode no code is needed', async (t) => {
    const server = await start(t, { args: ['--setup'] });
    assert.equal(link(server), null);
    assert.equal((await server.must(200, 'GET', '/api/me')).solo, true);
    const { code, stderr } = await cli(server.folder, ['serve', '--listen', '127.0.0.1:0', '--require-auth', '--db', `sqlite:${server.folder}/other.db`]);
    assert.notEqual(code, 0);
    assert.match(stderr, /--setup/);
});
