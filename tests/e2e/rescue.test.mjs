// A store whose disk is full or cannot be written: it can still be copied to another disk and checked.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { Server, tempFolder } from './lib/server.mjs';
import { sql } from './lib/sql.mjs';

const skip = process.getuid() !== 0 && 'needs root';

function mount(...args) {
    const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
    assert.equal(status, 0, `mount ${args.join(' ')}: ${stderr}`);
}

// A disk of its own, small enough to be filled.
async function makeDisk(t) {
    const folder = await tempFolder(t);
    const disk = await mkdtemp(join(tmpdir(), 'witan-e2e-disk-'));
    t.after(async () => {
        spawnSync('umount', ['-l', disk]);
        await rm(disk, { recursive: true });
    });
    mount('-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk);
    return { folder, disk, db: `sqlite:${disk}/a.db` };
}

async function fill(disk) {
    const file = await open(join(disk, 'filler'), 'w');
    const block = Buffer.alloc(4096);
    try {
        for (;;) await file.write(block);
    } catch (error) {
        assert.equal(error.code, 'ENOSPC');
    } finally {
        await file.close();
    }
}

// What was acknowledged is in the copy, which is a whole store.
async function rescue({ folder, disk, db }, name, told) {
    const before = (await readdir(disk)).sort();
    const file = join(folder, name);
    const copied = await cli(folder, ['backup', file, '--db', db, '--json']);
    assert.equal(copied.code, 0, `${name}: ${copied.stderr}`);
    assert.match(copied.stderr, /cannot be written[^]*audit log does not tell of this backup/, name);
    assert.equal(JSON.parse(copied.stdout).auditWhole, true);
    const verified = await cli(folder, ['audit', 'verify', '--db', db, '--json']);
    assert.equal(verified.code, 0, `${name}: ${verified.stderr}`);
    assert.equal(JSON.parse(verified.stdout).whole, true);
    assert.deepEqual((await cli(folder, ['token', 'list', '--db', db])).code, 0, name);
    assert.deepEqual(
        (await sql(`sqlite:${file}`, 'SELECT message FROM squad_chat ORDER BY message')).flat(),
        told,
        name,
    );
    const fresh = `sqlite:${folder}/${name}-restored.db`;
    const restored = await cli(folder, ['restore', file, '--db', fresh]);
    assert.equal(restored.code, 0, `${name}: ${restored.stderr}`);
    return before;
}

test('a store on a disk that is full can be copied and verified, beside its server and without it', { skip }, async (t) => {
    const place = await makeDisk(t);
    const server = new Server(place);
    t.after(() => server.kill9());
    await server.up();
    const told = [];
    for (const message of ['one', 'three', 'two']) {
        await server.say('Scout', message);
        told.push(message);
    }
    await fill(place.disk);
    await rescue(place, 'beside', told);
    await server.kill9(); // what was said is in the log alone
    await rescue(place, 'after', told);
    await rm(join(place.disk, 'filler'));
    await server.restart();
    await server.stop();
    await fill(place.disk);
    await rescue(place, 'stopped', told);
});

test('a store on a disk that cannot be written can be copied and verified, with a log beside it and without', { skip }, async (t) => {
    const place = await makeDisk(t);
    const server = new Server(place);
    t.after(() => server.kill9());
    await server.up();
    await server.say('Scout', 'one');
    await server.kill9();
    await rm(join(place.disk, 'a.db-shm'));
    mount('-o', 'remount,ro', place.disk);
    const before = await rescue(place, 'logged', ['one']);
    assert.deepEqual((await readdir(place.disk)).sort(), before);
    const refused = await cli(place.folder, ['token', 'create', '--db', place.db]);
    assert.notEqual(refused.code, 0, 'what cannot be written is not');
    assert.match(refused.stderr, /cannot|read-?only/i);
    mount('-o', 'remount,rw', place.disk);
    await server.restart();
    await server.stop();
    mount('-o', 'remount,ro', place.disk);
    assert.deepEqual(await rescue(place, 'alone', ['one']), ['a.db']);
    assert.deepEqual(await readdir(place.disk), ['a.db']);
});
