// All that a store holds, for tests that look whether something is left in it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const text = (row) => JSON.stringify(row, (key, value) => (typeof value === 'bigint' ? `${value}` : value));

function bigRows(statement) {
    statement.setReadBigInts(true);
    return statement.all();
}

// Every row of every table, as text.
export async function everything(server) {
    const big = { maxBuffer: 64 << 20 };
    if (server.engine === 'sqlite') {
        const { DatabaseSync } = await import('node:sqlite');
        const db = new DatabaseSync(server.db.replace(/^sqlite:/, ''), { readOnly: true });
        const tables = db
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            .all();
        const rows = tables.flatMap(({ name }) =>
            bigRows(db.prepare(`SELECT * FROM "${name}"`)).map((row) => `${name}: ${text(row)}`),
        );
        db.close();
        return rows;
    }
    const { stdout } = await run('pg_dump', ['--data-only', server.db], big);
    let table;
    return stdout.split('\n').flatMap((line) => {
        table = line.match(/^COPY public\.(\S+)/)?.[1] ?? table;
        return [`${table}: ${line}`];
    });
}
