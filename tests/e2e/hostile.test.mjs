// Whatever stands in a request, it is never the server's fault, and both engines say the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeToken } from './lib/identity.mjs';
import { full, start } from './lib/server.mjs';

// As they stand in an address: bytes that are no text, times and numbers at and beyond the edge.
const hostileTexts = [
    '%FF%FE',
    '%ED%A0%80',
    '%00',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '-9223372036854775808',
    '9223372036854775807',
    '99999999999999999999',
    '1e308',
    'NaN',
    '%C2%9B%E2%80%AE%E2%80%8B',
    "'%3B--",
];
// As they stand in JSON.
const hostileValues = [
    '"\\u0000"',
    '"\\ud800"',
    '"0000-01-01T00:00:00Z"',
    '"9999-12-31T23:59:59-23:59"',
    '-9223372036854775808',
    '9223372036854775807',
    '1e308',
    '-1.5',
    '"\\u009b\\u202e\\u200b"',
    '{"a":{"b":"\\u0000"}}',
    '["\\ud800"]',
    '"\xff"',
];

function minimal(schema = {}) {
    if (schema.enum) return schema.enum[0];
    if (schema.default !== undefined) return schema.default;
    const type = [schema.type].flat()[0];
    if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
    if (type === 'boolean') return true;
    if (type === 'array') return schema.minItems ? [minimal(schema.items)] : [];
    if (type === 'object' || schema.properties)
        return Object.fromEntries(
            (schema.required ?? []).map((name) => [name, minimal(schema.properties?.[name])]),
        );
    if (schema.format === 'uuid') return '00000000-0000-7000-8000-00000000dead';
    return schema.format === 'date-time' ? '2026-01-31T12:00:00Z' : 'x';
}

// Each parameter of each operation in turn, all others as they should be.
function* requests(document, subjects) {
    for (const [path, methods] of Object.entries(document.paths))
        for (const [method, op] of Object.entries(methods)) {
            if (/test\/clock|\/api\/(events|login|logout)|\/ws$|\/stream$|^\/(?!api)/.test(path)) continue;
            const place = path.replace(/\{id\}/, subjects[path.split('/')[2]] ?? '{id}');
            const real = place.replace(/\{\w+\}/g, '00000000-0000-7000-8000-00000000dead');
            const verb = method.toUpperCase();
            for (const text of hostileTexts) {
                if (path.includes('{')) yield [verb, path.replace(/\{\w+\}/g, text)];
                for (const { name, in: where } of op.parameters ?? [])
                    if (where === 'query' && name !== 'wait') yield [verb, `${real}?${name}=${text}`];
            }
            const schema = op.requestBody?.content?.['application/json']?.schema;
            for (const name of Object.keys(schema?.properties ?? {}))
                for (const value of hostileValues) {
                    const body = { ...minimal(schema), [name]: '@@' };
                    const text = JSON.stringify(body).replace('"@@"', value);
                    yield [verb, real, Buffer.from(text, 'latin1')];
                }
        }
}

async function prepare(server) {
    const token = await makeToken(server, { role: 'owner' });
    const must = (...args) => server.must(...args, { token });
    const project = await must(201, 'POST', '/api/projects', { name: 'Shop' });
    const task = await must(201, 'POST', `/api/projects/${project.id}/tasks`, { title: 'Build' });
    const job = await must(201, 'POST', '/api/jobs', { agent: 'Builder', status: 'running' });
    const question = await must(201, 'POST', `/api/jobs/${job.id}/questions`, {
        question: 'Which?',
        type: 'blocking',
        responseType: 'text',
    });
    const { prompt } = await must(201, 'POST', '/api/discussion', {
        requester_agent: 'Dev',
        prompt_message: 'Why?',
    });
    return {
        token,
        projects: project.id,
        tasks: task.id ?? task.task?.id,
        jobs: job.id,
        questions: question.questionId,
        discussion: prompt.id,
    };
}

test('no input is the fault of the server', { timeout: 600_000 }, async (t) => {
    // What goes by the minute would let the quicker engine do what the other refuses.
    const env = { WITAN_LIMITS_TOKEN_RATE: '1000000', WITAN_LIMITS_TOKEN_BURST: '1000000', WITAN_LIMITS_LOGIN_RATE: '1000', WITAN_QUESTIONS_RATE: '100000', WITAN_QUESTIONS_OPEN: '10000' };
    const servers = [await start(t, { env }), await start(t, { env, engine: 'postgres' })];
    const subjects = await Promise.all(servers.map(prepare));
    const document = await servers[0].must(200, 'GET', '/api/openapi.json');
    const all = subjects.map((of) => [...requests(document, of)].filter(([method]) => method !== 'DELETE'));
    const wrong = [];
    let asked = 0;
    // One after the other, so that both engines have the same things in the same state.
    for (let i = full ? 0 : Math.floor(Math.random() * 4); i < all[0].length; i += full ? 1 : 4) {
        const replies = await Promise.all(
            servers.map((server, at) => {
                const [method, path, body] = all[at][i];
                return server.api(method, path, body, { token: subjects[at].token });
            }),
        );
        asked++;
        const [one, other] = replies.map(({ status }) => status);
        if (one >= 500 || one !== other)
            wrong.push(`${all[0][i].join(' ')}: ${one}, on PostgreSQL ${other} ${replies[1].text}`);
    }
    t.diagnostic(`${asked} requests`);
    assert.deepEqual(wrong, []);
});

test('headers, cookies, tickets and links that are no text', async (t) => {
    for (const engine of ['sqlite', 'postgres']) {
        const server = await start(t, { engine });
        const bad = Buffer.from('\xff\xfe', 'latin1').toString('latin1');
        const reply = (path, headers, method = 'GET', body) => server.api(method, path, body, { headers });
        const message = Buffer.from('{"agent_name": "Dev", "message": "Hello"}'); // as text it would turn the header into UTF-8
        assert.equal((await reply('/api/chat', { 'X-Witan-Workspace': bad })).status, 404);
        assert.equal((await reply('/api/chat', { 'Idempotency-Key': bad }, 'POST', message)).status, 400);
        assert.equal((await reply('/api/chat', { Authorization: `Bearer ${bad}` })).status, 401);
        assert.ok((await reply('/api/chat', { Cookie: `witan_session=${bad}` })).status < 500);
        assert.equal((await reply('/api/events?ticket=%FF%FE', {})).status, 400);
        assert.equal((await reply('/api/events?types=%FF%FE', {})).status, 400);
        assert.ok((await reply('/api/events?after=%FF', {})).status === 400);
        assert.ok((await reply('/api/jobs/%FF/stream', {})).status < 500);
    }
});
