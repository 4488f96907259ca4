// node sqlite.mjs FILE SQL: runs the statements; the rows of a single SELECT, with tabs between, on stdout.
// node sqlite.mjs FILE /PATH: runs the statements in that file.
// node sqlite.mjs FILE hold MS: keeps everybody else from writing for so long.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const [file, text, ms] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec('PRAGMA busy_timeout = 30000');
if (text === 'hold') {
    db.exec('BEGIN IMMEDIATE');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
    db.exec('ROLLBACK');
} else if (/^\s*(SELECT|PRAGMA)\b/i.test(text)) {
    for (const row of db.prepare(text).all())
        console.log(
            Object.values(row)
                .map((value) => value ?? '')
                .join('\t'),
        );
} else {
    db.exec(text.startsWith('/') ? readFileSync(text, 'utf8') : text);
}
db.close();
