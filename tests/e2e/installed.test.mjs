// Commands on a machine with the service installed: which store they mean, whose files they make, and what they say. The
// machine is a folder with its own users, unit and program, entered by chroot; tools/trydeb does the same with systemd.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, copyFile, lstat, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { binary, freshStore, tempFolder, until } from './lib/server.mjs';
import { sql } from './lib/sql.mjs';

const run = promisify(execFile);
const isScript = readFileSync(binary).subarray(0, 2).toString() === '#!';
const skip = process.getuid() !== 0 ? 'needs root' : isScript && 'needs the program itself, which is moved to another place';
const timeout = 300_000;
const users = { root: [0, '/root'], witan: [990, '/var/lib/witan'], maya: [1001, '/home/maya'] };
const unitPath = '/usr/lib/systemd/system/witan.service';
const store = '/var/lib/witan/witan.db';

class Machine {
    constructor(folder) {
        this.folder = folder;
    }

    at(path) {
        return join(this.folder, path);
    }

    async put(path, text, { mode = 0o644, who = 'root' } = {}) {
        await mkdir(dirname(this.at(path)), { recursive: true });
        await writeFile(this.at(path), text);
        await chmod(this.at(path), mode);
        await chown(this.at(path), users[who][0], users[who][0]);
    }

    spawn(who, args, env = {}) {
        const [id, home] = users[who];
        return spawn('chroot', [`--userspec=${id}:${id}`, '--groups=', this.folder, '/usr/bin/witan', ...args], {
            env: { PATH: process.env.PATH, HOME: home, WITAN_COUNCIL_OLLAMA: 'off', ...env },
            stdio: ['pipe', 'pipe', 'pipe'],
        });
    }

    async witan(who, args, { input = '', env } = {}) {
        const child = this.spawn(who, args, env);
        const said = { stdout: '', stderr: '' };
        for (const name of ['stdout', 'stderr']) child[name].on('data', (bytes) => (said[name] += bytes));
        child.stdin.on('error', () => {});
        child.stdin.end(input);
        const [code] = await once(child, 'close');
        return { code, ...said };
    }

    async good(who, args, options) {
        const said = await this.witan(who, args, options);
        assert.equal(said.code, 0, `witan ${args.join(' ')}: ${said.stdout}${said.stderr}`);
        return said;
    }

    // As the unit starts it, or by hand.
    async serve(t, who, env, args = []) {
        const child = this.spawn(who, ['serve', '--listen', '127.0.0.1:0', ...args], env);
        t.after(() => child.kill('SIGKILL'));
        let said = '';
        child.stdout.on('data', (bytes) => (said += bytes));
        child.stderr.on('data', (bytes) => (said += bytes));
        const ended = once(child, 'close');
        const [, url] = await until(() => {
            assert.equal(child.exitCode, null, `it ended: ${said}`);
            return said.match(/ready: (\S+)\n/);
        }, 'it is ready');
        return {
            url,
            stop: async () => {
                child.kill('SIGTERM');
                assert.deepEqual(await ended, [0, null]);
            },
        };
    }

    // Whose each file below a folder is, and with which bits: { 'witan.db': 'witan 600' }.
    async owners(path) {
        const found = {};
        for (const name of await readdir(this.at(path)).catch(() => [])) {
            const about = await lstat(this.at(join(path, name)));
            const who = Object.entries(users).find(([, [id]]) => id === about.uid && id === about.gid)?.[0];
            found[name] = `${who ?? `${about.uid}:${about.gid}`} ${(about.mode & 0o777).toString(8)}`;
        }
        return found;
    }
}

const unitEnv = { XDG_CONFIG_HOME: '/etc', XDG_DATA_HOME: '/var/lib', HOME: '/var/lib/witan' };

async function makeMachine(t) {
    const machine = new Machine(await tempFolder(t));
    await chmod(machine.folder, 0o755);
    const { stdout } = await run('ldd', [binary]);
    for (const [, path] of stdout.matchAll(/(\/\S+) \(0x/g)) {
        await mkdir(dirname(machine.at(path)), { recursive: true });
        await copyFile(path, machine.at(path));
        await chmod(machine.at(path), 0o755);
    }
    await mkdir(machine.at('/usr/bin'), { recursive: true });
    await copyFile(binary, machine.at('/usr/bin/witan'));
    await machine.put('/etc/passwd', Object.entries(users).map(([name, [id, home]]) => `${name}:x:${id}:${id}::${home}:/bin/sh\n`).join(''));
    await machine.put('/etc/group', Object.entries(users).map(([name, [id]]) => `${name}:x:${id}:\n`).join(''));
    for (const [path, who, mode] of [['/root', 'root', 0o700], ['/home/maya', 'maya', 0o700], ['/var/lib', 'root', 0o755], ['/tmp', 'root', 0o1777], ['/backups', 'root', 0o700]]) {
        await mkdir(machine.at(path), { recursive: true });
        await chmod(machine.at(path), mode);
        await chown(machine.at(path), users[who][0], users[who][0]);
    }
    const unit = await readFile(new URL('../../packaging/witan.service', import.meta.url), 'utf8');
    await machine.put(unitPath, unit.replaceAll('@PREFIX@', '/usr'));
    return machine;
}

// As systemd makes it before a start.
async function folderOfService(machine, id = 990) {
    await mkdir(machine.at('/var/lib/witan'), { mode: 0o700 });
    await chown(machine.at('/var/lib/witan'), id, id);
}

const named = new RegExp(`^The store is sqlite:${store}, that of the service \\(${unitPath}\\)\\.$`, 'm');

test("before the first start, beside the server and without it, commands of root work on the service's store as its user", { timeout, skip }, async (t) => {
    const machine = await makeMachine(t);
    const made = await machine.good('root', ['token', 'create', '--name', 'me', '--role', 'owner']);
    assert.match(made.stderr, named);
    assert.deepEqual(await machine.owners('/var/lib'), { witan: 'witan 700' });
    assert.deepEqual(await machine.owners('/var/lib/witan'), { 'witan.db': 'witan 600' });
    assert.deepEqual(await machine.owners('/root'), {}, "nothing is made in root's home");

    const server = await machine.serve(t, 'witan', unitEnv);
    const ask = async (headers) => (await fetch(`${server.url}/api/tokens`, { headers })).status;
    assert.equal(await ask({}), 401, 'the server knows of the token');
    assert.equal(await ask({ Authorization: `Bearer ${made.stdout.trim()}` }), 200);
    assert.match((await machine.good('root', ['user', 'add', 'maya', '--role', 'owner', '--password-stdin'], { input: 'a long enough password\n' })).stderr, named);
    for (const args of [['token', 'list'], ['user', 'list'], ['audit', 'verify'], ['backup', '/backups/copy']]) {
        const said = await machine.good('root', [...args, '--json']);
        assert.match(said.stderr, named, args.join(' '));
        JSON.parse(said.stdout);
    }
    assert.deepEqual(await machine.owners('/backups'), { copy: 'root 600' }, "the caller's files are the caller's");
    // A token and a key that the caller keeps are the caller's, too.
    await machine.good('root', ['token', 'create', '--name', 'kept', '--save']);
    await machine.good('root', ['audit', 'anchor']);
    assert.deepEqual(await machine.owners('/root/.config/witan'), { 'audit.key': 'root 600', token: 'root 600' });
    for (const whose of Object.values(await machine.owners('/var/lib/witan'))) assert.equal(whose, 'witan 600');
    await server.stop();

    const restored = await machine.good('root', ['restore', '/backups/copy', '--replace']);
    assert.match(restored.stderr, named);
    for (const whose of Object.values(await machine.owners('/var/lib/witan'))) assert.equal(whose, 'witan 600');
    assert.match((await machine.good('root', ['migrate', '--check'])).stderr, new RegExp(`sqlite:${store} is current`));
    await (await machine.serve(t, 'witan', unitEnv)).stop();
});

test("who may not open the service's store is told so, and gets no other one", { timeout, skip }, async (t) => {
    const machine = await makeMachine(t);
    await machine.good('root', ['token', 'create']);
    const own = '/home/maya/.local/share/witan/witan.db';
    for (const args of [['token', 'create'], ['token', 'list'], ['user', 'list'], ['backup', '/home/maya/copy'], ['migrate'], ['audit', 'verify']]) {
        const { code, stdout, stderr } = await machine.witan('maya', args);
        assert.equal(code, 4, `${args.join(' ')}: ${stdout}${stderr}`);
        assert.match(stderr, new RegExp(`service of this machine[^]*sudo witan[^]*--db sqlite:${own}`));
    }
    assert.deepEqual(await machine.owners('/home/maya'), {});
    const looked = await machine.witan('maya', ['doctor', '--json']);
    assert.match(JSON.parse(looked.stdout).checks.find(({ name }) => name === 'store').hint, /sudo witan doctor/);
    // The service's own user may; and a store of one's own, once it was asked for, is used and named.
    assert.match((await machine.good('witan', ['token', 'list'])).stderr, named);
    await machine.good('maya', ['token', 'create', '--db', `sqlite:${own}`]);
    assert.match((await machine.good('maya', ['token', 'list'])).stderr, new RegExp(`The store is sqlite:${own}\\.`));
});

test("the service's store is the one that its unit, its environment and its settings name", { timeout, skip }, async (t) => {
    const machine = await makeMachine(t);
    const where = async (who = 'root', args = ['token', 'create']) => (await machine.good(who, args)).stderr.match(/The store is sqlite:(\S+?)[.,](?:\s|$)/)[1];
    await machine.put('/etc/witan/config.yaml', 'store.url: sqlite:/var/lib/witan/by-file.db\n', { mode: 0o640 });
    await chown(machine.at('/etc/witan/config.yaml'), 0, 990);
    assert.equal(await where(), '/var/lib/witan/by-file.db');
    assert.equal(await where('root', ['token', 'create', '--config', '/etc/witan/config.yaml']), '/var/lib/witan/by-file.db');
    assert.equal((await machine.witan('maya', ['token', 'create'])).code, 4, 'settings that cannot be read');
    await machine.put('/etc/witan/environment', 'WITAN_STORE_URL="sqlite:/var/lib/witan/by-environment.db"\n', { mode: 0o600 });
    assert.equal(await where(), '/var/lib/witan/by-environment.db');
    assert.equal((await machine.witan('witan', ['token', 'create'])).code, 4, 'an environment that cannot be read');
    await machine.put('/etc/systemd/system/witan.service.d/db.conf', '[Service]\nExecStart=\nExecStart=/usr/bin/witan serve --db sqlite:/var/lib/witan/by-unit.db\n');
    assert.equal(await where(), '/var/lib/witan/by-unit.db');
    // Who names a store means that one; the files are still those of the folder's owner.
    assert.equal(await where('root', ['token', 'create', '--db', 'sqlite:/var/lib/witan/by-hand.db']), '/var/lib/witan/by-hand.db');
    assert.deepEqual(await machine.owners('/var/lib/witan'), {
        'by-environment.db': 'witan 600', 'by-file.db': 'witan 600', 'by-hand.db': 'witan 600', 'by-unit.db': 'witan 600',
    });
    assert.equal(await where('root', ['token', 'create', '--db', 'sqlite:/home/maya/new/a.db']), '/home/maya/new/a.db');
    assert.deepEqual(await machine.owners('/home/maya'), { new: 'maya 700' });
    assert.deepEqual(await machine.owners('/home/maya/new'), { 'a.db': 'maya 600' });
    // What cannot be told is refused, and so is a unit of which only systemd knows who it runs as.
    await machine.put('/etc/systemd/system/witan.service.d/db.conf', "[Service]\nExecStart=\nExecStart=/bin/sh -c 'exec witan serve'\n");
    const unknown = await machine.witan('root', ['token', 'create']);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /Cannot tell which store[^]*--db/);
    assert.deepEqual(await machine.owners('/root'), {});
});

test("a model is written into the service's settings, which the service can read", { timeout, skip }, async (t) => {
    const machine = await makeMachine(t);
    const file = '/etc/witan/config.yaml';
    const add = (who, name, ...more) => machine.witan(who, ['model', 'add', name, '--provider', 'ollama', ...more]);
    const folder = async () => (await lstat(machine.at('/etc/witan'))).mode & 0o777;
    const made = await add('root', 'small');
    assert.equal(made.code, 0, made.stderr);
    assert.equal(made.stdout, `${file}\n`);
    assert.equal(await folder(), 0o755);
    assert.deepEqual(await machine.owners('/etc/witan'), { 'config.yaml': '0:990 640' });
    assert.deepEqual(await machine.owners('/root'), {}, "nothing is made in root's home");
    assert.equal((await add('root', 'small')).code, 7);
    assert.equal((await add('root', 'large')).code, 0);
    assert.deepEqual(await machine.owners('/etc/witan'), { 'config.yaml': '0:990 640' });
    // Who is not root is told so; settings of one's own are for a server of one's own.
    const refused = await add('maya', 'mine');
    assert.equal(refused.code, 4, refused.stderr);
    assert.match(refused.stderr, /service of this machine[^]*sudo witan model add[^]*--config/);
    assert.deepEqual(await machine.owners('/home/maya'), {});
    assert.equal((await add('maya', 'mine', '--config', '/home/maya/own.yaml')).code, 0);
    assert.deepEqual(await machine.owners('/home/maya'), { 'own.yaml': 'maya 600' });
    await folderOfService(machine);
    const server = await machine.serve(t, 'witan', unitEnv);
    const { models } = await (await fetch(`${server.url}/api/models`)).json();
    assert.deepEqual(models.map(({ name }) => name), ['small', 'large']);
    await server.stop();
});

test("the service's store may be a PostgreSQL that only root may read the address of", { timeout, skip }, async (t) => {
    const machine = await makeMachine(t);
    const db = await freshStore(t, 'postgres', machine.folder);
    await machine.put('/etc/witan/environment', `WITAN_STORE_URL='${db}'\n`, { mode: 0o600 });
    const made = await machine.good('root', ['token', 'create', '--name', 'there']);
    assert.ok(made.stderr.includes(`The store is ${db}, that of the service`), made.stderr);
    assert.deepEqual(await sql(db, 'SELECT name FROM tokens'), [['there']]);
    assert.equal((await machine.witan('maya', ['token', 'list'])).code, 4);
    assert.deepEqual(await machine.owners('/var/lib'), {});
});

test('a store that the service could not open is not written, and two servers are not taken for one', { timeout, skip }, async (t) => {
    const machine = await makeMachine(t);
    await machine.put(store, '', { mode: 0o600 });
    await chown(machine.at('/var/lib/witan'), 990, 990);
    const refused = await machine.witan('root', ['token', 'create']);
    assert.equal(refused.code, 7);
    assert.match(refused.stderr, /does not belong to witan[^]*chown -R witan: /);
    await rm(machine.at('/var/lib/witan'), { recursive: true });
    // A user that systemd makes for each start is known once there is a folder of theirs.
    const dynamic = '/etc/systemd/system/witan.service.d/user.conf';
    await machine.put(dynamic, '[Service]\nUser=\nDynamicUser=yes\n');
    const unknown = await machine.witan('root', ['token', 'create']);
    assert.equal(unknown.code, 7);
    assert.match(unknown.stderr, /systemctl start witan/);
    await folderOfService(machine, 61234);
    await machine.good('root', ['token', 'create']);
    assert.deepEqual(await machine.owners('/var/lib/witan'), { 'witan.db': '61234:61234 600' });
    await rm(machine.at('/var/lib/witan'), { recursive: true });
    await rm(machine.at(dynamic));

    // A server by hand, on root's own store, is what root's commands mean while no service runs.
    const own = '/root/.local/share/witan/witan.db';
    const server = await machine.serve(t, 'root', {});
    assert.match((await machine.good('root', ['token', 'create'])).stderr, new RegExp(`The store is sqlite:${own}\\.`));
    assert.deepEqual(await machine.owners('/var/lib'), {});
    await folderOfService(machine);
    const service = await machine.serve(t, 'witan', unitEnv);
    const two = await machine.witan('root', ['token', 'create']);
    assert.equal(two.code, 7);
    assert.match(two.stderr, /Two servers run here[^]*--db/);
    await server.stop();
    const said = await machine.good('root', ['token', 'list']);
    assert.match(said.stderr, named);
    assert.match(said.stderr, new RegExp(`another store, sqlite:${own}`));
    await service.stop();
    // A server of root in a folder of somebody else leaves nothing that this one cannot open.
    await rm(machine.at('/var/lib/witan'), { recursive: true });
    await folderOfService(machine);
    const byHand = await machine.serve(t, 'root', {}, ['--db', `sqlite:${store}`]);
    for (const whose of Object.values(await machine.owners('/var/lib/witan'))) assert.equal(whose, 'witan 600');
    await byHand.stop();
    await (await machine.serve(t, 'witan', unitEnv)).stop();
});
