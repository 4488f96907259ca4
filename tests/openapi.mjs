// The descriptions at /api/openapi.json and /api/asyncapi.json, as the running server gives them, are valid OpenAPI 3.1
// and AsyncAPI 3 without a warning.
import { Parser } from '@asyncapi/parser';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { start } from './e2e/lib/server.mjs';

const endings = [];
let folder, description, events;

before(async () => {
    const server = await start({ after: (end) => endings.unshift(end) }, { clock: false });
    folder = server.folder;
    description = await server.must(200, 'GET', '/api/openapi.json');
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(description));
    events = await server.must(200, 'GET', '/api/asyncapi.json');
});

after(async () => {
    for (const end of endings) await end();
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
