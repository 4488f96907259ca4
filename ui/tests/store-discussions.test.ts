// Discussions: the list, and one as it is spoken.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { words } from './lib/words.ts';
import { Later, open, refused, type Call, type Page } from './lib/page.ts';

const load = () => import('../src/stores/discussions.svelte.ts');
const discussion = (fields: Record<string, unknown> = {}) => ({ id: 'd1', topic: 'Tea?', mode: 'rounds', status: 'active', phase: 'speaking', round: 1, rounds: 2, endedAt: null, ...fields });
const entry = (id: string, content = 'Said.') => ({ id, speaker: 'Anna', agentId: 'a', role: 'x', content, turnIndex: 0, roundNumber: 1, metadata: {}, createdAt: '' });
const state = (fields: Record<string, unknown> = {}, entries: unknown[] = []) => ({ discussion: discussion(fields), entries, speakerOrder: ['Anna', 'Bert'], nextSpeaker: null, nextCursor: null });
const delta = (offset: number, text: string, turnId = 't1', speaker = 'Anna') => ({ discussionId: 'd1', turnId, kind: 'turn', speaker, round: 1, turnIndex: 0, offset, text });
const frame = (of: object) => `data: ${JSON.stringify({ type: 'turn.delta', at: '', ...of })}\n\n`;

/** The discussion's own stream: says this, and stays open. */
function sofar(...frames: string[]): Response {
    const body = new ReadableStream<Uint8Array>({
        start: (stream) => stream.enqueue(new TextEncoder().encode(`: open\n\nid: 7\n\n${frames.join('')}`)),
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

async function watching(page: Page) {
    const { discussions, Talk } = await load();
    await page.live();
    const talk = new Talk('d1');
    const leave = discussions.watch(talk);
    await page.settle();
    return { talk, leave, text: (turn = 0) => words(talk.spoken[turn]?.tree ?? []) };
}

test('who comes in the middle of a turn hears it from its beginning, though the beginning comes after what follows it', async (t) => {
    const page = open(t, '/discussions/d1');
    const late = new Later();
    page.server.on('GET /api/discussions/*', state());
    page.server.on('GET /api/discussions/*/stream', late.reply);
    const { talk, text } = await watching(page);
    page.server.pass('turn.delta', delta(10, '🍵 is '));
    page.server.pass('turn.delta', delta(15, '**hot'));
    await page.pass(20);
    assert.equal(talk.spoken[0]!.missed, true);
    late.give(sofar(frame(delta(0, 'I say tea 🍵 is '))));
    await page.pass(20);
    page.server.pass('turn.delta', delta(20, '** today'));
    await page.pass(20);
    assert.deepEqual([talk.spoken[0]!.missed, text()], [false, 'I say tea 🍵 is hot today']);
    assert.equal(page.server.to('GET /api/discussions/*/stream').length, 1);
});

test('a turn whose entry has been read stands there once, though the word that it is over comes later', async (t) => {
    const page = open(t, '/discussions/d1');
    let read: unknown[] = [];
    page.server.on('GET /api/discussions/*', () => state({}, read));
    page.server.on('GET /api/discussions/*/stream', () => sofar());
    const { talk } = await watching(page);
    page.server.pass('turn.delta', delta(0, 'Said.'));
    page.server.pass('turn.delta', { ...delta(0, 'Not yet', 't2', 'Bert'), turnIndex: 1 });
    await page.pass(20);
    assert.deepEqual(talk.spoken.map(({ speaker }) => speaker), ['Anna', 'Bert']);
    read = [entry('e1')];
    await talk.load();
    assert.deepEqual([talk.entries.length, talk.spoken.map(({ speaker }) => speaker)], [1, ['Bert']]);
    page.server.pass('turn.delta', delta(5, ' More.'));
    await page.pass(20);
    assert.deepEqual(talk.spoken.map(({ speaker }) => speaker), ['Bert']);
});

// What is said comes at once, the word that a turn is over with the log: when a server has a lot to do, that is behind by several turns.
test('who begins to speak again before the word that their last turn is over speaks once, and the page shows both turns', async (t) => {
    const page = open(t, '/discussions/d1');
    page.server.on('GET /api/discussions/*', state({ phase: 'thinking' }));
    const { talk, text } = await watching(page);
    page.server.pass('turn.delta', delta(0, 'First.'));
    page.server.pass('turn.delta', { ...delta(0, 'Second.', 't2', 'Bert'), turnIndex: 1 });
    page.server.pass('turn.delta', { ...delta(0, 'Third.', 't3'), round: 2, turnIndex: 2 });
    page.server.pass('turn.delta', { ...delta(0, '{"choice": "tea"}', 't4', 'Cleo'), kind: 'ballot', round: 2, turnIndex: 3 });
    await page.pass(20);
    assert.deepEqual([talk.speakers, talk.spoken.length, text(0), text(2)], [['Anna', 'Bert'], 4, 'First.', 'Third.']);
    page.happen('turn.finished', { discussionId: 'd1', turnId: 't1', kind: 'turn', entry: entry('e1', 'First.') });
    await page.pass(20);
    assert.deepEqual(talk.speakers, ['Bert', 'Anna']);
});

test('words of a turn whose entry has been read are no turn that is spoken', async (t) => {
    const page = open(t, '/discussions/d1');
    page.server.on('GET /api/discussions/*', state({ phase: 'thinking' }, [entry('e1')]));
    const { talk } = await watching(page);
    page.server.pass('turn.delta', delta(0, 'Said.'));
    page.happen('turn.started', { discussionId: 'd1', turnId: 't1', speaker: 'Anna', kind: 'turn', roundNumber: 0, turnIndex: 0 });
    page.server.pass('turn.delta', { ...delta(0, 'Said.', 't2', 'Anna'), kind: 'ballot' });
    await page.pass(20);
    assert.deepEqual(talk.spoken.map(({ turnId }) => turnId), ['t2'], 'a vote has no entry');
});

test('where several speak at once, the beginnings of all are heard', async (t) => {
    const page = open(t, '/discussions/d1');
    page.server.on('GET /api/discussions/*', state({ mode: 'parallel' }));
    page.server.on('GET /api/discussions/*/stream', () => sofar(frame(delta(0, 'I am Anna', 't1')), frame(delta(0, 'And I am Bert', 't2', 'Bert'))));
    const { talk, text } = await watching(page);
    await page.pass(20);
    assert.deepEqual(talk.spoken.map(({ speaker }, i) => [speaker, text(i)]), [['Anna', 'I am Anna'], ['Bert', 'And I am Bert']]);
});

test('a beginning that is still missing is asked for again, and not for ever', async (t) => {
    const page = open(t, '/discussions/d1');
    let knows = '';
    page.server.on('GET /api/discussions/*', state({ phase: 'thinking' }));
    page.server.on('GET /api/discussions/*/stream', () => sofar(...(knows ? [frame(delta(0, knows))] : [])));
    const { talk, text } = await watching(page);
    page.server.pass('turn.delta', delta(6, 'hot'));
    for (let i = 0; i < 30; i++) await page.pass(400);
    const asked = page.server.to('GET /api/discussions/*/stream').length;
    assert.ok(asked > 1 && asked <= 5, `${asked}`);
    assert.equal(talk.spoken[0]!.missed, true);
    knows = 'Tea is hot and good';
    page.fire('offline');
    page.server.cut(); // the words of the meantime are lost, and nobody knows who speaks
    page.fire('online');
    await page.pass(2000);
    await page.live();
    talk.again();
    page.server.on('GET /api/discussions/*', state());
    await page.pass(20);
    talk.again();
    await page.pass(20);
    assert.equal(text(), 'Tea is hot and good');
});

test('the word that a turn has begun takes none of its words away; when it is over they are an entry, once', async (t) => {
    const page = open(t, '/discussions/d1');
    page.server.on('GET /api/discussions/*', () => state({ phase: 'thinking' }, page.server.to('GET /api/discussions/*').length > 1 ? [entry('e1', 'We begin.')] : []));
    const { talk, text } = await watching(page);
    page.server.pass('turn.delta', delta(0, 'We '));
    page.happen('turn.started', { discussionId: 'd1', turnId: 't1', speaker: 'Anna', kind: 'turn', roundNumber: 1 });
    page.server.pass('turn.delta', delta(3, 'begin.'));
    await page.pass(20);
    assert.equal(text(), 'We begin.');
    page.happen('turn.finished', { discussionId: 'd1', turnId: 't1', kind: 'turn', entry: entry('e1', 'We begin.') });
    page.server.pass('turn.delta', delta(9, ' too late'));
    await page.pass(300);
    assert.deepEqual([talk.spoken.length, talk.entries.map(({ id }) => id)], [0, ['e1']]);
});

test('a hundred pieces in one moment are drawn once', async (t) => {
    const page = open(t, '/discussions/d1');
    page.server.on('GET /api/discussions/*', state({ phase: 'thinking' }));
    const { talk, text } = await watching(page);
    const said = page.watch(() => talk.said);
    for (let i = 0; i < 100; i++) page.server.pass('turn.delta', delta(i, 'x'));
    await page.pass(20);
    assert.equal(said.seen.length, 2);
    assert.equal(text(), 'x'.repeat(100));
});

test('the list is loaded once for many events, by its filter, and no more once it is left', async (t) => {
    const page = open(t, '/discussions');
    page.server.on('GET /api/discussions', ({ query }: Call) => ({ discussions: [discussion({ status: query['status'] })], nextCursor: null }));
    const { discussions } = await load();
    await page.live();
    await discussions.load({ status: 'paused' });
    assert.equal(discussions.list[0]!.status, 'paused');
    for (let i = 0; i < 20; i++) page.happen('turn.started', { discussionId: 'd1', turnId: `t${i}`, speaker: 'Anna', kind: 'turn', roundNumber: 1 });
    page.server.pass('turn.delta', delta(0, 'x'));
    await page.pass(200);
    assert.equal(page.server.to('GET /api/discussions').length, 2);
    discussions.leave();
    page.happen('turn.started', { discussionId: 'd1' });
    await page.pass(200);
    assert.equal(page.server.to('GET /api/discussions').length, 2);
});

test('a discussion that is not there is told from a server that fails', async (t) => {
    const page = open(t, '/discussions/d1');
    page.server.on('GET /api/discussions/*', refused(404));
    const { talk } = await watching(page);
    assert.deepEqual([talk.looked, talk.failure, talk.discussion], [true, undefined, undefined]);
    page.server.on('GET /api/discussions/*', refused(500));
    await talk.load();
    assert.ok(talk.failure);
});
