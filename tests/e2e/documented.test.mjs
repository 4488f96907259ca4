// The requests and the TypeScript of the documentation, as they stand there, against a server in solo mode.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { onBothEngines, start } from './lib/server.mjs';

const create = `POST /api/discussion
Content-Type: application/json

{
  "task_id": "optional-uuid",
  "requester_agent": "Developer",
  "prompt_message": "Before implementing feature X, what should I consider?",
  "required_responses": 2,
  "timeout_minutes": 30
}`;
const pending = 'GET /api/discussion?status=collecting&agent=Developer';
const check = 'GET /api/discussion/{id}';
const respond = `POST /api/discussion/{id}
Content-Type: application/json

{
  "agent_name": "Builder",
  "message": "Here are my thoughts...",
  "is_human": false
}`;
const end = `PATCH /api/discussion/{id}
Content-Type: application/json

{
  "action": "resolve"
}`;

// Sends a request that is written as in the documentation; its reply must be a success.
async function send(server, text, id = '') {
    const [head, body] = text.replace('{id}', id).split('\n\n');
    const [line, ...lines] = head.split('\n');
    const [method, path] = line.split(' ');
    const headers = Object.fromEntries(lines.map((header) => header.split(': ')));
    const reply = await server.api(method, path, body, { headers });
    assert.ok(reply.status === 200 || reply.status === 201, `${line}: ${reply.status} ${reply.text}`);
    return reply.body;
}

async function theRequestsWork(server) {
    const { prompt, chat } = await send(server, create);
    assert.equal(prompt.status, 'collecting');
    assert.equal(prompt.task_id, 'optional-uuid');
    assert.equal(chat.message_type, 'discussion_prompt');
    assert.equal(chat.id, prompt.squad_chat_id);

    // What Developer may answer: not its own.
    assert.deepEqual((await send(server, pending)).prompts, []);
    const [listed] = (await send(server, pending.replace('Developer', 'Builder'))).prompts;
    assert.equal(listed.id, prompt.id);

    const replied = await send(server, respond, prompt.id);
    assert.equal(replied.response.message_type, 'discussion_response');
    assert.equal(replied.ready, false);
    assert.equal((await send(server, respond.replace('Builder', 'Growth'), prompt.id)).ready, true);

    const state = await send(server, check, prompt.id);
    assert.equal(state.ready, true);
    assert.equal(state.responseCount, 2);
    assert.equal(state.requiredResponses, 2);
    assert.equal(state.responses.length, 2);
    assert.deepEqual(
        state.collectedContext.map(({ agent }) => agent),
        ['Builder', 'Growth'],
    );
    assert.match(state.collectedContext[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

    const forced = (await send(server, create)).prompt;
    assert.equal((await send(server, end, forced.id)).prompt.status, 'resolved');
    const dropped = (await send(server, create)).prompt;
    assert.equal(
        (await send(server, end.replace('resolve', 'cancel'), dropped.id)).prompt.status,
        'cancelled',
    );
}

onBothEngines('the documented requests work as they stand', { clock: false }, theRequestsWork);

test('and at the documented address, http://127.0.0.1:7117', async (t) => {
    const server = await start(t, { listen: '127.0.0.1:7117', clock: false }).catch((why) => {
        if (!why.message.includes('Address already in use')) throw why;
    });
    if (!server) return t.skip('somebody else listens on port 7117');
    assert.equal(server.url, 'http://127.0.0.1:7117');
    await theRequestsWork(server);
});

// Runs a snippet as a TypeScript module: the host, relative addresses and the variables are supplied, and
// its timers run a hundred times as fast. Whatever it leaves in `result` comes back.
function run(server, folder, name, variables, result) {
    const run = { output: '' };
    const prelude = `
        const base = ${JSON.stringify(server.url)};
        const fetch = (path: string, init?: RequestInit) => globalThis.fetch(new URL(path, base), init);
        const setTimeout = (fn: () => void, ms: number) => globalThis.setTimeout(fn, ms / 100);
        ${Object.entries(variables)
            .map(([key, value]) => `const ${key} = ${JSON.stringify(value)};`)
            .join('\n')}
    `;
    run.done = (async () => {
        const text = await readFile(new URL(`./documented/${name}.ts`, import.meta.url), 'utf8');
        const file = join(folder, `${name}.mts`);
        const snippet = text.replaceAll('https://witan.example', server.url);
        await writeFile(
            file,
            `${prelude}\n${snippet}\nconsole.log('RESULT ' + JSON.stringify(${result}));\n`,
        );
        const child = spawn(process.execPath, ['--experimental-strip-types', '--no-warnings', file], {
            stdio: ['ignore', 'pipe', 'pipe'],
        });
        child.stdout.on('data', (bytes) => (run.output += bytes));
        child.stderr.on('data', (bytes) => (run.output += bytes));
        const [code] = await once(child, 'close');
        assert.equal(code, 0, run.output);
        return JSON.parse(run.output.match(/^RESULT (.*)$/m)[1]);
    })();
    return run.done;
}

onBothEngines('the documented TypeScript works as it stands', { clock: false }, async (server) => {
    const folder = server.folder;
    const promptId = await run(
        server,
        folder,
        'create',
        { currentTaskId: 'T-17', taskTitle: 'Feature X' },
        'promptId',
    );
    const { prompt } = await server.show(promptId);
    assert.equal(prompt.task_id, 'T-17');
    assert.match(
        prompt.prompt_message,
        /^🔄 \*\*Discussion Needed\*\*\n\nI'm about to implement feature X for task "Feature X"/,
    );

    // It polls while the answers come in.
    const polled = run(server, folder, 'poll', { promptId }, '{ collectedContext, status }');
    assert.equal(await run(server, folder, 'respond', {}, 'pendingPrompts.length'), 1);
    assert.equal((await server.answer(promptId, 'Growth')).status, 201);
    const { collectedContext, status } = await polled;
    assert.equal(status, 'resolved');
    assert.deepEqual(
        collectedContext.map(({ agent, message }) => [agent, message]),
        [
            ['Builder', 'From a product perspective, consider...'],
            ['Growth', 'From Growth.'],
        ],
    );

    // A second heartbeat finds nothing left to answer.
    assert.equal(await run(server, folder, 'respond', {}, 'pendingPrompts.length'), 0);
});
