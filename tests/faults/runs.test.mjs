// PostgreSQL dies while agents work, again and again, also in the middle of commits. All runs end as they would have, each of
// their commands has run once or was asked about, and nothing that was stored was done again.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase } from '../e2e/lib/sql.mjs';
import { ownPostgres } from './lib/postgres.mjs';
import { assertReplays, begin, command, job, questions, reply, stage, trace, written } from '../e2e/lib/runs.mjs';
import { until } from '../e2e/lib/server.mjs';

const many = 16;
const steps = 12;
const longerThanALease = 6_000;
const script = [
    ...Array.from({ length: steps }, (_, n) => `Ada: Step ${n}.\\n!call note {"n": ${n}}\\n!call report_progress {"done": ${n}, "total": ${steps}}`),
    'Ada: !call finish {"result": "All is noted."}',
];

const noted = (work) => written(join(work, 'notes.txt'));

let asked = 0;

// What a person does who looks before they answer.
async function answer(server, work, id, open) {
    assert.equal(open.type, 'error_recovery', JSON.stringify(open));
    const n = JSON.stringify(open).match(/\\?"n\\?": ?(\d+)/)?.[1];
    assert.ok(n, `it says which call: ${JSON.stringify(open)}`);
    asked++;
    await reply(server, open, (await noted(work)).includes(`${id} ${n}`) ? 'skip' : 'retry');
}

// Whether it has ended; what it asks by then is answered.
async function attend(server, work, id) {
    const { status, error } = await job(server, id);
    assert.ok(!['failed', 'cancelled'].includes(status), error);
    for (const open of await questions(server, id)) await answer(server, work, id, open);
    return status === 'completed';
}

const isReady = async (server) => (await server.api('GET', '/readyz')).status === 200;

// Another command of any of them has run. All may be waiting for people: what was out when a lease ran out is asked about.
const theyWork = (server, work, ids, before) =>
    until(async () => {
        if ((await noted(work)).length > before) return true;
        if (!(await isReady(server))) return false;
        for (const id of ids) await attend(server, work, id);
        return false;
    }, 'they work');

test('runs go on when PostgreSQL dies under them', { timeout: 900_000 }, async (t) => {
    const postgres = await ownPostgres(t);
    const { server, work } = await stage(
        t,
        { provider: 'scripted' },
        {
            db: await createDatabase(postgres.url),
            tools: async (folder) => {
                await writeFile(join(folder, 'script.txt'), `${script.join('\n')}\n`);
                await writeFile(join(folder, 'held'), '');
                const note = `n=$(tr -dc 0-9); echo $n >> ${folder}/begun.txt; while [ -e ${folder}/held ]; do sleep 0.05; done; echo "$WITAN_JOB_ID $n" >> ${folder}/notes.txt; echo noted`;
                return { note: await command(folder, 'note', note, { folder }) };
            },
        },
    );
    const ids = [];
    for (let i = 0; i < many; i++) ids.push(await begin(server));
    await until(async () => (await written(join(work, 'begun.txt'))).length > 0, 'commands are out');
    await postgres.stop('immediate');
    await pause(longerThanALease);
    await postgres.start();
    await rm(join(work, 'held'));
    for (let round = 0; round < 12; round++) {
        const before = (await noted(work)).length;
        if (before >= (many - 1) * steps) break;
        await theyWork(server, work, ids, before);
        await pause((round * 23) % 60);
        await postgres.stop('immediate');
        await postgres.start();
    }
    await until(() => isReady(server), 'ready again');
    await Promise.all(ids.map((id) => until(() => attend(server, work, id), 'the run ends', 300_000)));
    assert.ok(asked > 0, 'what was out when the lease ran out was asked about');
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
