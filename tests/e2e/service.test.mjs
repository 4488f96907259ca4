// Running it for real: the server locks itself in, the unit is hardened, and its program runs as its user.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { binary, onBothEngines, start, tempFolder, until } from './lib/server.mjs';

const run = promisify(execFile);
const timeout = 600_000;

async function status(pid, name) {
    const text = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(text.match(new RegExp(`^${name}:\\s*(\\d+)`, 'm'))[1]);
}

onBothEngines('the server gives up what it does not need, and says so', {}, async (server) => {
    await until(() => / sandbox writes=\S+ ports=.* programs=/.test(server.log), 'the log tells of it');
    assert.equal(await status(server.pid, 'NoNewPrivs'), 1);
    assert.equal(await status(server.pid, 'Seccomp'), 2);
    const prompt = await server.ask({ required_responses: 1 });
    await server.answer(prompt.id, 'Builder');
    assert.equal((await server.show(prompt.id)).status, 'resolved');
});

test('the sandbox can be switched off', { timeout }, async (t) => {
    const server = await start(t, { env: { WITAN_SERVER_SANDBOX: 'false' } });
    await until(() => /sandbox: switched off/.test(server.log), 'the log tells of it');
    assert.equal(await status(server.pid, 'Seccomp'), await status(process.pid, 'Seccomp'));
});

test('the program is built to resist being led astray', { timeout }, async () => {
    const { stdout } = await run('readelf', ['-W', '-h', '-l', '-d', binary], { maxBuffer: 2 ** 24 });
    assert.match(stdout, /Type:\s+DYN/);
    assert.match(stdout, /GNU_RELRO/);
    assert.match(stdout, /FLAGS\).*BIND_NOW/);
    assert.match(stdout, /GNU_STACK.* RW /);
    const { stdout: symbols } = await run('readelf', ['-W', '--dyn-syms', binary], { maxBuffer: 2 ** 24 });
    assert.match(symbols, /__stack_chk_fail/);
    assert.match(symbols, /__\w+_chk@/);
});

async function install(t) {
    const folder = await tempFolder(t);
    await chmod(folder, 0o755);
    await run('make', ['-s', 'install', `PREFIX=${folder}`]);
    return { folder, unit: join(folder, 'lib/systemd/system/witan.service') };
}

test('the unit is well-formed and leaves little exposed', { timeout }, async (t) => {
    const { unit } = await install(t);
    const { stderr } = await run('systemd-analyze', ['verify', '--man=no', unit]);
    assert.doesNotMatch(stderr, /witan/);
    // Below 5.0 counts as OK; the figure is in tenths.
    const security = ['security', '--offline=true', '--no-pager', '--threshold=20', unit];
    const { stdout } = await run('systemd-analyze', security);
    assert.match(stdout, /Overall exposure level for witan.service: .* (OK|SAFE|PERFECT)/);
});

// The machine is left alone, and nothing is mounted: the unit's user, /etc and /var/lib are those of a folder.
const asItsUser = `
set -eu
root=$1
shift
mkdir -p "$root/etc"
SYSTEMD_LOG_LEVEL=err systemd-sysusers --root="$root" "$root/lib/sysusers.d/witan.conf"
uid=$(grep '^witan:.*:/var/lib/witan:' "$root/etc/passwd" | cut -d: -f3)
gid=$(grep '^witan:' "$root/etc/group" | cut -d: -f3)
install -d -m 700 -o "$uid" -g "$gid" "$root/var/lib/witan"
exec setpriv --reuid="$uid" --regid="$gid" --clear-groups --no-new-privs --bounding-set=-all "$@"
`;

test('ExecStart runs as the user of the unit', { timeout, skip: process.getuid() !== 0 && 'needs root' }, async (t) => {
    const { folder, unit } = await install(t);
    const text = await readFile(unit, 'utf8');
    const command = text.match(/^ExecStart=(.*)$/m)[1].split(' ');
    const env = Object.fromEntries(
        text.match(/^Environment=(.*)$/m)[1].split(' ').map((pair) => {
            const [, name, place] = pair.match(/^(\w+)=(\/.*)$/);
            return [name, join(folder, place)];
        }),
    );
    await writeFile(join(folder, 'as-its-user'), asItsUser);
    const child = spawn(
        'sh',
        [join(folder, 'as-its-user'), folder, ...command, '--listen', '127.0.0.1:0'],
        { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    t.after(() => child.kill('SIGKILL'));
    let log = '';
    let said = '';
    child.stderr.on('data', (bytes) => (log += bytes));
    child.stdout.on('data', (bytes) => (said += bytes));
    const ended = once(child, 'close');
    const [, url] = await until(() => {
        assert.equal(child.exitCode, null, `it ended: ${log}`);
        return said.match(/ready: (\S+)\n/);
    }, 'it is ready');
    const uid = await status(child.pid, 'Uid');
    assert.notEqual(uid, 0);
    await until(() => log.includes(`writes=${folder}/var/lib/witan `), 'the log tells where it writes');
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    const asked = await fetch(`${url}/api/chat`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ agent_name: 'Developer', message: 'Here.' }),
    });
    assert.equal(asked.status, 201);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
});
