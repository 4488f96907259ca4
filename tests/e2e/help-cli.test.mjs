// Help by what one wants to do, the manual page from the same rows, and where `make install` puts things.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, readdir, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { cli } from './lib/cli.mjs';
import { binary, cleanEnv, start, tempFolder } from './lib/server.mjs';
import { Terminal } from './lib/terminal.mjs';

const root = new URL('../..', import.meta.url).pathname;

test('help begins with what people want, and names every command once', async (t) => {
    const folder = await tempFolder(t);
    const { stdout } = await cli(folder, ['help', 'all'], {});
    assert.match(stdout, /^[^\n]*\n\nexamples:\n {2}witan ask /);
    assert.match(stdout, /\nto ask people:\n {2}ask /);
    assert.ok(stdout.split('\n').every((line) => line.length <= 110), 'lines are wrapped');
    const names = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}\S/gm)].map(([, name]) => name);
    assert.equal(new Set(names).size, names.length, names.sort().join(', '));
    for (const name of ['ask', 'inbox', 'show', 'serve', 'call', 'analytics']) assert.ok(names.includes(name), name);

    const man = (await cli(folder, ['docs', 'man'], {})).stdout;
    for (const name of names) assert.ok(man.includes(`.SS witan ${name.replaceAll('-', '\\-')}\n`), name);
    const codes = (await cli(folder, ['help', 'exit-codes'], {})).stdout;
    const table = (await cli(folder, ['docs', 'exit-codes'], {})).stdout;
    assert.ok(man.includes(codes));
    for (const [, code] of codes.matchAll(/^ +(\d+) {2}/gm)) assert.match(table, new RegExp(`^\\| ${code} \\| `, 'm'));
});

test('each help fits the terminal, and wrong words are named, before any server is asked', async (t) => {
    const folder = await tempFolder(t);
    const env = { WITAN_URL: 'http://127.0.0.1:9' };
    const { stdout } = await cli(folder, ['help', 'all'], { env });
    for (const [, name] of stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) {2,}\S/gm)) {
        const help = await cli(folder, [...name.split(' '), '--help'], { env });
        assert.equal(help.code, 0, name);
        assert.doesNotMatch(help.stdout, /Default:\s+\./, `${name}: what is empty is no default to speak of`);
        const [head, ...rest] = help.stdout.split(/\nexamples:\n[^]*?\n\n/);
        for (const line of [head, ...rest].join('\n').split('\n')) assert.ok(line.length <= 110, `${name}: ${line}`);
        const wrong = await cli(folder, [...name.split(' '), '--nonsense'], { env });
        assert.equal(wrong.code, 2, `${name}: ${wrong.stderr}`);
        assert.match(wrong.stderr, /--nonsense/);
    }
    const nothing = await cli(folder, ['ask'], { env });
    assert.equal(nothing.code, 2, nothing.stderr);
    assert.match(nothing.stderr, /needs a question/);
});

// Examples are there to be pasted, and stay whole.
test('help is wrapped to terminals of 40, 80 and 120 columns', { timeout: 600_000 }, async (t) => {
    const server = { folder: await tempFolder(t), url: 'http://127.0.0.1:9' };
    const names = [...(await cli(server.folder, ['help', 'all'])).stdout.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)?) {2,}\S/gm)].map(([, name]) => name);
    for (const width of [40, 80, 120]) {
        const terminal = await Terminal.open(t, server, { COLUMNS: '' });
        const lines = ['witan help', 'witan help all', 'witan help exit-codes', ...names.map((name) => `witan ${name} --help`)];
        let shown = '';
        for (let at = 0; at < lines.length; at += 20)
            shown += (await terminal.run(`stty cols ${width}; ${lines.slice(at, at + 20).join('; ')}`)).shown.replace(/^(> )+/, '');
        const told = shown.replace(/\nexamples:\n[^]*?\n\n/g, '\n\n').split('\n');
        assert.ok(told.length > 500, `only ${told.length} lines`);
        assert.deepEqual(told.filter((line) => line.length > width), []);
        assert.ok(told.some((line) => line.length > width * 0.9), 'and uses the room there is');
        await terminal.close();
    }
});

test('the first help fits a screen, and says where the rest is', async (t) => {
    const server = { folder: await tempFolder(t), url: 'http://127.0.0.1:9' };
    const { stdout: all } = await cli(server.folder, ['help', 'all']);
    const terminal = await Terminal.open(t, server, { COLUMNS: '' });
    for (const line of ['witan --help', 'witan help', 'witan']) {
        const { code, shown } = await terminal.run(`stty cols 80 rows 24; ${line}`);
        const lines = shown.replace(/^(> )+/, '').trimEnd().split('\n');
        assert.equal(code, line === 'witan' ? 2 : 0);
        assert.ok(lines.length <= 23, `${lines.length} lines and a prompt:\n${shown}`);
        assert.deepEqual(lines.filter((one) => one.length > 80), []);
        assert.match(shown, /witan help all/);
        // Every command is in it, by the first word of its name.
        const told = new Set(shown.match(/[a-z-]+/g));
        for (const [, name] of all.matchAll(/^ {2}([a-z-]+)(?: [a-z-]+)? {2,}\S/gm)) assert.ok(told.has(name), name);
    }
});

test('make install puts completions and the manual page in their places', async (t) => {
    const folder = await tempFolder(t);
    const build = dirname(binary).startsWith(root) ? dirname(binary).slice(root.length) : 'build';
    await promisify(execFile)('make', ['-C', root, 'install', `BUILD=${build}`, `DESTDIR=${folder}`, 'PREFIX=/usr']);
    const share = join(folder, 'usr', 'share');
    assert.match(await readFile(join(share, 'man/man1/witan.1'), 'utf8'), /^\.TH WITAN 1/);
    assert.match(await readFile(join(share, 'bash-completion/completions/witan'), 'utf8'), /complete .*witan/);
    assert.match(await readFile(join(share, 'zsh/vendor-completions/_witan'), 'utf8'), /^#compdef witan\n/);
    assert.match(await readFile(join(share, 'fish/vendor_completions.d/witan.fish'), 'utf8'), /complete -c witan/);
    assert.equal((await stat(join(folder, 'usr/bin/witan'))).mode & 0o777, 0o755);

    // Where the guide and what it leads to point to, something is; the unit's own link, too.
    const doc = join(share, 'doc/witan');
    const pages = (await readdir(doc, { recursive: true })).filter((name) => name.endsWith('.md'));
    const anchorsOf = (text) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.toLowerCase().replace(/[^\p{L}\p{N} -]/gu, '').replaceAll(' ', '-'));
    let links = 0;
    for (const page of pages)
        for (const [, link] of (await readFile(join(doc, page), 'utf8')).matchAll(/\]\(([^)]+)\)/g)) {
            if (/^https?:/.test(link)) continue;
            const [path, anchor] = link.split('#');
            const target = await readFile(path ? join(doc, dirname(page), path) : join(doc, page), 'utf8').catch(() => assert.fail(`${page}: ${link}`));
            if (anchor) assert.ok(anchorsOf(target).includes(anchor), `${page}: ${link}`);
            links++;
        }
    assert.ok(pages.includes('guide.md') && links > 10, `${links}`);
    assert.ok((await stat(join(folder, 'usr/lib/systemd/system/witan.service'))).isFile());
});

test('commands are named as they were typed: in help, hints, remarks and what waits', async (t) => {
    const server = await start(t);
    const { folder } = server;
    await mkdir(join(folder, 'build'));
    await symlink(binary, join(folder, 'build/witan'));
    const type = (program, args, path = process.env.PATH) => {
        const env = cleanEnv(folder, { WITAN_URL: server.url, PATH: path });
        const { stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8', input: '' });
        return stdout + stderr;
    };
    const asked = type('build/witan', ['ask', 'Shall we?', '--yes-no', '--no-wait']);
    const id = asked.trim().split('\n').at(-1);
    const said = [
        type('build/witan', ['help']),
        type('build/witan', ['help', 'ask']),
        type('build/witan', ['ask']),
        type('build/witan', ['inboxx']),
        type('build/witan', ['show', id]),
        type('build/witan', ['doctor', '--db', `sqlite:${folder}/none.db`]),
        type('build/witan', ['answer', 'ffffffff', 'yes']),
        type('build/witan', ['inbox', '--url', 'http://127.0.0.1:9']),
    ];
    const bare = /(^|[\s`"'(|])witan (?:ask|inbox|answer|serve|show|wait|prompt|events|help|version|COMMAND|--help)\b/m;
    for (const text of said) {
        assert.match(text, /build\/witan \w/);
        assert.doesNotMatch(text, bare);
    }
    assert.match(said[4], new RegExp(`^answer with: build/witan answer ${id.slice(-8)} `, 'm'));
    // The manual is the same for all; and where the shell finds it by its name, that is what is shown.
    assert.doesNotMatch(type('build/witan', ['docs', 'man']), /build\/witan/);
    await mkdir(join(folder, 'bin'));
    await symlink(binary, join(folder, 'bin/witan'));
    for (const [program, path] of [['build/witan', `${folder}/bin:${process.env.PATH}`], [binary]]) {
        const text = type(program, ['ask'], path);
        assert.match(text, /For instance: witan ask /);
    }
});
