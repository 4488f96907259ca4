// Every operation, its successes and its errors, once through a proxy that compares each reply with the
// description at /api/openapi.json. The requests stand in described/, a file for each part.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeToken } from './lib/identity.mjs';
import { Server, start } from './lib/server.mjs';

// A proxy in front of the server. Wrong requests are let through: it is the replies that are judged.
async function prism(t, server, description) {
    const file = join(server.folder, `openapi-${Math.random()}.json`);
    await writeFile(file, JSON.stringify(description));
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
            '0',
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    t.after(async () => {
        child.kill();
        await once(child, 'exit');
    });
    let said = '';
    const proxied = new Server({ folder: server.folder, db: server.db });
    proxied.url = await new Promise((ready, failed) => {
        const hear = (bytes) => {
            said += bytes;
            const line = said.match(/Prism is listening on (http:\S+)\n/);
            if (line) ready(line[1]);
        };
        child.stdout.on('data', hear);
        child.stderr.on('data', hear);
        child.on('exit', () => failed(new Error(`prism ended:\n${said}`)));
    });
    return proxied;
}

const isViolation = (reply) => reply.status === 500 && reply.text.includes('VIOLATIONS');

// Streams never end and health refuses nobody, so these are no operations.
const plain = ['Streams', 'Health'];

function operations(description) {
    return Object.entries(description.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
            .filter(([, operation]) => operation.operationId && !plain.includes(operation.tags[0]))
            .map(([method, { operationId }]) => ({
                name: operationId,
                method: method.toUpperCase(),
                path: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/?]+')}(\\?.*)?$`),
            })),
    );
}

test('every reply is as the description says', { timeout: 600_000 }, async (t) => {
    const server = await start(t, { args: ['--require-auth', '--setup'] });
    const description = await server.must(200, 'GET', '/api/openapi.json');
    let owner;
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

    const [code] = server.said.match(/witano_\S+/);
    await call(201, 'POST', '/api/setup', { code, name: 'ada', password: 'correct horse' }, {});
    owner = await makeToken(server, { role: 'owner', name: 'owner' });
    const viewer = await makeToken(server, { role: 'viewer', name: 'viewer' });

    const folder = new URL('./described/', import.meta.url);
    for (const name of await readdir(folder)) {
        const { default: tryAll } = await import(new URL(name, folder));
        await tryAll({ call, server, owner, viewer });
    }
    for (const [name, outcomes] of seen)
        assert.deepEqual([...outcomes].sort(), ['error', 'success'], `${name} was not tried in full`);
});

test('a reply that differs from its description is found', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const description = await server.must(200, 'GET', '/api/openapi.json');
    const { schema } = description.paths['/api/chat'].get.responses[200].content['application/json'];
    const listing = schema.$ref ? description.components.schemas[schema.$ref.split('/').at(-1)] : schema;
    listing.properties.messages = { type: 'string' };
    const proxied = await prism(t, server, description);
    const reply = await proxied.api('GET', '/api/chat');
    assert.ok(isViolation(reply), `${reply.status} ${reply.text}`);
});
