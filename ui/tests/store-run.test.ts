// The trace of a run: its end first, what follows as it is told of, what came before when it is wanted.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { open, refused, type Call } from './lib/page.ts';

interface Row {
    seq: number;
    kind: string;
    call?: { id: string; state: string };
}

// A server with the entries 1 to `last`, of which tests change some.
async function watched(t: TestContext, last: number) {
    const page = open(t, '/jobs/j1');
    const rows: Row[] = Array.from({ length: last }, (_, i) => ({ seq: i + 1, kind: 'reply' }));
    page.server.on('GET /api/jobs/*/trace', ({ query }: Call) => {
        const [from, limit] = [Number(query['cursor'] ?? query['after'] ?? 0), Number(query['limit'])];
        const those = query['order'] === 'newest' ? rows.filter(({ seq }) => !from || seq < from).toReversed() : rows.filter(({ seq }) => seq > from);
        const entries = those.slice(0, limit).map((row) => ({ step: 1, at: page.now(), text: '', ...row }));
        return { run: { phase: 'asking', step: rows.length }, entries, nextCursor: those.length > limit ? String(entries.at(-1)!.seq) : null };
    });
    const { Trace } = await import('../src/stores/run.svelte.ts');
    await page.live();
    return { page, rows, trace: new Trace('j1') };
}
const ends = (entries: Array<{ seq: number }>) => [entries[0]?.seq, entries.at(-1)?.seq, entries.length];

test('the end of a trace comes first, and what came before it when it is wanted', async (t) => {
    const { page, trace } = await watched(t, 250);
    await trace.load();
    assert.deepEqual([...ends(trace.entries), trace.more], [151, 250, 100, true]);
    await Promise.all([trace.older(), trace.older()]); // somebody clicked twice
    assert.deepEqual([...ends(trace.entries), trace.more], [51, 250, 200, true]);
    await trace.older();
    assert.deepEqual([...ends(trace.entries), trace.more], [1, 250, 250, false]);
    assert.equal(page.server.to('GET /api/jobs/*/trace').length, 3);
    await trace.older();
    assert.equal(page.server.to('GET /api/jobs/*/trace').length, 3, 'there is nothing before the first');
});

test('what a run does is read as it is told of, several steps at once, and calls that were not done once more', async (t) => {
    const { page, rows, trace } = await watched(t, 3);
    rows.push({ seq: 4, kind: 'call', call: { id: 'c1', state: 'running' } });
    await trace.load();
    assert.equal(trace.entries.at(-1)?.call?.state, 'running');
    rows[3]!.call!.state = 'done';
    rows.push({ seq: 5, kind: 'reply' }, { seq: 6, kind: 'reply' });
    for (const lastSeq of [4, 5, 6]) trace.hear({ type: 'run.moved', id: 0, at: page.now(), lastSeq } as never);
    await page.pass(200);
    assert.deepEqual(ends(trace.entries), [1, 6, 6]);
    assert.equal(trace.entries[3]?.call?.state, 'done');
    const [, again] = page.server.to('GET /api/jobs/*/trace');
    assert.equal(again?.query['after'], '3');
    assert.equal(page.server.to('GET /api/jobs/*/trace').length, 2, 'three events, one reading');
    trace.leave();
    trace.hear();
    await page.pass(200);
    assert.equal(page.server.to('GET /api/jobs/*/trace').length, 2, 'nobody looks any more');
});

test('who was away for long begins anew at the end, and who follows keeps what is near it', async (t) => {
    const { page, rows, trace } = await watched(t, 10);
    await trace.load();
    while (rows.length < 700) rows.push({ seq: rows.length + 1, kind: 'reply' });
    trace.hear({ type: 'run.moved', id: 0, at: page.now(), lastSeq: 700 } as never);
    await page.pass(200);
    assert.deepEqual([...ends(trace.entries), trace.more], [601, 700, 100, true]);
    for (let many = 0; many < 9; many++) {
        for (let i = 0; i < 100; i++) rows.push({ seq: rows.length + 1, kind: 'reply' });
        await trace.load();
    }
    assert.ok(trace.entries.length <= 800 && trace.more, `${trace.entries.length} are kept`);
    assert.equal(trace.last, 1600);
});

test('what comes while somebody reads further up is counted, and nothing of what they read goes', async (t) => {
    const { rows, trace } = await watched(t, 120);
    await trace.load();
    assert.equal(await trace.reach(5), true);
    assert.equal(trace.entries[0]?.seq, 1);
    while (rows.length < 1200) rows.push({ seq: rows.length + 1, kind: 'reply' });
    await trace.load();
    assert.deepEqual([...ends(trace.entries), trace.fresh], [1, 1200, 1200, 1080]);
    trace.follow(true);
    assert.equal(trace.fresh, 0);
});

test('what cannot be read is told, what was read stays, and the next reading may find it', async (t) => {
    const { page, rows, trace } = await watched(t, 2);
    await trace.load();
    page.server.on('GET /api/jobs/j1/trace', refused(500, { error: 'no' }));
    await trace.load();
    assert.match(String(trace.failure), /no/);
    assert.equal(trace.entries.length, 2);
    page.server.on('GET /api/jobs/j1/trace', () => ({ run: { phase: 'ended', step: 1 }, entries: [], nextCursor: null }));
    await trace.load();
    assert.equal(trace.failure, undefined);
    assert.equal(trace.run?.phase, 'ended');
    assert.equal(rows.length, 2);
});
