// The audit log from outside: anchors find what a chain cannot, and those who were turned away are in it.
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cli } from './lib/cli.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { onBothEngines, until } from './lib/server.mjs';

const witan = (server, ...args) => cli(server.folder, [...args, '--db', server.db]);

async function sealed(server) {
    await until(async () => {
        const { code, stdout, stderr } = await witan(server, 'audit', 'verify', '--json');
        assert.equal(code, 0, stdout + stderr);
        return JSON.parse(stdout).unsealed === 0;
    }, 'every row is sealed');
}

onBothEngines('an anchor finds an end that was cut off', {}, async (server) => {
    for (const text of ['one', 'two', 'three']) await server.say('Scout', text);
    await sealed(server);
    const made = await witan(server, 'audit', 'anchor');
    assert.equal(made.code, 0, made.stderr);
    const key = join(server.folder, 'witan', 'audit.key');
    assert.match(made.stderr, /Made the key/);
    assert.equal((await stat(key)).mode & 0o777, 0o600);
    const anchor = join(server.folder, 'anchor.json');
    await writeFile(anchor, made.stdout);

    await server.say('Scout', 'four');
    await sealed(server);
    for (const against of [anchor, made.stdout]) {
        const holds = await witan(server, 'audit', 'verify', '--against', against);
        assert.equal(holds.code, 0, holds.stderr);
        assert.match(holds.stdout, /holds every row/);
    }
    const { publicKey } = JSON.parse(made.stdout);
    assert.equal(
        (await witan(server, 'audit', 'verify', '--against', anchor, '--key', publicKey)).code,
        0,
    );
    const other = await witan(server, 'audit', 'verify', '--against', anchor, '--key', 'f'.repeat(64));
    assert.equal(other.code, 2, other.stdout);
    assert.match(other.stderr, /another key/);
    const bent = JSON.parse(made.stdout);
    bent.chains[0].seq--;
    const changed = await witan(server, 'audit', 'verify', '--against', JSON.stringify(bent));
    assert.equal(changed.code, 2);
    assert.match(changed.stderr, /signature does not fit/);
    assert.notEqual((await readFile(key, 'utf8')).trim(), publicKey, 'the file holds the other half');

    // Whoever owns the database takes the last two rows away and sets the head back: by itself it looks whole.
    await server.stop();
    const off =
        server.engine === 'sqlite' ? 'DROP TRIGGER audit_kept' : 'ALTER TABLE audit DISABLE TRIGGER USER';
    await server.sql(
        `${off}; DELETE FROM audit WHERE seq > (SELECT MAX(seq) - 2 FROM audit_heads);
         UPDATE audit_heads SET seq = (SELECT MAX(seq) FROM audit),
                                hash = (SELECT hash FROM audit ORDER BY seq DESC LIMIT 1)`,
    );
    assert.equal((await witan(server, 'audit', 'verify')).code, 0);
    const cut = await witan(server, 'audit', 'verify', '--json', '--against', anchor);
    assert.equal(cut.code, 3, cut.stdout);
    assert.equal(JSON.parse(cut.stdout).anchor.finding, 'cut');
});

onBothEngines(
    'failed logins and refused changes of rights are written down',
    { env: { WITAN_LIMITS_LOGIN_RATE: '1000' } },
    async (server) => {
        await makeUser(server, 'Ada', 'a long enough password', 'owner');
        const member = await makeToken(server, { name: 'the member', role: 'member' });
        const longNamed = await makeToken(server, { name: '\u{1F600}'.repeat(64), role: 'member' });
        const cookie = await login(server, 'Ada', 'a long enough password');
        const audit = async (query) =>
            (
                await server.must(200, 'GET', `/api/audit?${query}`, undefined, {
                    headers: { Cookie: cookie },
                })
            ).entries;

        const refuse = (body) => server.must(401, 'POST', '/api/login', body);
        await refuse({ name: 'ada', password: 'hunter2hunter2' });
        const [first] = await until(async () => {
            const rows = (await audit('operation=session_login')).filter(({ detail }) => detail.refused);
            return rows.length > 0 && rows;
        }, 'the failed login is in the log');
        assert.equal(first.actor, 'nobody');
        assert.match(first.remote, /127\.0\.0\.1/);
        assert.equal(first.detail.times, 1);
        assert.equal(first.subject, (await server.must(200, 'GET', '/api/me', undefined, { headers: { Cookie: cookie } })).caller.id);

        // More of the same are one row, and what was typed as a name is not kept.
        for (let i = 0; i < 2; i++) await refuse({ name: 'ada', password: 'hunter2hunter2' });
        await refuse({ name: 'hunter2hunter2', password: 'ada' });
        await server.advance(61_000);
        const again = await until(async () => {
            const rows = (await audit('operation=session_login')).filter(({ detail }) => detail.refused);
            return rows.reduce((sum, { detail }) => sum + detail.times, 0) === 4 && rows;
        }, 'all four are counted');
        assert.ok(again.length <= 3, `${again.length} rows`);
        assert.ok(!JSON.stringify(again).includes('hunter2'));

        for (let i = 0; i < 3; i++)
            await server.must(403, 'POST', '/api/tokens', { name: 'x', role: 'owner' }, { token: member });
        const [refused] = await until(async () => {
            const rows = await audit('operation=token_create&actor=the%20member');
            return rows.length > 0 && rows;
        }, 'the refused token is in the log');
        assert.equal(refused.actorKind, 'token');
        assert.equal(refused.detail.refused, 'forbidden');
        // A name of the greatest length is written whole, whatever its letters.
        await server.must(403, 'POST', '/api/tokens', { name: 'x', role: 'owner' }, { token: longNamed });
        await until(async () => {
            const rows = await audit('operation=token_create');
            return rows.some(({ actor }) => actor === '\u{1F600}'.repeat(64));
        }, 'the one with the long name is in the log');
        assert.equal(await server.metric('witan_refusals_total'), 8);
        await sealed(server);
    },
);
