// The descriptions at /api/openapi.json and /api/asyncapi.json, as the running server gives them, are valid OpenAPI 3.1
// and AsyncAPI 3 without a warning.
import { Parser } from '@asyncapi/parser';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
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

// They are sent to a server by tests/contract/test_examples.c; here they are held to their own schemas, as readers do.
test('every body shows an example that its schema allows', () => {
    const ajv = addFormats(new Ajv({ strict: false, allowUnionTypes: true, unicodeRegExp: true }));
    const bodies = Object.values(description.paths)
        .flatMap((methods) => Object.values(methods))
        .filter(({ requestBody }) => requestBody);
    assert.ok(bodies.length > 40);
    for (const { operationId, requestBody } of bodies) {
        const { schema, example } = requestBody.content['application/json'];
        assert.ok(example && Object.keys(example).length > 0, `${operationId} shows no example`);
        // A member that the schema does not know would pass it.
        for (const member of Object.keys(example)) assert.ok(schema.properties[member], `${operationId}: ${member}`);
        const fits = ajv.compile({ ...schema, components: description.components });
        assert.ok(fits(example), `${operationId}: ${JSON.stringify(fits.errors)}`);
    }
    const { example } = description.paths['/api/jobs'].get.parameters.find(({ name }) => name === 'agent');
    assert.equal(example, 'Builder');
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
