// ./dev: what it says, and what it leaves alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { binary, tempFolder } from './lib/server.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

function run(command, args, { env = {}, cwd = root } = {}) {
    return spawnSync(command, args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
}

test('a step that there is not is refused before anything is installed', async (t) => {
    const folder = await tempFolder(t);
    for (const program of ['dpkg-query', 'apt-get', 'npm', 'sudo']) {
        writeFileSync(join(folder, program), `#!/bin/sh\ntouch ${folder}/called\nexit 1\n`);
        chmodSync(join(folder, program), 0o755);
    }
    for (const args of [['nope'], ['--full', 'unit', 'nope']]) {
        const { status, stderr } = run('./dev', ['test', ...args], { env: { PATH: `${folder}:${process.env.PATH}` } });
        assert.equal(status, 2);
        assert.match(stderr, /no step nope; there are: .*unit/);
    }
    assert.equal(run('test', ['-e', join(folder, 'called')]).status, 1);
});

test('lint works in a source archive, and finds what is wrong there', async (t) => {
    const folder = await tempFolder(t);
    const pack =
        'tar cf - --exclude=./build --exclude=./.git --exclude=node_modules --exclude=./.node . | tar xf - -C "$0"';
    assert.equal(run('sh', ['-c', pack, folder]).status, 0);
    symlinkSync(dirname(resolve(binary)), join(folder, 'build'));
    const lint = () => run('tools/lint', ['build'], { cwd: folder });
    const clean = lint();
    assert.equal(clean.status, 0, clean.stdout + clean.stderr);
    writeFileSync(join(folder, 'tools/odd'), '#!/bin/sh\nif then\n');
    const odd = lint();
    assert.equal(odd.status, 1);
    assert.match(odd.stderr, /tools\/odd does not parse/);
});
