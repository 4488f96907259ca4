// Figures over time: stretches without gaps, scales that hold, lines that do not invent what nobody measured.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { before, figure, lines, mark, ranges, scale, stretches } from '../src/core/chart.ts';

const now = new Date(2026, 10, 15, 14, 30).getTime();

test('stretches follow each other up to now, days from midnight', () => {
    for (const range of ranges) {
        const all = stretches(range, now);
        assert.equal(all.at(-1)!.until, now);
        for (const [i, one] of all.entries()) {
            assert.ok(one.since < one.until, `${range} ${i}`);
            if (i > 0) assert.equal(one.since, all[i - 1]!.until);
            if (range !== 'day') assert.equal(new Date(one.since).getHours(), 0);
        }
    }
    assert.equal(stretches('week', now).length, 7);
    assert.equal(new Date(stretches('month', now)[0]!.since).getDate(), 17);
    assert.deepEqual(before({ since: 100, until: 150 }), { since: 50, until: 100 });
});

test('a scale reaches what it shows, in few steps', () => {
    for (const most of [0, 1, 900, 61_000, 19 * 60_000, 3 * 3_600_000, 40 * 86_400_000, 4000 * 86_400_000]) {
        const marks = scale(most);
        assert.equal(marks[0], 0);
        assert.ok(marks.at(-1)! >= most && marks.length >= 3 && marks.length <= 7, `${most}: ${marks}`);
    }
});

test('lengths of time are said in their unit', () => {
    assert.deepEqual(figure(26_400), ['26', 's']);
    assert.deepEqual(figure(134_000), ['2:14', 'min']);
    assert.deepEqual(figure(3_599_900), ['1:00', 'h']);
    assert.deepEqual(figure(7_800_000), ['2:10', 'h']);
    assert.deepEqual([0, 15_000, 120_000, 90_000, 7_200_000, 3 * 86_400_000].map(mark), ['0', '15 s', '2 min', '1.5 min', '2 h', '3 days']);
    assert.deepEqual(figure(3.5 * 86_400_000), ['3.5', 'days']);
});

test('a line ends where nothing is known, and a lonely figure is a dot', () => {
    const { paths, dots } = lines([10, 5, null, 0, null], 10);
    assert.deepEqual(paths, [[{ x: 0, y: 0 }, { x: 0.25, y: 0.5 }]]);
    assert.deepEqual(dots, [{ x: 0.75, y: 1 }]);
});
