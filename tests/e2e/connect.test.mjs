// `witan connect`, and the lines of docs/agents.md as they stand there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { stdioClient } from '../mcp/clients.mjs';
import { cli } from './lib/cli.mjs';
import { binary, cleanEnv, start, tempFolder, until } from './lib/server.mjs';

const run = promisify(execFile);
const page = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
const block = (language) => page.match(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``))[1];

test('what is in the settings stays, and witan is added', async (t) => {
    const folder = await tempFolder(t);
    const path = join(folder, '.cursor/mcp.json');
    await mkdir(join(folder, '.cursor'));
    await writeFile(path, '{"z": 1, "mcpServers": {"other": {"url": "http://x"}, "witan": {"command": "old"}}, "a": 2}', {
        mode: 0o644,
    });
    const { code, stdout } = await cli(folder, ['connect', 'cursor', '--write']);
    assert.equal(code, 0);
    assert.equal(stdout.trim(), path);
    const written = JSON.parse(await readFile(path, 'utf8'));
    assert.deepEqual(Object.keys(written), ['z', 'mcpServers', 'a']);
    assert.deepEqual(written.mcpServers.other, { url: 'http://x' });
    assert.deepEqual(written.mcpServers.witan, { command: resolve(binary), args: ['mcp', '--start'] });
    assert.equal((await stat(path)).mode & 0o777, 0o644);
});

test('settings that are no plain JSON are not touched', async (t) => {
    const folder = await tempFolder(t);
    const path = join(folder, '.gemini/settings.json');
    await mkdir(join(folder, '.gemini'));
    for (const text of ['{ // mine\n}', '[]', '{"mcpServers": 5}']) {
        await writeFile(path, text);
        const { code, stderr } = await cli(folder, ['connect', 'gemini', '--write']);
        assert.notEqual(code, 0);
        assert.match(stderr, /by hand/);
        assert.equal(await readFile(path, 'utf8'), text);
    }
    const { code, stderr } = await cli(folder, ['connect', 'nobody']);
    assert.equal(code, 2);
    assert.match(stderr, /claude-code/);
});

test('TOML gets a table, once', async (t) => {
    const folder = await tempFolder(t);
    await mkdir(join(folder, '.codex'));
    await writeFile(join(folder, '.codex/config.toml'), 'model = "x"\n');
    assert.equal((await cli(folder, ['connect', 'codex', '--write', '--url', 'http://a:1'])).code, 0);
    const text = await readFile(join(folder, '.codex/config.toml'), 'utf8');
    assert.match(text, /^model = "x"\n\n\[mcp_servers\.witan\]\ncommand = ".*"\nargs = \["mcp","--url","http:\/\/a:1"\]\n$/);
    assert.equal((await cli(folder, ['connect', 'codex', '--write'])).code, 7);
});

// What begins with `witan` on the page, pasted into a shell as it stands; `claude` itself does not run here.
test('the lines of docs/agents.md work when pasted, and the client that was told finds witan', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const { folder } = server;
    const lines = [...page.matchAll(/^(?:```\n)(witan .*)\n```/gm)].map(([, line]) => line);
    assert.deepEqual(
        lines.map((line) => line.split(' ').slice(0, 3).join(' ')),
        ['witan connect claude-code', 'witan connect codex'],
    );
    await mkdir(join(folder, 'bin'));
    await symlink(resolve(binary), join(folder, 'bin/witan'));
    await mkdir(join(folder, '.config/witan'), { recursive: true });
    const env = cleanEnv(folder, { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, WITAN_URL: server.url });
    const token = [...page.matchAll(/`(witan token create [^`]*)`/g)].map(([, line]) => line);
    assert.equal(token.length, 1);
    for (const line of lines) await run('bash', ['-ec', line], { cwd: folder, env });
    const told = JSON.parse(await readFile(join(folder, '.mcp.json'), 'utf8')).mcpServers.witan;
    const { call, close } = await stdioClient(told.command, told.args, { ...env, ...told.env });
    t.after(close);
    const posted = await call('post_to_chat', { message: 'told by witan connect' });
    assert.equal(posted.structuredContent.message.message, 'told by witan connect');
    const toml = await readFile(join(folder, '.codex/config.toml'), 'utf8');
    assert.match(toml, /args = \["mcp","--url","https:\/\/witan\.example","--token-file",".*agent\.token"\]/);
    const { stdout } = await run('bash', ['-ec', `${token[0]} --db "$DB"`], { cwd: folder, env: { ...env, DB: server.db } });
    assert.match(stdout, /^witan_/);
});

for (const [language, file, command] of [
    ['python', 'ask.py', 'python3'],
    ['ts', 'ask.ts', process.execPath],
])
    test(`the ${language} of docs/agents.md asks and gets its answer`, { timeout: 600_000 }, async (t) => {
        const server = await start(t);
        const path = join(server.folder, file);
        await symlink(new URL('../mcp/node_modules', import.meta.url).pathname, join(server.folder, 'node_modules'));
        await writeFile(join(server.folder, 'package.json'), '{"type": "module"}');
        await writeFile(path, block(language).replaceAll('http://127.0.0.1:7117', server.url));
        const asked = run(command, [path]);
        const open = await until(async () => {
            const list = await server.must(200, 'GET', '/api/questions/pending?workspaceId=default');
            return list.questions[0];
        }, 'the question');
        await server.must(200, 'POST', `/api/questions/${open.id}/answer`, { response: { type: 'boolean', value: true } });
        assert.match((await asked).stdout, /^true$/im);
    });
