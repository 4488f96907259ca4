// Several processes and one store: a SQLite file has one server, and commands work on it beside that.
import assert from 'node:assert/strict';
import { mkdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { Load, checkLedger } from './lib/load.mjs';
import { onBothEngines, start, tempFolder } from './lib/server.mjs';

const timeout = 600_000;

test('a second server on the same file is refused, and the first goes on', { timeout }, async (t) => {
    const server = await start(t);
    const second = await cli(server.folder, ['serve', '--listen', '127.0.0.1:0', '--db', server.db]);
    assert.equal(second.code, 1, second.stderr);
    assert.match(second.stderr, /Another witan has the store .* open as its server/);
    assert.match(second.stderr, /stop that one first/);
    const migrate = await cli(server.folder, ['migrate', '--db', server.db]);
    assert.notEqual(migrate.code, 0);
    assert.match(migrate.stderr, /Another witan/);
    await server.say('Developer', 'Still here.');
    await server.stop();
    const again = await start(t, { folder: server.folder, db: server.db });
    assert.equal((await again.must(200, 'GET', '/api/chat?limit=1')).messages[0].message, 'Still here.');
});

test('a store behind a link is opened where it stands', { timeout }, async (t) => {
    const folder = await tempFolder(t);
    await mkdir(join(folder, 'real'));
    await mkdir(join(folder, 'named'));
    await symlink('../real/witan.db', join(folder, 'named', 'witan.db'));
    const server = await start(t, { folder, db: `sqlite:${join(folder, 'named', 'witan.db')}` });
    await server.say('Developer', 'Here.');
    assert.ok((await stat(join(folder, 'real', 'witan.db-wal'))).size > 0);
});

onBothEngines('commands on the store work beside a busy server', {}, async (server) => {
    const { folder, db, engine } = server;
    const file = engine === 'sqlite' ? `${db.slice('sqlite:'.length)}-wal` : null;
    const load = new Load(server, 4);
    const began = file && (await stat(file)).ino;
    for (let round = 0; round < 3; round++)
        for (const command of [['audit', 'verify'], ['migrate', '--check'], ['user', 'list'], ['token', 'list']]) {
            const { code, stderr } = await cli(folder, [...command, '--db', db]);
            assert.equal(code, 0, `${command.join(' ')}: ${stderr}`);
        }
    if (file) assert.equal((await stat(file)).ino, began, 'the WAL was taken away');
    await load.more(20);
    await server.kill9();
    await load.stop();
    await server.restart();
    await checkLedger(load);
});
