// The descriptions at /api/openapi.json and /api/asyncapi.json, as the running server gives them, are valid OpenAPI 3.1
// and AsyncAPI 3 without a warning.
import { Parser } from '@asyncapi/parser';
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const binary = process.env.WITAN_BIN ?? 'build/witan';
let folder, server, description, events;

async function freePort() {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address();
    listener.close();
    await once(listener, 'close');
    return port;
}

async function fetchWhenUp(url) {
    for (let tries = 0; tries < 100; tries++) {
        assert.equal(server.exitCode, null, 'the server ended at once');
        try {
            return await fetch(url);
        } catch {
            await sleep(100);
        }
    }
    throw new Error(`nothing answers at ${url}`);
}

before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'witan-openapi-'));
    const address = `127.0.0.1:${await freePort()}`;
    server = spawn(binary, ['serve', '--listen', address, '--db', `sqlite:${join(folder, 'witan.db')}`], {
        env: { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
        stdio: ['ignore', 'ignore', 'inherit'],
    });
    const reply = await fetchWhenUp(`http://${address}/api/openapi.json`);
    assert.equal(reply.status, 200);
    description = await reply.json();
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(description));
    events = await (await fetch(`http://${address}/api/asyncapi.json`)).json();
});

after(async () => {
    if (server && server.exitCode === null) {
        server.kill('SIGTERM');
        await once(server, 'exit');
    }
    if (folder) await rm(folder, { recursive: true, force: true });
});

function lint(file) {
    return spawnSync('node_modules/.bin/redocly', ['lint', file, '--config', 'tests/redocly.yaml'], {
        encoding: 'utf8',
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
}

test('the description is OpenAPI 3.1 and passes redocly without a warning', () => {
    assert.match(description.openapi, /^3\.1\./);
    const { status, stdout, stderr } = lint(join(folder, 'openapi.json'));
    assert.equal(status, 0, stdout + stderr);
    assert.doesNotMatch(stdout + stderr, /\d+ warnings?/);
});

test('the lint finds a planted mistake', async () => {
    const broken = structuredClone(description);
    const [path] = Object.keys(broken.paths);
    const [method] = Object.keys(broken.paths[path]);
    broken.paths[path][method].responses = { 200: { $ref: '#/components/responses/nowhere' } };
    await writeFile(join(folder, 'broken.json'), JSON.stringify(broken));
    assert.notEqual(lint(join(folder, 'broken.json')).status, 0);
});

// Advice on style is not asked for; errors and warnings are.
async function faults(document) {
    const { diagnostics } = await new Parser().parse(JSON.stringify(document));
    return diagnostics.filter(({ severity }) => severity < 2).map(({ message, path }) => `${path.join('.')}: ${message}`);
}

test('the description of the events is AsyncAPI 3 without a warning', async () => {
    assert.match(events.asyncapi, /^3\./);
    assert.deepEqual(await faults(events), []);
    assert.ok(events.components.messages['prompt.created'].payload.properties.promptId);
});

test('the parser finds a planted mistake', async () => {
    const broken = structuredClone(events);
    broken.channels.events.messages.status.$ref = '#/components/messages/nowhere';
    assert.notDeepEqual(await faults(broken), []);
});

test('streams and health stand in the description', () => {
    for (const path of ['/api/events', '/api/jobs/{id}/stream', '/api/discussions/{id}/stream', '/ws', '/healthz', '/readyz', '/metrics'])
        assert.ok(description.paths[path]?.get, path);
});
