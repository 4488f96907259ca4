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

const quoted = (name) => `"${name}"`;

// The columns that hold texts, as ["table.column"], read from the schema: those of the search and of JSON too.
export async function textColumns(server) {
    const tables = {
        sqlite: `SELECT m.name AS of, c.name AS column_name FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c
                  WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.type NOT LIKE '%INT%' ORDER BY 1, 2`,
        postgres: `SELECT c.table_name, c.column_name FROM information_schema.columns c
                     JOIN information_schema.tables t USING (table_schema, table_name)
                    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
                      AND c.data_type NOT IN ('integer', 'bigint', 'smallint', 'boolean', 'double precision')
                    ORDER BY 1, 2`,
    };
    return (await server.sql(tables[server.engine])).map(([table, column]) => `${table}.${column}`);
}

// Which of them hold a text anywhere in them, in capitals or not.
export async function columnsHolding(server, columns, part) {
    const looks = columns.map((name) => {
        const [table, column] = name.split('.').map(quoted);
        return `SELECT '${name}' WHERE EXISTS (SELECT 1 FROM ${table} WHERE lower(CAST(${column} AS TEXT)) LIKE '%${part}%')`;
    });
    return (await server.sql(looks.join(' UNION ALL '))).map(([name]) => name);
}
