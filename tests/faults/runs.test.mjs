// PostgreSQL dies while agents work, again and again, also in the middle of commits. All runs end as they would have, each of
// their commands has run once or was asked about, and nothing that was stored was done again.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase } from '../e2e/lib/sql.mjs';
import { ownPostgres } from './lib/postgres.mjs';
import { assertReplays, begin, command, job, questions, reply, stage, trace, written } from '../e2e/lib/runs.mjs';
import { until } from '../e2e/lib/server.mjs';

const many = 16;
const steps = 12;
const script = [
    ...Array.from({ length: steps }, (_, n) => `Ada: Step ${n}.\\n!call note {"n": ${n}}\\n!call report_progress {"done": ${n}, "total": ${steps}}`),
    'Ada: !call finish {"result": "All is noted."}',
];

const noted = (work) => written(join(work, 'notes.txt'));

// What a person does who looks before they answer.
async function answer(server, work, id, open) {
    assert.equal(open.type, 'error_recovery', JSON.stringify(open));
    const n = JSON.stringify(open).match(/\\?"n\\?": ?(\d+)/)?.[1];
    assert.ok(n, `it says which call: ${JSON.stringify(open)}`);
    await reply(server, open, (await noted(work)).includes(`${id} ${n}`) ? 'skip' : 'retry');
}

async function drive(server, work, id) {
    await until(
        async () => {
            const { status, error } = await job(server, id);
            assert.ok(!['failed', 'cancelled'].includes(status), error);
            for (const open of await questions(server, id)) await answer(server, work, id, open);
            return status === 'completed';
        },
        'the run ends',
        300_000,
    );
}

test('runs go on when PostgreSQL dies under them', { timeout: 900_000 }, async (t) => {
    const postgres = await ownPostgres(t);
    const { server, work } = await stage(
        t,
        { provider: 'scripted' },
        {
            db: await createDatabase(postgres.url),
            tools: async (folder) => {
                await writeFile(join(folder, 'script.txt'), `${script.join('\n')}\n`);
                const note = `n=$(tr -dc 0-9); echo "$WITAN_JOB_ID $n" >> ${folder}/notes.txt; echo noted`;
                return { note: await command(folder, 'note', note, { folder }) };
            },
        },
    );
    const ids = [];
    for (let i = 0; i < many; i++) ids.push(await begin(server));
    for (let round = 0; round < 12; round++) {
        const before = (await noted(work)).length;
        if (before >= (many - 1) * steps) break;
        await until(async () => (await noted(work)).length > before, 'they work');
        await pause(Math.random() * 60);
        await postgres.stop('immediate');
        await postgres.start();
    }
    await until(async () => (await server.api('GET', '/readyz')).status === 200, 'ready again');
    await Promise.all(ids.map((id) => drive(server, work, id)));
    const lines = await noted(work);
    for (const id of ids) {
        const own = lines.filter((line) => line.startsWith(id)).sort();
        assert.deepEqual(own, Array.from({ length: steps }, (_, n) => `${id} ${n}`).sort(), 'each once');
        const { entries } = await trace(server, id);
        assert.equal(entries.filter(({ kind }) => kind === 'reply').length, steps + 1, 'each reply was taken once');
        await assertReplays(server, id);
    }
    await until(async () => (await server.metric('witan_runs')) === 0, 'nothing is in hand');
    assert.deepEqual(await server.sql('SELECT COUNT(*) FROM runs WHERE node IS NOT NULL'), [['0']], 'nobody holds what has ended');
});
