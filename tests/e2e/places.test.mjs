// Where things are kept: places that are not there, that cannot be used, and what is said about them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { binary, cleanEnv, start, tempFolder } from './lib/server.mjs';

const homeless = { HOME: undefined, XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined };
const nobody = 65534;

// As a user who may not write everywhere: root may. The program is a copy, as that user may not come to where it was built.
async function asNobody(folder, args) {
    const who = process.getuid() === 0 ? { uid: nobody, gid: nobody } : {};
    const program = join(folder, 'witan-of-nobody');
    await copyFile(binary, program, constants.COPYFILE_EXCL).catch((why) => assert.equal(why.code, 'EEXIST'));
    const child = spawn(program, args, { env: cleanEnv(folder), stdio: ['ignore', 'pipe', 'pipe'], ...who });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (bytes) => (said.stdout += bytes));
    child.stderr.on('data', (bytes) => (said.stderr += bytes));
    const [code] = await once(child, 'close');
    return { code, ...said };
}

async function mode(path) {
    return ((await stat(path)).mode & 0o777).toString(8);
}

test('without a home there is no store in a folder that others can write', async (t) => {
    const folder = await tempFolder(t);
    for (const args of [['serve', '--listen', '127.0.0.1:0'], ['token', 'create'], ['user', 'list'], ['migrate']]) {
        for (const HOME of [undefined, '', 'here']) {
            const { code, stderr } = await cli(folder, args, { env: { ...homeless, HOME } });
            assert.equal(code, 2, args.join(' '));
            assert.match(stderr, /HOME is not set[^]*--db sqlite:[^]*WITAN_DB/);
        }
    }
    const doctor = await cli(folder, ['doctor', '--json'], { env: homeless });
    assert.equal(doctor.code, 1);
    const { checks } = JSON.parse(doctor.stdout);
    assert.equal(checks.filter(({ text }) => /HOME is not set/.test(text)).length, 1);

    // What needs no place of its own works all the same.
    const server = await start(t, { folder, db: `sqlite:${folder}/a.db`, env: homeless });
    const asked = await cli(folder, ['inbox', '--json'], { env: { ...homeless, WITAN_URL: server.url } });
    assert.equal(asked.code, 0, asked.stderr);
});

test("a store's folder that is not there is made, for its owner alone", async (t) => {
    for (const args of [['migrate'], ['token', 'create']]) {
        const folder = await tempFolder(t);
        const { code, stderr } = await cli(folder, [...args, '--db', `sqlite:${folder}/new/place/a.db`]);
        assert.equal(code, 0, stderr);
        assert.equal(await mode(join(folder, 'new')), '700');
        assert.equal(await mode(join(folder, 'new/place')), '700');
        assert.equal(await mode(join(folder, 'new/place/a.db')), '600');
    }
    const folder = await tempFolder(t);
    await start(t, { folder, db: `sqlite:${folder}/served/here/a.db` });
    // Looking at a store makes nothing.
    const looked = await cli(folder, ['user', 'list', '--db', `sqlite:${folder}/looked/a.db`]);
    assert.equal(looked.code, 1);
    assert.ok(!(await readdir(folder)).includes('looked'));
});

test('a folder that cannot be written is named, with what to do', async (t) => {
    const folder = await tempFolder(t);
    const shut = join(folder, 'shut');
    await mkdir(shut);
    await chmod(folder, 0o755);
    await chmod(shut, 0o555);
    const db = ['--db', `sqlite:${shut}/a.db`];
    for (const args of [['serve', '--listen', '127.0.0.1:0'], ['migrate'], ['token', 'create']]) {
        const { code, stderr } = await asNobody(folder, [...args, ...db]);
        assert.notEqual(code, 0);
        assert.ok(stderr.includes(`The folder ${shut} cannot be written: Permission denied.`), stderr);
        assert.match(stderr, /chown[^]*--db/);
    }
    const deeper = await asNobody(folder, ['migrate', '--db', `sqlite:${shut}/deeper/a.db`]);
    assert.ok(deeper.stderr.includes(`Cannot make the folder ${shut}/deeper: Permission denied.`), deeper.stderr);
    assert.match(deeper.stderr, /--db/);
    for (const path of ['a.db', 'deeper/still/a.db']) {
        const { code, stdout } = await asNobody(folder, ['doctor', '--json', '--db', `sqlite:${shut}/${path}`]);
        assert.equal(code, 1);
        const store = JSON.parse(stdout).checks.find(({ name }) => name === 'store');
        assert.equal(store.status, 'fail');
        assert.ok(store.text.includes(`The folder ${shut} cannot be written`), store.text);
    }
    await chmod(shut, 0o755);
});

test('a file that is no database is left alone and named, with what to do', async (t) => {
    const folder = await tempFolder(t);
    const file = join(folder, 'letter.txt');
    await writeFile(file, 'Dear council, this is a letter and no database.\n'.repeat(40));
    const before = await stat(file);
    for (const args of [['serve', '--listen', '127.0.0.1:0'], ['migrate'], ['user', 'list'], ['token', 'create']]) {
        const { code, stderr } = await cli(folder, [...args, '--db', `sqlite:${file}`]);
        assert.equal(code, 1, args.join(' '));
        assert.ok(stderr.includes(`${file} is not a database.`), stderr);
        assert.match(stderr, /--db[^]*witan restore/);
    }
    const { stdout } = await cli(folder, ['doctor', '--json', '--db', `sqlite:${file}`]);
    const store = JSON.parse(stdout).checks.find(({ name }) => name === 'store');
    assert.equal(store.status, 'fail');
    assert.ok(store.text.includes(`${file} is not a database.`));
    assert.equal((await stat(file)).mtimeMs, before.mtimeMs);

    const { code, stderr } = await cli(folder, ['serve', '--listen', '127.0.0.1:0', '--db', `sqlite:${folder}`]);
    assert.notEqual(code, 0);
    assert.ok(stderr.includes(`${folder} is a folder, not a database.`), stderr);
    assert.ok(stderr.includes(`--db sqlite:${folder}/witan.db`), stderr);
});

test('config init writes a file to begin with, once, for its owner alone', async (t) => {
    const folder = await tempFolder(t);
    const file = join(folder, 'witan/config.yaml');
    const made = await cli(folder, ['config', 'init']);
    assert.equal(made.code, 0, made.stderr);
    assert.equal(made.stdout, `${file}\n`);
    assert.equal(await mode(file), '600');
    assert.equal(await mode(join(folder, 'witan')), '700');

    // It changes nothing, and each line does what it says once its # is gone.
    const env = { WITAN_COUNCIL_OLLAMA: undefined, WITAN_COUNCIL_LOCAL_PORTS: undefined };
    const settings = async (args = []) => JSON.parse((await cli(folder, ['config', '--json', ...args], { env })).stdout).settings;
    for (const { key, origin } of await settings()) assert.equal(origin, 'default', key);
    const template = await readFile(file, 'utf8');
    const all = join(folder, 'all.yaml');
    await writeFile(all, template.replace(/^#(?=\S)/gm, ''));
    const defaults = new Map((await settings()).map(({ key, value }) => [key, value]));
    for (const { key, value, origin } of await settings(['--config', all])) {
        assert.match(origin, /all\.yaml:\d+$/, key);
        assert.equal(value, defaults.get(key), key);
    }

    await writeFile(file, 'server.listen: "127.0.0.1:8000"\n');
    const again = await cli(folder, ['config', 'init']);
    assert.equal(again.code, 7);
    assert.ok(again.stderr.includes(file));
    assert.equal(await readFile(file, 'utf8'), 'server.listen: "127.0.0.1:8000"\n');
    assert.equal((await cli(folder, ['config', 'init'], { env: homeless })).code, 2);
    const other = await cli(folder, ['config', 'init', '--config', join(folder, 'new/place/my.yaml')]);
    assert.equal(other.stdout, `${folder}/new/place/my.yaml\n`);
});

test('token create --save keeps the secret where commands look for it, for its owner alone', async (t) => {
    const folder = await tempFolder(t);
    const file = join(folder, 'witan/token');
    const db = `sqlite:${folder}/a.db`;
    const made = await cli(folder, ['token', 'create', '--name', 'me', '--role', 'owner', '--save', '--db', db]);
    assert.equal(made.code, 0, made.stderr);
    assert.equal(made.stdout, '');
    assert.ok(made.stderr.includes(file));
    assert.equal(await mode(file), '600');

    const server = await start(t, { folder, db });
    const env = { WITAN_URL: server.url };
    const mine = await cli(folder, ['call', 'me_get'], { env });
    assert.equal(mine.code, 0, mine.stderr);
    assert.equal(mine.stderr, '');
    await chmod(file, 0o644);
    const open = await cli(folder, ['call', 'me_get'], { env });
    assert.equal(open.code, 0);
    assert.ok(open.stderr.includes(`chmod 600 ${file}`), open.stderr);

    // A second one is refused before anything is made, and nothing is made where it cannot be kept.
    const tokens = async () => JSON.parse((await cli(folder, ['token', 'list', '--json', '--db', db])).stdout).tokens.length;
    const secret = await readFile(file, 'utf8');
    const again = await cli(folder, ['token', 'create', '--save', '--db', db]);
    assert.equal(again.code, 7);
    assert.ok(again.stderr.includes(file));
    assert.equal(await readFile(file, 'utf8'), secret);
    await writeFile(join(folder, 'file'), '');
    for (const env of [homeless, { XDG_CONFIG_HOME: join(folder, 'file') }])
        assert.notEqual((await cli(folder, ['token', 'create', '--save', '--db', db], { env })).code, 0);
    assert.equal(await tokens(), 1);
});

test('doctor sees settings with a password that others can read', async (t) => {
    const folder = await tempFolder(t);
    const file = join(folder, 'my.yaml');
    await writeFile(file, 'store.url: "postgres://witan:s3cret@127.0.0.1:9/witan"\n');
    for (const [bits, status] of [
        [0o644, 'warn'],
        [0o640, 'ok'],
        [0o600, 'ok'],
    ]) {
        await chmod(file, bits);
        const { stdout } = await cli(folder, ['doctor', '--json', '--config', file]);
        const settings = JSON.parse(stdout).checks.find(({ name }) => name === 'settings');
        assert.equal(settings.status, status);
        assert.ok(!stdout.includes('s3cret'));
    }
});
