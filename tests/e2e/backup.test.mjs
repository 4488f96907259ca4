// A copy of a store that is being written to, and a store from it.
import assert from 'node:assert/strict';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { Load, readChat } from './lib/load.mjs';
import { freshStore, onBothEngines, start, tempFolder, until } from './lib/server.mjs';
import { sql } from './lib/sql.mjs';

const witan = (server, ...args) => cli(server.folder, [...args, '--db', server.db]);

async function good(server, ...args) {
    const { code, stdout, stderr } = await witan(server, ...args);
    assert.equal(code, 0, `witan ${args.join(' ')}: ${code}\n${stdout}${stderr}`);
    return stdout;
}

onBothEngines('a backup under load is one moment of the store, and becomes one again', {}, async (server, t) => {
    const file = join(server.folder, 'copy');
    const open = await server.ask({ required_responses: 1 });
    const load = new Load(server, 4);
    await load.more(50);
    const promised = [...load.acknowledged.keys()];
    const said = JSON.parse(await good(server, 'backup', file, '--json'));
    await load.more(20);
    await load.stop();
    assert.equal(load.lost, 0);
    assert.ok(said.bytes > 1000);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(
        (await readdir(server.folder)).filter((name) => name.startsWith('copy')),
        ['copy'],
        'nothing else is left behind',
    );
    const again = await witan(server, 'backup', file);
    assert.equal(again.code, 7, 'nothing is written over');
    const nowhere = await witan(server, 'backup', join(server.folder, 'no/such/folder'));
    assert.notEqual(nowhere.code, 0);
    const told = await sql(server.db, `SELECT COUNT(*) FROM audit WHERE operation = 'store_backup'`);
    assert.equal(Number(told[0][0]), 1, 'what was not made is not told of');

    // A store in use is not replaced.
    const refused = await witan(server, 'restore', file, '--replace');
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /server|already/);
    await server.say('Scout', 'still here');

    const folder = await tempFolder(t);
    const db = await freshStore(t, server.engine, folder);
    const there = { folder, db };
    await good(there, 'restore', file);
    assert.equal((await witan(there, 'restore', file)).code, 7, 'there is one already');
    assert.match(await good(there, 'audit', 'verify'), /whole/);
    const restored = await start(t, { engine: server.engine, folder, db });
    const texts = new Set((await readChat(restored)).map(({ message }) => message));
    for (const text of promised) assert.ok(texts.has(text), `"${text}" was acknowledged before the backup`);
    assert.ok(!texts.has('still here'));
    // It goes on where it was: what was open can be answered.
    await restored.must(201, 'POST', `/api/discussion/${open.id}`, { agent_name: 'Builder', message: 'yes' });
    assert.equal((await restored.show(open.id)).status, 'resolved');
    const rows = await restored.must(200, 'GET', '/api/audit?operation=store_backup');
    assert.equal(rows.entries.length, 1, 'the copy says that it was made');
    assert.equal((await restored.must(200, 'GET', '/api/audit?operation=store_restore')).entries.length, 1);
    await until(
        async () => JSON.parse(await good(there, 'audit', 'verify', '--json')).unsealed === 0,
        'sealed',
    );
});

test('restoring over a store moves it aside, and takes no half, damaged or foreign file', async (t) => {
    const server = await start(t);
    const { folder } = server;
    await server.say('Scout', 'before');
    const file = join(folder, 'copy');
    await good(server, 'backup', file);
    await server.say('Scout', 'after');
    await server.kill9();

    const nonsense = join(folder, 'nonsense');
    await writeFile(nonsense, 'x'.repeat(5000));
    for (const [what, sentence] of [
        [nonsense, /not a database|damaged/],
        [join(folder, 'nothing'), /no file/],
    ]) {
        const { code, stderr } = await witan(server, 'restore', what, '--replace');
        assert.notEqual(code, 0);
        assert.match(stderr, sentence);
    }
    // A copy of a running store's file alone may lack its end.
    await writeFile(`${file}-wal`, 'something');
    assert.match((await witan(server, 'restore', file, '--replace')).stderr, /write-ahead log/);
    await rm(`${file}-wal`);
    // A row that was changed in the copy.
    const bent = join(folder, 'bent');
    await good(server, 'backup', bent);
    const [[guard]] = await sql(`sqlite:${bent}`, `SELECT sql FROM sqlite_schema WHERE name = 'audit_fixed'`);
    await sql(`sqlite:${bent}`, `DROP TRIGGER audit_fixed; UPDATE audit SET actor = 'x' WHERE seq = 1; ${guard}`);
    assert.match((await witan(server, 'restore', bent, '--replace')).stderr, /audit log .* broken/);

    assert.equal((await witan(server, 'restore', file)).code, 7, 'not without --replace');
    const files = (await readdir(folder)).filter((name) => name.startsWith('witan.db'));
    const { code, stderr } = await witan(server, 'restore', file, '--replace');
    assert.equal(code, 0, stderr);
    const aside = (await readdir(folder)).filter((name) => /^witan\.db\.before-[^-]*-[^-]*-[^-]*Z$/.test(name));
    assert.equal(aside.length, 1, `${files} became ${await readdir(folder)}`);
    await server.restart();
    assert.deepEqual(
        (await readChat(server)).map(({ message }) => message),
        ['before'],
    );
    await server.stop();
    // What was moved aside, log and all, is whole.
    const old = { folder, db: `sqlite:${join(folder, aside[0])}` };
    assert.match(await good(old, 'audit', 'verify'), /whole/);
    assert.deepEqual(await sql(old.db, `SELECT COUNT(*) FROM squad_chat`), [['2']]);
});

// What is in a store runs in the server: a backup is taken only as migrations made it. Each is undone before the next.
const foreign = {
    sqlite: [
        [`CREATE TRIGGER hidden AFTER INSERT ON tokens BEGIN UPDATE tokens SET role = 'owner'; END`, 'DROP TRIGGER hidden', /the trigger hidden, which witan did not make/],
        [`-- No name is reserved in a file.\nPRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_statx', 'tokens', 0, 'CREATE TRIGGER sqlite_statx AFTER INSERT ON tokens BEGIN UPDATE tokens SET role = ''owner''; END')`, `-- No name is reserved in a file.\nPRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'sqlite_statx'`, /the trigger sqlite_statx, which/],
        ['CREATE VIEW seen AS SELECT * FROM tokens', 'DROP VIEW seen', /the view seen, which/],
        [`CREATE INDEX quick ON squad_chat (message || 'x')`, 'DROP INDEX quick', /the index quick, which/],
        ['CREATE TABLE mine (x TEXT DEFAULT (hex(randomblob(9))))', 'DROP TABLE mine', /the table mine, which/],
        ['DROP TRIGGER audit_kept', '', /the trigger audit_kept is gone/],
        ['CREATE TRIGGER audit_kept BEFORE DELETE ON audit BEGIN SELECT 1; END', '', /its trigger audit_kept is not as witan makes it/],
    ],
    postgres: [
        ['CREATE TRIGGER hidden BEFORE INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION audit_refuse()', 'DROP TRIGGER hidden ON tokens', /the trigger hidden, which/],
        ['CREATE SCHEMA evil; CREATE FUNCTION evil.f() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; CREATE OR REPLACE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION evil.f()', 'CREATE OR REPLACE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_refuse(); DROP SCHEMA evil CASCADE', /the trigger audit_kept with the function evil\.f, which/],
        ['CREATE OR REPLACE FUNCTION audit_refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$', '', /the function audit_refuse, which witan did not make so/],
    ],
};

onBothEngines('a backup with something in it that witan did not make is told of and refused', {}, async (server, t) => {
    await server.stop();
    for (const [i, [statement, undo, sentence]] of foreign[server.engine].entries()) {
        await sql(server.db, statement);
        const file = join(server.folder, `copy-${i}`);
        const made = await witan(server, 'backup', file);
        assert.equal(made.code, 0, `a copy is made all the same: ${made.stderr}`);
        assert.match(made.stderr, sentence);
        const looked = JSON.parse((await witan(server, 'doctor', '--json')).stdout).checks.find(({ name }) => name === 'schema');
        assert.equal(looked.status, 'warn');
        assert.match(looked.text, sentence);
        const folder = await tempFolder(t);
        const there = { folder, db: await freshStore(t, server.engine, folder) };
        const refused = await witan(there, 'restore', file);
        assert.equal(refused.code, 7, `${refused.stdout}${refused.stderr}`);
        assert.match(refused.stderr, sentence);
        assert.match(refused.stderr, /taken only as witan made it/);
        const left = (await readdir(folder)).filter((name) => name.startsWith('witan'));
        assert.deepEqual(left, [], 'nothing is left of it');
        if (undo) await sql(server.db, undo);
    }
});

test('without pg_dump a backup of PostgreSQL says what is missing', async (t) => {
    const server = await start(t, { engine: 'postgres' });
    const file = join(server.folder, 'copy');
    const { code, stderr } = await cli(server.folder, ['backup', file, '--db', server.db], {
        env: { PATH: server.folder },
    });
    assert.notEqual(code, 0);
    assert.match(stderr, /no pg_dump/);
    assert.deepEqual(
        (await readdir(server.folder)).filter((name) => name.startsWith('copy')),
        [],
    );
});
