// A discussion as it is seen: pieces of what is said, rounds, lanes, votes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Discussion, Entry } from '../src/core/api.gen.ts';
import { lanes, moments, rounds, voteOf, wordsIn, type Spoken } from '../src/core/talk.ts';

const nothing: Spoken = { turnId: 't', speaker: 'Anna', kind: 'turn', round: 1 };
const entry = (speaker: string, roundNumber: number, metadata = {}, turnIndex = 0) => ({ id: `${speaker}${roundNumber}`, speaker, roundNumber, metadata, turnIndex, content: '' }) as unknown as Entry;
const talk = (fields: object) => ({ mode: 'rounds', round: 1, rounds: 3, endedAt: null, ...fields }) as unknown as Discussion;

test('rounds say who spoke, who passed, who speaks and who is to come', () => {
    const said = [entry('A', 1), entry('B', 1, { pass: true }), entry('Maya', 1, {}, -1), entry('A', 2)];
    const found = rounds(talk({ round: 2 }), said, [{ ...nothing, speaker: 'B', round: 2 }], ['A', 'B', 'C']);
    assert.deepEqual(found.map(({ marks }) => marks.map(({ mark }) => mark)), [['said', 'passed', 'todo'], ['said', 'now', 'todo'], ['todo', 'todo', 'todo']]);
    assert.deepEqual(found.map(({ said: n, passed }) => [n, passed]), [[2, 1], [1, 0], [0, 0]]);
    assert.equal(rounds(talk({ endedAt: 'then' }), said, [], ['A']).length, 2, 'rounds that were never held are not shown');
});

test('no two speakers share a lane while there are enough', () => {
    const given = lanes(['Divergent', 'Anna', 'Bob', 'Cleo', 'Dana', 'Emil']);
    assert.equal(given['Divergent'], 'blue');
    assert.equal(new Set(Object.values(given)).size, 6);
});

test('a vote is read with its shares, and something of another shape is none', () => {
    const vote = voteOf({ vote: { rule: 'majority', winner: 'tea', tie: false, agreed: true, tally: { coffee: 1, tea: 3 }, dissent: [] } })!;
    assert.deepEqual(vote.tally.map(({ choice, share, won }) => [choice, share, won]), [['tea', 0.75, true], ['coffee', 0.25, false]]);
    assert.equal(voteOf({}), undefined);
    assert.equal(voteOf({ vote: 'x' } as Record<string, unknown>), undefined);
});

test('moments follow each other; only those who speak at once share one', () => {
    const all = [entry('Anna', 1), entry('Ben', 1), entry('Maya', 1, {}, -1), entry('Anna', 2), entry('Ben', 2)];
    const shape = (mode: 'rounds' | 'parallel') => moments(mode, all).map(({ round, entries }) => `${round}:${entries.map(({ speaker }) => speaker).join('+')}`);
    assert.deepEqual(shape('rounds'), ['1:Anna', '1:Ben', '1:Maya', '2:Anna', '2:Ben']);
    assert.deepEqual(shape('parallel'), ['1:Anna+Ben', '1:Maya', '2:Anna+Ben']);
    assert.equal(wordsIn(' two  words\n'), 2);
});
