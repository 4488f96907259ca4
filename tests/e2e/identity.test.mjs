// Who may call, and what they may do.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { login, makeToken, makeUser, makeWorkspace } from './lib/identity.mjs';
import { raw } from './lib/raw.mjs';
import { cleanEnv, freshStore, onBothEngines, start, tempFolder, until } from './lib/server.mjs';

const hour = 3_600_000;
const get = (server, path, options) => server.api('GET', path, undefined, options);

onBothEngines('solo mode', {}, async (server) => {
    const me = await server.must(200, 'GET', '/api/me');
    assert.deepEqual([me.caller.kind, me.caller.role, me.solo], ['local', 'owner', true]);
    // A token that is there is judged, whatever else is.
    const bad = await get(server, '/api/chat', { token: 'witan_nobody' });
    assert.equal(bad.status, 401);
    assert.equal(bad.body.code, 'unauthorized');
    assert.equal((await get(server, '/api/chat', { headers: { Authorization: 'Basic YTpi' } })).status, 401);
    // What came through a proxy is not from this machine.
    for (const name of [
        'Forwarded',
        'X-Forwarded-For',
        'X-Forwarded-Host',
        'X-Forwarded-Proto',
        'Via',
        'X-Forwarded-Anything',
    ])
        assert.equal((await get(server, '/api/chat', { headers: { [name]: '1' } })).status, 401, name);
    // DNS rebinding and posts from foreign pages.
    for (const host of [
        'evil.example',
        'evil.example:80',
        '127.0.0.1.evil.example',
        '127.0.0.1@evil.example',
        '192.0.2.1',
    ])
        assert.ok(
            [400, 403].includes((await get(server, '/api/chat', { headers: { Host: host } })).status),
            `Host: ${host}`,
        );
    const own = new URL(server.url).host;
    for (const line of ['', 'Host:\r\n', `Host: ${own}\r\nHost: evil.example\r\n`, `Host: ${own}\r\nHost: ${own}\r\n`]) {
        const reply = await raw(server, `GET /api/chat HTTP/1.1\r\n${line}\r\n`);
        assert.ok([400, 403].includes(reply.status), JSON.stringify(line));
    }
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
        assert.equal(
            (await get(server, '/api/chat', { headers: { Host: `${host}:${new URL(server.url).port}` } }))
                .status,
            200,
            host,
        );
    const say = (headers) => server.api('POST', '/api/chat', { agent_name: 'A', message: 'x' }, { headers });
    for (const origin of ['http://evil.example', 'null', 'https://127.0.0.1.evil.example', 'file://'])
        for (const asked of [await say({ Origin: origin }), await get(server, '/api/chat', { headers: { Origin: origin } })])
            assert.equal(asked.status, 403, origin);
    assert.equal((await say({ 'Sec-Fetch-Site': 'cross-site' })).status, 403);
    assert.equal((await say({ Origin: server.url })).status, 201);
    assert.equal((await get(server, '/api/chat', { headers: { Origin: server.url } })).status, 200);
    assert.equal((await server.must(200, 'GET', '/api/chat')).messages.length, 1);
});

onBothEngines('the first token ends solo mode, at once', {}, async (server) => {
    const made = await server.must(201, 'POST', '/api/tokens', { name: 'first', role: 'owner' });
    assert.match(made.secret, /^witan_/);
    assert.equal((await get(server, '/api/chat')).status, 401);
    assert.equal((await server.api('POST', '/api/chat', { agent_name: 'A', message: 'x' })).status, 401);
    assert.equal((await get(server, '/api/events', { agent: undefined })).status, 401);
    assert.equal((await get(server, '/api/chat', { token: made.secret })).status, 200);
    assert.equal((await server.must(200, 'GET', '/api/me', undefined, { token: made.secret })).solo, false);
    // The secret is nowhere but in that reply.
    const list = await get(server, '/api/tokens', { token: made.secret });
    assert.ok(!list.text.includes(made.secret));
    const stored = await server.sql('SELECT hash FROM tokens');
    assert.ok(stored.every(([hash]) => !made.secret.includes(hash)));
    assert.ok(!server.log.includes(made.secret));
});

test('a user ends it too, also one made on the command line beside the server', async (t) => {
    const server = await start(t);
    await makeUser(server, 'ada', 'correct horse', 'owner');
    assert.equal((await get(server, '/api/chat')).status, 401);
});

test('a server that others can reach does not start without users or tokens', async (t) => {
    for (const engine of ['sqlite', 'postgres']) {
        const folder = await tempFolder(t);
        const db = await freshStore(t, engine, folder);
        const ways = [
            ['--listen', '127.0.0.1:0', '--require-auth'],
            ['--listen', '0.0.0.0:0'],
            ['--listen', '[::]:0'],
        ];
        for (const args of ways) {
            const { code, stdout, stderr } = await cli(folder, ['serve', '--db', db, ...args]);
            assert.notEqual(code, 0, args.join(' '));
            assert.equal(stdout, '');
            assert.match(stderr, /no users and no tokens/);
            assert.match(stderr, /witan token create/);
        }
        const token = await makeToken({ db, folder }, { role: 'owner' });
        for (const listen of ['127.0.0.1:0', '0.0.0.0:0']) {
            const server = await start(t, { db, folder, engine, listen, args: ['--require-auth'] });
            assert.equal((await get(server, '/api/chat')).status, 401);
            assert.equal((await get(server, '/api/chat', { token })).status, 200);
            await server.stop();
        }
    }
});

// The first link is this machine's own; others need one of its addresses.
test('a server that others can reach says where', async (t) => {
    const folder = await tempFolder(t);
    const db = await freshStore(t, 'sqlite', folder);
    const token = await makeToken({ db, folder }, { role: 'owner' });
    const ours = Object.values(networkInterfaces()).flat().filter(({ internal }) => !internal);
    for (const [listen, families, env] of [
        ['0.0.0.0:0', ['IPv4'], {}],
        ['[::]:0', ['IPv6'], {}],
        ['127.0.0.1:0', [], {}],
        ['0.0.0.0:0', [], { WITAN_SERVER_PUBLIC_URL: 'https://witan.example' }],
    ]) {
        const server = await start(t, { db, folder, engine: 'sqlite', listen, env });
        const links = [...server.said.matchAll(/^from other machines: (\S+)$/gm)].map(([, link]) => link);
        const known = ours
            .filter(({ family, address }) => families.includes(family) && !/^fe[89ab]/.test(address))
            .map(({ family, address }) => (family === 'IPv4' ? address : `[${address}]`));
        for (const link of links) {
            assert.ok(known.includes(new URL(link).hostname), `${link} is none of ${known}`);
            assert.equal((await fetch(`${link}/api/chat`, { headers: { Authorization: `Bearer ${token}` } })).status, 200);
        }
        assert.equal(links.length, Math.min(known.length, 4));
        if (families.length > 0 && known.length === 0) assert.match(server.said, /http:\/\/ADDRESS:\d+/);
        if (families.length === 0) assert.doesNotMatch(server.said, /other machines/);
        await server.stop();
    }
});

test("the test clock needs the environment's word", async (t) => {
    const folder = await tempFolder(t);
    const env = { WITAN_TEST: '' };
    const { code, stderr } = await cli(
        folder,
        ['serve', '--listen', '127.0.0.1:0', '--test-clock', '--db', `sqlite:${folder}/x.db`],
        { env },
    );
    assert.equal(code, 2);
    assert.match(stderr, /WITAN_TEST=1/);
    assert.equal(cleanEnv(folder, env).WITAN_TEST, '');
});

onBothEngines('login, cookie, logout', {}, async (server) => {
    await makeUser(server, 'Ada', 'correct horse', 'owner');
    const home = { Origin: server.url };
    for (const [name, password] of [
        ['Ada', 'wrong horse'],
        ['Nobody', 'correct horse'],
    ]) {
        const reply = await server.api('POST', '/api/login', { name, password });
        assert.equal(reply.status, 401);
        assert.equal(reply.headers['set-cookie'], undefined);
    }
    const reply = await server.api('POST', '/api/login', { name: 'ada', password: 'correct horse' });
    assert.equal(reply.status, 200);
    const [set] = reply.headers['set-cookie'];
    for (const part of [/^witan_session=witans_/, /HttpOnly/i, /SameSite=(Lax|Strict)/i, /Path=\//])
        assert.match(set, part);
    const Cookie = set.split(';')[0];
    const me = await server.must(200, 'GET', '/api/me', undefined, { headers: { Cookie } });
    assert.deepEqual([me.caller.kind, me.caller.name, me.caller.role], ['user', 'Ada', 'owner']);
    // The browser sends the cookie whoever asks, so a change must come from a page of ours.
    const say = (headers) =>
        server.api(
            'POST',
            '/api/chat',
            { agent_name: 'Ada', message: 'x', is_human: true },
            { headers: { Cookie, ...headers } },
        );
    assert.equal((await say({ Origin: 'http://evil.example' })).status, 403);
    assert.equal((await say({})).status, 403);
    assert.equal((await say({ 'Sec-Fetch-Site': 'cross-site' })).status, 403);
    assert.equal((await say(home)).status, 201);
    assert.equal(
        (await server.api('POST', '/api/logout', undefined, { headers: { Cookie, ...home } })).status,
        204,
    );
    assert.equal((await get(server, '/api/me', { headers: { Cookie } })).status, 401);
});

onBothEngines(
    'a session ends by its time, by a new password, and when the user is disabled',
    {},
    async (server) => {
        const owner = await makeToken(server, { role: 'owner', name: 'owner' });
        await makeUser(server, 'bob', 'correct horse');
        const home = { Origin: server.url };
        const alive = async (Cookie) =>
            (await get(server, '/api/me', { headers: { Cookie } })).status === 200;
        const { users } = await server.must(200, 'GET', '/api/users', undefined, { token: owner });
        const { id } = users.find(({ name }) => name === 'bob');
        let cookie = await login(server, 'bob', 'correct horse');
        assert.ok(await alive(cookie));
        await server.must(
            204,
            'PUT',
            '/api/me/password',
            { oldPassword: 'correct horse', newPassword: 'battery staple' },
            { headers: { Cookie: cookie, ...home } },
        );
        assert.ok(await alive(cookie), 'the one that changed it stays');
        await server.must(200, 'PATCH', `/api/users/${id}`, { password: 'third password' }, { token: owner });
        assert.ok(!(await alive(cookie)));
        cookie = await login(server, 'bob', 'third password');
        await server.advance(31 * 24 * hour, { token: owner });
        assert.ok(!(await alive(cookie)));
        cookie = await login(server, 'bob', 'third password');
        await server.must(200, 'PATCH', `/api/users/${id}`, { disabled: true }, { token: owner });
        assert.ok(!(await alive(cookie)));
        assert.equal(
            (await server.api('POST', '/api/login', { name: 'bob', password: 'third password' })).status,
            401,
        );
    },
);

onBothEngines('roles', {}, async (server) => {
    const tokens = {};
    for (const role of ['owner', 'admin', 'member', 'agent', 'viewer'])
        tokens[role] = await makeToken(server, { role, name: role });
    const may = {
        read: (token) => get(server, '/api/chat', { token }),
        write: (token) => server.api('POST', '/api/chat', { agent_name: 'A', message: 'x' }, { token }),
        human: (token) =>
            server.api('POST', '/api/chat', { agent_name: 'A', message: 'x', is_human: true }, { token }),
        manage: (token) => get(server, '/api/tokens', { token }),
        audit: (token) => get(server, '/api/audit', { token }),
    };
    const expected = {
        owner: 'read write human manage audit',
        admin: 'read write human manage audit',
        member: 'read write human',
        agent: 'read write',
        viewer: 'read',
    };
    for (const [role, token] of Object.entries(tokens))
        for (const [what, act] of Object.entries(may)) {
            const { status, text } = await act(token);
            const allowed = expected[role].split(' ').includes(what);
            if (allowed) assert.ok(status < 300, `${role} may ${what}: ${status} ${text}`);
            else assert.equal(status, 403, `${role} may not ${what}: ${status} ${text}`);
        }
    // Workspaces are made by owners, but not with a token, which belongs to one.
    await makeUser(server, 'ada', 'correct horse', 'owner');
    const headers = { Cookie: await login(server, 'ada', 'correct horse'), Origin: server.url };
    assert.equal(
        (await server.api('POST', '/api/workspaces', { name: 'Research' }, { headers })).status,
        201,
    );
    for (const token of Object.values(tokens))
        assert.equal((await server.api('POST', '/api/workspaces', { name: 'Other' }, { token })).status, 403);
    // An admin cannot make an owner.
    assert.equal(
        (await server.api('POST', '/api/tokens', { name: 'x', role: 'owner' }, { token: tokens.admin }))
            .status,
        403,
    );
    // A token bound to an agent speaks as nobody else.
    const bound = await makeToken(server, { role: 'agent', agent: 'Builder' });
    const prompt = await server.ask({}, { token: tokens.member });
    assert.equal((await server.answer(prompt.id, 'Growth', 'x', { token: bound })).status, 403);
    assert.equal((await server.answer(prompt.id, 'Builder', 'x', { token: bound })).status, 201);
    assert.equal(
        (
            await server.api(
                'POST',
                '/api/discussion',
                { requester_agent: 'Growth', prompt_message: 'Q' },
                { token: bound },
            )
        ).status,
        403,
    );
    // Agents do not answer for people.
    assert.equal(
        (
            await server.api(
                'POST',
                `/api/discussion/${prompt.id}`,
                { agent_name: 'X', message: 'x', is_human: true },
                { token: tokens.agent },
            )
        ).status,
        403,
    );
});

onBothEngines('workspaces', {}, async (server) => {
    const id = await makeWorkspace(server, 'research');
    const [near, far] = [
        await makeToken(server, { role: 'owner' }),
        await makeToken(server, { role: 'owner', workspace: 'research' }),
    ];
    await makeUser(server, 'ada', 'correct horse', 'owner');
    await cli(server.folder, [
        'user',
        'add',
        'ada',
        '--role',
        'viewer',
        '--workspace',
        'research',
        '--no-password',
        '--db',
        server.db,
    ]);
    const Cookie = await login(server, 'ada', 'correct horse');
    const prompt = await server.ask({ prompt_message: 'ours' }, { token: near });
    await server.say('X', 'theirs', { token: far });
    const seen = async (options) =>
        (await server.must(200, 'GET', '/api/chat', undefined, options)).messages.map(
            ({ message }) => message,
        );
    assert.deepEqual(await seen({ token: near }), ['ours']);
    assert.deepEqual(await seen({ token: far }), ['theirs']);
    for (const [method, body] of [
        ['GET'],
        ['POST', { agent_name: 'X', message: 'x' }],
        ['PATCH', { action: 'cancel' }],
    ])
        assert.equal(
            (await server.api(method, `/api/discussion/${prompt.id}`, body, { token: far })).status,
            404,
            method,
        );
    assert.equal(
        (await get(server, '/api/chat', { token: far, headers: { 'X-Witan-Workspace': 'default' } })).status,
        404,
    );
    // A user chooses, by slug or id.
    for (const name of ['research', id])
        assert.deepEqual(await seen({ headers: { Cookie, 'X-Witan-Workspace': name } }), ['theirs']);
    assert.deepEqual(await seen({ headers: { Cookie } }), ['ours']);
    assert.equal(
        (await get(server, '/api/chat', { headers: { Cookie, 'X-Witan-Workspace': 'nowhere' } })).status,
        404,
    );
    // There ada only looks.
    assert.equal(
        (
            await server.api(
                'POST',
                '/api/chat',
                { agent_name: 'ada', message: 'x' },
                { headers: { Cookie, Origin: server.url, 'X-Witan-Workspace': 'research' } },
            )
        ).status,
        403,
    );
});

onBothEngines('tokens expire and are revoked', {}, async (server) => {
    const owner = await makeToken(server, { role: 'owner', name: 'owner' });
    const { now } = await server.advance(0, { token: owner });
    const made = await server.must(
        201,
        'POST',
        '/api/tokens',
        { name: 'short', role: 'agent', expiresAt: new Date(Date.parse(now) + hour).toISOString() },
        { token: owner },
    );
    const use = async (token) => (await get(server, '/api/chat', { token })).status;
    assert.equal(await use(made.secret), 200);
    await server.advance(hour - 60_000, { token: owner });
    assert.equal(await use(made.secret), 200);
    await server.advance(120_000, { token: owner });
    assert.equal(await use(made.secret), 401);
    await server.advance(-2 * hour, { token: owner });
    assert.equal(await use(made.secret), 200);
    await server.must(204, 'DELETE', `/api/tokens/${made.id}`, undefined, { token: owner });
    assert.equal(await use(made.secret), 401);
    const show = () => server.must(200, 'GET', `/api/tokens/${made.id}`, undefined, { token: owner });
    assert.ok((await show()).revokedAt);
    await until(async () => (await show()).lastUsedAt, 'its last use is noted');
    assert.equal(
        (
            await server.api(
                'POST',
                '/api/tokens',
                { name: 'x', expiresAt: '2001-01-01T00:00:00Z' },
                { token: owner },
            )
        ).status,
        400,
    );
    assert.equal(
        (
            await server.api('DELETE', '/api/tokens/00000000-0000-7000-8000-00000000dead', undefined, {
                token: owner,
            })
        ).status,
        404,
    );
});

onBothEngines('a token is rotated beside a running server', {}, async (server) => {
    const owner = await makeToken(server, { role: 'owner', name: 'owner' });
    const old = await makeToken(server, { role: 'member', name: 'ci', expires: '90d' });
    const witan = async (...args) => {
        const done = await cli(server.folder, [...args, '--db', server.db]);
        assert.equal(done.code, 0, done.stderr);
        return done;
    };
    const list = async () => JSON.parse((await witan('token', 'list', '--json')).stdout).tokens;
    const { id } = (await list()).find(({ name }) => name === 'ci');
    const status = async (token) => (await get(server, '/api/me', { token })).status;
    const { stdout, stderr } = await witan('token', 'rotate', id, '--overlap', '2h');
    assert.match(stdout, /^witan_\S+\n$/);
    assert.match(stderr, /stays good until/);
    const secret = stdout.trim();
    assert.equal(await status(secret), 200);
    assert.equal(await status(old), 200);
    // Both secrets stand in the list, each with its last use.
    const seen = await until(async () => {
        const token = (await list()).find((each) => each.id === id);
        return token.lastUsedAt && token.oldSecrets[0]?.lastUsedAt && token;
    }, 'both uses are noted');
    assert.ok(Date.parse(seen.expiresAt) > Date.parse(seen.oldSecrets[0].goodUntil));
    const table = (await witan('token', 'list')).stdout.split('\n').filter((line) => line.includes(id));
    assert.equal(table.length, 2, table.join('\n'));
    assert.match(table[1], /ci \(secret before\)/);
    for (const known of [secret, old]) assert.ok(!(await witan('token', 'list', '--json')).stdout.includes(known));

    await witan('token', 'rotate', id, '--at-once');
    assert.equal(await status(secret), 401);
    assert.equal(await status(old), 401, 'no secret from before is good any more');
    const { entries } = await until(async () => {
        const rows = await server.must(200, 'GET', `/api/audit?subject=${id}&operation=token_rotate`, undefined, {
            token: owner,
        });
        return rows.entries.length === 2 && rows;
    }, 'two rows in the audit log');
    assert.ok(entries.every(({ detail }) => !JSON.stringify(detail).includes('witan_')));
});

test('too many requests with one token', async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_TOKEN_RATE: '1', WITAN_LIMITS_TOKEN_BURST: '10' } });
    for (let i = 0; i < 50; i++)
        assert.equal(
            (await get(server, '/api/chat')).status,
            200,
            'the owner of a solo server is not limited',
        );
    const [one, two] = [
        await makeToken(server, { role: 'owner' }),
        await makeToken(server, { role: 'owner', name: 'two' }),
    ];
    const began = Date.now();
    const replies = await Promise.all(
        Array.from({ length: 60 }, () => get(server, '/api/chat', { token: one })),
    );
    // Ten go through before the server knows whose the token is, ten by its owner, and one for each second that they took.
    const more = Math.ceil((Date.now() - began) / 1000);
    const refused = replies.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 40 - more, `${refused.length} were refused, ${more} s`);
    assert.ok(replies.length - refused.length >= 10);
    for (const reply of refused) {
        assert.ok(Number(reply.headers['retry-after']) >= 1);
        assert.equal(reply.body.code, 'rate_limited');
    }
    assert.equal((await get(server, '/api/chat', { token: two })).status, 200, 'others are not');
    await until(
        async () => (await get(server, '/api/chat', { token: one })).status === 200,
        'it may come back',
    );
});

test('too many logins from one address', async (t) => {
    // Two a minute, so that half a minute passes before there is another.
    const server = await start(t, { env: { WITAN_LIMITS_LOGIN_RATE: '2' } });
    await makeUser(server, 'ada', 'correct horse', 'owner');
    const statuses = [];
    for (let i = 0; i < 4; i++)
        statuses.push((await server.api('POST', '/api/login', { name: 'ada', password: 'guess' })).status);
    assert.deepEqual(statuses, [401, 401, 429, 429]);
    const right = await server.api('POST', '/api/login', { name: 'ada', password: 'correct horse' });
    assert.equal(right.status, 429);
    assert.ok(Number(right.headers['retry-after']) >= 1);
});

onBothEngines('the audit log says who did what, and shows when it was touched', {}, async (server) => {
    const owner = await makeToken(server, { role: 'owner', name: 'the owner' });
    const prompt = await server.ask({}, { token: owner });
    await server.answer(prompt.id, 'Builder', 'Mind the cache.', { token: owner });
    await server.must(200, 'PATCH', `/api/discussion/${prompt.id}`, { action: 'cancel' }, { token: owner });
    await server.api('POST', '/api/discussion', {}, { token: owner });
    const audit = async (query = '') =>
        (await server.must(200, 'GET', `/api/audit?${query}`, undefined, { token: owner })).entries;
    // On PostgreSQL rows are numbered and listed a moment after they were written.
    const ofPrompt = await until(async () => {
        const entries = await audit(`subject=${prompt.id}`);
        return entries.length >= 3 && entries;
    }, 'three rows about the prompt');
    assert.deepEqual(
        ofPrompt.map(({ operation }) => operation),
        ['prompt_close', 'prompt_respond', 'prompt_create'],
    );
    for (const entry of ofPrompt) {
        assert.equal(entry.actorKind, 'token');
        assert.equal(entry.actor, 'the owner');
        assert.equal(entry.door, 'rest');
        assert.match(entry.remote, /127\.0\.0\.1/);
        assert.ok(entry.requestId);
    }
    assert.equal((await audit('operation=prompt_respond')).length, 1);
    const lines = (await get(server, '/api/audit/export', { token: owner })).text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    assert.ok(lines.length >= 4);

    const verify = () => cli(server.folder, ['audit', 'verify', '--json', '--db', server.db]);
    const whole = await until(async () => {
        const { code, stdout } = await verify();
        assert.equal(code, 0, stdout);
        return JSON.parse(stdout).unsealed === 0 && JSON.parse(stdout);
    }, 'every row is sealed');
    assert.equal(whole.whole, true);
    // An honest session cannot change a row; whoever owns the database can, and is found out.
    await assert.rejects(
        server.sql(`UPDATE audit SET actor = 'somebody else' WHERE operation = 'prompt_respond'`),
    );
    await assert.rejects(server.sql(`DELETE FROM audit`));
    await server.stop();
    const [off, on] =
        server.engine === 'sqlite'
            ? ['DROP TRIGGER audit_fixed', '']
            : ['ALTER TABLE audit DISABLE TRIGGER USER', 'ALTER TABLE audit ENABLE TRIGGER USER'];
    await server.sql(
        `${off}; UPDATE audit SET actor = 'somebody else' WHERE operation = 'prompt_respond'; ${on}`,
    );
    const touched = await verify();
    assert.equal(touched.code, 3, touched.stderr);
    assert.equal(JSON.parse(touched.stdout).whole, false);
});
