// Who is here: what this tab says and when, and what is known of the others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { place } from '../src/core/router.ts';
import { changed, looks, spotOf, watching } from '../src/core/whereabouts.ts';
import { open, refused, type Page } from './lib/page.ts';

const load = () => import('../src/stores/presence.svelte.ts');
const say = 'POST /api/presence';
const list = 'GET /api/presence';
const person = (id: string, state: 'here' | 'away' | 'gone', page = 'inbox', subject: string | null = null) => ({ id, name: id, state, pages: state === 'gone' ? [] : [{ page, subject, state, since: '2026-01-01T10:00:00.000Z' }] });
const told = (page: Page) => page.server.to(say).map(({ body }) => {
    const { page: at, subject, state } = body as Record<string, string>;
    return [at, ...(subject ? [subject] : []), state].join(' ');
});

test('a place is told as what it is, and what is nobody’s business as other', () => {
    const spot = (path: string) => Object.values(spotOf(place(path))).join(' ');
    assert.deepEqual(
        ['/', '/inbox/q1', '/q/q1', '/approvals', '/chat', '/discussions', '/discussions/d1', '/jobs/j1', '/projects', '/projects/p', '/settings/tokens', '/audit', '/notifications', '/nonsense'].map(spot),
        ['inbox', 'question q1', 'question q1', 'approvals', 'chat', 'discussions', 'discussion d1', 'job j1', 'projects', 'project p', 'other', 'other', 'other', 'other'],
    );
    assert.deepEqual([looks(true, 0, 299_000), looks(true, 0, 300_000), looks(false, 0, 0)], [true, false, false]);
});

test('who came, went and turned elsewhere changes the list; who looks at the same is found, but for oneself', () => {
    const before = [person('ana', 'here'), person('ben', 'away')] as never[];
    const after = changed(before, [person('ben', 'gone'), person('cleo', 'here', 'question', 'q1')] as never[]);
    assert.deepEqual(after.map(({ id }) => id), ['ana', 'cleo']);
    assert.deepEqual(watching(after, 'q1', 'ana').map(({ id }) => id), ['cleo']);
    assert.deepEqual(watching(after, 'q1', 'cleo'), []);
    assert.deepEqual(watching([person('dan', 'away', 'question', 'q1')] as never[], 'q1', 'ana'), [], 'it is open, and nobody looks');
});

test('a tab says where it is when that changes and every while, and away while nobody sees it', async (t) => {
    const page = open(t, '/chat');
    page.server.on(say, new Response(null, { status: 204 }));
    const { whereabouts } = await load();
    const { where } = await import('../src/stores/app.svelte.ts');
    await page.live();
    whereabouts.start();
    whereabouts.start(); // once is enough
    await page.pass(600);
    assert.deepEqual(told(page), ['chat here']);
    where.go('/jobs');
    await page.pass(100);
    where.go('/inbox/q1'); // on the way to here
    await page.pass(600);
    assert.deepEqual(told(page).slice(1), ['question q1 here']);
    await page.pass(40_000);
    assert.equal(told(page).length, 3, 'the same again');
    page.see(false);
    await page.pass(0);
    assert.equal(told(page).at(-1), 'question q1 away');
    page.see(true);
    await page.pass(0);
    assert.equal(told(page).at(-1), 'question q1 here');
    await page.pass(300_000);
    assert.equal(told(page).at(-1), 'question q1 away', 'nobody has touched it for long');
    page.fire('pagehide');
    await page.settle();
    assert.equal(told(page).at(-1), 'question q1 gone');
    const tabs = new Set(page.server.to(say).map(({ body }) => (body as { tab: string }).tab));
    assert.equal(tabs.size, 1);
});

test('one that could not be said is said again; agents, and who is not logged in, say nothing', async (t) => {
    const page = open(t, '/chat');
    page.server.on(say, refused(503));
    const { whereabouts } = await load();
    const { session } = await import('../src/stores/server.svelte.ts');
    whereabouts.start();
    await page.pass(60_000);
    assert.equal(told(page).length, 0);
    await page.live();
    await page.pass(600);
    assert.equal(told(page).length, 1);
    await page.pass(40_000);
    assert.ok(told(page).length >= 2);
    const before = told(page).length;
    session.me!.caller.role = 'agent';
    await page.pass(90_000);
    assert.equal(told(page).length, before);
});

test('who is here is read once, followed, and read again when more changed than was told', async (t) => {
    const page = open(t, '/chat');
    page.server.on(list, { people: [person('ana', 'here')], agents: [{ name: 'Scout', heardAt: '2026-01-01T10:00:00.000Z' }], nextCursor: null });
    const { presence } = await load();
    await page.live();
    page.server.pass('presence.changed', { people: [person('ben', 'here')], whole: true });
    await page.settle();
    assert.equal(page.server.to(list).length, 0, 'nobody looks');
    const [one, other] = [presence.show(), presence.show()];
    await page.until(() => presence.loaded);
    assert.equal(page.server.to(list).length, 1);
    page.server.pass('presence.changed', { people: [person('ben', 'here'), person('ana', 'gone')], whole: true });
    await page.until(() => presence.people.length === 1 && presence.people[0]!.id === 'ben');
    page.server.pass('presence.changed', { people: [], whole: false });
    await page.pass(3000);
    assert.equal(page.server.to(list).length, 2);
    one();
    other();
    await page.pass(120_000);
    assert.equal(page.server.to(list).length, 2, 'nobody looks any more');
});
