// `make ui all` in one call: the names of the built pages change with every build, and the program gets those of this one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { tempFolder } from './lib/server.mjs';

const execute = promisify(execFile);

test('the pages that are built in the same call of make become part of the program', { timeout: 300_000 }, async (t) => {
    const folder = await tempFolder(t);
    const made = join(folder, 'build/gen/assets.c');
    const make = (...goals) => execute('make', ['-s', ...goals, 'build/gen/assets.c'], { cwd: folder, env: { ...process.env, MAKEFLAGS: '' } });
    for (const name of ['Makefile', 'VERSION', 'tools/mkassets.c']) await cp(name, join(folder, name), { recursive: true });
    await mkdir(join(folder, 'ui/dist/assets'), { recursive: true });
    await mkdir(join(folder, 'ui/src'), { recursive: true });
    await writeFile(join(folder, 'ui/dist/index.html'), '<title>old</title>');
    await writeFile(join(folder, 'ui/dist/assets/old-1.js'), 'old');
    // Stands in for the real build: one file under a new name.
    const build = 'rm -rf dist && mkdir -p dist/assets && cp src/main.js dist/assets/new-$(cksum <src/main.js | cut -d" " -f1).js && cp src/index.html dist/';
    await writeFile(join(folder, 'ui/package.json'), JSON.stringify({ name: 'ui', scripts: { build } }));
    await writeFile(join(folder, 'ui/src/main.js'), 'first');
    await writeFile(join(folder, 'ui/src/index.html'), '<title>new</title>');
    await make('ui');
    const first = await readFile(made, 'utf8');
    assert.match(first, /new-\d+\.js/);
    assert.doesNotMatch(first, /old-1/);
    await make();
    assert.equal(await readFile(made, 'utf8'), first, 'nothing has changed');
    await writeFile(join(folder, 'ui/src/main.js'), 'second, and longer');
    await make('ui');
    const second = await readFile(made, 'utf8');
    assert.match(second, /new-\d+\.js/);
    assert.notEqual(second.match(/new-\d+/)[0], first.match(/new-\d+/)[0]);
});
