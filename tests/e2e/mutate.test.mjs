// tools/mutate, tried on a tree of one module: what a test looks at dies, what none looks at lives, and the tree stays as it was.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { tempFolder } from './lib/server.mjs';

const run = promisify(execFile);
const tool = resolve('tools/mutate');

const source = `/* Whether one may go in: if (age < 18) is only a comment. */
int may_enter(int age, int with_parent)
{
    if (age >= 18)
        return 1;
    return with_parent != 0;
}

int seats(void)
{
    return 3 > 2 ? 3 : 0;
}
`;
const unitTest = (checks) => `int may_enter(int age, int with_parent);
int seats(void);
int main(void)
{
    return !(${checks});
}
`;
const makefile = `build/tests/unit/base_door: src/base/door.c tests/unit/base/test_door.c
\t@mkdir -p build/tests/unit && gcc -o $@ $^
`;
const thorough = 'may_enter(18, 0) && !may_enter(17, 0) && may_enter(17, 1) && may_enter(40, 0) && seats() == 3';

async function makeTree(t, checks, named = []) {
    const folder = await tempFolder(t);
    const files = {
        Makefile: makefile,
        '.gitignore': 'build/\n',
        'src/base/door.c': source,
        'tests/unit/base/test_door.c': unitTest(checks),
        'tests/mutants/named.mjs': `export default ${JSON.stringify(named)};\n`,
        'tests/mutants/equivalent.mjs': `export default [{ file: 'src/base/door.c', kind: 'limit', line: 'return 3 > 2 ? 3 : 0;', why: '3 is more than 2 either way' }];\n`,
    };
    for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
    }
    await run('git', ['-C', folder, 'init', '-q']);
    await run('git', ['-C', folder, 'add', '-A']);
    await run('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'A door']);
    return folder;
}

async function mutate(folder, ...args) {
    const { code, stdout, stderr } = await run(tool, ['--tree', folder, ...args]).then(
        (done) => ({ code: 0, ...done }),
        (failed) => failed,
    );
    return { code, text: stdout + stderr };
}

test('where tests look at everything, all faults die', async (t) => {
    const folder = await makeTree(t, thorough);
    const { code, text } = await mutate(folder, '--sample', '100');
    assert.equal(code, 0, text);
    assert.match(text, /\b6 planted: 6 died, 0 lived; 0 did not compile, 0 had no test near, 1 are known/);
    assert.equal(await readFile(join(folder, 'src/base/door.c'), 'utf8'), source, 'the tree is as it was');
});

test('what no test looks at lives, and is shown with its place', async (t) => {
    const folder = await makeTree(t, 'may_enter(40, 0) && !may_enter(17, 0) && may_enter(17, 1) && seats() == 3');
    const { code, text } = await mutate(folder, '--files', 'src/base/door.c');
    assert.equal(code, 1, text);
    assert.match(text, /lived +src\/base\/door\.c:4 +limit in may_enter\n +- +if \(age >= 18\)\n +\+ +if \(age > 18\)/);
    assert.match(text, /: 5 died, 1 lived;/);
    assert.equal((await mutate(folder, '--files', 'src/base/door.c', '--allow', '0.2')).code, 0, 'so much may live');
});

test('only functions that were changed get faults', async (t) => {
    const folder = await makeTree(t, thorough);
    await writeFile(join(folder, 'src/base/door.c'), source.replace('3 > 2', '4 > 2'));
    const { text } = await mutate(folder, '--since', 'HEAD', '--list');
    assert.match(text, /in seats/);
    assert.doesNotMatch(text, /in may_enter/);
});

test('a named fault that lives is never allowed, and one that cannot be found is said', async (t) => {
    const lax = [{ name: 'children go in', file: 'src/base/door.c', from: 'with_parent != 0', to: '1', tests: [{ kind: 'unit', name: 'base/door' }] }];
    const lived = await mutate(await makeTree(t, 'may_enter(40, 0)', lax), '--named', '--allow', '1');
    assert.equal(lived.code, 1, lived.text);
    assert.match(lived.text, /lived .* children go in/);
    assert.equal((await mutate(await makeTree(t, thorough, lax), '--named')).code, 0);
    const gone = await mutate(await makeTree(t, thorough, [{ ...lax[0], from: 'nowhere' }]), '--named');
    assert.equal(gone.code, 2);
    assert.match(gone.text, /"children go in" stands nowhere/);
});

test('a fault that does not compile is skipped, which is not how a named one may end', async (t) => {
    const folder = await makeTree(t, thorough, [
        { name: 'no C', file: 'src/base/door.c', from: 'with_parent != 0', to: 'with_parent !=', tests: [{ kind: 'unit', name: 'base/door' }] },
    ]);
    const { code, text } = await mutate(folder, '--named');
    assert.equal(code, 1);
    assert.match(text, /skipped .*no C/);
});
