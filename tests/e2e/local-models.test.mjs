// Servers of models on this machine that are not Ollama: found by themselves, spelled out by the solo owner, written into
// config.yaml. Ports are the tests' own, named in council.local_ports as the usual ones are by default.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { makeToken } from './lib/identity.mjs';
import { start, tempFolder, until } from './lib/server.mjs';

// A server as LM Studio, vLLM and llama-server are, as far as we speak with them; `names` null: it does not list its models,
// and answers such questions with a page. `hold` keeps replies back until it is let go.
async function localServer(t, names) {
    const local = { names, seen: [], asked: [], held: [], hold: false };
    const say = (reply) => {
        reply.setHeader('Content-Type', 'text/event-stream');
        reply.end('data: {"choices":[{"delta":{"content":"Spoken on this machine."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    };
    local.server = http.createServer((request, reply) => {
        local.seen.push(`${request.method} ${request.url}`);
        const parts = [];
        request.on('data', (part) => parts.push(part));
        request.on('end', () => {
            if (request.url === '/v1/chat/completions') {
                local.asked.push(JSON.parse(Buffer.concat(parts)).model);
                return local.hold ? local.held.push(() => say(reply)) : say(reply);
            }
            if (request.url === '/v1/models' && local.names) {
                reply.setHeader('Content-Type', 'application/json');
                return reply.end(JSON.stringify({ object: 'list', data: local.names.map((id) => ({ id, object: 'model' })) }));
            }
            reply.statusCode = 404;
            reply.end('<html>secret words of another program</html>');
        });
    });
    local.go = () => {
        local.hold = false;
        for (const one of local.held.splice(0)) one();
    };
    local.server.listen(0, '127.0.0.1');
    await once(local.server, 'listening');
    local.port = local.server.address().port;
    local.url = `http://127.0.0.1:${local.port}/v1`;
    t.after(() => {
        local.server.closeAllConnections();
        local.server.close();
    });
    return local;
}

const spoken = (text) => text.match(/Spoken on this machine\./g)?.length ?? 0;
const agent = (name, base_url) => ({ name, role: 'critical', system_prompt: 'Speak.', ai_model_config: { provider: 'openai', model: 'm', base_url } });
const discussion = (names, rounds = 1) => ({ topic: 'Tea?', mode: 'rounds', rounds, participants: names.map((agentName) => ({ agentName })) });

test('a server that lists its models as OpenAI does is found and speaks', async (t) => {
    const local = await localServer(t, ['text-embedding-nomic', 'qwen2.5-7b', 'other']);
    const stranger = await localServer(t, null);
    const env = { WITAN_COUNCIL_LOCAL_PORTS: `${stranger.port},${local.port}` };
    const server = await start(t, { env });
    const name = `openai@${local.port}:qwen2.5-7b`;
    assert.deepEqual(await server.must(200, 'GET', '/api/models'), {
        models: [{ name, provider: 'openai', model: 'qwen2.5-7b', default: true, key: 'none' }],
        default: name,
    });
    // Somebody else's program is asked for its models, and never again soon, nor for anything else; what it says is nowhere.
    assert.deepEqual(stranger.seen, ['GET /v1/models', 'GET /api/tags']);
    assert.doesNotMatch(server.log, /secret words/);
    const run = (...args) => cli(server.folder, args, { env: { WITAN_URL: server.url, ...env, OPENAI_API_KEY: 'sk-not-for-them' } });
    assert.equal(spoken((await run('discuss', 'Tea or coffee?', '--rounds', '1')).stdout), 3);
    assert.deepEqual([...new Set(local.asked)], ['qwen2.5-7b']);
    // The name is one that an agent can be given, for each of its models.
    const set = await run('agent', 'set', 'Critical', '--model', `openai@${local.port}:other`);
    assert.equal(set.code, 0, set.stderr);
    assert.equal(spoken((await run('discuss', 'Tea or coffee?', '--rounds', '1')).stdout), 3);
    assert.ok(local.asked.includes('other'));
    const listed = await run('model', 'list', '--json');
    assert.deepEqual(
        JSON.parse(listed.stdout).models.map((model) => [model.name, model.url, model.from, model.key]),
        ['text-embedding-nomic', 'qwen2.5-7b', 'other'].map((one) => [`openai@${local.port}:${one}`, local.url, 'found', 'none']),
    );
    assert.match(listed.stderr, new RegExp(`speak with ${name.replaceAll('.', '\\.')}`));
    assert.match((await run('doctor', '--db', server.db)).stdout, new RegExp(`ok +model +.*${name}, found at ${local.url}`));
    const tried = await run('model', 'test', name, '--json');
    assert.equal(JSON.parse(tried.stdout).models[0].kind, 'ok', tried.stdout);
});

test('nobody looks at these ports for a server that others can reach', async (t) => {
    const local = await localServer(t, ['qwen']);
    const folder = await tempFolder(t);
    const made = await cli(folder, ['token', 'create', '--role', 'owner', '--name', 'o', '--db', `sqlite:${join(folder, 'w.db')}`]);
    assert.equal(made.code, 0, made.stderr);
    const server = await start(t, { folder, db: `sqlite:${join(folder, 'w.db')}`, args: ['--require-auth'], env: { WITAN_COUNCIL_LOCAL_PORTS: `${local.port}` } });
    const token = made.stdout.trim();
    assert.equal((await server.must(200, 'GET', '/api/models', undefined, { token })).default, null);
    assert.deepEqual(local.seen, []);
});

for (const engine of ['sqlite', 'postgres']) test(`the solo owner spells out a server on a usual port of this machine, and nobody else does (${engine})`, async (t) => {
    const local = await localServer(t, null);
    const server = await start(t, { engine, env: { WITAN_COUNCIL_LOCAL_PORTS: `${local.port}` } });
    const mine = await server.must(201, 'POST', '/api/agents', agent('Mine', local.url));
    await server.must(201, 'POST', '/api/agents', agent('Yours', `http://localhost:${local.port}/v1`));
    // Another port takes config.yaml and a start, and the refusal says how.
    const other = await server.must(400, 'POST', '/api/agents', agent('Other', 'http://127.0.0.1:5433/v1'));
    assert.equal(other.field, 'ai_model_config.base_url');
    assert.match(other.error, new RegExp(`usually have \\(they have 11434, ${local.port}\\): config\\.yaml must name it, and the server be started again`));
    assert.match(other.hint, /witan model add NAME --provider openai --base-url http:\/\/127\.0\.0\.1:5433\/v1 --model m$/);
    for (const inside of ['http://10.0.0.1', 'http://192.168.1.1', 'http://0.0.0.0', 'http://169.254.169.254', 'http://[fd00::1]'])
        assert.match((await server.must(400, 'POST', '/api/agents', agent('In', `${inside}:${local.port}/v1`))).error, /own network/);
    const made = await server.must(201, 'POST', '/api/discussions', discussion(['Mine', 'Yours']));
    const { id } = made.discussion;
    const end = await until(async () => {
        const now = await server.must(200, 'GET', `/api/discussions/${id}`);
        return now.discussion.status === 'completed' && now;
    }, 'it ends');
    assert.equal(spoken(JSON.stringify(end.entries)), 2);
    // A page of another site has no part in it, whatever it sends.
    const foreign = await server.api('POST', '/api/agents', agent('Page', local.url), { headers: { Origin: 'http://evil.example' } });
    assert.equal(foreign.status, 403);
    // What is under way when solo mode ends: no further call goes out, and the log says why.
    local.hold = true;
    const going = (await server.must(201, 'POST', '/api/discussions', discussion(['Mine', 'Yours'], 2))).discussion.id;
    await until(() => local.held.length === 1, 'the first is asked');
    const token = await makeToken(server, { role: 'owner', name: 'owner' });
    const calls = local.asked.length;
    local.go();
    const over = await until(async () => {
        const now = await server.must(200, 'GET', `/api/discussions/${going}`, undefined, { token });
        return now.discussion.status !== 'active' && now;
    }, 'it ends');
    assert.equal(local.asked.length, calls);
    assert.match(JSON.stringify(over.entries), /only while the server is in solo mode/);
    const late = await server.must(400, 'POST', '/api/discussions', discussion(['Mine']), { token });
    assert.match(late.error, /Mine cannot speak.*only while the server is in solo mode/);
    assert.match(late.hint, /witan model add/);
    assert.match((await server.must(400, 'POST', '/api/agents', agent('Late', local.url), { token })).error, /own network/);
    assert.match((await server.must(400, 'PATCH', `/api/agents/${mine.id}`, { ai_model_config: { provider: 'openai', model: 'n', base_url: local.url } }, { token })).error, /own network/);
});

test('a model is written into config.yaml, and holds from the next start', async (t) => {
    const local = await localServer(t, null);
    const folder = await tempFolder(t);
    const config = join(folder, 'settings.yaml');
    const mine = '# my settings\nlog:\n  level: info # plain\n';
    await writeFile(config, mine, { mode: 0o640 });
    const add = (...args) => cli(folder, ['model', 'add', ...args, '--config', config]);
    const made = await add('here', '--base-url', local.url, '--model', 'qwen');
    assert.equal(made.code, 0, made.stderr);
    assert.equal(made.stdout, `${config}\n`);
    assert.match(made.stderr, /start yours again/);
    assert.equal(await readFile(config, 'utf8'), `${mine}\nmodels:\n  here:\n    provider: openai\n    base_url: ${local.url}\n    model: qwen\n`);
    assert.equal((await stat(config)).mode & 0o777, 0o640);
    const refused = [
        [7, /has a model here already/, 'here', '--provider', 'ollama'],
        [2, /--provider must say who answers/, 'x'],
        [2, /--provider takes ollama, openai, anthropic or scripted/, 'x', '--provider', 'nobody'],
        [2, /--base-url: A URL must be/, 'x', '--provider', 'ollama', '--base-url', 'ftp://x'],
        [2, /--base-url of an openai model must end in \/v1/, 'x', '--provider', 'openai', '--base-url', 'http://x'],
        [2, /--base-url is the address of witan itself/, 'x', '--base-url', 'http://localhost:7117/v1'],
        [1, /no file \/no\/such\/file/, 'x', '--provider', 'openai', '--api-key-file', '/no/such/file'],
        [2, /NAME is one line/, ' ', '--provider', 'ollama'],
    ];
    const before = await readFile(config, 'utf8');
    for (const [code, words, ...args] of refused) {
        const run = await add(...args);
        assert.equal(run.code, code, run.stderr);
        assert.match(run.stderr, words);
    }
    assert.equal(await readFile(config, 'utf8'), before);
    const server = await start(t, { args: ['--config', config] });
    assert.equal((await server.must(200, 'GET', '/api/models')).default, 'here');
    const run = await cli(server.folder, ['discuss', 'Tea?', '--rounds', '1'], { env: { WITAN_URL: server.url } });
    assert.equal(spoken(run.stdout), 3, run.stderr);
    const itself = await cli(folder, ['serve', '--config', config, '--listen', `127.0.0.1:${local.port}`]);
    assert.equal(itself.code, 2);
    assert.match(itself.stderr, /models\.here\.base_url: base_url is the address of witan itself/);
});
