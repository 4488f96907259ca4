// The Debian package: what lintian says of it, what it holds, and, in the long run, how it comes and goes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { binary, full, tempFolder } from './lib/server.mjs';

const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;
const build = dirname(binary).startsWith(root) ? dirname(binary).slice(root.length) : 'build';
const timeout = 300_000;

async function makePackage() {
    const env = { ...process.env, DEBFULLNAME: 'Ada Lovelace', DEBEMAIL: 'ada@debian.org' };
    const { stdout } = await run('make', ['-s', '--no-print-directory', '-C', root, 'deb', `BUILD=${build}`], { env });
    return join(root, stdout.trim().split('\n').at(-1));
}

test('the package is as Debian wants it, and its unit is well-formed', { timeout }, async (t) => {
    const folder = await tempFolder(t);
    const made = await makePackage();
    const file = join(folder, made.split('/').at(-1)); // another run may make it anew meanwhile
    await copyFile(made, file);
    const said = await run('lintian', ['--fail-on', 'error,warning', '--allow-root', file]).catch((error) => error);
    assert.equal(said.code ?? 0, 0, `${said.stdout}${said.stderr}`);

    await run('dpkg-deb', ['-R', file, join(folder, 'package')]);
    const at = (path) => join(folder, 'package', path);
    const control = await readFile(at('DEBIAN/control'), 'utf8');
    assert.match(control, new RegExp(`^Version: ${(await readFile(join(root, 'VERSION'), 'utf8')).trim()}$`, 'm'));
    assert.match(control, /^Maintainer: Ada Lovelace <ada@debian\.org>$/m, 'whoever makes it answers for it');
    for (const library of ['libsqlite3-0', 'libpq5', 'libncursesw6']) assert.match(control, new RegExp(`^Depends: .*\\b${library}`, 'm'));
    for (const path of ['usr/share/man/man1/witan.1.gz', 'usr/share/zsh/vendor-completions/_witan', 'usr/share/fish/vendor_completions.d/witan.fish', 'usr/share/bash-completion/completions/witan', 'usr/lib/sysusers.d/witan.conf'])
        assert.ok((await readFile(at(path))).length > 0, path);

    // The program is looked for where the unit will find it.
    const unit = join(folder, 'witan.service');
    const text = await readFile(at('usr/lib/systemd/system/witan.service'), 'utf8');
    assert.match(text, /^ExecStart=\/usr\/bin\/witan serve$/m);
    await writeFile(unit, text.replace('/usr/bin/witan', at('usr/bin/witan')));
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]);
    assert.doesNotMatch(stderr, /witan/);
    assert.match((await run(at('usr/bin/witan'), ['version'])).stdout, /^witan \d/);
});

const cannot = process.getuid() !== 0 ? 'needs root' : !full && 'only with --full';
test('the package installs, runs, under systemd too, and goes in a fresh Debian', { timeout: 1_800_000, skip: cannot }, async () => {
    const { stdout } = await run(join(root, 'tools/trydeb'), [await makePackage()], { maxBuffer: 2 ** 24 });
    assert.match(stdout, /under systemd it does what the guide says/);
    assert.match(stdout, /installs, runs and goes/);
});
