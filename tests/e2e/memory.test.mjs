// What clients may make the server hold: bodies before their sender is known, trees of JSON, replies nobody reads.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { makeToken } from './lib/identity.mjs';
import { RawConnection } from './lib/raw.mjs';
import { binary, cleanEnv, onBothEngines, start, tempFolder, until } from './lib/server.mjs';

const MB = 1024 * 1024;

// The most memory that the server ever had, in bytes.
async function mostMemory(server) {
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    return Number(status.match(/^VmHWM:\s+(\d+) kB/m)[1]) * 1024;
}

const results = '/api/projects/00000000-0000-7000-8000-000000000000/results';
const manyObjects = (bytes) => `{"x":[${'{},'.repeat(bytes / 3)}{}]}`;

async function withToken(t, options = {}) {
    const server = await start(t, options);
    const { secret: token } = await server.must(201, 'POST', '/api/tokens', {
        name: 'builder',
        role: 'member',
    });
    return { server, token };
}

function rawPost(server, path, { length, token, more = '' }) {
    return [
        `POST ${path} HTTP/1.1`,
        `Host: ${new URL(server.url).host}`,
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        ...(token ? [`Authorization: Bearer ${token}`] : []),
        more,
        '',
    ].join('\r\n');
}

test('a large body is not read before its sender is known', async (t) => {
    const { server } = await withToken(t);
    for (const expects of [true, false]) {
        const raw = new RawConnection(server);
        t.after(() => raw.close());
        const head = rawPost(server, results, {
            length: 9 * MB,
            token: 'wit_nobody',
            more: expects ? 'Expect: 100-continue\r\n' : '',
        });
        raw.send(head);
        const reply = await raw.reply();
        assert.equal(reply.status, 401, reply.text);
        assert.equal(reply.headers['www-authenticate'], 'Bearer');
        await until(async () => (await server.metric('witan_memory_in_flight_bytes')) === 0, 'it takes no memory');
    }
});

test("a stranger's flood of values takes no memory and no HTTP thread", async (t) => {
    const { server, token } = await withToken(t);
    const body = manyObjects(9 * MB);
    const before = await mostMemory(server);
    const strangers = await Promise.all(
        Array.from({ length: 3 }, () =>
            server.api('POST', results, body, { token: 'wit_nobody', agent: undefined }),
        ),
    );
    for (const { status } of strangers) assert.equal(status, 401);
    assert.ok((await mostMemory(server)) - before < 16 * MB, 'strangers made the server take memory');

    // Whoever may make the call learns that it has too many values, and the tree is not built.
    const refused = await Promise.all(
        Array.from({ length: 3 }, () => server.api('POST', results, body, { token })),
    );
    for (const reply of refused) {
        assert.equal(reply.status, 400, reply.text);
        assert.match(reply.body.error, /too many values/);
    }
    assert.ok((await mostMemory(server)) - before < 3 * 9 * MB + 32 * MB, 'the tree was built');
});

test('a large body of one who may is read, on a worker', async (t) => {
    const { server, token } = await withToken(t);
    const message = 'é'.repeat(30_000);
    const reply = await server.api('POST', '/api/chat', { agent_name: 'Builder', message }, { token });
    assert.equal(reply.status, 201, reply.text);
    assert.ok(reply.body.message.message === message);
    const wrong = await server.api('POST', '/api/chat', { agent_name: 'Builder', message: [message] }, { token });
    assert.equal(wrong.status, 400);
    assert.equal(wrong.body.field, 'message');
    const broken = await server.api('POST', '/api/chat', `{"message": "${message}"`, { token });
    assert.equal(broken.status, 400);
    assert.equal((await server.api('POST', '/api/nothing', message, { token })).status, 404);
    assert.equal((await server.api('POST', '/api/login', { name: 'x', password: message })).status, 400);
    assert.equal((await server.api('POST', '/api/login', { name: 'x', password: message.repeat(2) })).status, 413);
});

test('a key makes a large body safe to repeat', async (t) => {
    const { server, token } = await withToken(t);
    const message = 'x'.repeat(40_000);
    const headers = { 'Idempotency-Key': 'once' };
    const send = () => server.api('POST', '/api/chat', { agent_name: 'Builder', message }, { token, headers });
    const first = await send();
    const second = await send();
    assert.equal(first.status, 201);
    assert.equal(second.status, 201);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.equal(second.body.message.id, first.body.message.id);
});

// 100 messages of 60 KB: what a page of 200 would be is 6 MB.
async function fillChat(server, token) {
    for (let i = 0; i < 100; i += 20)
        await Promise.all(
            Array.from({ length: 20 }, (_, n) => server.say('Builder', `${i + n} ${'x'.repeat(60_000)}`, { token })),
        );
}

test('a page ends when it is large, and its cursor leads to the rest', async (t) => {
    const { server, token } = await withToken(t, { env: { WITAN_LIMITS_TOKEN_BURST: '1000' } });
    await fillChat(server, token);
    const seen = new Set();
    let cursor = '';
    do {
        const reply = await server.api('GET', `/api/chat?limit=200${cursor}`, undefined, { token });
        assert.equal(reply.status, 200, reply.text);
        assert.ok(reply.bytes.length <= 1 * MB, `${reply.bytes.length} bytes`);
        assert.ok(reply.body.messages.length > 4);
        for (const { id } of reply.body.messages) {
            assert.ok(!seen.has(id));
            seen.add(id);
        }
        cursor = reply.body.nextCursor ? `&cursor=${reply.body.nextCursor}` : null;
    } while (cursor);
    assert.equal(seen.size, 100);
});

test('a hundred clients that do not read what they asked for are bounded together', async (t) => {
    const { server, token } = await withToken(t, {
        env: { WITAN_LIMITS_TOKEN_BURST: '1000', WITAN_LIMITS_MEMORY: '32MB' },
    });
    await fillChat(server, token);
    const before = await mostMemory(server);
    const clients = Array.from({ length: 100 }, () => {
        const raw = new RawConnection(server);
        t.after(() => raw.close());
        raw.socket.pause();
        return raw.send(
            `GET /api/chat?limit=200 HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n` +
                `Authorization: Bearer ${token}\r\n\r\n`,
        );
    });
    // Who takes nothing at all for half a minute is let go: on a busy machine they take a sip before.
    const sip = (raw) => raw.socket.once('data', () => raw.socket.pause()).resume();
    const sips = setInterval(() => clients.forEach(sip), 10_000);
    await server.must(200, 'GET', '/api/chat?limit=1', undefined, { token });
    await until(
        async () => (await server.metric('witan_requests_total', 'chat_list')) >= 101,
        'all of them were answered',
    ).finally(() => clearInterval(sips));
    assert.ok((await mostMemory(server)) - before < 120 * MB, 'unread replies take memory without a limit');
    // Those who read get what they asked for or are told to come again; nobody is left without a word.
    const statuses = await Promise.all(
        clients.map(async (raw) => {
            raw.socket.resume();
            return (await raw.reply()).status;
        }),
    );
    assert.ok(statuses.every((status) => status === 200 || status === 503));
    assert.ok(statuses.includes(200));
    await until(async () => (await server.metric('witan_memory_in_flight_bytes')) === 0, 'all is given back');
});

// The most data that the process may have, as the kernel counts it.
async function limitData(server, more) {
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
    const now = Number(status.match(/^VmData:\s+(\d+) kB/m)[1]) * 1024;
    const limit = more === undefined ? 'unlimited' : now + more;
    const { status: code, stderr } = spawnSync('prlimit', ['--pid', server.pid, `--data=${limit}:`]);
    assert.equal(code, 0, String(stderr));
}

onBothEngines(
    'a call that the machine has no memory for gets 503, and the server goes on',
    { env: { WITAN_LIMITS_TOKEN_BURST: '1000', WITAN_LIMITS_MESSAGE: '1MB', WITAN_LIMITS_BODY: '2MB' } },
    async (server, t) => {
        const token = await makeToken(server, { role: 'member' });
        const message = 'x'.repeat(900_000);
        for (let i = 0; i < 12; i++) await server.say('Builder', message, { token });
        await limitData(server, 6 * MB);
        const large = await server.api('GET', '/api/chat?limit=50', undefined, { token });
        assert.equal(large.status, 503, large.text.slice(0, 300));
        assert.ok(Number(large.headers['retry-after']) >= 1);
        // Others are served meanwhile, and the same call is once there is memory again.
        assert.equal((await server.say('Builder', 'small', { token })).message.message, 'small');
        await server.must(200, 'GET', '/healthz');
        await limitData(server);
        await server.must(200, 'GET', '/api/chat?limit=50', undefined, { token });
        assert.equal(server.child.exitCode, null);
    },
);

// Its threads read for the first time one after the other, for seconds after it has begun.
test('a server that begins where memory is short refuses calls, and goes on', async (t) => {
    const env = { WITAN_LIMITS_TOKEN_RATE: '100000', WITAN_LIMITS_TOKEN_BURST: '100000', WITAN_LIMITS_MESSAGE: '1MB', WITAN_LIMITS_BODY: '2MB' };
    const server = await start(t, { env });
    const token = await makeToken(server, { role: 'member' });
    for (let i = 0; i < 12; i++) await server.say('Builder', 'x'.repeat(900_000), { token });
    await server.stop();
    await server.restart();
    await limitData(server, 6 * MB);
    for (let i = 0; i < 4000; i++) {
        const { status } = await server.api('GET', '/api/chat?limit=50', undefined, { token }).catch((why) => assert.fail(`${why.message}, after ${i} calls\n${server.log.slice(-2000)}`));
        assert.equal(status, 503);
    }
    await limitData(server);
    await server.must(200, 'GET', '/api/chat?limit=50', undefined, { token });
    assert.equal(server.child.signalCode, null);
});

onBothEngines(
    'an export is sent piece by piece, and whole',
    { env: { WITAN_LIMITS_TOKEN_RATE: '100000', WITAN_LIMITS_TOKEN_BURST: '100000' } },
    async (server) => {
        const token = await makeToken(server, { role: 'owner' });
        for (let i = 0; i < 1100; i += 100)
            await Promise.all(Array.from({ length: 100 }, (_, n) => server.say('Builder', `row ${i + n}`, { token })));
        const get = async (query) => {
            const reply = await server.api('GET', `/api/audit/export${query}`, undefined, { token });
            assert.equal(reply.status, 200, reply.text.slice(0, 300));
            assert.equal(reply.headers['content-type'], 'application/x-ndjson');
            return reply.text.split('\n').slice(0, -1).map((line) => JSON.parse(line).seq);
        };
        await until(async () => (await get('')).length >= 1100, 'all of them are in the log');
        const all = await get('');
        assert.ok(all.every((seq, i) => i === 0 || seq > all[i - 1]), 'the order, or one twice');
        for (const limit of [1, 499, 500, 501, 1000, 1001])
            assert.deepEqual(await get(`?limit=${limit}`), all.slice(0, limit));
        assert.deepEqual(await get(`?after_seq=${all[99]}&limit=700`), all.slice(100, 800));
        // Clients that leave in the middle leave nothing behind.
        for (let i = 0; i < 20; i++) {
            const raw = new RawConnection(server);
            raw.send(
                `GET /api/audit/export HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n` +
                    `Authorization: Bearer ${token}\r\n\r\n`,
            );
            await raw.reply({ head: true });
            raw.close();
        }
        await until(async () => (await server.metric('witan_memory_in_flight_bytes')) === 0, 'all is given back');
    },
);

// With a limit of addresses, in MB, as `ulimit -v` sets it.
function serveWithin(folder, megabytes) {
    const command = `ulimit -v ${megabytes * 1024} && exec "$0" serve --listen 127.0.0.1:0 --db "sqlite:${folder}/a.db"`;
    return spawn('sh', ['-c', command, binary], { env: cleanEnv(folder), stdio: ['ignore', 'pipe', 'pipe'] });
}

test('a limited address space is enough, or too little is said at the start', async (t) => {
    for (const [megabytes, enough] of [[150, false], [255, false], [256, true], [400, true], [600, true]]) {
        const child = serveWithin(await tempFolder(t), megabytes);
        t.after(() => child.kill('SIGKILL'));
        let said = '';
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said += bytes));
        const ended = once(child, 'close');
        if (!enough) {
            assert.deepEqual(await ended, [1, null], said);
            assert.match(said, new RegExp(`limited to ${megabytes} MB; a server needs 256 MB[^]*LimitAS=`));
            continue;
        }
        const [, url] = await until(() => {
            assert.equal(child.exitCode, null, said);
            return said.match(/ready: (\S+)\n/);
        }, `it starts within ${megabytes} MB`);
        // Each on a connection of its own, so that every thread has its turn.
        const replies = await Promise.all(
            Array.from({ length: 40 }, async (_, i) => {
                const body = JSON.stringify({ agent_name: 'Scout', message: 'x'.repeat(1000 * i + 1) });
                const headers = { 'Content-Type': 'application/json', Connection: 'close' };
                return (await fetch(`${url}/api/chat`, { method: 'POST', headers, body })).status;
            }),
        );
        assert.deepEqual(new Set(replies), new Set([201]));
        assert.equal(/address space is limited/.test(said), megabytes < 512);
        child.kill('SIGTERM');
        assert.deepEqual(await ended, [0, null]);
    }
});
