// Writes the typed client from the descriptions of the API and of its events.
//
//   node scripts/client.mjs OPENAPI.json ASYNCAPI.json >src/core/api.gen.ts
//
// Each operation becomes a constant with its method and path, and types for what it takes and gives, so that
// a page that asks for what the server does not have does not compile. Objects that occur in several places
// get a name: that of the member they were first seen under. The types of events are one of a few words, and
// roles a list, of which forms let people choose.
import { readFileSync } from 'node:fs';

// Members whose plain name is what others call something else by.
const called = { run_trace: { entries: 'RunEntry', call: 'RunCall', budget: 'RunBudget' } };
let current = ''; // the operation that is being written

const named = new Map(); // the text of a shape -> its name
const names = new Map(); // a name -> the text of its shape
const counts = new Map(); // how often a shape was seen

const property = (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
const capital = (name) => name.replace(/(^|[_-])(\w)/g, (_, __, letter) => letter.toUpperCase());
const single = (name) => name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');

function literal(value) {
    return typeof value === 'string' ? `'${value}'` : String(value);
}

function shape(schema, depth) {
    const members = Object.entries(schema.properties).map(([name, of]) => {
        const optional = (schema.required ?? []).includes(name) ? '' : '?';
        return `${property(name)}${optional}: ${type(of, name, depth)}`;
    });
    return `{ ${members.join('; ')} }`;
}

function object(schema, name, depth) {
    if (!schema.properties) return 'Record<string, unknown>';
    const text = shape(schema, depth + 1);
    if (Object.keys(schema.properties).length < 2 || depth === 0) return text;
    counts.set(text, (counts.get(text) ?? 0) + 1);
    if (named.has(text)) return named.get(text);
    const wanted = called[current]?.[name] ?? capital(single(name));
    if (names.has(wanted)) return text;
    named.set(text, wanted);
    names.set(wanted, text);
    return wanted;
}

function type(schema, name, depth = 0) {
    if (!schema) return 'unknown';
    if (schema.$ref) return schema.$ref.endsWith('/Error') ? 'Refusal' : 'unknown';
    if (schema.enum) return schema.enum.map(literal).join(' | ');
    if (schema.oneOf ?? schema.anyOf)
        return (schema.oneOf ?? schema.anyOf).map((one) => type(one, name, depth + 1)).join(' | ');
    const kinds = [schema.type].flat();
    const texts = kinds.map((kind) => {
        if (kind === 'integer' || kind === 'number') return 'number';
        if (kind === 'string' || kind === 'boolean' || kind === 'null') return kind;
        if (kind === 'array') return `Array<${type(schema.items, name, depth + 1)}>`;
        if (kind === 'object') return object(schema, name, depth + 1);
        return 'unknown';
    });
    return texts.join(' | ');
}

function members(parameters, place) {
    const those = parameters.filter((parameter) => parameter.in === place);
    if (those.length === 0) return undefined;
    const texts = those.map(({ name, required, schema }) => `${property(name)}${required ? '' : '?'}: ${type(schema, name)}`);
    return { text: `{ ${texts.join('; ')} }`, required: those.some(({ required }) => required) };
}

function operation(method, path, described) {
    current = described.operationId;
    const parameters = (described.parameters ?? []).filter((parameter) => parameter.in);
    const body = described.requestBody?.content?.['application/json']?.schema;
    const good = Object.entries(described.responses).find(([status]) => status.startsWith('2'))?.[1];
    const reply = good?.content?.['application/json']?.schema;
    const parts = [];
    for (const place of ['path', 'query']) {
        const found = members(parameters, place);
        if (found) parts.push(`${place}${found.required ? '' : '?'}: ${found.text}`);
    }
    if (body) parts.push(`body${described.requestBody.required ? '' : '?'}: ${type(body, 'body', -1)}`);
    const name = described.operationId;
    return (
        `/** ${described.summary.replaceAll('*/', '* /')} */\n` +
        `export const ${name}: Op<{ ${parts.join('; ')} }, ${reply ? type(reply, name, -1) : 'undefined'}> = ` +
        `/*#__PURE__*/ op('${method.toUpperCase()}', '${path}');\n`
    );
}

const [description, events] = process.argv.slice(2, 4).map((path) => JSON.parse(readFileSync(path, 'utf8')));
const operations = [];
for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, described] of Object.entries(methods))
        if (described.operationId && path.includes('/') && !['/ws', '/metrics'].includes(path))
            operations.push(operation(method, path, described));
}
const types = [...named].map(([text, name]) => `export type ${name} = ${text};\n`);
types.push(`/** What an event may be, as docs/events.md tells. */\nexport type EventType = ${Object.keys(events.channels.events.messages).map(literal).join(' | ')};\n`);
const roles = description.paths['/api/users'].post.requestBody.content['application/json'].schema.properties.role.enum.filter(Boolean);
types.push(`export const roles = [${roles.map(literal).join(', ')}] as const;\n`);
process.stdout.write(
    `// Made from /api/openapi.json and /api/asyncapi.json by scripts/client.mjs; do not edit by hand, run make docs.\n` +
        `import { op, type Op } from './op.ts';\n\n${types.join('')}\n${operations.join('\n')}`,
);
