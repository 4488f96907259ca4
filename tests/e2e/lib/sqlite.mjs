// A thread that runs SQL on SQLite files: takes [FILE, SQL], [FILE, /PATH] for the statements in that file, or
// [FILE, 'hold', MS, FLAGS], which keeps everybody else from writing for so long, or until the first flag is set, and
// sets the second once it does; gives rows, or says what was wrong.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';

function rowsOf(db, text) {
    if (/^\s*(SELECT|PRAGMA)\b/i.test(text))
        return db
            .prepare(text)
            .all()
            .map((row) => Object.values(row).map((value) => String(value ?? '')));
    db.exec(text.startsWith('/') ? readFileSync(text, 'utf8') : text);
    return [];
}

function hold(db, ms, flags) {
    db.exec('BEGIN IMMEDIATE');
    Atomics.store(flags, 1, 1);
    Atomics.wait(flags, 0, 0, ms);
    db.exec('ROLLBACK');
    return [];
}

// With a connection of its own each time, as a program that comes and goes.
function perform(file, text, ms, flags) {
    const db = new DatabaseSync(file, { defensive: false }); // a test may do what a hostile file does
    try {
        db.exec('PRAGMA busy_timeout = 30000');
        return text === 'hold' ? hold(db, ms, flags) : rowsOf(db, text);
    } finally {
        db.close();
    }
}

parentPort.on('message', (words) => {
    try {
        parentPort.postMessage({ rows: perform(...words) });
    } catch (why) {
        parentPort.postMessage({ why: why.message });
    }
});
