// SQL from outside, as another program would run it: psql, or node's SQLite.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

const execute = promisify(execFile);
const script = fileURLToPath(new URL('./sqlite.mjs', import.meta.url));

function psql(url, text) {
    return execute('psql', ['-X', '-q', '-A', '-t', '-F', '\t', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', text], {
        maxBuffer: 64 << 20,
    });
}

// Threads that run SQL on SQLite, a few, so that statements can race: to start a process for each takes a machine longer
// than all that the statement does.
const most = 4;
const idle = [];
const waiting = [];
let threads = 0;

async function thread() {
    if (idle.length > 0) return idle.pop();
    if (threads === most) return new Promise((free) => waiting.push(free));
    threads++;
    const worker = new Worker(script);
    worker.unref();
    return worker;
}

function give(worker) {
    worker.unref();
    if (waiting.length > 0) waiting.shift()(worker);
    else idle.push(worker);
}

async function sqlite(db, ...words) {
    const worker = await thread();
    worker.ref();
    worker.postMessage([db.slice('sqlite:'.length), ...words]);
    const [{ rows, why }] = await once(worker, 'message');
    give(worker);
    if (why) throw new Error(why);
    return rows;
}

// On SQLite that can end before its time, and says when it has begun.
function holdFile(db, ms) {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    const held = () => Atomics.load(flags, 1) === 1;
    const release = () => {
        Atomics.store(flags, 0, 1);
        Atomics.notify(flags, 0);
    };
    return Object.assign(sqlite(db, 'hold', ms, flags), { held, release });
}
// The same on PostgreSQL: a transaction that takes a lock and stays open until its program is told to end it.
export function holdLock(db, lock, ms) {
    const child = spawn('psql', ['-X', '-q', '-A', '-t', '-d', db], { stdio: ['pipe', 'pipe', 'inherit'] });
    const release = () => child.stdin.end('ROLLBACK;\n');
    let timer;
    child.stdout.once('data', () => (timer = setTimeout(release, ms)));
    child.stdin.on('error', () => {});
    child.stdin.write(`BEGIN; ${lock};\n\\echo held\n`);
    const over = once(child, 'close').then(() => clearTimeout(timer));
    return Object.assign(over, { held: () => timer !== undefined, release });
}

// Keeps everybody else from writing messages for so long, as a careless program would.
export function holdWrites(db, ms) {
    return db.startsWith('sqlite:') ? holdFile(db, ms) : holdLock(db, 'LOCK TABLE squad_chat IN EXCLUSIVE MODE', ms);
}

// Statements, or a file with many of them.
export function run(db, text) {
    if (db.startsWith('sqlite:')) return sqlite(db, text);
    const what = text.startsWith('/') ? ['-f', text] : ['-c', text];
    return execute('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', db, ...what], { maxBuffer: 64 << 20 });
}

// Rows as arrays of text, on either engine.
export async function sql(db, text) {
    if (db.startsWith('sqlite:')) return sqlite(db, text);
    const { stdout } = await psql(db, text);
    return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split('\t'));
}

// A busy machine may need longer for a connection than the program is willing to wait by itself.
function base() {
    if (!process.env.WITAN_TEST_PG) throw new Error('no WITAN_TEST_PG: run this through tests/pg run');
    return `${process.env.WITAN_TEST_PG}?connect_timeout=60`;
}

const databaseNamed = (name, on) => Object.assign(new URL(on), { pathname: `/${name}` }).href;

// Whoever looks after a database (autovacuum) has it open now and then, and so has a program that is just ending: then it
// can be neither copied nor renamed, and PostgreSQL waits for a few seconds only.
async function whenNobodyHasIt(on, text) {
    for (let tries = 1; ; tries++)
        try {
            return await psql(on, text);
        } catch (why) {
            if (tries === 10 || !/being accessed by other users/.test(why.stderr)) throw why;
        }
}

export async function createDatabase(on = base(), from = 'template1') {
    const name = `e2e_${randomBytes(6).toString('hex')}`;
    await whenNobodyHasIt(on, `CREATE DATABASE ${name} TEMPLATE ${from}`);
    return databaseNamed(name, on);
}

export async function dropDatabase(db, on = base()) {
    await psql(on, `DROP DATABASE IF EXISTS ${new URL(db).pathname.slice(1)} WITH (FORCE)`);
}

// A store of today with nothing in it, made once in each run and copied from then on: to bring an empty one up to date takes
// longer than most tests. Several processes may begin it at once; the first to be done wins. `migrate(db)` makes one.
const template = 'e2e_template';

async function makeTemplate(migrate) {
    const db = await createDatabase();
    await migrate(db);
    const rename = `ALTER DATABASE ${new URL(db).pathname.slice(1)} RENAME TO ${template}`;
    await whenNobodyHasIt(base(), rename).catch(() => dropDatabase(db));
}

export async function copyDatabase(migrate) {
    const known = `SELECT 1 FROM pg_database WHERE datname = '${template}'`;
    if ((await sql(base(), known)).length === 0) await makeTemplate(migrate);
    return createDatabase(base(), template);
}
