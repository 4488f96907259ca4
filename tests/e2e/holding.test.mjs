// How much one token, workspace or address may hold open, and whose address counts behind a proxy.
import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { makeToken } from './lib/identity.mjs';
import { RawConnection } from './lib/raw.mjs';
import { onBothEngines, start, until } from './lib/server.mjs';

// A GET whose reply is held open: the connection, its status, and what was said.
async function hold(t, server, path, { token, from } = {}) {
    const raw = new RawConnection(server);
    t.after(() => raw.close());
    raw.send(
        [
            `GET ${path} HTTP/1.1`,
            `Host: ${new URL(server.url).host}`,
            ...(token ? [`Authorization: Bearer ${token}`] : []),
            ...(from ? [`X-Forwarded-For: ${from}`] : []),
            '\r\n',
        ].join('\r\n'),
    );
    return raw;
}

async function stream(t, server, path, options) {
    const raw = await hold(t, server, path, options);
    return { raw, ...(await raw.reply({ head: true })) };
}

async function refused(t, server, path, options, why) {
    const raw = await hold(t, server, path, options);
    const reply = await raw.reply();
    assert.equal(reply.status, 429, reply.text);
    assert.ok(Number(reply.headers['retry-after']) >= 1);
    assert.match(JSON.parse(reply.body ?? reply.text).error, why);
    raw.close();
}

onBothEngines(
    'streams are counted by the token, whatever ticket opens them',
    { env: { WITAN_LIMITS_TOKEN_STREAMS: '3' } },
    async (server, t) => {
        const token = await makeToken(server, { name: 'one' });
        const other = await makeToken(server, { name: 'two' });
        const { ticket } = await server.must(201, 'POST', '/api/tickets', {}, { token });
        const open = [];
        for (let i = 0; i < 3; i++) {
            open.push(await stream(t, server, `/api/events?ticket=${encodeURIComponent(ticket)}`));
            assert.equal(open[i].status, 200);
        }
        await refused(t, server, `/api/events?ticket=${encodeURIComponent(ticket)}`, {}, /token or user/);
        await refused(t, server, '/api/events', { token }, /token or user/);
        assert.equal((await stream(t, server, '/api/events', { token: other })).status, 200);
        // A place is free again when a stream has gone.
        open[0].raw.close();
        await until(async () => {
            const again = await stream(t, server, '/api/events', { token });
            return again.status === 200;
        }, 'the place is free again');
    },
);

// A token's new secret, with the one before good for a while.
async function rotate(server, name) {
    const owner = await makeToken(server, { name: 'owner', role: 'owner' });
    const { tokens } = await server.must(200, 'GET', '/api/tokens', undefined, { token: owner });
    const { id } = tokens.find((each) => each.name === name);
    const { code, stdout, stderr } = await cli(server.folder, ['token', 'rotate', id, '--overlap', '2h', '--db', server.db]);
    assert.equal(code, 0, stderr);
    return stdout.trim();
}

onBothEngines(
    'the secrets of a rotated token count as one token',
    { env: { WITAN_LIMITS_TOKEN_STREAMS: '2', WITAN_LIMITS_TOKEN_RATE: '1', WITAN_LIMITS_TOKEN_BURST: '60' } },
    async (server, t) => {
        const old = await makeToken(server, { name: 'one' });
        const token = await rotate(server, 'one');
        for (const each of [old, token]) assert.equal((await stream(t, server, '/api/events', { token: each })).status, 200);
        await refused(t, server, '/api/events', { token }, /token or user/);
        await refused(t, server, '/api/events', { token: old }, /token or user/);
        // What the old secret has used up is gone for the new one: by itself it would have all of its burst.
        const ask = async (each) => (await server.api('GET', '/api/me', undefined, { token: each })).status;
        for (let i = 0; i < 200 && (await ask(old)) !== 429; i++);
        const statuses = await Promise.all(Array.from({ length: 50 }, () => ask(token)));
        assert.ok(statuses.includes(429), statuses.join());
    },
);

onBothEngines(
    'waits are counted with them',
    { env: { WITAN_LIMITS_TOKEN_STREAMS: '2' } },
    async (server, t) => {
        const token = await makeToken(server, { name: 'one' });
        const { id } = await server.ask({}, { token });
        // Of three at once one is told so, whichever it is; the others wait.
        const waits = [];
        for (let i = 0; i < 3; i++) waits.push(await hold(t, server, `/api/discussion/${id}?wait=50`, { token }));
        const { status, text } = await Promise.race(waits.map((raw) => raw.reply({ limit: 60_000 })));
        assert.equal(status, 429, text);
        await until(async () => (await server.metric('witan_waits')) === 2, 'the others wait');
        await refused(t, server, '/api/events', { token }, /streams and waits/);
        // Looking without waiting holds nothing.
        await server.show(id, { token });
    },
);

test('a workspace has a limit of its own', async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_WORKSPACE_STREAMS: '2' } });
    const tokens = [await makeToken(server, { name: 'one' }), await makeToken(server, { name: 'two' })];
    assert.equal((await stream(t, server, '/api/events', { token: tokens[0] })).status, 200);
    assert.equal((await stream(t, server, '/api/events', { token: tokens[1] })).status, 200);
    await refused(t, server, '/api/events', { token: tokens[0] }, /workspace/);
});

test('behind a trusted proxy the address it passes on counts', async (t) => {
    const server = await start(t, {
        env: { WITAN_LIMITS_ADDRESS_STREAMS: '2', WITAN_SERVER_TRUSTED_PROXIES: '127.0.0.0/8' },
    });
    const token = await makeToken(server, { name: 'one', role: 'owner' });
    const open = (from) => stream(t, server, '/api/events', { token, from });
    for (let i = 0; i < 2; i++) assert.equal((await open('9.9.9.9, 203.0.113.1')).status, 200);
    await refused(t, server, '/api/events', { token, from: '8.8.8.8, 203.0.113.1' }, /address/);
    assert.equal((await open('203.0.113.2')).status, 200);
    // An IPv6 network counts as one.
    for (let i = 1; i < 3; i++) assert.equal((await open(`2001:db8::${i}`)).status, 200);
    await refused(t, server, '/api/events', { token, from: '2001:db8::9' }, /address/);

    await server.api('POST', '/api/chat', { agent_name: 'A', message: 'x' }, {
        token,
        headers: { 'X-Forwarded-For': '9.9.9.9, 203.0.113.7' },
    });
    const { entries } = await server.must(200, 'GET', '/api/audit?operation=chat_post', undefined, { token });
    assert.equal(entries[0].remote, '203.0.113.7');
});

test('without a trusted proxy nobody can choose an address', async (t) => {
    const server = await start(t);
    const token = await makeToken(server, { name: 'one', role: 'owner' });
    await server.api('POST', '/api/chat', { agent_name: 'A', message: 'x' }, {
        token,
        headers: { 'X-Forwarded-For': '203.0.113.7', Forwarded: 'for=203.0.113.7' },
    });
    const { entries } = await server.must(200, 'GET', '/api/audit?operation=chat_post', undefined, { token });
    assert.equal(entries[0].remote, '127.0.0.1');
});

test('what a token, a workspace and an address store in a day is limited', async (t) => {
    const server = await start(t, {
        env: {
            WITAN_LIMITS_TOKEN_STORED: '30KB',
            WITAN_LIMITS_WORKSPACE_STORED: '100KB',
            WITAN_LIMITS_ADDRESS_STORED: '60KB',
            WITAN_SERVER_TRUSTED_PROXIES: '127.0.0.1',
        },
    });
    const tokens = [];
    for (let i = 0; i < 5; i++) tokens.push(await makeToken(server, { name: `t${i}` }));
    const say = (token, from) =>
        server.api(
            'POST',
            '/api/chat',
            { agent_name: 'A', message: 'x'.repeat(9900) },
            { token, headers: from ? { 'X-Forwarded-For': from } : {} },
        );
    const refusedFor = (reply, why) => {
        assert.equal(reply.status, 429, reply.text);
        assert.match(reply.body.error, why);
        assert.ok(Number(reply.headers['retry-after']) > 60);
    };
    // What is refused for another reason stores nothing.
    const wrong = { agent_name: '', message: 'x'.repeat(9900) };
    for (let i = 0; i < 5; i++)
        assert.equal((await server.api('POST', '/api/chat', wrong, { token: tokens[0] })).status, 400);
    for (let i = 0; i < 3; i++) assert.equal((await say(tokens[0])).status, 201);
    refusedFor(await say(tokens[0]), /token or user/);
    await server.must(200, 'GET', '/api/chat', undefined, { token: tokens[0] });
    for (const token of [tokens[1], tokens[2]])
        for (let i = 0; i < 3; i++) assert.equal((await say(token, '203.0.113.5')).status, 201);
    refusedFor(await say(tokens[3], '203.0.113.5'), /address/);
    assert.equal((await say(tokens[3])).status, 201);
    refusedFor(await say(tokens[4]), /workspace/);
});

const beyond = Object.values(networkInterfaces())
    .flat()
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test('connections of an address are limited', { skip: !beyond && 'only loopback here' }, async (t) => {
    const server = await start(t, {
        listen: `${beyond}:0`,
        prepare: async (db, folder) => makeToken({ db, folder }, { name: 'one', role: 'owner' }),
        env: { WITAN_LIMITS_ADDRESS_CONNECTIONS: '4' },
    });
    const idle = Array.from({ length: 4 }, () => new RawConnection(server));
    t.after(() => idle.forEach((raw) => raw.close()));
    const ask = async () => {
        const raw = await hold(t, server, '/healthz');
        const reply = await raw.reply();
        raw.close();
        return reply;
    };
    const reply = await until(async () => {
        const tried = await ask();
        return tried?.status === 429 && tried;
    }, 'one too many is told so');
    assert.ok(Number(reply.headers['retry-after']) >= 1);
    idle.forEach((raw) => raw.close());
    await until(async () => (await ask())?.status === 200, 'there is room again');
});
