// A long log: which lines are here, where they stand, and what is asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Follow, page, pages, type Query } from '../src/core/follow.ts';
import { Lines, type Line } from '../src/core/lines.ts';

const line = (seq: number, message = `line ${seq}`, level: Line['level'] = 'info'): Line => ({ seq, at: '', kind: 'log', level, message, data: null });
const numbers = (lines: Iterable<Line>) => [...lines].map(({ seq }) => seq);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

function random(seed: number): () => number {
    let state = seed;
    return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0), state / 2 ** 32);
}

test('lines stand in their order however they come, each once', () => {
    const lines = new Lines();
    for (const seq of [5, 1, 700, 3, 5, 701, 2]) lines.add(line(seq));
    assert.deepEqual(numbers(lines.shown()), [1, 2, 3, 5, 700, 701]);
    assert.deepEqual([lines.first, lines.last, lines.count], [1, 701, 6]);
    assert.equal(lines.add(line(3)), false);
    assert.deepEqual(lines.gap(), { after: 3, before: 5 });
    lines.add(line(4));
    assert.deepEqual(lines.gap(), { after: 5, before: 700 });
    lines.without(6, 699);
    assert.equal(lines.gap(), undefined, 'what the server does not have is not missing');
    lines.add(line(702, 'x', 'debug'));
    lines.clear();
    assert.deepEqual([...lines.levels], ['info', 'debug'], 'what can be switched off stays known');
});

test('each line that comes is looked at once, and so are those that are there already', () => {
    const lines = new Lines();
    for (let seq = 1; seq <= 100_000; seq++) {
        lines.add(line(seq));
        assert.equal(lines.gap(), undefined);
    }
    assert.equal(lines.looked, 100_000);
    lines.filter(({ message }) => message.endsWith('7'));
    assert.equal(lines.looked, 100_000);
    assert.equal(lines.sift(5000), true);
    assert.ok(lines.looked <= 105_300 && [...lines.shown()].at(-1)!.seq === 99_997, 'the end is looked at first, and no more than was said');
    lines.add(line(100_006));
    while (lines.sift(5000));
    assert.equal(lines.looked, 200_001, 'another search looks at all of them once');
    assert.equal(lines.rows, 10_000);
    lines.add(line(100_007));
    assert.equal(lines.looked, 200_002);
    assert.equal(lines.rows, 10_001);
});

test('places and heights are those of a plain list, whatever was added, measured, filtered and let go', () => {
    for (let seed = 1; seed <= 60; seed++) {
        const next = random(seed);
        const lines = new Lines();
        const plain = new Map<number, { line: Line; height: number }>();
        let passes = (_: Line) => true;
        lines.guess(({ message }) => message.length);
        for (let step = 0; step < 300; step++) {
            const what = next();
            const seq = 1 + Math.floor(next() * 2000);
            if (what < 0.8) {
                const one = line(seq, 'x'.repeat(1 + (seq % 9)));
                if (lines.add(one)) plain.set(seq, { line: one, height: one.message.length });
            } else if (what < 0.9 && plain.has(seq) && passes(plain.get(seq)!.line)) {
                lines.measured(seq, 30);
                plain.get(seq)!.height = 30;
            } else if (what < 0.93) {
                const odd = seq % 2;
                passes = seq % 3 === 0 ? () => true : (one) => one.seq % 2 === odd;
                lines.filter(passes);
                while (lines.sift(seq));
                for (const one of plain.values()) one.height = one.line.message.length;
            } else if (what < 0.95 && lines.shed('oldest')) for (const key of plain.keys()) if (key < lines.first) plain.delete(key);
        }
        const shown = [...plain.values()].filter((one) => passes(one.line)).sort((a, b) => a.line.seq - b.line.seq);
        assert.deepEqual(numbers(lines.shown()), shown.map((one) => one.line.seq), `seed ${seed}`);
        const height = shown.reduce((sum, one) => sum + one.height, 0);
        assert.deepEqual([lines.rows, lines.height, lines.count], [shown.length, height, plain.size], `seed ${seed}`);
        assert.equal(lines.many(300, 900), shown.filter((one) => one.line.seq >= 300 && one.line.seq <= 900).length, `seed ${seed}`);
        assert.equal(lines.many(1, Infinity), shown.length, `seed ${seed}`);
        const from = Math.floor(next() * height);
        const tops = shown.map((_, i) => shown.slice(0, i).reduce((sum, one) => sum + one.height, 0));
        const seen = shown.filter((one, i) => tops[i]! + one.height > from && tops[i]! < from + 100);
        const found = lines.between(from, from + 100);
        assert.deepEqual(numbers(found.lines), seen.map((one) => one.line.seq), `seed ${seed}`);
        if (seen.length > 0) {
            const at = shown.indexOf(seen[0]!);
            assert.deepEqual([found.index, found.top, lines.top(seen[0]!.line.seq)], [at, tops[at], tops[at]], `seed ${seed}`);
        }
    }
});

// A server with a log; what it is asked for is kept.
function server(count: number) {
    const logs = range(1, count).map((seq) => line(seq));
    const asked: Query[] = [];
    const held: Array<() => void> = [];
    const it = {
        logs,
        asked,
        hold: false,
        fails: false,
        add: (seq: number) => (logs.push(line(seq)), logs.at(-1)!),
        release: () => held.splice(0).forEach((go) => go()),
        read: async (query: Query) => {
            asked.push(query);
            const cursor = query.cursor ? Number(query.cursor) : query.order === 'newest' ? Infinity : 0;
            const fit = query.order === 'newest' ? logs.filter(({ seq }) => seq < cursor).reverse() : logs.filter(({ seq }) => seq > cursor);
            const reply = { logs: fit.slice(0, query.limit), nextCursor: fit.length > query.limit ? String(fit[query.limit - 1]!.seq) : null };
            if (it.hold) await new Promise<void>((go) => held.push(go));
            if (it.fails) throw new Error('away');
            return reply;
        },
    };
    return it;
}
const nothing = () => {};

test('of a long log its end is read, once, and what comes before when it is wanted', async () => {
    const log = server(100_000);
    const follow = new Follow(log.read, nothing);
    await follow.begin();
    assert.equal(log.asked.length, 1);
    assert.deepEqual([follow.lines.first, follow.lines.last, follow.whole], [100_001 - page, 100_000, false]);
    follow.following = false;
    await follow.older();
    await follow.older();
    assert.deepEqual([follow.lines.first, follow.lines.count, log.asked.length], [100_001 - 3 * page, 3 * page, 3]);
    const stop = new AbortController();
    await follow.gather(stop.signal);
    assert.deepEqual([follow.lines.first, follow.whole, follow.lines.count], [1, true, 100_000]);
    assert.ok(log.asked.length <= 54, `in large pages: ${log.asked.length}`);
});

test('lines that are told of while the end is on its way are there once, and what lies between is asked for', async () => {
    const log = server(500);
    log.hold = true;
    const follow = new Follow(log.read, nothing);
    const begun = follow.begin();
    follow.hear(log.add(501));
    follow.hear(log.add(502));
    log.hold = false;
    log.release();
    await begun;
    assert.deepEqual(numbers(follow.lines.shown()), range(301, 502));
    // A line of progress has a number, and no event that names it.
    log.add(503);
    follow.hear(log.add(504));
    await follow.end();
    assert.deepEqual(numbers(follow.lines.shown()), range(301, 504));
    // The server has nothing for these numbers: it is asked once.
    const before = log.asked.length;
    follow.hear(log.add(508));
    await follow.end();
    follow.hear(log.add(509));
    await follow.end();
    assert.equal(log.asked.length, before + 1);
    assert.deepEqual(numbers(follow.lines.shown()), [...range(301, 504), 508, 509]);
});

test('late lines find their place; those that are told twice are there once', async () => {
    const log = server(10);
    const follow = new Follow(log.read, nothing);
    await follow.begin();
    const [a, b] = [log.add(11), log.add(12)];
    follow.hear(b);
    follow.hear(a);
    follow.hear(b);
    await follow.end();
    assert.deepEqual(numbers(follow.lines.shown()), range(1, 12));
});

test('who has slept begins anew at the end; who reads further up stays where they are and hears how many there are', async () => {
    const log = server(300);
    const follow = new Follow(log.read, nothing);
    await follow.begin();
    for (const seq of range(301, 5000)) log.add(seq);
    await follow.refresh();
    assert.deepEqual([follow.lines.first, follow.lines.last], [5001 - page, 5000]);
    follow.following = false;
    for (const seq of range(5001, 9000)) log.add(seq);
    await follow.refresh();
    assert.equal(follow.newest, 9000);
    assert.ok(follow.lines.first === 5001 - page && follow.lines.last < 9000);
    while (follow.lines.last < follow.newest) await follow.newer();
    assert.equal(follow.lines.gap(), undefined);
    assert.equal(follow.lines.last, 9000);
});

test('no more lines are kept than that, and those go that nobody looks at', async () => {
    const log = server(3000);
    const follow = new Follow(log.read, nothing, 1000);
    await follow.begin();
    for (const seq of range(3001, 6000)) follow.hear(log.add(seq));
    assert.ok(follow.lines.count <= 1000 + 256 && follow.lines.last === 6000, `${follow.lines.count}`);
    assert.equal(follow.whole, false);
    follow.following = false;
    for (let i = 0; i < 20; i++) await follow.older();
    assert.ok(follow.lines.count <= 1000 + page + 256 && follow.lines.last < 6000, `${follow.lines.count}`);
    const at = follow.lines.last;
    follow.hear(log.add(6001));
    assert.deepEqual([follow.lines.last, follow.newest], [at, 6001], 'what is new is known of, and not kept');
    await follow.end();
    assert.equal(follow.lines.last, 6001);
    assert.equal(follow.lines.gap(), undefined);
});

test('a log that was taken away ends the asking; a server that is away is asked again', async () => {
    const log = server(10);
    const follow = new Follow(log.read, nothing);
    await follow.begin();
    log.logs.length = 0;
    follow.hear(line(5000));
    await follow.end();
    assert.deepEqual([follow.lines.count, follow.newest], [0, 0]);
    log.fails = true;
    await assert.rejects(follow.begin());
    const other = new Follow(log.read, nothing);
    other.hear(line(1));
    other.hear(line(3));
    await other.end();
    assert.match(String(other.failure), /away/);
    log.fails = false;
    for (const seq of [1, 2, 3, 4]) log.add(seq);
    other.hear(line(4));
    await other.end();
    assert.deepEqual([numbers(other.lines.shown()), other.failure], [[1, 2, 3, 4], undefined]);
});

test('the whole log is read from its first line, until it is called off', async () => {
    const log = server(5000);
    const stop = new AbortController();
    const all: number[] = [];
    for await (const some of pages(log.read, stop.signal)) all.push(...numbers(some));
    assert.deepEqual([all.length, all.at(-1), log.asked.length], [5000, 5000, 3]);
    await assert.rejects(async () => {
        for await (const _ of pages(log.read, stop.signal)) stop.abort();
    });
});
