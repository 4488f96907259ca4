// How questions went: the figures of a range, of the one before it, and of each of its parts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Later, open, refused, type Call } from './lib/page.ts';

const load = () => import('../src/stores/figures.svelte.ts');
const at = 'GET /api/analytics';

test('a week is its whole, the week before, and seven parts; its days end by the server’s clock, which is asked for once', async (t) => {
    const page = open(t, '/analytics');
    const ahead = 3 * 3600_000; // the server is three hours ahead
    page.server.on(at, ({ query }: Call) => ({ since: query['since'], until: query['until'] ?? page.now(ahead) }));
    const { figures } = await load();
    figures.show({ range: 'week', projectId: 'p9' });
    await page.until(() => figures.parts.length > 0);
    const asked = page.server.to(at).slice(1).map(({ query }) => query);
    assert.equal(figures.parts.length, 7);
    assert.equal(asked.length, 9);
    assert.ok(asked.every((query) => query['projectId'] === 'p9'), 'all of it of one project');
    assert.equal(asked.filter((query) => !query['until']).length, 2, 'the whole and today are open: what happens now is in them');
    const { serverNow } = await import('../src/core/time.ts');
    assert.equal(serverNow() - Date.now(), ahead);
    const parts = asked.slice(2);
    for (let i = 1; i < parts.length; i++) assert.equal(parts[i]!['since'], parts[i - 1]!['until'], 'no moment is missing, and none counts twice');
    assert.equal(asked[1]!['until'], asked[0]!['since'], 'the week before ends where this one begins');
    await figures.load();
    assert.equal(page.server.to(at).length, 1 + 9 + 9);
});

test('a range that is chosen while another is on its way is the one that is shown', async (t) => {
    const page = open(t, '/analytics');
    const slow = new Later();
    page.server.on(at, ({ query }: Call) => (query['agent'] === 'slow' ? slow.reply : { of: query['agent'], until: page.now() }));
    const { figures } = await load();
    figures.show({ range: 'day', agent: 'slow' });
    await page.settle();
    figures.show({ range: 'day', agent: 'quick' });
    await page.until(() => figures.whole);
    slow.give(refused(500));
    await page.settle();
    assert.equal(figures.failure, undefined, 'nobody waits for what failed');
    assert.equal((figures.whole as unknown as { of: string }).of, 'quick');
    assert.ok(figures.parts.every(({ report }) => (report as unknown as { of: string }).of === 'quick'));
});

test('a hundred answers are one look, and nobody looks once the page is gone', async (t) => {
    const page = open(t, '/analytics');
    page.server.on(at, { until: page.now() });
    const { figures } = await load();
    await page.live();
    await page.pass(5000);
    assert.equal(page.server.to(at).length, 0, 'nobody shows it');
    const leave = figures.show({ range: 'day' });
    await page.until(() => figures.parts.length > 0);
    const each = page.server.to(at).length - 1;
    for (let i = 0; i < 100; i++) page.happen('question_answered', { questionId: `q${i}` });
    page.happen('chat.message'); // tells nothing about figures
    await page.pass(2000);
    await page.until(() => page.server.to(at).length === 1 + 2 * each);
    page.happen('chat.message');
    await page.pass(5000);
    assert.equal(page.server.to(at).length, 1 + 2 * each);
    leave();
    page.happen('question_answered', { questionId: 'q' });
    await page.pass(5000);
    assert.equal(page.server.to(at).length, 1 + 2 * each);
});

test('an old range that comes after all changes nothing', async (t) => {
    const page = open(t, '/analytics');
    const slow = new Later();
    page.server.on(at, ({ query }: Call) => (query['agent'] === 'slow' ? slow.reply : { of: query['agent'], until: page.now() }));
    const { figures } = await load();
    figures.show({ range: 'day', agent: 'slow' });
    await page.settle();
    figures.show({ range: 'day', agent: 'quick' });
    await page.until(() => figures.whole);
    slow.give({ of: 'slow', until: page.now() });
    await page.settle();
    assert.equal((figures.whole as unknown as { of: string }).of, 'quick');
});

test('what fails is told, and goes with the next that succeeds', async (t) => {
    const page = open(t, '/analytics');
    page.server.on(at, refused(503));
    const { figures } = await load();
    figures.show({ range: 'day' });
    await page.until(() => figures.failure);
    page.server.on(at, { until: page.now() });
    await figures.load();
    assert.equal(figures.failure, undefined);
    assert.ok(figures.whole);
});
