// Models over real wires: three protocols against aimock, its chaos switches, and a server that misbehaves.
import { LLMock } from '@copilotkit/aimock';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin, cli } from './lib/cli.mjs';
import { nastyServer } from './lib/nasty.mjs';
import { everything } from './lib/everything.mjs';
import { configure } from './lib/model.mjs';
import { onBothEngines, start, tempFolder, until } from './lib/server.mjs';

const key = 'sk-test-0123456789abcdef';

// A folder whose config.yaml names these models; `ask` runs `witan model test` on one and gives back its result.
async function bench(t, models) {
    const folder = await tempFolder(t);
    const config = join(folder, 'config.yaml');
    await writeFile(config, JSON.stringify({ models }));
    const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, http_proxy: 'http://127.0.0.1:1' };
    const args = (name, more = []) => ['model', 'test', name, '--json', '--config', config, ...more];
    const ask = async (name, more) => {
        const run = await cli(folder, args(name, more), { env });
        assert.ok(!(run.stdout + run.stderr).includes(key.slice(0, 12)), 'the key is shown');
        assert.equal(run.stderr, '');
        const [result] = JSON.parse(run.stdout).models;
        assert.equal(run.code, result.kind === 'ok' ? 0 : 3);
        return result;
    };
    return { folder, config, ask, args, env };
}

async function mockServer(t) {
    const mock = new LLMock({ port: 0, logLevel: 'silent' });
    mock.onMessage('hello', { content: 'Hello from the other side, dear friend. Speaker: not this.' });
    mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: { city: 'York' } }] });
    await mock.start();
    t.after(() => mock.stop());
    const models = {
        openai: { provider: 'openai', base_url: `${mock.url}/v1`, model: 'gpt-4o' },
        anthropic: { provider: 'anthropic', base_url: mock.url, model: 'claude-sonnet-4-5' },
        ollama: { provider: 'ollama', base_url: mock.url, model: 'llama3.2' },
    };
    return { mock, ...(await bench(t, models)) };
}

const wires = ['openai', 'anthropic', 'ollama'];

for (const wire of wires) {
    test(`${wire} streams text, which ends at a stop sequence`, async (t) => {
        const { ask } = await mockServer(t);
        const whole = await ask(wire, ['--prompt', 'hello']);
        assert.equal(whole.kind, 'ok', whole.error);
        assert.equal(whole.text, 'Hello from the other side, dear friend. Speaker: not this.');
        assert.equal(whole.finish, 'stop');
        assert.ok(whole.usage.outputTokens === null || whole.usage.outputTokens > 0);
        const cut = await ask(wire, ['--prompt', 'hello', '--stop', 'Speaker:']);
        assert.equal(cut.text, 'Hello from the other side, dear friend. ');
        assert.equal(cut.finish, 'cut');
    });

    test(`${wire} calls tools`, async (t) => {
        const { ask } = await mockServer(t);
        const result = await ask(wire, ['--prompt', 'weather', '--tool', 'get_weather']);
        assert.equal(result.kind, 'ok', result.error);
        assert.equal(result.finish, 'tools');
        assert.equal(result.toolCalls.length, 1);
        assert.equal(result.toolCalls[0].name, 'get_weather');
        assert.deepEqual(JSON.parse(result.toolCalls[0].arguments), { city: 'York' });
        assert.ok(result.toolCalls[0].id);
    });

    test(`${wire} fails in words under chaos, and is tried again`, async (t) => {
        const { mock, ask } = await mockServer(t);
        const kinds = {
            dropRate: ['busy'],
            malformedRate: ['garbled'],
            disconnectRate: ['broke_off', 'unreachable'],
            rateLimitRate: ['busy'],
        };
        for (const [chaos, expected] of Object.entries(kinds)) {
            mock.setChaos({ [chaos]: 1 });
            const result = await ask(wire, ['--prompt', 'hello']);
            assert.ok(expected.includes(result.kind), `${chaos}: ${result.kind}: ${result.error}`);
            assert.ok(result.error.length > 10);
            assert.equal(result.attempts, 1);
        }
        mock.setChaos({ latencyMs: 5000 });
        const slow = await ask(wire, ['--prompt', 'hello', '--timeout', '200ms']);
        assert.equal(slow.kind, 'too_slow', slow.error);
        mock.clearChaos();
        mock.nextRequestError(503, { message: 'not now', type: 'server_error' });
        const again = await ask(wire, ['--prompt', 'hello', '--retry']);
        assert.equal(again.kind, 'ok', again.error);
        assert.equal(again.attempts, 2);
    });
}

const failures = {
    unfinished: ['broke_off', /broke off/],
    longer: ['broke_off', /broke off/],
    shorter: ['broke_off', /broke off/],
    reset: ['broke_off', /broke off/],
    silent: ['too_slow', /no word/],
    stuck: ['too_slow', /silent/],
    html: ['garbled', /web page/],
    page404: ['garbled', /web page/],
    notHttp: ['garbled', /HTTP/],
    notJson: ['garbled', /not JSON/],
    redirect: ['not_allowed', /redirects are not followed/],
    bomb: ['garbled', /compressed/],
    foldedTransfer: ['garbled', /compressed/],
    endless: ['flooded', /more than/],
    longLine: ['flooded', /more than/],
    keyEcho: ['wrong_key', /refuses the key from OPENAI_API_KEY.*\*\*\*/],
};

test('what a misbehaving server does is told in a kind and in words', async (t) => {
    const server = await nastyServer(t);
    // Only those that say nothing are given up soon: the others may take their time on a busy machine.
    const times = { silent: { first_timeout: '500ms' }, stuck: { idle_timeout: '500ms' } };
    const models = Object.fromEntries(
        [...Object.keys(failures), 'bytes', 'stops', 'afterTheEnd'].map((way) => [
            way,
            { provider: 'openai', base_url: server.url(way), model: 'm', ...times[way] },
        ]),
    );
    const { ask } = await bench(t, models);
    for (const [way, [kind, words]] of Object.entries(failures)) {
        const result = await ask(way);
        assert.equal(result.kind, kind, `${way}: ${result.kind}: ${result.error}`);
        assert.match(result.error, words);
        assert.ok(!/127\.0\.0\.1/.test(result.error), result.error);
        assert.equal(result.url, server.url(way), 'who runs the command is shown where it is');
    }
    assert.ok(!server.requests.some((path, i) => path.startsWith('/bytes') && i > 0), 'a redirect was followed');

    assert.equal((await ask('bytes')).text, 'grüß dich 🐝 und mehr');
    assert.equal((await ask('stops', ['--stop', 'Speaker:'])).text, 'One. ');
    const ended = await ask('afterTheEnd');
    assert.equal(ended.kind, 'ok', ended.error);
    assert.equal(ended.text, 'Whole.');
    assert.equal(ended.usage.outputTokens, null);
});

test('a client that is ended closes its connection to the model', async (t) => {
    const server = await nastyServer(t);
    const { folder, args, env } = await bench(t, {
        stuck: { provider: 'openai', base_url: server.url('stuck'), model: 'm' },
    });
    const run = begin(folder, args('stuck'), { env });
    await until(() => server.requests.length === 1, 'it asks');
    run.child.kill('SIGINT');
    await run.done;
    await until(() => server.closed === 1, 'the connection is closed');
});

test('wrong names, keys and servers are named', async (t) => {
    const { folder, ask, config, env } = await bench(t, {
        nobody: { provider: 'ollama', base_url: 'http://127.0.0.1:1' },
        nowhere: { provider: 'ollama', base_url: 'http://no-such-host.invalid' },
        keyless: { provider: 'openai', api_key_env: 'NO_SUCH_VARIABLE' },
        fileless: { provider: 'anthropic', api_key_file: '/no/such/file' },
        metadata: { provider: 'ollama', base_url: 'http://169.254.169.254' },
        script: { provider: 'scripted', script: '/no/such/script' },
    });
    assert.equal((await ask('nobody')).kind, 'unreachable');
    assert.match((await ask('nobody')).error, /is the server running/);
    assert.equal((await ask('nowhere')).kind, 'unreachable');
    assert.equal((await ask('keyless')).kind, 'wrong_key');
    assert.match((await ask('keyless')).error, /NO_SUCH_VARIABLE/);
    assert.match((await ask('fileless')).error, /\/no\/such\/file/);
    assert.equal((await ask('metadata')).kind, 'not_allowed');
    assert.match((await ask('script')).error, /\/no\/such\/script/);
    const unknown = await cli(folder, ['model', 'test', 'nobdy', '--config', config], { env });
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /no model nobdy/);
    const listed = await cli(folder, ['model', 'list', '--json', '--config', config], { env });
    const { models } = JSON.parse(listed.stdout);
    assert.equal(models.find((model) => model.name === 'keyless').key, 'missing');
    assert.ok(!listed.stdout.includes(key));
});

test('a config.yaml with a bad model is refused by its key', async (t) => {
    const { folder, config, env } = await bench(t, { odd: { provider: 'openai', base_url: 'ftp://host/v1' } });
    const run = await cli(folder, ['serve', '--config', config], { env });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /models\.odd\.base_url/);
});

// Only where nothing else listens on Ollama's own port.
test('an Ollama on its own port is found', async (t) => {
    const ollama = http.createServer((request, reply) => {
        reply.setHeader('Content-Type', 'application/json');
        reply.end(JSON.stringify({ models: [{ name: 'llama3.2:latest' }, { name: 'qwen:7b' }] }));
    });
    ollama.listen(11434, '127.0.0.1');
    try {
        await once(ollama, 'listening');
    } catch {
        return t.skip('the port is taken');
    }
    t.after(() => ollama.close());
    const { folder, config, env } = await bench(t, {});
    const usual = { ...env, WITAN_COUNCIL_OLLAMA: 'http://127.0.0.1:11434' };
    const run = await cli(folder, ['model', 'list', '--json', '--config', config], { env: usual });
    const { models, localOllama } = JSON.parse(run.stdout);
    assert.equal(localOllama, true);
    assert.deepEqual(
        models.map((model) => model.name),
        ['ollama:llama3.2:latest', 'ollama:qwen:7b'],
    );
});

// An Ollama as aimock plays it, with the list of models that the test wants; `down` and `up` again on the same port.
async function fakeOllama(t, names) {
    const wire = new LLMock({ port: 0, logLevel: 'silent' });
    wire.onMessage(/./, { content: 'Spoken by the model that was found.' });
    await wire.start();
    t.after(() => wire.stop());
    const ollama = { names, tags: 0, asked: [] };
    ollama.server = http.createServer((request, reply) => {
        if (request.url === '/api/tags') {
            ollama.tags++;
            reply.setHeader('Content-Type', 'application/json');
            reply.end(JSON.stringify({ models: ollama.names.map((name) => ({ name, details: { family: name.startsWith('bge') ? 'bert' : 'llama' } })) }));
            return;
        }
        const parts = [];
        request.on('data', (part) => parts.push(part));
        request.on('end', () => {
            ollama.asked.push(JSON.parse(Buffer.concat(parts)).model);
            const onward = http.request(wire.url + request.url, { method: request.method, headers: { 'Content-Type': 'application/json' } }, (from) => {
                reply.writeHead(from.statusCode, from.headers);
                from.pipe(reply);
            });
            onward.end(Buffer.concat(parts));
        });
    });
    ollama.up = async () => {
        ollama.server.listen(ollama.port ?? 0, '127.0.0.1');
        await once(ollama.server, 'listening');
        ollama.port = ollama.server.address().port;
        ollama.url = `http://127.0.0.1:${ollama.port}`;
    };
    ollama.down = async () => {
        ollama.server.closeAllConnections();
        await new Promise((done) => ollama.server.close(done));
    };
    await ollama.up();
    t.after(() => ollama.server.listening && ollama.down());
    return ollama;
}

test('an Ollama on this machine speaks for agents when config.yaml names no model', async (t) => {
    const ollama = await fakeOllama(t, ['nomic-embed-text:latest', 'bge-m3:latest', 'llama3.2:latest', 'qwen:7b']);
    const server = await start(t, { env: { WITAN_COUNCIL_OLLAMA: ollama.url } });
    await until(() => / listening /.test(server.log), 'the log tells that it is ready');
    assert.match(server.log, /found a model.*model=llama3\.2:latest url=http:\/\/127[^]* listening /, 'known before the server is ready');
    const env = { WITAN_URL: server.url, WITAN_COUNCIL_OLLAMA: ollama.url };
    const discuss = (more = []) => cli(server.folder, ['discuss', 'Tea or coffee?', '--rounds', '1', ...more], { env });
    const spoken = await discuss();
    assert.equal(spoken.code, 0, spoken.stderr);
    assert.equal(spoken.stdout.match(/Spoken by the model that was found\./g).length, 3);
    assert.doesNotMatch(spoken.stdout + spoken.stderr, /[Rr]ehears|scripted/);
    assert.deepEqual([...new Set(ollama.asked)], ['llama3.2:latest']);
    const name = 'ollama:llama3.2:latest';
    assert.deepEqual(await server.must(200, 'GET', '/api/models'), {
        models: [{ name, provider: 'ollama', model: 'llama3.2:latest', default: true, key: 'none' }],
        default: name,
    });
    const listed = await cli(server.folder, ['model', 'list'], { env });
    assert.match(listed.stderr, /Agents that name no model speak with ollama:llama3\.2:latest\./);
    assert.match(listed.stdout, /ollama:qwen:7b/);
    assert.match((await cli(server.folder, ['doctor', '--db', server.db], { env })).stdout, /ok +model +.*ollama:llama3\.2:latest, found at/);
    // An agent that sets nothing but its temperature speaks with it, too: the address is the operator's.
    await cli(server.folder, ['agent', 'set', 'Critical', '--model', '{"temperature": 0.2}'], { env });
    assert.equal((await discuss()).stdout.match(/Spoken by the model that was found\./g).length, 3);
    // It need not be there when the server starts.
    await server.stop();
    await ollama.down();
    await server.restart();
    const refused = await discuss(['--no-wait']);
    assert.equal(refused.code, 1, refused.stderr);
    assert.match(refused.stderr, /ollama pull/);
    ollama.names = ['late:1b'];
    await ollama.up();
    await until(async () => (await server.must(200, 'GET', '/api/models')).default === 'ollama:late:1b', 'it is found');
    assert.equal((await discuss()).code, 0);
});

test('a config.yaml that names models, and a setting, keep the Ollama of the machine out', async (t) => {
    const ollama = await fakeOllama(t, ['llama3.2:latest']);
    const args = await configure(await tempFolder(t), { own: { provider: 'ollama', base_url: 'http://127.0.0.1:1' } });
    const named = await start(t, { args, env: { WITAN_COUNCIL_OLLAMA: ollama.url } });
    assert.equal((await named.must(200, 'GET', '/api/models')).default, 'own');
    const off = await start(t, { env: { WITAN_COUNCIL_OLLAMA: 'off' } });
    assert.equal((await off.must(200, 'GET', '/api/models')).default, null);
    assert.equal(ollama.tags, 0, 'nobody has looked');
    const bad = await cli(off.folder, ['serve', '--db', 'sqlite:x.db'], { env: { WITAN_COUNCIL_OLLAMA: 'localhost' } });
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /council\.ollama/);
    // Something else that listens there is no Ollama.
    const page = http.createServer((request, reply) => reply.end('<html>'));
    page.listen(0, '127.0.0.1');
    await once(page, 'listening');
    t.after(() => page.close());
    const other = await start(t, { env: { WITAN_COUNCIL_OLLAMA: `http://127.0.0.1:${page.address().port}` } });
    assert.equal((await other.must(200, 'GET', '/api/models')).default, null);
});

// Where they are and what their keys are called stays the operator's.
test('a server says which models there are, and nothing of their keys and places', async (t) => {
    const bare = await start(t);
    assert.deepEqual(await bare.must(200, 'GET', '/api/models'), { models: [], default: null });
    const models = {
        small: { provider: 'ollama', base_url: 'http://models.example', model: 'llama3.2' },
        large: { provider: 'openai', model: 'gpt-4o' },
        keyless: { provider: 'anthropic', api_key_env: 'NO_SUCH_VARIABLE' },
    };
    const args = await configure(await tempFolder(t), models);
    const server = await start(t, { args, env: { OPENAI_API_KEY: key } });
    const { text, body } = await server.api('GET', '/api/models');
    assert.deepEqual(body.models, [
        { name: 'small', provider: 'ollama', model: 'llama3.2', default: true, key: 'none' },
        { name: 'large', provider: 'openai', model: 'gpt-4o', default: false, key: 'there' },
        { name: 'keyless', provider: 'anthropic', model: 'keyless', default: false, key: 'missing' },
    ]);
    assert.equal(body.default, 'small');
    assert.doesNotMatch(text, /sk-test|models\.example|NO_SUCH/);
});

onBothEngines('where a model is stands in the log, and is shown to no reader of what went wrong with it', {}, async (server, t) => {
    const nasty = await nastyServer(t);
    const ways = ['html', 'page404', 'notHttp', 'notJson', 'redirect', 'reset', 'unfinished', 'keyEcho', 'foldedTransfer'];
    const models = Object.fromEntries(ways.map((way) => [way, { provider: 'openai', base_url: nasty.url(way), model: 'm', retries: 0 }]));
    const nobody = await nastyServer(t);
    models.nobody = { provider: 'openai', base_url: nobody.url('x'), model: 'm', retries: 0 };
    nobody.close();
    const keyless = { provider: 'openai', base_url: nasty.url('html'), model: 'm', api_key_file: '/srv/secret-place/key' };
    await server.stop();
    server.args = await configure(server.folder, { ...models, keyless });
    await server.restart();
    for (const name of [...Object.keys(models), 'keyless'])
        await server.must(201, 'POST', '/api/agents', { name, ai_model_config: { model: name } });
    const { discussion } = await server.must(201, 'POST', '/api/discussions', {
        topic: 'Does it work?',
        mode: 'parallel',
        rounds: 1,
        participants: Object.keys(models).map((agentName) => ({ agentName })),
    });
    const shown = await until(async () => {
        const now = await server.must(200, 'GET', `/api/discussions/${discussion.id}`);
        return now.discussion.status !== 'active' && now;
    }, 'it has ended');
    assert.equal(shown.entries.length, Object.keys(models).length, JSON.stringify(shown.entries));
    for (const { speaker, metadata } of shown.entries)
        assert.match(JSON.stringify(metadata), new RegExp(`server of \\\\"${speaker}\\\\"`), speaker);
    const places = new RegExp(`127\\.0\\.0\\.1:(${nasty.port}|${nobody.port})|secret-place`);
    const silent = await server.api('POST', '/api/discussions', { topic: 'And this?', participants: [{ agentName: 'keyless' }] });
    assert.equal(silent.status, 400);
    assert.match(JSON.stringify(silent.body), /key cannot be read/);
    assert.ok(!places.test(JSON.stringify(silent.body)));
    assert.deepEqual((await everything(server)).filter((row) => places.test(row)), []);
    for (const path of ['/metrics', '/healthz', '/readyz', `/api/discussions/${discussion.id}/transcript?format=text`, '/api/agents', '/api/notifications'])
        assert.ok(!places.test(JSON.stringify(await server.api('GET', path))), path);
    for (const way of ways) await until(() => server.log.includes(`url=${nasty.url(way)}`), `the log says where ${way} is`);
});
