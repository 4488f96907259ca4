// node sqlite.mjs FILE SQL: runs the statements; the rows of the last one, with tabs between, on stdout.
import { DatabaseSync } from 'node:sqlite';

const [file, text] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec('PRAGMA busy_timeout = 5000');
if (/^\s*(SELECT|PRAGMA)\b/i.test(text)) {
    for (const row of db.prepare(text).all()) console.log(Object.values(row).map((value) => value ?? '').join('\t'));
} else {
    db.exec(text);
}
db.close();
