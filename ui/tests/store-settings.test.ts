// What the settings show: lists that are loaded while they are looked at.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Later, open, refused } from './lib/page.ts';

const settings = () => import('../src/stores/settings.svelte.ts');

test('a list is loaded while a page shows it, and again when an event says that it has changed, once for many', async (t) => {
    const page = open(t, '/settings/people');
    page.server.on('GET /api/users', () => ({ users: [{ id: String(page.server.to('GET /api/users').length) }], nextCursor: null }));
    const { people } = await settings();
    await page.live();
    page.happen('user.changed');
    await page.pass(1000);
    assert.equal(page.server.to('GET /api/users').length, 0, 'nobody looks');
    const leave = people.show();
    await page.until(() => people.all);
    page.happen('token.changed'); // another list's
    await page.pass(120);
    assert.equal(page.server.to('GET /api/users').length, 1);
    for (let i = 0; i < 20; i++) page.happen('user.changed');
    await page.pass(120);
    assert.equal(page.server.to('GET /api/users').length, 2, 'twenty changes are one look');
    assert.equal(people.all![0]!.id, '2');
    leave();
    page.happen('user.changed');
    await page.pass(1000);
    assert.equal(page.server.to('GET /api/users').length, 2, 'nobody looks any more');
});

test('a change while a list is on its way is loaded after it, never before', async (t) => {
    const page = open(t, '/settings/templates');
    const first = new Later();
    let reads = 0;
    page.server.on('GET /api/templates', () => (++reads === 1 ? first.reply : { templates: [{ id: 'new' }], nextCursor: null }));
    const { templates } = await settings();
    await page.live();
    templates.show();
    page.happen('template.changed');
    await page.pass(120);
    assert.equal(reads, 1, 'one after the other');
    first.give({ templates: [{ id: 'old' }], nextCursor: null });
    await page.until(() => templates.all?.[0]?.id === 'new');
    assert.equal(reads, 2);
});

test('all pages of a list are read; tokens that are over stand last, the newest first', async (t) => {
    const page = open(t, '/settings/tokens');
    const pages: Record<string, unknown> = {
        '': { tokens: [{ id: 'gone', createdAt: '2026-03-04', revokedAt: '2026-03-05' }, { id: 'older', createdAt: '2026-01-01', revokedAt: null }], nextCursor: 'two' },
        two: { tokens: [{ id: 'newer', createdAt: '2026-02-01', revokedAt: null }], nextCursor: null },
    };
    page.server.on('GET /api/tokens', ({ query }: { query: { cursor?: string } }) => pages[query.cursor ?? '']);
    const { tokens } = await settings();
    tokens.show();
    await page.until(() => tokens.all);
    assert.deepEqual(tokens.all!.map(({ id }) => id), ['newer', 'older', 'gone']);
});

test('what fails is told, what was known stays, and the next that succeeds takes it away', async (t) => {
    const page = open(t, '/settings/wordings');
    page.server.on('GET /api/wordings', { wordings: [{ key: 'a' }] });
    const { wordings } = await settings();
    await wordings.load();
    page.server.on('GET /api/wordings', refused(500));
    await wordings.load();
    assert.equal((wordings.failure as { status: number }).status, 500);
    assert.equal(wordings.all!.length, 1);
    page.server.on('GET /api/wordings', { wordings: [] });
    await wordings.load();
    assert.equal(wordings.failure, undefined);
    assert.equal(wordings.all!.length, 0);
});

test('a gap in the stream loads what is shown, and only that', async (t) => {
    const page = open(t, '/settings/people');
    page.server.on('GET /api/users', { users: [], nextCursor: null });
    page.server.on('GET /api/templates', { templates: [], nextCursor: null });
    const { people } = await settings();
    await page.live();
    people.show();
    await page.until(() => people.all);
    page.server.pass('stream.gap', { oldest: 40 });
    await page.until(() => page.server.to('GET /api/users').length === 2);
    assert.equal(page.server.to('GET /api/templates').length, 0);
});
