// Who is here: what one tab says is heard in the others, on whichever node, and by nobody else.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { cli } from './lib/cli.mjs';
import { login, makeToken, makeUser } from './lib/identity.mjs';
import { start, until } from './lib/server.mjs';
import { listen } from './lib/streams.mjs';

const password = 'three odd otters';
const say = (server, as, tab, page, more = {}) => server.must(204, 'POST', '/api/presence', { tab, page, ...more }, as(server));

async function people(server) {
    await makeUser(server, 'Ana', password, 'owner');
    await makeUser(server, 'Ben', password, 'viewer');
    const by = async (name) => {
        const Cookie = await login(server, name, password);
        return ({ url }) => ({ headers: { Cookie, Origin: url } });
    };
    return [await by('Ana'), await by('Ben')];
}

// What was last told of somebody: their state and pages.
const told = (reader, name) => {
    const last = reader.of('presence.changed').flatMap((event) => event.people).findLast((one) => one.name === name);
    return last && [last.state, ...last.pages.map(({ page, state }) => `${page} ${state}`)].join(', ');
};

async function comesAndGoes(t, server, others, [ana, ben]) {
    const reader = await listen(t, others, { ...ana(others), query: '?types=presence.changed' });
    const tab = randomUUID();
    const hears = (what) => reader.until(() => told(reader, 'Ben') === what, `Ben: ${what}; was ${told(reader, 'Ben')}`);
    await say(server, ben, tab, 'inbox');
    await hears('here, inbox here');
    await say(server, ben, tab, 'chat');
    await hears('here, chat here');
    await say(server, ben, tab, 'chat', { state: 'away' });
    await hears('away, chat away');
    await say(server, ben, tab, 'chat', { state: 'gone' });
    await hears('gone');
    // A lid is shut: nothing is said, and it is heard all the same.
    await say(server, ben, tab, 'chat');
    await hears('here, chat here');
    const { people: here } = await others.must(200, 'GET', '/api/presence', undefined, ana(others));
    assert.deepEqual(here.map(({ name, state }) => [name, state]), [['Ben', 'here']]);
    await server.advance(91_000, ana(server));
    await hears('gone');
    assert.deepEqual(await server.sql(`SELECT type FROM events WHERE type LIKE 'presence%'`), [], 'none of it is in the log');
}

test('people are seen to come, to turn elsewhere and to go, and agents hear nothing of it', async (t) => {
    const server = await start(t);
    const [ana, ben] = await people(server);
    const bound = await server.must(201, 'POST', '/api/projects', { name: 'Ours' }, ana(server));
    const deaf = [];
    for (const kind of [{ role: 'agent' }, { role: 'owner', agent: 'Scout' }, { role: 'owner', project: bound.id }])
        deaf.push(await listen(t, server, { token: await makeToken(server, { name: `t${deaf.length}`, ...kind }) }));
    await comesAndGoes(t, server, server, [ana, ben]);
    // They have heard what came after it, and nothing of it.
    await server.say('Scout', 'Done.', ana(server));
    for (const reader of deaf) {
        await reader.until(() => reader.of('chat.message').length > 0, 'the last word');
        assert.deepEqual(reader.of('presence.changed'), []);
    }
    // In the terminal.
    await say(server, ben, randomUUID(), 'project', { subject: bound.id });
    await server.say('Builder', 'Here.', { token: await makeToken(server, { name: 'b', role: 'agent', agent: 'Builder' }) });
    const env = { WITAN_URL: server.url, WITAN_TOKEN: await makeToken(server, { name: 'me', role: 'member' }) };
    const who = (...args) => cli(server.folder, ['who', ...args], { env });
    await until(async () => (await who()).stdout.includes('Builder'), 'the agent was heard');
    const { code, stdout } = await who();
    assert.equal(code, 0);
    assert.match(stdout, /Ben +here +project/);
    assert.match(stdout, /Builder +agent/);
    assert.deepEqual(JSON.parse((await who('--json', '--page', 'chat')).stdout).people, []);
});

test('what is said on one node is heard on the other', async (t) => {
    const a = await start(t, { engine: 'postgres' });
    const b = await start(t, { engine: 'postgres', db: a.db });
    await comesAndGoes(t, a, b, await people(a));
});
