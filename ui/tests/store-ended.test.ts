// What has ended, a page at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterOf } from '../src/core/inbox.ts';
import { Later, open, refused } from './lib/page.ts';
import { timedOut } from './lib/question.ts';

const filter = (query = 'status=timeout') => filterOf(new URLSearchParams(query));
const those = (...ids: string[]) => ids.map((id) => timedOut({ id }));

test('what has ended comes a page at a time, newest first, and never becomes shorter while it is read anew', async (t) => {
    const page = open(t);
    const pages: Record<string, unknown> = { '': { questions: those('q9', 'q8'), nextCursor: 'c1' }, c1: { questions: those('q7', 'q6'), nextCursor: 'c2' }, c2: { questions: those('q5'), nextCursor: null } };
    page.server.on('GET /api/questions/ended', ({ query }: { query: Record<string, string> }) => pages[query['cursor'] ?? '']);
    const { ended } = await import('../src/stores/ended.svelte.ts');
    const stop = ended.show(filter());
    await page.until(() => ended.loaded);
    assert.deepEqual(ended.of('timeout').map(({ id }) => id), ['q9', 'q8']);
    await ended.older();
    assert.deepEqual(ended.of('timeout').map(({ id }) => id), ['q9', 'q8', 'q7', 'q6']);
    assert.deepEqual(ended.of('answered'), []);
    page.server.calls.length = 0;
    ended.again();
    await page.until(() => page.server.calls.length === 2 && !ended.busy, 'read down to where it had been read to');
    assert.equal(ended.of('timeout').length, 4);
    await ended.older();
    assert.equal(ended.more, null);
    assert.equal(ended.of('timeout').length, 5);
    await ended.older();
    stop();
    page.server.calls.length = 0;
    ended.again();
    await page.settle();
    assert.equal(page.server.calls.length, 0, 'nobody looks at it');
});

test('what comes after somebody has turned to others is not taken for those; a failure is said, and over when it works', async (t) => {
    const page = open(t);
    const slow = new Later();
    page.server.on('GET /api/questions/ended', ({ query }: { query: Record<string, string> }) => (query['agent'] ? { questions: those('q2'), nextCursor: null } : slow.reply));
    const { ended } = await import('../src/stores/ended.svelte.ts');
    ended.show(filter());
    ended.show(filter('status=timeout&agent=Scout'));
    slow.give({ questions: those('q9'), nextCursor: 'c1' });
    await page.until(() => ended.loaded);
    assert.equal(ended.more, null);
    page.server.on('GET /api/questions/ended', refused(503, { error: 'Later.' }));
    ended.again();
    await page.until(() => ended.failure !== undefined);
    page.server.on('GET /api/questions/ended', { questions: those('q2'), nextCursor: null });
    ended.again();
    await page.until(() => ended.failure === undefined);
});
