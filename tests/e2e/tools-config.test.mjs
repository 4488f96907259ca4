// Tools of config.yaml: a server does not start with one that is wrong, and says which setting of it and where; what there is
// is listed, and what it says reaches the model in words.
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { begin, command, completed, results, stage } from './lib/runs.mjs';
import { start, tempFolder, until } from './lib/server.mjs';

const tool = (more = {}) => ({ description: 'Counts.', input_schema: { type: 'object' }, argv: ['/usr/bin/wc', '-w'], ...more });

async function written(t, settings) {
    const folder = await tempFolder(t);
    const config = join(folder, 'tools.yaml');
    if (typeof settings === 'function') settings = await settings(folder);
    await writeFile(config, typeof settings === 'string' ? settings : JSON.stringify(settings));
    return { folder, config };
}

async function refused(t, settings, env = {}) {
    const { folder, config } = await written(t, settings);
    const args = ['serve', '--listen', '127.0.0.1:0', '--db', `sqlite:${join(folder, 'w.db')}`, '--config', config];
    const run = await cli(folder, args, { env });
    assert.equal(run.code, 2, `it started, or ended otherwise: ${run.stderr}`);
    assert.equal(run.stdout, '');
    assert.match(run.stderr, /tools\.yaml:\d+: /);
    return run.stderr;
}

// What is wrong whatever the machine.
const wrong = {
    'tools.a.argv': { tools: { a: { ...tool(), argv: [] } } },
    'tools.a.input_schema': { tools: { a: tool({ input_schema: { type: 'object', properties: { b: { type: 'text' } } } }) } },
    'tools.a.timeout': { tools: { a: tool({ timeout: '0s' }) } },
    'tools.a.category': { tools: { a: tool({ category: 'cooking' }) } },
    'tools.a.roles': { tools: { a: tool({ roles: ['king'] }) } },
    'tools.a.tmeout': { tools: { a: tool({ tmeout: '3s' }) } },
    'tools.finish': { tools: { finish: tool() } },
    'tools.two words': { tools: { 'two words': tool() } },
    'mcp.s': { mcp: { s: {} } },
    'mcp.s.url': { mcp: { s: { url: 'gopher://x' } } },
    'mcp.s.tools.read.colour': { mcp: { s: { url: 'http://127.0.0.1:1/mcp', tools: { read: { colour: 'red' } } } } },
};

for (const [field, settings] of Object.entries(wrong))
    test(`a server does not start with a wrong ${field}, and says so`, async (t) => {
        assert.ok((await refused(t, settings)).includes(`: ${field}: `), field);
    });

test('a tool that stands there twice is named', async (t) => {
    const one = 'a: {description: x, input_schema: {type: object}, argv: [wc]}';
    assert.match(await refused(t, `tools:\n  ${one}\n  ${one}\n`), /tools\.yaml:3: a stands there twice/);
});

test('what this machine lacks is said before the server starts', async (t) => {
    const folder = await tempFolder(t);
    const plain = join(folder, 'plain');
    await writeFile(plain, 'no program');
    const lacks = [
        ['tools.a.argv', { tools: { a: tool({ argv: ['/no/such/program'] }) } }, 'There is no program /no/such/program'],
        ['tools.a.argv', { tools: { a: tool({ argv: ['no-such-program'] }) } }, 'no-such-program'],
        ['tools.a.argv', { tools: { a: tool({ argv: [plain] }) } }, 'cannot be run'],
        ['tools.a.folder', { tools: { a: tool({ folder: '/no/such/folder' }) } }, '/no/such/folder'],
        ['tools.a.folder', { tools: { a: tool({ folder: plain }) } }, plain],
        ['tools.a.environment_from', { tools: { a: tool({ environment_from: ['NOT_SET_HERE'] }) } }, 'NOT_SET_HERE is not set'],
        ['mcp.s.command', { mcp: { s: { command: ['/no/such/server'] } } }, '/no/such/server'],
        ['mcp.s.api_key_env', { mcp: { s: { url: 'http://127.0.0.1:1/mcp', api_key_env: 'NOT_SET_HERE' } } }, 'is not set'],
        ['mcp.s.api_key_file', { mcp: { s: { url: 'http://127.0.0.1:1/mcp', api_key_file: '/no/such/key' } } }, 'cannot be read'],
        ['mcp.s.headers_from', { mcp: { s: { url: 'http://127.0.0.1:1/mcp', headers_from: { 'X-Key': 'NOT_SET_HERE' } } } }, 'NOT_SET_HERE'],
    ];
    for (const [field, settings, words] of lacks) {
        const said = await refused(t, settings);
        assert.ok(said.includes(`: ${field}: `), said);
        assert.ok(said.includes(words), said);
    }
});

test('what is the server\'s own is given to no program, and no program stands in the way of another', async (t) => {
    const inside = async (folder) => {
        await mkdir(join(folder, 'outer/inner'), { recursive: true });
        return { a: tool({ folder: join(folder, 'outer') }), b: tool({ folder: join(folder, 'outer/inner') }) };
    };
    const own = [
        ['tools.a.folder', (folder) => ({ tools: { a: tool({ folder }) } }), 'is or holds the folder of the store'],
        ['mcp.s.folder', (folder) => ({ mcp: { s: { command: ['/bin/cat'], folder: join(folder, '..') } } }), 'the folder of the store'],
        ['tools.a.reads', (folder) => ({ tools: { a: tool({ reads: ['/usr', folder] }) } }), 'the folder of the store'],
        ['tools.a.reads', (folder) => ({ tools: { a: tool({ reads: [join(folder, 'tools.yaml')] }) } }), 'is or holds the settings'],
        ['coder.argv', (folder) => ({ coder: { argv: ['/bin/cat', join(folder, 'tools.yaml')] } }), 'is or holds the settings'],
        ['tools.a.folder', { tools: { a: tool({ folder: '/etc' }) } }, "write the system's files"],
        ['tools.a.folder', { tools: { a: tool({ folder: '/usr/local/bin' }) } }, "write the system's files"],
        ['tools.a.folder', { tools: { a: tool({ folder: '/var/lib' }) } }, "write the system's files"],
        ['tools.b.folder', async (folder) => ({ tools: await inside(folder) }), 'leads through the folder of tools.a'],
    ];
    for (const [field, settings, words] of own) {
        const said = await refused(t, settings);
        assert.ok(said.includes(`: ${field}: `), said);
        assert.ok(said.includes(words), said);
    }
});

test('witan config shows tools without their secrets, wherever it is called', async (t) => {
    const settings = {
        tools: { a: tool({ argv: ['/no/such/program'], environment: { KEY: 'hidden-one' } }) },
        mcp: { s: { url: 'http://127.0.0.1:1/mcp', headers: { 'X-Key': 'hidden-two' }, tools: { read: { enabled: false } } } },
    };
    const { folder, config } = await written(t, settings);
    for (const more of [[], ['--json']]) {
        const { code, stdout, stderr } = await cli(folder, ['config', '--config', config, ...more]);
        assert.equal(code, 0, stderr);
        assert.ok(!stdout.includes('hidden'), 'a secret is shown');
        assert.ok(stdout.includes('/no/such/program') && stdout.includes('X-Key') && stdout.includes('enabled'));
    }
});

test('the tools of the guide are as they must be written', async (t) => {
    const guide = await readFile(new URL('../../docs/guide.md', import.meta.url), 'utf8');
    const [, block] = guide.match(/```yaml\n(tools:\n[^]*?)```/);
    const { folder, config } = await written(t, block);
    const { code, stdout, stderr } = await cli(folder, ['config', '--config', config, '--json']);
    assert.equal(code, 0, stderr);
    const shown = JSON.parse(stdout);
    assert.deepEqual([Object.keys(shown.tools), Object.keys(shown.mcp)], [['word_count', 'install'], ['files', 'tracker']]);
});

// Each member of the line, and what it may say where the machine can hold programs to it and where it cannot.
const bounds = {
    read: ['the system and what they name', 'not held'],
    write: ['their folder', 'not held'],
    rights: ["their folder's", 'not held'],
    network: ['none unless they may', 'not held'],
    processes: ['end with them', 'are ended one by one'],
    others: ['not seen', 'seen, with their command lines'],
};

test('the log says at the start how far programs are held, once, where there are any', async (t) => {
    const said = (server) => server.log.split('\n').filter((line) => /^\S+ \w+ +programs /.test(line));
    const { config, folder } = await written(t, { tools: { a: tool() } });
    const server = await start(t, { folder, args: ['--config', config] });
    const lines = said(server);
    assert.equal(lines.length, 1, server.log);
    const [, level, members] = lines[0].match(/^\S+ (\w+) +programs (.*)$/);
    const told = Object.fromEntries([...members.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    assert.deepEqual(Object.keys(told), Object.keys(bounds), lines[0]);
    for (const [name, value] of Object.entries(told)) assert.ok(bounds[name].includes(value), `${name}: ${value}`);
    assert.equal(level, [told.write, told.network].includes('not held') ? 'warn' : 'info');
    assert.ok(server.log.indexOf(lines[0]) < server.log.indexOf(' listening '), 'it is said before anybody can ask for one');
    assert.deepEqual(said(await start(t)), []);
});

test('tools are listed with the state of their servers', async (t) => {
    const settings = {
        tools: { zip: tool({ needs_approval: true, category: 'scopeChanges', roles: ['owner'], projects: ['nosuch'] }), count: tool({ idempotent: true }) },
        mcp: { broken: { command: ['/bin/false'], restarts: 0 } },
    };
    const { folder, config } = await written(t, settings);
    const server = await start(t, { folder, args: ['--config', config] });
    const broken = await until(async () => {
        const { servers } = await server.must(200, 'GET', '/api/tools');
        return servers[0].state === 'unavailable' && servers[0];
    }, 'the server has failed');
    assert.equal(broken.name, 'broken');
    assert.ok(broken.why.length > 10, 'it says why');
    const { tools, nextCursor } = await server.must(200, 'GET', '/api/tools');
    assert.deepEqual(tools.map((one) => one.name), ['count', 'zip']);
    assert.equal(nextCursor, null);
    assert.deepEqual(
        [tools[0].kind, tools[0].server, tools[0].needsApproval, tools[0].category, tools[0].idempotent, tools[0].roles],
        ['command', null, false, null, true, null],
    );
    assert.deepEqual([tools[1].needsApproval, tools[1].category, tools[1].roles], [true, 'scopeChanges', ['owner']]);
    assert.ok(!JSON.stringify(tools).includes('/usr/bin/wc'), 'what it runs is shown');
    const { code, stdout, stderr } = await cli(folder, ['tool', 'list', '--url', server.url]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /NAME +FROM[^]*FOR[^]*count +this machine +- +all +Counts\.[^]*zip +this machine +each call +nosuch; owner +Counts/);
    assert.match(server.log, /a tool is for a project that is not there tool=zip project=nosuch/);
    assert.match(stderr, /The server broken is unavailable: \S/);
    const doctor = () => cli(folder, ['doctor', '--db', server.db, '--config', config, '--url', server.url]);
    const well = await doctor();
    assert.equal(well.code, 0, well.stdout);
    assert.match(well.stdout, /ok +tools +Programs of config\.yaml that are there: 3\.[^]*warn +mcp broken +It is unavailable: \S/);
    await writeFile(config, JSON.stringify({ tools: { zip: tool({ argv: ['/no/such/program'] }), count: tool() } }));
    const ill = await doctor();
    assert.equal(ill.code, 1, ill.stdout);
    assert.match(ill.stdout, /fail +tool zip +There is no program \/no\/such\/program/);
    await writeFile(config, JSON.stringify({ coder: { argv: ['/no/such/coder'] } }));
    assert.match((await doctor()).stdout, /fail +coder argv +There is no program \/no\/such\/coder/);
});

// One reply with a call of each tool, then the end; what the model was told of each comes back by the tool's name.
async function outcomes(t, tools) {
    const names = [];
    const told = {};
    const { server } = await stage(
        t,
        (call) => {
            Object.assign(told, results(call));
            return Object.keys(told).length
                ? 'Done.'
                : { calls: names.map((name) => ({ name, id: name, args: { text: 'one two three' } })) };
        },
        {
            tools: async (work) => {
                const made = await tools(work);
                names.push(...Object.keys(made));
                return made;
            },
        },
    );
    await completed(server, await begin(server));
    return told;
}

test('what commands print, and how they fail, reaches the model in words', async (t) => {
    const told = await outcomes(t, async (work) => ({
        echo: await command(work, 'echo', 'cat'),
        fails: await command(work, 'fails', 'echo half; echo "no such thing" >&2; exit 3'),
        slow: await command(work, 'slow', 'echo begun; sleep 600', { timeout: '1s' }),
        flood: await command(work, 'flood', 'while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done', { output: '4KB' }),
        bytes: await command(work, 'bytes', "printf 'a\\377b\\033[1m'"),
        silent: await command(work, 'silent', ':'),
        speaks: await command(work, 'speaks', 'echo "$WORD $(pwd)"', { environment: { WORD: 'word' }, folder: work }),
    }));
    assert.equal(told.echo, '{"text":"one two three"}');
    assert.match(told.fails, /exit status 3[^]*no such thing[^]*half/);
    assert.match(told.slow, /did not end within 1\.0 s/);
    // Where a second is too short to begin in, it is shown with more of them.
    const slow = /begun/.test(told.slow)
        ? told.slow
        : (await outcomes(t, async (work) => ({ slow: await command(work, 'slow', 'echo begun; sleep 600', { timeout: '30s' }) }))).slow;
    assert.match(slow, /did not end within \d+\.0 s[^]*begun/);
    assert.ok(told.flood.length < 6000 && told.flood.includes('aaaa'), 'it is bounded');
    assert.equal(told.bytes, 'a\ufffdb[1m');
    assert.ok(told.silent.length > 5, 'something is said');
    assert.match(told.speaks, /^word \/.*work$/);
});

test('a program that goes away while the server runs is told as missing', async (t) => {
    let file;
    let told;
    const { server } = await stage(
        t,
        (call) => {
            told = results(call).gone;
            return told ? 'Done.' : { calls: [{ name: 'gone', id: 'gone', args: {} }] };
        },
        {
            tools: async (folder) => {
                file = join(folder, 'gone.sh');
                await writeFile(file, '#!/bin/sh\necho there\n');
                await chmod(file, 0o755);
                return { gone: { description: 'Goes.', input_schema: { type: 'object' }, argv: [file] } };
            },
        },
    );
    await chmod(file, 0o644);
    await completed(server, await begin(server));
    assert.match(told, /gone\.sh/);
    assert.ok(!/there$/.test(told), told);
});

test('a folder that was replaced by a link while the server runs is used by nobody', async (t) => {
    let told;
    const { server, work } = await stage(
        t,
        (call) => {
            told = results(call).keeps;
            return told ? 'Done.' : { calls: [{ name: 'keeps', id: 'keeps', args: {} }] };
        },
        {
            tools: async (folder) => {
                await mkdir(join(folder, 'kept'));
                return { keeps: await command(folder, 'keeps', 'ls; echo x > written', { folder: join(folder, 'kept') }) };
            },
        },
    );
    await rename(join(work, 'kept'), join(work, 'moved'));
    await symlink(server.folder, join(work, 'kept'));
    await completed(server, await begin(server));
    assert.match(told, /kept is another one than when the server started; a restart takes it as it is now\./);
    assert.ok(!(await readdir(server.folder)).includes('written'));
    await server.stop();
    await assert.rejects(server.up(), /tools\.keeps\.folder: \S+kept is or holds the folder of the store/);
});
