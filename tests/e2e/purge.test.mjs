// Letting go of what is old: asked for, or by the settings; the audit log verifies all the same.
import assert from 'node:assert/strict';
import { cli } from './lib/cli.mjs';
import { onBothEngines, until } from './lib/server.mjs';

const witan = (server, ...args) => cli(server.folder, [...args, '--db', server.db]);

async function json(server, ...args) {
    const { code, stdout, stderr } = await witan(server, ...args, '--json');
    assert.equal(code, 0, `witan ${args.join(' ')}: ${code}\n${stdout}${stderr}`);
    return JSON.parse(stdout);
}

async function verify(server) {
    return until(async () => {
        const verdict = await json(server, 'audit', 'verify');
        return verdict.unsealed === 0 && verdict;
    }, 'every row is sealed');
}

const count = async (server, table) => Number((await server.sql(`SELECT COUNT(*) FROM ${table}`))[0][0]);

// Two jobs with lines, one of them ended; a question that was answered; a mention.
async function fill(server) {
    const jobs = [];
    for (let i = 0; i < 2; i++) {
        const { id } = await server.must(201, 'POST', '/api/jobs', { kind: 'build', agent: 'Builder' });
        jobs.push(id);
        await server.must(200, 'PATCH', `/api/jobs/${id}`, { status: 'running' });
        for (const message of ['one', 'two'])
            await server.must(201, 'POST', `/api/jobs/${id}/logs`, { level: 'info', message });
    }
    await server.must(200, 'PATCH', `/api/jobs/${jobs[1]}`, { status: 'completed' });
    await server.say('Scout', 'Look here, @Builder');
    return { open: jobs[0], ended: jobs[1] };
}

onBothEngines('witan purge says what would go, and takes it beside a running server', {}, async (server) => {
    const { open, ended } = await fill(server);
    await verify(server);
    const lines = async (id) => (await server.must(200, 'GET', `/api/jobs/${id}/logs`)).logs.length;
    const [openLines, endedLines] = [await lines(open), await lines(ended)];
    assert.ok(openLines >= 2 && endedLines >= 2);
    const audited = await count(server, 'audit');
    await new Promise((wake) => setTimeout(wake, 1100));

    const unsure = await witan(server, 'purge', '--older-than', '1s');
    assert.equal(unsure.code, 2);
    assert.match(unsure.stdout, /would purge/);
    assert.match(unsure.stderr, /--yes/);
    const dry = await json(server, 'purge', '--older-than', '1s', '--dry-run');
    const rows = Object.fromEntries(dry.kinds.map(({ kind, rows }) => [kind, rows]));
    assert.deepEqual(Object.keys(rows), ['events', 'logs', 'notifications', 'discussions', 'idempotency', 'audit']);
    assert.equal(rows.logs, endedLines);
    assert.equal(rows.notifications, 0, 'the mention has not been read');
    assert.equal(rows.audit, audited);
    assert.equal(await lines(ended), endedLines, 'nothing has gone yet');
    assert.equal((await witan(server, 'purge', '--older-than', '1s', '--kind', 'tea')).code, 2);

    const done = await json(server, 'purge', '--older-than', '1s', '--kind', 'logs,audit', '--yes');
    assert.equal(done.purged, true);
    assert.equal(await lines(ended), 0);
    assert.equal(await lines(open), openLines);
    const verdict = await verify(server);
    assert.equal(verdict.whole, true);
    assert.equal(verdict.purged, audited);
    // It goes on: numbers are not used again, the next purge starts from the checkpoint.
    await server.say('Scout', 'and on');
    assert.ok((await verify(server)).rows > verdict.rows);
    const { entries } = await server.must(200, 'GET', '/api/audit');
    assert.ok(entries.every(({ seq }) => seq > audited));
    assert.ok(entries.some(({ operation }) => operation === 'store_purge'));
    // Plain SQL still gets nowhere.
    await assert.rejects(server.sql('DELETE FROM audit'));
    if (server.engine === 'postgres') await assert.rejects(server.sql('TRUNCATE audit'));
    else
        await assert.rejects(
            server.sql(`INSERT OR REPLACE INTO audit (seq, workspace_id, actor_kind, actor, operation, created_at)
                        SELECT seq, workspace_id, actor_kind, 'x', operation, created_at FROM audit`),
        );
    const last = await count(server, 'events');
    await json(server, 'purge', '--older-than', '0s', '--kind', 'events', '--yes');
    assert.ok((await count(server, 'events')) < last && (await count(server, 'events')) >= 1);
});

onBothEngines(
    'the server lets go by itself of what its settings name',
    {
        env: {
            WITAN_AUDIT_KEEP: '1d',
            WITAN_LOGS_KEEP: '1d',
            WITAN_NOTIFICATIONS_KEEP: '1d',
            WITAN_EVENTS_KEEP: '1d',
        },
    },
    async (server) => {
        await fill(server);
        await server.must(200, 'POST', '/api/notifications/read-all', { agent: 'Builder' });
        const before = (await verify(server)).rows;
        await server.advance(3 * 86_400_000);
        await server.say('Scout', 'three days later');
        await server.stop();
        await server.restart(); // it looks a second after its start, and then every five minutes
        await until(async () => (await count(server, 'audit')) < before, 'the old rows are gone');
        assert.equal((await verify(server)).purged >= before, true);
        await until(
            async () => (await count(server, `notifications WHERE read_at IS NOT NULL`)) === 0,
            'read notifications are gone',
        );
        assert.equal(await count(server, 'notifications'), 1, 'what nobody has read stays');
        const left = await server.sql(`SELECT DISTINCT j.status FROM job_logs l JOIN jobs j ON j.id = l.job_id`);
        assert.deepEqual(left, [['running']]);
    },
);

// Each kind by a time of its own, the longest for the lines: nothing goes by another's setting.
onBothEngines(
    'what a setting keeps longer stays when others go',
    { env: { WITAN_EVENTS_KEEP: '1d', WITAN_NOTIFICATIONS_KEEP: '2d', WITAN_LOGS_KEEP: '10d' } },
    async (server) => {
        const { ended } = await fill(server);
        await server.must(200, 'POST', '/api/notifications/read-all', { agent: 'Builder' });
        const lines = async () => (await server.must(200, 'GET', `/api/jobs/${ended}/logs`)).logs.length;
        const [before, last] = [await lines(), (await server.sql('SELECT MAX(seq) FROM events'))[0][0]];
        const later = async (days) => {
            await server.advance(days * 86_400_000);
            await server.say('Scout', `${days} days later`);
            await server.stop();
            await server.restart();
        };
        await later(3);
        await until(async () => (await count(server, `events WHERE seq <= ${last}`)) === 0, 'the old events are gone');
        await until(async () => (await count(server, 'notifications WHERE read_at IS NOT NULL')) === 0, 'read notifications are gone');
        assert.equal(await lines(), before, 'the lines of the ended job stay');
        await later(8);
        await until(async () => (await lines()) === 0, 'the lines are gone too');
    },
);

onBothEngines('however many discussions have ended, they go with the first look', { env: { WITAN_DISCUSSIONS_KEEP: '1d' } }, async (server) => {
    for (let i = 0; i < 60; i++) {
        const made = await server.must(201, 'POST', '/api/discussions', { topic: `Old ${i}`, mode: 'turns', cast: 'moderator', options: { rehearse: true } });
        await server.must(200, 'POST', `/api/discussions/${made.discussion.id}/cancel`);
    }
    await server.advance(3 * 86_400_000);
    await server.stop();
    await server.restart();
    await until(async () => (await count(server, 'discussion_state')) === 0, 'all of them are gone');
});
