// CSV: quotes where they are needed, and no formulas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, csv } from '../src/core/csv.ts';

test('cells are quoted where they must be, and never a formula', () => {
    assert.deepEqual(['a', 'a,b', 'a "b"', 'a\nb', null, { a: 1 }, -3, '=1+1', '@x'].map(cell), ['a', '"a,b"', '"a ""b"""', '"a\nb"', '', '"{""a"":1}"', '-3', "'=1+1", "'@x"]);
});

test('lines of JSON become rows under their columns', () => {
    assert.equal(csv('{"seq":1,"actor":"Maya, M."}\n{"seq":2}\n', ['seq', 'actor']), 'seq,actor\r\n1,"Maya, M."\r\n2,\r\n');
});
