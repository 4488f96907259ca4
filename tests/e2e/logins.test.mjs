// Logging in: who is held up by whom, and what browsers are told.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import { test } from 'node:test';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { quickOnce, start, until } from './lib/server.mjs';

const good = 'three odd otters';

// All of 127.0.0.0/8 is this machine: each address is a caller of its own.
const from = (localAddress) => new http.Agent({ keepAlive: false, localAddress });
const tryAs = (server, name, password, address, headers = {}) =>
    server.api('POST', '/api/login', { name, password }, { agent: from(address), headers });
const cookiesOf = (reply) => reply.headers['set-cookie'].map((line) => line.split(';')[0]);

test('strangers cannot keep a person out', async (t) => {
    const server = await start(t);
    await makeUser(server, 'maya', good, 'owner');
    const first = await tryAs(server, 'maya', good, '127.0.0.9');
    assert.equal(first.status, 200, first.text);
    const [, device] = cookiesOf(first);
    assert.match(device, /^witan_device=witand_/);

    // More addresses than an account has tries: some are refused, each on its first try.
    const replies = await Promise.all(
        Array.from({ length: 52 }, (_, i) => tryAs(server, 'Maya', 'wrong', `127.0.7.${i + 1}`)),
    );
    const refused = replies.filter(({ status }) => status === 429);
    assert.ok(refused.length >= 12, `${refused.length} were refused`);
    for (const reply of refused) {
        assert.ok(Number(reply.headers['retry-after']) >= 1);
        assert.match(reply.body.hint, /browser or a network/);
    }
    // A name that nobody has looks the same.
    const nobody = await tryAs(server, 'nobody', 'wrong', '127.0.0.10');
    assert.equal(nobody.status, 401);

    // Maya comes from where she came from before, or with the browser she had.
    assert.equal((await tryAs(server, 'maya', good, '127.0.0.9')).status, 200);
    const elsewhere = await tryAs(server, 'maya', good, '127.0.7.1', { Cookie: device });
    assert.equal(elsewhere.status, 200, elsewhere.text);
    assert.equal(cookiesOf(elsewhere)[1], device, 'a browser keeps its cookie');
    // It opens nothing by itself, and is good for nobody else.
    assert.equal(
        (await server.api('GET', '/api/me', undefined, { headers: { Cookie: device } })).status,
        401,
    );
    assert.equal((await tryAs(server, 'maya', 'wrong', '127.0.0.11', { Cookie: device })).status, 401);
});

test('a browser is known for everybody who logs in there', async (t) => {
    const server = await start(t);
    await makeUser(server, 'maya', good, 'owner');
    await makeUser(server, 'ben', good, 'member');
    const [, device] = cookiesOf(await tryAs(server, 'maya', good, '127.0.0.9'));
    const [, after] = cookiesOf(await tryAs(server, 'ben', good, '127.0.0.9', { Cookie: device }));
    assert.equal(after, device, 'the cookie stays when somebody else logs in');
    // One that nobody was given is not taken over.
    const chosen = `witan_device=witand_${'A'.repeat(43)}`;
    const [, given] = cookiesOf(await tryAs(server, 'maya', good, '127.0.0.9', { Cookie: chosen }));
    assert.notEqual(given, chosen);
});

test('changing a password is limited, too', async (t) => {
    // Two a minute, so that half a minute passes before there is another.
    const server = await start(t, { env: { WITAN_LIMITS_LOGIN_RATE: '2' } });
    await makeUser(server, 'maya', good, 'owner');
    const headers = { Cookie: await login(server, 'maya', good), Origin: server.url };
    const change = (oldPassword, address) =>
        server.api(
            'PUT',
            '/api/me/password',
            { oldPassword, newPassword: 'four even ermines' },
            { headers, agent: from(address) },
        );
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await change('guess', `127.0.3.${i + 1}`)).status);
    assert.deepEqual(statuses, [400, 400, 429, 429]);
    assert.equal((await change(good, '127.0.3.9')).status, 429);
});

test('a flood of logins delays neither a real one nor the reading of output', async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_LOGIN_RATE: '1000' } });
    const token = await makeToken(server, { role: 'owner' });
    await makeUser(server, 'maya', good, 'owner');
    await tryAs(server, 'maya', good, '127.0.0.9'); // starts the workers
    const project = await server.must(201, 'POST', '/api/projects', { name: 'P' }, { token });
    const { id } = await server.must(
        201,
        'POST',
        `/api/projects/${project.id}/feedback`,
        { text: 'x' },
        { token },
    );

    const output = `${'words of an agent. '.repeat(20_000)}\n{"status": "success"}`;
    const result = { agent: 'analyst', sourceId: id, output };
    let floods = 0;
    // How many strangers were served before the real one and before the output was read, whichever is more.
    const servedBefore = async () => {
        const flood = { done: 0, busy: 0 };
        const address = `127.0.5.${++floods}`;
        const all = Array.from({ length: 80 }, async (_, i) => {
            const { status, headers } = await tryAs(server, `nobody ${i}`, 'wrong', address);
            flood.done += status === 401;
            flood.busy += status === 503 && Number(headers['retry-after']) >= 1;
        });
        await until(() => flood.busy > 0 || flood.done === all.length, 'the waiting room is full');
        const before = flood.done;
        const [real, read] = await Promise.all(
            [
                tryAs(server, 'maya', good, '127.0.0.9'),
                server.api('POST', `/api/projects/${project.id}/results`, result, { token }),
            ].map(async (asked) => ({ ...(await asked), after: flood.done - before })),
        );
        assert.equal(real.status, 200, real.text);
        assert.ok(read.status < 300, read.text);
        await Promise.all(all);
        assert.equal(flood.done + flood.busy, all.length);
        // Where the machine let so many in one by one, there was no flood.
        return flood.busy >= 5 ? Math.max(real.after, read.after) : Infinity;
    };
    // Two are hashed at once, and of the 64 that wait only the one whose turn it was goes before; a few more are done until
    // a busy machine tells us. Behind all of them it would be twice as many.
    await quickOnce(32, servedBefore);
});

// Less than a program's share of a processor is next to nothing beside others that are busy: a login then took a minute.
test('a login gets its share of a busy machine', async (t) => {
    const server = await start(t);
    await makeUser(server, 'maya', good, 'owner');
    assert.equal((await tryAs(server, 'maya', good, '127.0.0.9')).status, 200); // starts the workers
    const tasks = `/proc/${server.pid}/task`;
    const nice = await Promise.all(
        (await readdir(tasks)).map(async (id) => {
            const [, fields] = /.*\) (.*)/.exec(await readFile(`${tasks}/${id}/stat`, 'utf8'));
            return Number(fields.split(' ')[16]);
        }),
    );
    assert.deepEqual(new Set(nice), new Set([nice[0]]), 'all threads have the same priority');
});

test('over https cookies are bound to the host', async (t) => {
    const server = await start(t, { env: { WITAN_SERVER_PUBLIC_URL: 'https://witan.example' } });
    await makeUser(server, 'maya', good, 'owner');
    const reply = await tryAs(server, 'maya', good, '127.0.0.9');
    assert.equal(reply.headers['set-cookie'].length, 2);
    for (const line of reply.headers['set-cookie']) {
        assert.match(line, /^__Host-witan_(session|device)=/);
        for (const part of ['; Secure', '; Path=/;', '; HttpOnly'])
            assert.ok(line.includes(part), `${part} in ${line}`);
        assert.ok(!/domain=/i.test(line));
    }
    const [cookie] = cookiesOf(reply);
    const me = (Cookie) => server.api('GET', '/api/me', undefined, { headers: { Cookie } });
    assert.equal((await me(cookie)).status, 200);
    // A neighbouring host could have set this one.
    assert.equal((await me(cookie.replace('__Host-', ''))).status, 401);
});

test('what another site asks a browser to fetch is refused, and a link from it is not', async (t) => {
    const server = await start(t);
    const get = async (path, headers) => (await server.api('GET', path, undefined, { headers })).status;
    const visit = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
    const fetched = { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' };
    const page = '/q/01890000-0000-7000-8000-000000000001';
    for (const site of ['cross-site', 'same-site']) {
        const Site = { 'Sec-Fetch-Site': site };
        for (const path of ['/api/chat', '/api/me', '/api/events', '/api/openapi.json', '/ws']) {
            assert.equal(await get(path, { ...Site, ...fetched }), 403, `${site} ${path}`);
            if (path !== '/ws') assert.equal(await get(path, { ...Site, ...visit }), 403, `${site} ${path}`);
        }
        for (const path of ['/', page]) {
            assert.notEqual(await get(path, { ...Site, ...visit }), 403, `${site} ${path}`);
            assert.equal(await get(path, { ...Site, ...fetched }), 403, `${site} ${path}`);
            const framed = { ...visit, 'Sec-Fetch-Dest': 'iframe' };
            assert.equal(await get(path, { ...Site, ...framed }), 403, `${site} ${path}`);
        }
    }
    for (const site of ['same-origin', 'none'])
        assert.equal(await get('/api/chat', { 'Sec-Fetch-Site': site, ...fetched }), 200, site);
    assert.equal(await get('/api/chat', {}), 200, 'programs say nothing of the kind');
    const reply = await server.api('GET', '/api/chat');
    assert.equal(reply.headers['cross-origin-resource-policy'], 'same-origin');
});
