import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byName, inOrder, thousands, inRow } from '../src/core/order.ts';

const names = (list: string[]) => byName(list, (one) => one);

test('names stand as in a register, whatever alphabet they need', () => {
    assert.deepEqual(names(['checkout', 'Billing', 'app 2', 'App 10']), ['App 10', 'app 2', 'Billing', 'checkout']);
    assert.deepEqual(names(['Zebra', 'Übung', 'apfel']), ['apfel', 'Übung', 'Zebra'], 'code points would put Ü last');
    const given = ['b', 'a'];
    names(given);
    assert.deepEqual(given, ['b', 'a'], 'what was given stays as it was');
});

test('times are ordered as they are written', () => {
    assert.deepEqual(['2026-02-01T00:00:00.001Z', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.001Z'].sort(inOrder)[0], '2026-01-31T23:59:59.999Z');
    assert.equal(inOrder('2026-01-01', '2026-01-01'), 0);
});

test('words in a row, and numbers with their thousands apart', () => {
    assert.deepEqual([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((words) => inRow(words, 'or')), ['', 'a', 'a or b', 'a, b, or c']);
    assert.deepEqual([0, 999, 1000, 1234567, 2.5, 1.005, -1000].map(thousands), ['0', '999', '1,000', '1,234,567', '2.5', '1', '-1,000']);
    for (const n of [7, 42_000, 1234.56]) assert.equal(thousands(n), n.toLocaleString('en', { maximumFractionDigits: 2 }));
});
