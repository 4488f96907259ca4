// What was told to somebody: how many, the newest of them, and older ones as far as they were wanted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Later, open, refused, type Call } from './lib/page.ts';

const load = () => import('../src/stores/notifications.svelte.ts');
const list = 'GET /api/notifications';
const count = 'GET /api/notifications/pending-count';
const notice = (n: number, more = {}) => ({ id: String(n).padStart(3, '0'), kind: 'question', title: `n${n}`, body: '', about: null, read: false, resolved: false, ...more });
const ids = (those: Array<{ id: string }>) => those.map(({ id }) => id).join(' ');

test('they are counted as they come, many at once, and listed only while a page shows them', async (t) => {
    const page = open(t, '/inbox');
    page.server.on(count, { count: 7 });
    page.server.on(list, { notifications: [notice(1)], nextCursor: null });
    const { notifications } = await load();
    await page.live();
    await page.pass(120);
    const before = page.server.to(count).length;
    for (let i = 0; i < 30; i++) page.happen('notification.added', { id: `x${i}` });
    page.happen('chat.message');
    await page.pass(120);
    await page.until(() => notifications.unread === 7);
    assert.equal(page.server.to(count).length, before + 1);
    assert.equal(page.server.to(list).length, 0, 'nobody looks');
    const leave = notifications.show();
    await page.until(() => notifications.loaded);
    page.happen('notification.added', { id: 'x' });
    await page.pass(120);
    assert.equal(page.server.to(list).length, 2);
    leave();
    page.happen('notification.added', { id: 'y' });
    await page.pass(120);
    assert.equal(page.server.to(list).length, 2, 'nobody looks any more');
});

test('a reply that is overtaken by a later one is not shown, nor is its failure', async (t) => {
    const page = open(t, '/notifications');
    const [slow, slowCount] = [new Later(), new Later()];
    let reads = 0;
    let counts = 0;
    page.server.on(list, () => (++reads === 1 ? slow.reply : { notifications: [notice(2)], nextCursor: null }));
    page.server.on(count, () => (++counts === 1 ? slowCount.reply : { count: 1 }));
    const { notifications } = await load();
    void notifications.load();
    void notifications.count();
    await page.settle();
    await notifications.load();
    await notifications.count();
    slow.give(refused(500));
    slowCount.give({ count: 99 });
    await page.settle();
    assert.equal(ids(notifications.list), '002');
    assert.equal(notifications.failure, undefined);
    assert.equal(notifications.unread, 1);
});

test('older ones come when they are wanted and stay when something new comes; what is settled further down says so', async (t) => {
    const page = open(t, '/notifications');
    const pages: Record<string, unknown> = {
        '': { notifications: [notice(5), notice(4)], nextCursor: 'two' },
        two: { notifications: [notice(3), notice(2)], nextCursor: 'three' },
        three: { notifications: [notice(1)], nextCursor: null },
    };
    page.server.on(list, ({ query }: Call) => pages[query['cursor'] ?? '']);
    page.server.on(count, { count: 6 });
    const { notifications } = await load();
    await page.live();
    notifications.show();
    await page.until(() => notifications.loaded);
    await Promise.all([notifications.older(), notifications.older()]); // clicked twice
    assert.equal(ids(notifications.list), '005 004 003 002');
    pages[''] = { notifications: [notice(6), notice(5)], nextCursor: 'four' };
    page.happen('notification.added', notice(6));
    page.happen('notification.resolved', notice(2, { resolved: true }));
    await page.pass(120);
    await page.until(() => notifications.list.length === 5);
    assert.equal(ids(notifications.list), '006 005 004 003 002');
    assert.equal(notifications.list.at(-1)!.resolved, true);
    await notifications.older();
    assert.equal(ids(notifications.list), '006 005 004 003 002 001', 'it goes on where it had ended');
    assert.equal(notifications.more, null);
});

test('one that could not be marked as read is unread again, and that is said', async (t) => {
    const page = open(t, '/notifications');
    page.server.on(list, { notifications: [notice(1), notice(2)], nextCursor: null });
    page.server.on('POST /api/notifications/001/read', refused(503, { error: 'The server is busy.' }));
    page.server.on('POST /api/notifications/002/read', { notification: notice(2, { read: true }) });
    const { notifications } = await load();
    const { toasts } = await import('../src/stores/app.svelte.ts');
    await notifications.load();
    await notifications.read('001');
    await notifications.read('002');
    assert.deepEqual(notifications.list.map(({ read }) => read), [false, true]);
    assert.ok(toasts.list.some(({ text }) => text.includes('busy')));
});

test('what fails is told and what was known stays; all of them are marked at once', async (t) => {
    const page = open(t, '/notifications');
    page.server.on(list, { notifications: [notice(1)], nextCursor: null });
    page.server.on(count, { count: 0 });
    page.server.on('POST /api/notifications/read-all', { count: 1 });
    const { notifications } = await load();
    await notifications.load();
    page.server.on(list, refused(500));
    await notifications.load();
    assert.ok(notifications.failure);
    assert.equal(ids(notifications.list), '001');
    page.server.on(list, { notifications: [notice(1, { read: true })], nextCursor: null });
    await notifications.readAll();
    assert.equal(notifications.failure, undefined);
    assert.equal(notifications.list[0]!.read, true);
    assert.equal(notifications.unread, 0);
});
