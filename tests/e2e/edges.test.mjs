// The description at /api/openapi.json says what the server really takes: at the edges of every parameter's schema,
// what the schema allows is not refused for its form, and what it forbids is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { makeToken, nobody } from './lib/identity.mjs';
import { start } from './lib/server.mjs';

const ajv = addFormats(new Ajv({ strict: false, allowUnionTypes: true, unicodeRegExp: true }));
// What is right in its form may still mean nothing here: things that do not exist, times that have passed, passwords
// that anybody would guess, one of two of which one is needed, the same choice twice,
// one thing on a page of many.
const meaning = /names no |There is no |has passed already|This password is |is required|^Give |is among the choices twice|A vote needs voters|A discussion needs participants|shows no single thing|is for jobs that witan runs/;
const uuid = '0192f0c1-2f7e-7abc-8def-0123456789ab';

// What a field is tried with: around each of its limits, and some that are plainly of another kind.
function candidates(schema) {
    const sizes = new Set([0, 1]);
    if (schema.minLength) sizes.add(schema.minLength - 1).add(schema.minLength);
    if (schema.maxLength) sizes.add(schema.maxLength).add(schema.maxLength + 1);
    const numbers = new Set([0, 1, -1, 1.5]);
    if (Number.isSafeInteger(schema.minimum)) numbers.add(schema.minimum - 1).add(schema.minimum);
    if (Number.isSafeInteger(schema.maximum)) numbers.add(schema.maximum).add(schema.maximum + 1);
    const texts = [
        ...[...sizes].map((size) => 'a'.repeat(size)),
        ' ',
        'a b',
        'a\nb',
        'a\u007f',
        'a\u009bb',
        'a\u200bb',
        'a\u202eb',
        'a\u200db',
        'می‌خواهم',
        uuid,
        uuid.toUpperCase(),
        `${uuid}0`,
        '2026-01-31T12:00:00Z',
        '2026-01-31T12:00:00.123456789+14:00',
        '2026-01-31T12:00:00.1234567890Z',
        '2026-02-30T00:00:00Z',
        ...(schema.enum ?? []).filter((value) => value !== null),
    ];
    const lists = [[]];
    if (schema.items) {
        const item = typical(schema.items);
        for (const size of [schema.minItems - 1, schema.minItems, 1, schema.maxItems, schema.maxItems + 1])
            if (size >= 0 && size <= 1001) lists.push(Array.from({ length: size }, () => item));
    }
    return [...texts, ...numbers, true, false, null, {}, ...lists, typical(schema)];
}

// Something plain that the schema allows.
function typical(schema) {
    if (schema.enum) return schema.enum[0];
    if (schema.format === 'uuid') return uuid;
    if (schema.format === 'date-time') return '2026-01-31T12:00:00Z';
    const type = [schema.type].flat()[0];
    if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, Math.min(1, schema.maximum ?? 1));
    if (type === 'boolean') return true;
    if (type === 'array') return Array.from({ length: schema.minItems ?? 0 }, () => typical(schema.items));
    if (type === 'object' && schema.properties) return withRequired(schema);
    if (type === 'object' || type === undefined) return {};
    return 'a'.repeat(Math.max(schema.minLength ?? 1, 1));
}

function withRequired(schema) {
    return Object.fromEntries((schema.required ?? []).map((name) => [name, typical(schema.properties[name])]));
}

// Every place in a body that has a schema: how to put a value there, inside an otherwise plain body.
function* places(schema, put = (value) => value, depth = 0) {
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
        const here = (value) => put({ ...withRequired(schema), [name]: value });
        yield { name, schema: member, put: here, required: schema.required?.includes(name), nested: depth > 0 };
        const type = [member.type].flat();
        if (type.includes('object')) yield* places(member, here, depth + 1);
        if (type.includes('array') && member.items.properties) yield* places(member.items, (value) => here([value]), depth + 1);
    }
}

const inQuery = (value) => (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean');

// A query has texts only: a schema of another type is of what the text says.
function allowedInQuery(check, schema, value) {
    const type = [schema.type].flat()[0];
    if (type === 'string') return check(String(value));
    if (type === 'boolean') return [true, false, 0, 1, 'true', 'false', '0', '1'].includes(value);
    const text = String(value);
    return /^-?\d+([.]\d+)?$/.test(text) && check(Number(text));
}

// Where core asks for more than binding does, it says so only of things that are there.
async function things(server, paths, options) {
    const make = (path, body) => server.must(201, 'POST', path, body, options);
    const project = await make('/api/projects', { name: 'edges' });
    const { schema } = paths['/api/jobs'].post.requestBody.content['application/json'];
    const job = await make('/api/jobs', withRequired(schema));
    const template = await make('/api/templates', { name: 'edges', question: 'Which edge?', type: 'blocking' });
    const agent = await make('/api/agents', { name: 'edges' });
    return {
        '/api/agents/': agent.id,
        '/api/projects/': project.id,
        '/api/jobs/{id}/questions': job.id,
        '/api/templates/': template.id,
    };
}

function pathFor(path, ids, method) {
    const known = Object.keys(ids).find((prefix) => path === prefix || path.startsWith(`${prefix}{`));
    const id = method !== 'delete' && known ? ids[known] : nobody;
    return path.replace(/\{[^}]+\}/, id).replace(/\{[^}]+\}/g, nobody);
}

test('every operation takes what its schema allows, and nothing else', { timeout: 600_000 }, async (t) => {
    const server = await start(t, {
        env: { WITAN_LIMITS_TOKEN_RATE: '1000000', WITAN_LIMITS_TOKEN_BURST: '1000000', WITAN_LIMITS_LOGIN_RATE: '1000', WITAN_QUESTIONS_RATE: '100000', WITAN_QUESTIONS_OPEN: '10000' },
    });
    const token = await makeToken(server, { name: 'edges', role: 'owner' });
    const options = { token };
    const { paths } = await server.must(200, 'GET', '/api/openapi.json');
    const ids = await things(server, paths, options);
    const wrong = [];
    let tried = 0;

    // Refused for its form: by itself, or with a body that its limit makes too large.
    async function attempt(operation, method, path, body, field, allowed, value) {
        const reply = await server.api(method.toUpperCase(), path, body, options);
        const { error, field: named } = reply.body ?? {};
        const form = reply.status === 413 || (reply.status === 400 && (!allowed || (named === field && !meaning.test(error))));
        tried++;
        if (reply.status >= 500 || (allowed === form && reply.status !== 429))
            wrong.push(
                `${operation} ${field} = ${JSON.stringify(value)?.slice(0, 60)}: ` +
                    `${allowed ? 'allowed' : 'forbidden'}, but ${reply.status} ${reply.text.slice(0, 160)}`,
            );
    }

    for (const [template, methods] of Object.entries(paths)) {
        for (const [method, row] of Object.entries(methods)) {
            if (row.tags.includes('Streams')) continue; // what has no end
            const path = pathFor(template, ids, method);
            const schema = row.requestBody?.content['application/json'].schema;
            const plain = schema && withRequired(schema);
            const query = row.parameters.filter(({ in: place }) => place === 'query');
            const needed = query.filter(({ required }) => required).map(({ name, schema: of }) => [name, typical(of)]);
            for (const { name, schema: of, put, required, nested } of schema ? places(schema) : []) {
                const check = ajv.compile(of);
                await Promise.all(
                    candidates(of).map((value) =>
                        attempt(row.operationId, method, path, put(value), name, check(value), value),
                    ),
                );
                if (required) {
                    const body = put(null);
                    if (!nested) await attempt(row.operationId, method, path, (delete body[name], body), name, false, undefined);
                }
            }
            for (const { name, schema: of } of query) {
                if (name === 'cursor' || name === 'wait') continue;
                const check = ajv.compile(of);
                await Promise.all(
                    candidates(of).filter(inQuery).map((value) => {
                        const others = needed.filter(([other]) => other !== name);
                        const asked = new URLSearchParams([...others, [name, String(value)]]);
                        const allowed = allowedInQuery(check, of, value);
                        return attempt(row.operationId, method, `${path}?${asked}`, plain, name, allowed, value);
                    }),
                );
            }
        }
    }
    assert.ok(tried > 2000, `only ${tried} were tried`);
    assert.deepEqual(wrong, [], `${wrong.length} of ${tried}:\n${wrong.join('\n')}`);
});
