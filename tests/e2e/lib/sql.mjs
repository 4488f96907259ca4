// SQL from outside, in a process of its own, as another program would run it: psql, or node's SQLite.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const script = fileURLToPath(new URL('./sqlite.mjs', import.meta.url));

function psql(url, text) {
    return execute('psql', ['-X', '-q', '-A', '-t', '-F', '\t', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', text], {
        maxBuffer: 64 << 20,
    });
}

function sqlite(db, ...words) {
    return execute(process.execPath, ['--experimental-sqlite', '--no-warnings', script, db.slice(7), ...words], {
        maxBuffer: 64 << 20,
    });
}

// Keeps everybody else from writing messages for so long, as a careless program would.
export function holdWrites(db, ms) {
    if (db.startsWith('sqlite:')) return sqlite(db, 'hold', String(ms));
    return psql(
        db,
        `BEGIN; LOCK TABLE squad_chat IN EXCLUSIVE MODE; SELECT pg_sleep(${ms / 1000}); ROLLBACK`,
    );
}

// Statements, or a file with many of them.
export function run(db, text) {
    if (db.startsWith('sqlite:')) return sqlite(db, text);
    const what = text.startsWith('/') ? ['-f', text] : ['-c', text];
    return execute('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', db, ...what], { maxBuffer: 64 << 20 });
}

// Rows as arrays of text, on either engine.
export async function sql(db, text) {
    const { stdout } = await (db.startsWith('sqlite:') ? sqlite(db, text) : psql(db, text));
    return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split('\t'));
}

function base() {
    if (!process.env.WITAN_TEST_PG) throw new Error('no WITAN_TEST_PG: run this through tests/pg run');
    return process.env.WITAN_TEST_PG;
}

export async function createDatabase(on = base()) {
    const name = `e2e_${randomBytes(6).toString('hex')}`;
    await psql(on, `CREATE DATABASE ${name}`);
    const url = new URL(on);
    url.pathname = `/${name}`;
    return url.href;
}

export async function dropDatabase(db, on = base()) {
    await psql(on, `DROP DATABASE IF EXISTS ${new URL(db).pathname.slice(1)} WITH (FORCE)`);
}
