// A store that an earlier release wrote, opened by this one: everything is there, verifies and goes on.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cli } from './lib/cli.mjs';
import { freshStore, start, tempFolder, until } from './lib/server.mjs';
import { run } from './lib/sql.mjs';
import { test } from 'node:test';

const versions = ['0.1.0'];
const file = (name) => new URL(`../fixtures/${name}`, import.meta.url);

// The store as that release left it, with the clock set back to when it did.
async function load(t, version, engine) {
    const folder = await tempFolder(t);
    const db = await freshStore(t, engine, folder);
    const known = JSON.parse(await readFile(file(`${version}.${engine}.json`)));
    await run(db, file(`${version}.${engine}.sql`).pathname);
    await run(
        db,
        `INSERT INTO ${engine === 'postgres' ? 'public.' : ''}facts (name, value)
         VALUES ('clock_offset_ms', '${known.at + 60_000 - Date.now()}')`,
    );
    return { folder, db, known };
}

// Two who were told apart by ASCII alone are so still; the log and the doctor name the one whose name is another's too.
for (const engine of ['sqlite', 'postgres'])
    test(`names of 0.1.0 that come to be one are named (${engine})`, { timeout: 600_000 }, async (t) => {
        const { folder, db } = await load(t, '0.1.0', engine);
        const users = engine === 'postgres' ? 'public.users' : 'users';
        for (const [at, name] of ['Ägnes', 'ägnes', 'Zoé'].entries())
            await run(
                db,
                `INSERT INTO ${users} (id, name, name_key, created_at)
                 VALUES ('01890000-0000-7000-8000-00000000000${at}', '${name}', '${name.replace('Z', 'z')}', 1)`,
            );
        const server = await start(t, { engine, folder, db });
        assert.match(server.log, /told apart as they were before.*user Ägnes/);
        await server.stop();
        const { stdout } = await cli(folder, ['doctor', '--db', db]);
        assert.match(stdout, /same name in another spelling: user Ägnes\./);
    });

for (const version of versions)
    for (const engine of ['sqlite', 'postgres'])
        test(`a store of ${version} goes on (${engine})`, { timeout: 600_000 }, async (t) => {
            const { folder, db, known } = await load(t, version, engine);
            const witan = (...args) => cli(folder, [...args, '--db', db]);
            const behind = await witan('audit', 'verify');
            assert.equal(behind.code, 7);
            assert.match(behind.stderr, /witan migrate/);

            // It can be copied before it is brought up to date, and the copy becomes a store of today.
            const copy = join(folder, 'copy');
            const backup = await witan('backup', copy);
            assert.equal(backup.code, 0, backup.stderr);
            const elsewhere = await freshStore(t, engine, await tempFolder(t));
            const restore = await cli(folder, ['restore', copy, '--db', elsewhere]);
            assert.equal(restore.code, 0, restore.stderr);
            assert.equal((await cli(folder, ['audit', 'verify', '--db', elsewhere])).code, 0);

            const server = await start(t, { engine, folder, db });
            const as = { token: known.owner };
            const builder = { token: known.agent };
            const verdict = JSON.parse((await witan('audit', 'verify', '--json')).stdout);
            assert.equal(verdict.whole, true);
            assert.ok(verdict.rows > 20);

            // Who did something is known by id, as far as the audit log knows it: here of every row that names somebody.
            const nameless = `SELECT (SELECT COUNT(*) FROM squad_chat WHERE author_id IS NULL AND message_type <> 'system')
                + (SELECT COUNT(*) FROM discussion_prompts WHERE requester_id IS NULL OR (outcome_by_id IS NULL AND outcome_by IS NOT NULL))
                + (SELECT COUNT(*) FROM agent_questions WHERE outcome_by_id IS NULL AND outcome_by IS NOT NULL)
                + (SELECT COUNT(*) FROM job_logs WHERE actor_id IS NULL AND kind NOT IN ('log', 'question'))
                + (SELECT COUNT(*) FROM feedback WHERE author_id IS NULL)`;
            assert.equal(Number((await server.sql(nameless))[0][0]), 0);

            // What was said is there, in its workspace.
            const texts = async (token) =>
                (await server.must(200, 'GET', '/api/chat?limit=200', undefined, { token })).messages.map(
                    ({ message }) => message,
                );
            assert.ok((await texts(known.owner)).includes('Good morning'));
            assert.ok(!(await texts(known.owner)).includes('Elsewhere'));
            assert.deepEqual(await texts(known.other), ['Elsewhere']);
            assert.equal((await server.show(known.done, as)).status, 'resolved');
            const headers = { Cookie: known.cookie };
            assert.equal((await server.api('GET', '/api/me', undefined, { headers })).status, 200, 'the login');

            // A wait hears the second voice; a question and an approval are answered; the job goes on.
            const wait = server.api('GET', `/api/discussion/${known.prompt}?wait=55`, undefined, {
                ...as,
                agent: undefined,
            });
            await until(async () => (await server.metric('witan_waits')) === 1, 'the wait is held');
            await server.must(201, 'POST', `/api/discussion/${known.prompt}`, { agent_name: 'Scout', message: 'Two.' }, as);
            assert.equal((await wait).body.status, 'resolved');
            const { question } = await server.must(200, 'GET', `/api/questions/${known.question}`, undefined, as);
            assert.equal(question.status, 'pending');
            await server.must(200, 'POST', `/api/questions/${known.question}/answer`, { response: { type: 'text', value: 'Large.' } }, as);
            await server.must(200, 'POST', `/api/questions/${known.approval}/answer`, { response: { type: 'approval', value: false } }, as);
            await server.must(200, 'PATCH', `/api/jobs/${known.job}`, { status: 'completed' }, builder);
            assert.ok((await server.must(200, 'GET', `/api/jobs/${known.job}/logs`, undefined, as)).logs.length > 4);

            // The task waits for its answer, then is ready again.
            const path = `/api/projects/${known.project}`;
            const task = () => server.must(200, 'GET', `${path}/tasks/${known.task}`, undefined, as);
            assert.equal((await task()).status, 'blocked');
            const sets = await server.must(200, 'GET', `${path}/notifications`, undefined, as);
            const [set] = sets.notifications;
            await server.must(200, 'PATCH', `${path}/notifications/${set.id}`, { responses: [{ questionId: 'q1', answer: 'SQLite.' }] }, as);
            assert.notEqual((await task()).status, 'blocked');
            // A repeat from before is still known.
            const repeat = { ...as, headers: { 'Idempotency-Key': 'fixture' } };
            await server.must(201, 'POST', '/api/chat', { agent_name: 'Scout', message: 'Only once' }, repeat);
            assert.equal((await texts(known.owner)).filter((text) => text === 'Only once').length, 1);

            await until(async () => {
                const after = await witan('audit', 'verify', '--json');
                assert.equal(after.code, 0, after.stdout + after.stderr);
                return JSON.parse(after.stdout).unsealed === 0;
            }, 'sealed and whole');
            await server.stop();
            for (const args of [['purge', '--older-than', '0s', '--yes'], ['user', 'erase', 'bob', '--yes']]) {
                const { code, stderr } = await witan(...args);
                assert.equal(code, 0, stderr);
            }
        });
