// A job's line of time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question } from '../src/core/api.gen.ts';
import { strip, waited } from '../src/core/strip.ts';

const at = (minutes: number) => new Date(minutes * 60_000).toISOString();
const asked = (from: number, to: number | null, type = 'blocking') => ({ type, createdAt: at(from), outcome: to === null ? null : { source: 'human', by: 'Maya', at: at(to) } }) as unknown as Question;
const shape = (questions: Question[]) => strip(0, 600_000, questions).map(({ waits, since, until }) => `${waits ? 'w' : 'r'}${since / 60_000}-${until / 60_000}`);

test('a job is at work where it does not wait', () => {
    assert.deepEqual(shape([]), ['r0-10']);
    assert.deepEqual(shape([asked(2, 4), asked(6, null)]), ['r0-2', 'w2-4', 'r4-6', 'w6-10']);
    assert.deepEqual(shape([asked(2, 4, 'non_blocking')]), ['r0-10']);
    assert.deepEqual(shape([asked(-5, 1), asked(9, 20)]), ['w0-1', 'r1-9', 'w9-10']);
});

test('waits that overlap are one, and counted once', () => {
    assert.deepEqual(shape([asked(2, 6), asked(4, 5), asked(5, 8)]), ['r0-2', 'w2-8', 'r8-10']);
    assert.equal(waited(strip(0, 600_000, [asked(2, 6), asked(4, 5), asked(5, 8)])), 360_000);
});
