// Agents that use tools of MCP servers: two that nobody here wrote, over pipes and over HTTP, one made with the SDK of the newer
// era, one that hangs and one that dies.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { asked, assertReplays, begin, calls, completed, finish, questions, reply, results, stage, step, trace, written } from './lib/runs.mjs';
import { atEnd, becomes, tempFolder, until } from './lib/server.mjs';

const packages = resolve('tests/mcp/node_modules');
const ours = resolve('tests/mcp/servers');
const everything = join(packages, '@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = join(packages, '@modelcontextprotocol/server-filesystem/dist/index.js');
const node = await realpath(process.execPath);

// A program of node's, with what it needs to read; its modules stand beside it, or in the folder above.
const program = (file, ...words) => ({ command: [node, file, ...words], reads: [dirname(dirname(node)), resolve('tests/mcp')] });
const inTurn = (list) => (call) => list[step(call) - 1] ?? 'There is nothing more to say.';
const use = (name, args = {}, id = name) => ({ name, args, id });
const servers = async (server) => (await server.must(200, 'GET', '/api/tools?limit=200')).servers;
const names = async (server) => (await server.must(200, 'GET', '/api/tools?limit=200')).tools.map(({ name }) => name);
const ready = (server, count = 1) =>
    until(async () => (await servers(server)).filter(({ state }) => state === 'ready').length === count, `${count} MCP servers are ready`);

// A server of node's that says on which port it listens.
async function listening(t, file, words, env = {}) {
    const child = spawn(node, [file, ...words], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const over = once(child, 'exit');
    atEnd(t, async () => {
        child.kill('SIGKILL');
        await over;
    });
    for await (const line of createInterface({ input: child.stdout })) {
        const port = line.match(/^(?:.*port )?(\d+)$/)?.[1];
        if (port) return { port, child };
    }
    throw new Error(`${file} does not listen`);
}

// The one of `everything` wants to be told its port, and does not say which it got when that is 0. A port that was picked
// beforehand may be somebody else's by the time it is bound.
async function portOf(pid) {
    const all = await Promise.all((await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    const inodes = new Set(all.map((name) => name.match(/^socket:\[(\d+)\]$/)?.[1]));
    for (const file of ['tcp', 'tcp6'])
        for (const line of (await readFile(`/proc/${pid}/net/${file}`, 'utf8')).split('\n').slice(1)) {
            const [, address, , state, , , , , , inode] = line.trim().split(/\s+/);
            if (state === '0A' && inodes.has(inode)) return parseInt(address.split(':')[1], 16);
        }
}

async function everythingOverHttp(t) {
    const child = spawn(node, [everything, 'streamableHttp'], { env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'pipe'] });
    const over = once(child, 'exit');
    const lines = [];
    let complaints = '';
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    child.stderr.on('data', (bytes) => (complaints += bytes));
    const end = async () => {
        child.kill('SIGKILL');
        await over;
    };
    atEnd(t, end);
    const port = await until(() => {
        assert.equal(child.exitCode ?? child.signalCode, null, `it ended instead of listening: ${complaints}`);
        return portOf(child.pid).catch(() => {});
    }, 'it listens');
    return { url: `http://127.0.0.1:${port}/mcp`, port, lines, end };
}

// An address that stays while what is behind it comes and goes, each time on another port.
async function steadyWay(t, port) {
    const way = { port };
    const server = net.createServer((near) => pipeline(near, net.connect(way.port, '127.0.0.1'), near, () => {}));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    atEnd(t, () => void server.close());
    return Object.assign(way, { url: `http://127.0.0.1:${server.address().port}/mcp` });
}

test('servers that nobody here wrote are used over pipes', { timeout: 300_000 }, async (t) => {
    const folder = await tempFolder(t);
    const files = join(folder, 'files');
    await mkdir(files);
    await writeFile(join(files, 'plan.txt'), 'Begin at dawn.');
    await writeFile(join(folder, 'secret.txt'), 'Not yours.');
    const { server, voice } = await stage(
        t,
        inTurn([
            {
                calls: [
                    use('all__echo', { message: 'grüß' }),
                    use('all__get-sum', { a: 2, b: 40 }),
                    use('all__get-tiny-image'),
                    use('all__get-structured-content', { location: 'New York' }),
                    use('files__read_text_file', { path: join(files, 'plan.txt') }),
                    use('files__read_text_file', { path: join(folder, 'secret.txt') }, 'forbidden'),
                    use('files__write_file', { path: join(files, 'new.txt'), content: 'Written.' }),
                    use('files__move_file', { source: 'a', destination: 'b' }),
                ],
            },
            { calls: [finish('used')] },
        ]),
        {
            folder,
            mcp: () => ({
                all: program(everything),
                files: { ...program(filesystem, files), folder: files, tools: { write_file: { needs_approval: true }, move_file: { enabled: false } } },
            }),
        },
    );
    await ready(server, 2);
    const listed = await names(server);
    assert.ok(listed.includes('all__echo') && listed.includes('files__read_text_file') && !listed.includes('files__move_file'), listed.join());
    const id = await begin(server);
    const [approval] = await asked(server, id);
    assert.match(JSON.stringify(approval), /files__write_file/);
    assert.deepEqual(await written(join(files, 'new.txt')), [], 'not before it is approved');
    await reply(server, approval, true);
    await completed(server, id);
    const given = results(voice.calls[1]);
    assert.match(given['all__echo'], /Echo: grüß/);
    assert.match(given['all__get-sum'], /42/);
    assert.match(given['all__get-tiny-image'], /\[image, image\/png, \d+ bytes that are not shown\]/);
    assert.match(given['all__get-structured-content'], /temperature/);
    assert.match(given['files__read_text_file'], /Begin at dawn\./);
    assert.match(given.forbidden, /[Aa]ccess denied/);
    assert.doesNotMatch(given.forbidden, /Not yours/);
    assert.match(given['files__move_file'], /no tool|unknown|not/i);
    assert.equal(await readFile(join(files, 'new.txt'), 'utf8'), 'Written.');
    const outcomes = Object.fromEntries(calls(await trace(server, id)).map((call) => [call.name + (JSON.stringify(call.arguments).includes('secret') ? '!' : ''), call.outcome]));
    assert.equal(outcomes['all__echo'], 'ok');
    assert.equal(outcomes['files__read_text_file!'], 'error');
    await assertReplays(server, id);
});

test('one that nobody here wrote is used over HTTP, and again after it was started anew', { timeout: 300_000 }, async (t) => {
    let lines;
    const { port, end } = await everythingOverHttp(t);
    const way = await steadyWay(t, port);
    const { server, voice } = await stage(
        t,
        inTurn([
            { calls: [use('web__echo', { message: 'over HTTP' }), use('web__trigger-long-running-operation', { duration: 1, steps: 4 }, 'long')] },
            { calls: [finish('used')] },
        ]),
        { mcp: () => ({ web: { url: way.url } }) },
    );
    await ready(server);
    assert.equal((await servers(server))[0].version, '2025-11-25');
    for (const round of [1, 2]) {
        const id = await begin(server);
        await completed(server, id);
        await assertReplays(server, id);
        const given = results(voice.calls.at(-1));
        assert.match(given['web__echo'], /Echo: over HTTP/);
        assert.match(given.long, /Long running operation completed/);
        if (round === 2) break;
        await end(); // and with it the session
        ({ port: way.port, lines } = await everythingOverHttp(t));
    }
    await server.stop();
    await until(() => lines.some((line) => /^Received session termination request/.test(line)), 'the server is told that nobody comes back');
});

const asks = (name, transport) =>
    test(`what a server asks for is a question, and its answer comes back to it (${name})`, { timeout: 300_000 }, async (t) => {
        const { url } = transport === 'http' ? await everythingOverHttp(t) : {};
        const { server, voice } = await stage(
            t,
            inTurn([{ calls: [use('all__trigger-elicitation-request', {}, 'ask')] }, { calls: [finish('asked')] }]),
            { mcp: () => ({ all: url ? { url } : program(everything) }) },
        );
        await ready(server);
        const id = await begin(server);
        const [question] = await asked(server, id);
        assert.match(question.question, /Please provide inputs/);
        assert.ok(question.context.answerSchema.properties.name, JSON.stringify(question.context));
        await reply(server, question, JSON.stringify({ name: 'Ada Lovelace', check: true, integer: 7 }));
        await completed(server, id);
        assert.match(results(voice.calls[1]).ask, /Ada Lovelace/);
        await assertReplays(server, id);
        });
asks('over pipes', 'stdio');
asks('over HTTP', 'http');

const modern = (name, transport) =>
    test(`a server of the newer era asks by its result and tells of new tools (${name})`, { timeout: 300_000 }, async (t) => {
        const file = join(ours, 'modern.mjs');
        const { port } = transport === 'http' ? await listening(t, file, ['http']) : {};
        const { server, voice } = await stage(
            t,
            inTurn([
                { calls: [use('new__greet', {}, 'greet')] },
                ...(port ? [] : [{ calls: [use('new__learn', {}, 'learn')] }]),
                { calls: [finish('greeted')] },
            ]),
            { mcp: () => ({ new: port ? { url: `http://127.0.0.1:${port}/mcp` } : program(file) }) },
        );
        await ready(server);
        assert.equal((await servers(server))[0].version, '2026-07-28');
        const id = await begin(server);
        const [question] = await asked(server, id);
        assert.equal(question.question, 'Who are you?');
        await reply(server, question, 'Ada');
        await completed(server, id);
        assert.equal(results(voice.calls[1]).greet, 'Hello Ada');
        await assertReplays(server, id);
        if (!port) await until(async () => (await names(server)).includes('new__learnt'), 'the new tool is listed');
        });
modern('over pipes', 'stdio');
modern('over HTTP', 'http');

// Takes every request, and passes on those that `heeds`; to the others it never says a word.
async function silentBefore(t, url, heeds) {
    const server = http.createServer(async (request, reply) => {
        const parts = [];
        for await (const part of request) parts.push(part);
        const body = Buffer.concat(parts);
        if (!heeds(body.toString())) return;
        const onward = http.request(url, { method: request.method, headers: request.headers }, (answer) => {
            reply.writeHead(answer.statusCode, answer.headers);
            answer.pipe(reply);
        });
        onward.on('error', () => reply.destroy());
        reply.on('close', () => onward.destroy());
        onward.end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    atEnd(t, () => {
        server.closeAllConnections();
        server.close();
    });
    return `http://127.0.0.1:${server.address().port}/mcp`;
}

test('one that is silent over HTTP holds nothing up: neither the start of runs nor a call beyond its time', { timeout: 300_000 }, async (t) => {
    const { url } = await everythingOverHttp(t);
    const mute = await silentBefore(t, url, () => false);
    const deaf = await silentBefore(t, url, (body) => !body.includes('tools/call'));
    const { server, voice } = await stage(t, inTurn([{ calls: [use('deaf__echo', { message: 'there?' })] }, { calls: [finish('done')] }]), {
        mcp: () => ({ mute: { url: mute, start_timeout: '500ms', restarts: 0 }, deaf: { url: deaf, timeout: '2s' } }),
    });
    await ready(server);
    const id = await begin(server);
    await completed(server, id);
    assert.equal(calls(await trace(server, id))[0].outcome, 'timeout');
    assert.match(results(voice.calls[1])['deaf__echo'], /did not answer within 2 s/);
    await becomes(async () => (await servers(server)).map(({ name, state }) => `${name} ${state}`).sort().join(), 'deaf ready,mute unavailable', 'how they are');
});

test('one that hangs is unavailable in words, and the others are not held up', { timeout: 300_000 }, async (t) => {
    const { server, voice } = await stage(t, inTurn([{ calls: [use('all__echo', { message: 'here' })] }, { calls: [finish('done')] }]), {
        mcp: () => ({
            mute: { ...program(join(ours, 'hangs.mjs')), start_timeout: '500ms', restarts: 1 },
            nobody: { url: 'http://127.0.0.1:1/mcp', restarts: 0 },
            all: program(everything),
        }),
    });
    await ready(server);
    await completed(server, await begin(server));
    assert.match(results(voice.calls[1])['all__echo'], /Echo: here/);
    await becomes(async () => (await servers(server)).map(({ name, state }) => `${name} ${state}`).sort().join(), 'all ready,mute unavailable,nobody unavailable', 'how they are');
    const found = Object.fromEntries((await servers(server)).map((each) => [each.name, each]));
    assert.match(found.mute.why, /not listed its tools within 500 ms/);
    assert.equal(found.mute.restarts, 1);
    assert.match(found.nobody.why, /cannot be reached/);
});

test('one that dies in the middle is started again, and what it was doing is asked about', { timeout: 300_000 }, async (t) => {
    const folder = await tempFolder(t);
    const file = join(folder, 'work', 'begun.txt');
    const { server, voice } = await stage(t, inTurn([{ calls: [use('bank__pay', { sum: 7 }, 'pay')] }, { calls: [finish('paid')] }]), {
        folder,
        mcp: (work) => ({ bank: { ...program(join(ours, 'dies.mjs'), file), folder: work } }),
    });
    await ready(server);
    const id = await begin(server, { recover: true });
    const [question] = await asked(server, id);
    assert.equal(question.type, 'error_recovery', JSON.stringify(question));
    assert.match(JSON.stringify(question), /bank__pay/);
    assert.deepEqual(await written(file), ['begun'], 'it is never run a second time by itself');
    assert.equal(voice.calls.length, 1);
    await reply(server, question, 'retry');
    await completed(server, id);
    assert.equal(results(voice.calls[1]).pay, 'paid');
    assert.deepEqual(await written(file), ['begun', 'begun']);
    assert.equal((await questions(server, id)).length, 0);
    await assertReplays(server, id);
});

test('of more tools than a model is told the first are offered, and the log and the list say so', { timeout: 300_000 }, async (t) => {
    const its = await tempFolder(t);
    const named = async (name, count) => {
        const file = join(its, `${name}.txt`);
        await writeFile(file, Array.from({ length: count }, (_, i) => `tool${i}\n`).join(''));
        return { ...program(join(ours, 'late.mjs'), file), folder: its };
    };
    const bank = await named('bank', 200);
    const shop = await named('shop', 100);
    const { server, voice } = await stage(t, () => ({ calls: [finish('seen')] }), { mcp: () => ({ bank, shop }) });
    const offered = () => voice.calls.at(-1).body.tools.map(({ function: { name } }) => name).filter((name) => name.includes('__'));
    await ready(server, 2);
    await completed(server, await begin(server));
    assert.equal(offered().length, 256);
    assert.equal(offered().at(-1), 'shop__tool55');
    await completed(server, await begin(server, { tools: ['shop__tool99'] }));
    assert.deepEqual(offered(), ['shop__tool99']);
    assert.equal(server.log.match(/ warn +there are more tools than one run is offered.* tools=300 offered=256$/gm)?.length, 1, server.log);
    const list = await cli(server.folder, ['tool', 'list', '--limit', '1', '--url', server.url]);
    assert.equal(list.code, 0, list.stderr);
    assert.match(list.stderr.replace(/\s+/g, ' '), /There are 300 tools, and one run is offered at most 256: /);
});

test('runs wait for servers that start, and are told of the tools that there are now', { timeout: 300_000 }, async (t) => {
    const folder = await tempFolder(t);
    const its = await tempFolder(t);
    const file = join(its, 'tools.txt');
    // In one step: the program looks at it all the time, and would find it empty while it is written.
    const list = async (...tools) => {
        await writeFile(`${file}.new`, tools.map((tool) => `${tool}\n`).join(''));
        await rename(`${file}.new`, file);
    };
    const said = {
        2: async () => {
            await list('pay', 'lend');
            await until(async () => (await names(server)).includes('bank__lend'), 'the new tool is listed');
            return { calls: [{ name: 'report_progress', args: {}, id: 'p' }] };
        },
        3: () => ({ calls: [finish('paid')] }),
    };
    const { server, voice } = await stage(t, (call) => said[step(call)]?.() ?? { calls: [use('bank__pay', {}, 'pay')] }, {
        folder,
        mcp: () => ({ bank: { ...program(join(ours, 'late.mjs'), file), folder: its, needs_approval: true, environment_from: ['LATE_KEY'], start_timeout: '10m' } }),
        // It waits for this test, which may be slow.
        env: { LATE_KEY: 'not-for-models\r\nnor-for-the-log', WITAN_LOG_LEVEL: 'debug', WITAN_TEST_TOOLS_MS: '600000' },
    });
    const id = await begin(server, { tools: ['bank__pay', 'bank__lend'] });
    assert.equal(voice.calls.length, 0, 'no model is asked before');
    await list('pay');
    const [question] = await asked(server, id);
    const offered = () => voice.calls.at(-1).body.tools.map(({ function: { name } }) => name).filter((name) => name.startsWith('bank')).join();
    assert.equal(offered(), 'bank__pay');
    assert.equal(voice.calls[0].body.tools.at(-1).function.description, 'Knows ***.');
    await until(() => server.log.match(/says on its standard error.*text="?\*\*\*"?\n/), 'its second line is in the log');
    assert.match(server.log, /text="It was given \*\*\*"/);
    assert.doesNotMatch(server.log, /not-for-models|nor-for-the-log/);
    await server.stop();
    await rm(file);
    await server.restart();
    await reply(server, question, true);
    await list('pay');
    await completed(server, id);
    assert.equal(results(voice.calls.at(-1)).pay, 'pay: done');
    assert.equal(offered(), 'bank__pay,bank__lend');
    await assertReplays(server, id);
});

test('a server that does not come to list its tools holds no run up for ever', { timeout: 300_000 }, async (t) => {
    const { server, voice } = await stage(t, () => ({ calls: [finish('without')] }), {
        mcp: (work) => ({ bank: { ...program(join(ours, 'late.mjs'), join(work, 'never.txt')), folder: work, start_timeout: '10m' } }),
        env: { WITAN_TEST_TOOLS_MS: '1000' },
    });
    await completed(server, await begin(server));
    assert.ok(!JSON.stringify(voice.calls[0].body.tools).includes('bank__'), 'it is told of none');
    assert.equal((await servers(server))[0].state, 'starting');
});
