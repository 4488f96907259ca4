// Every operation, its successes and its errors, once through a proxy that compares each reply with the
// description at /api/openapi.json.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { Server, start } from './lib/server.mjs';

const nobody = '00000000-0000-7000-8000-00000000dead';

async function freePort() {
    const listener = net.createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address();
    listener.close();
    await once(listener, 'close');
    return port;
}

// A proxy in front of the server. Wrong requests are let through: it is the replies that are judged.
async function prism(t, server, description) {
    const file = join(server.folder, `openapi-${Math.random()}.json`);
    await writeFile(file, JSON.stringify(description));
    const port = await freePort();
    const child = spawn(
        process.execPath,
        [
            'node_modules/@stoplight/prism-cli/dist/index.js',
            'proxy',
            file,
            server.url,
            '--errors',
            '--validate-request',
            'false',
            '--port',
            String(port),
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    t.after(async () => {
        child.kill();
        await once(child, 'exit');
    });
    let said = '';
    await new Promise((ready, failed) => {
        const hear = (bytes) => {
            said += bytes;
            if (said.includes('Prism is listening')) ready();
        };
        child.stdout.on('data', hear);
        child.stderr.on('data', hear);
        child.on('exit', () => failed(new Error(`prism ended:\n${said}`)));
    });
    const proxied = new Server({ folder: server.folder, db: server.db });
    proxied.url = `http://127.0.0.1:${port}`;
    return proxied;
}

const isViolation = (reply) => reply.status === 500 && reply.text.includes('VIOLATIONS');

function operations(description) {
    return Object.entries(description.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
            .filter(([, operation]) => operation.operationId)
            .map(([method, { operationId }]) => ({
                name: operationId,
                method: method.toUpperCase(),
                path: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/?]+')}(\\?.*)?$`),
            })),
    );
}

test('every reply is as the description says', { timeout: 120_000 }, async (t) => {
    const server = await start(t);
    const description = await server.must(200, 'GET', '/api/openapi.json');
    const owner = await makeToken(server, { role: 'owner', name: 'owner' });
    const viewer = await makeToken(server, { role: 'viewer', name: 'viewer' });
    await makeUser(server, 'ada', 'correct horse', 'owner');
    const proxied = await prism(t, server, description);
    const seen = new Map(operations(description).map(({ name }) => [name, new Set()]));
    const call = async (status, method, path, body, options = { token: owner }) => {
        const reply = await proxied.api(method, path, body, options);
        assert.ok(!isViolation(reply), `${method} ${path}: ${reply.text}`);
        assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
        // The most exact path wins: /api/notifications/read-all is not /api/notifications/{id}.
        const [found] = operations(description)
            .filter((operation) => operation.method === method && operation.path.test(path))
            .sort((a, b) => a.path.source.split('[').length - b.path.source.split('[').length);
        seen.get(found.name).add(status < 400 ? 'success' : 'error');
        return reply.body;
    };

    const asked = await call(201, 'POST', '/api/discussion', {
        requester_agent: 'Developer',
        prompt_message: 'For @Builder',
        task_id: 'T-1',
    });
    const { id } = asked.prompt;
    await call(400, 'POST', '/api/discussion', {});
    await call(
        403,
        'POST',
        '/api/discussion',
        { requester_agent: 'A', prompt_message: 'Q' },
        { token: viewer },
    );
    await call(200, 'GET', '/api/discussion?agent=Builder&status=collecting&task_id=T-1&limit=10');
    await call(400, 'GET', '/api/discussion?limit=0');
    await call(200, 'GET', `/api/discussion/${id}`);
    await call(200, 'GET', `/api/discussion/${id}?wait=1`);
    await call(404, 'GET', `/api/discussion/${nobody}`);
    await call(401, 'GET', `/api/discussion/${id}`, undefined, {});
    await call(201, 'POST', `/api/discussion/${id}`, { agent_name: 'Builder', message: 'Mind the cache.' });
    await call(400, 'POST', `/api/discussion/${id}`, { agent_name: 'Builder' });
    await call(200, 'PATCH', `/api/discussion/${id}`, { action: 'resolve' });
    await call(409, 'PATCH', `/api/discussion/${id}`, { action: 'cancel' });
    await call(400, 'PATCH', `/api/discussion/${id}`, { action: 'forget' });
    await call(200, 'GET', `/api/discussion/${id}`);
    await call(201, 'POST', '/api/chat', {
        agent_name: 'Developer',
        message: 'Hello @Builder',
        task_ref: 'T-1',
    });
    await call(415, 'POST', '/api/chat', 'hello', {
        token: owner,
        headers: { 'Content-Type': 'text/plain' },
    });
    await call(
        413,
        'POST',
        '/api/chat',
        JSON.stringify({ agent_name: 'A', message: 'x', more: 'x'.repeat(1 << 20) }),
    );
    await call(200, 'GET', '/api/chat?limit=2');
    await call(400, 'GET', '/api/chat?cursor=nonsense');

    const { notifications } = await call(200, 'GET', '/api/notifications?agent=Builder');
    assert.ok(notifications.length > 0);
    await call(400, 'GET', '/api/notifications?limit=x');
    await call(200, 'GET', '/api/notifications/pending-count?agent=Builder');
    await call(401, 'GET', '/api/notifications/pending-count', undefined, {});
    await call(200, 'POST', `/api/notifications/${notifications[0].id}/read?agent=Builder`, {
        agent: 'Builder',
    });
    await call(404, 'POST', `/api/notifications/${nobody}/read?agent=Builder`, { agent: 'Builder' });
    await call(200, 'POST', '/api/notifications/read-all?agent=Builder', { agent: 'Builder' });
    await call(401, 'POST', '/api/notifications/read-all', {}, {});

    await call(200, 'POST', '/api/login', { name: 'ada', password: 'correct horse' }, {});
    await call(401, 'POST', '/api/login', { name: 'ada', password: 'wrong' }, {});
    const cookie = { headers: { Cookie: await login(server, 'ada', 'correct horse'), Origin: server.url } };
    await call(200, 'GET', '/api/me', undefined, cookie);
    await call(401, 'GET', '/api/me', undefined, {});
    await call(200, 'PUT', '/api/me/preferences', { preferences: { theme: 'dark' } }, cookie);
    await call(400, 'PUT', '/api/me/preferences', { preferences: [] }, cookie);
    await call(200, 'GET', '/api/me/preferences', undefined, cookie);
    await call(401, 'GET', '/api/me/preferences', undefined, {});
    await call(
        400,
        'PUT',
        '/api/me/password',
        { oldPassword: 'wrong', newPassword: 'battery staple' },
        cookie,
    );
    await call(
        204,
        'PUT',
        '/api/me/password',
        { oldPassword: 'correct horse', newPassword: 'battery staple' },
        cookie,
    );
    await call(201, 'POST', '/api/tickets', {});
    await call(401, 'POST', '/api/tickets', {}, {});

    const user = await call(201, 'POST', '/api/users', {
        name: 'bob',
        password: 'correct horse',
        role: 'member',
    });
    await call(409, 'POST', '/api/users', { name: 'BOB', password: 'correct horse' });
    await call(200, 'GET', '/api/users');
    await call(403, 'GET', '/api/users', undefined, { token: viewer });
    await call(200, 'GET', `/api/users/${user.id}`);
    await call(404, 'GET', `/api/users/${nobody}`);
    await call(200, 'PATCH', `/api/users/${user.id}`, { role: 'viewer' });
    await call(400, 'PATCH', `/api/users/${user.id}`, { role: 'king' });
    await call(204, 'DELETE', `/api/users/${user.id}`);
    await call(404, 'DELETE', `/api/users/${user.id}`);
    const token = await call(201, 'POST', '/api/tokens', {
        name: 'ci',
        agentName: 'CI',
        expiresAt: '2999-01-01T00:00:00Z',
    });
    await call(400, 'POST', '/api/tokens', { name: '' });
    await call(200, 'GET', '/api/tokens');
    await call(403, 'GET', '/api/tokens', undefined, { token: viewer });
    await call(200, 'GET', `/api/tokens/${token.id}`);
    await call(404, 'GET', `/api/tokens/${nobody}`);
    await call(204, 'DELETE', `/api/tokens/${token.id}`);
    await call(404, 'DELETE', `/api/tokens/${nobody}`);
    const workspace = await call(
        201,
        'POST',
        '/api/workspaces',
        { name: 'Research', settings: { personas: [] } },
        cookie,
    );
    await call(409, 'POST', '/api/workspaces', { name: 'Research', slug: workspace.slug }, cookie);
    await call(200, 'GET', '/api/workspaces', undefined, cookie);
    await call(401, 'GET', '/api/workspaces', undefined, {});
    await call(200, 'GET', `/api/workspaces/${workspace.id}`, undefined, cookie);
    await call(404, 'GET', `/api/workspaces/${nobody}`, undefined, cookie);
    await call(200, 'PATCH', `/api/workspaces/${workspace.id}`, { name: 'Lab' }, cookie);
    await call(400, 'PATCH', `/api/workspaces/${workspace.id}`, { slug: 'No Slug' }, cookie);
    await call(204, 'DELETE', `/api/workspaces/${workspace.id}`, undefined, cookie);
    await call(404, 'DELETE', `/api/workspaces/${workspace.id}`, undefined, cookie);
    await call(200, 'GET', '/api/audit?limit=5');
    await call(403, 'GET', '/api/audit', undefined, { token: viewer });
    await call(200, 'GET', '/api/audit/export?limit=5');
    await call(400, 'GET', '/api/audit/export?limit=0');
    await call(204, 'POST', '/api/logout', undefined, cookie);
    await call(403, 'POST', '/api/logout', undefined, {
        headers: { ...cookie.headers, Origin: 'http://evil.example' },
    });

    for (const [name, outcomes] of seen)
        assert.deepEqual([...outcomes].sort(), ['error', 'success'], `${name} was not tried in full`);
});

test('a reply that differs from its description is found', { timeout: 60_000 }, async (t) => {
    const server = await start(t);
    const description = await server.must(200, 'GET', '/api/openapi.json');
    const { schema } = description.paths['/api/chat'].get.responses[200].content['application/json'];
    const listing = schema.$ref ? description.components.schemas[schema.$ref.split('/').at(-1)] : schema;
    listing.properties.messages = { type: 'string' };
    const proxied = await prism(t, server, description);
    const reply = await proxied.api('GET', '/api/chat');
    assert.ok(isViolation(reply), `${reply.status} ${reply.text}`);
});
