// What is kept of answers that were not taken, and which late answer a job would be restarted with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endedByDeadline, settling, takesLate } from '../src/core/late.ts';
import { Refusals, type Refusal } from '../src/core/refusals.ts';
import { memoryShelf, type Shelf } from '../src/core/store.ts';
import { settledOtherwise } from '../src/core/waits.ts';
import { question, timedOut } from './lib/question.ts';

const refusal = (id: string, fields: Partial<Refusal> = {}): Refusal => ({ id, what: 'Drop the tables?', href: '/inbox/q1', why: 'Jonas was first.', code: 'conflict', mine: 'Approved', at: 1, ...fields });

test('each person has their own, the newest first, one for each question, and no more than fifty', () => {
    const shelf = memoryShelf();
    const kept = new Refusals(shelf);
    kept.add('maya', refusal('1', { questionId: 'q1' }));
    kept.add('maya', refusal('2', { questionId: 'q2' }));
    kept.add('maya', refusal('3', { questionId: 'q1' }));
    kept.add('maya', refusal('4'));
    kept.add('maya', refusal('5'));
    kept.add('jonas', refusal('6'));
    assert.deepEqual(new Refusals(shelf).of('maya').map(({ id }) => id), ['5', '4', '3', '2']);
    kept.change('maya', '3', { told: true });
    assert.deepEqual(kept.of('maya').map(({ told }) => told === true), [false, false, true, false]);
    kept.drop('maya', ({ id }) => id !== '3');
    assert.deepEqual(kept.of('maya').map(({ id }) => id), ['3']);
    for (let i = 10; i < 70; i++) kept.add('maya', refusal(String(i), { what: 'x'.repeat(4000) }));
    assert.equal(kept.of('maya').length, 50);
    assert.equal(kept.of('maya')[0]!.what.length, 200);
    assert.deepEqual(kept.of('jonas').map(({ id }) => id), ['6']);
    kept.drop('jonas', () => true);
    assert.equal(shelf.getItem(Refusals.key('jonas')), null, 'nothing stays');
});

test('what a full shelf has no room for is told as long as the page lasts; what is no list is none', () => {
    const full: Shelf = { ...memoryShelf(), setItem: () => { throw new Error('full'); } };
    const kept = new Refusals(full);
    kept.add('maya', refusal('1'));
    assert.deepEqual(kept.of('maya').map(({ id }) => id), ['1']);
    kept.drop('maya', () => true);
    assert.deepEqual(kept.of('maya'), []);
    const odd = memoryShelf();
    for (const text of ['{', '{"a":1}', '[null, 7, {"id":"1"}]']) {
        odd.setItem(Refusals.key('maya'), text);
        assert.ok(new Refusals(odd).of('maya').length <= 1, text);
    }
});

test('a late answer restarts a job if it would have been enough in time', () => {
    const late = (value: unknown, by = 'p2') => ({ response: { value }, by, respondedBy: by, at: '2026-03-04T10:41:00Z' });
    assert.equal(settling(timedOut()), undefined);
    assert.equal(settling(timedOut({ lateAnswers: [late(true), late(false)] }))?.response.value, true);
    assert.equal(settling(timedOut({ requestedBy: 'p2', lateAnswers: [late(true), late(true, 'p3')] }))?.respondedBy, 'p3', 'not by who asked for it');
    assert.equal(settling(timedOut({ requestedBy: 'local', lateAnswers: [late(true, 'local')] }))?.respondedBy, 'local', 'alone at home there is nobody else');
    assert.equal(settling(timedOut({ requiredApprovals: 2, lateAnswers: [late(true), late(true, 'p3')] })), undefined, 'one yes is not two');
    assert.equal(settling(timedOut({ type: 'blocking', requiredApprovals: 2, lateAnswers: [late(true), late(true, 'p3')] })), undefined, 'whatever it is asked as');
    assert.equal(settling(timedOut({ requiredApprovals: 2, lateAnswers: [late(true), late(false, 'p3')] }))?.response.value, false, 'one no is enough');
    assert.equal(settling(timedOut({ type: 'blocking', responseType: 'text', lateAnswers: [late('eu')] }))?.response.value, 'eu');
    assert.deepEqual([timedOut(), question(), question({ status: 'answered', outcome: { source: 'default', by: null, at: '' } }), question({ status: 'answered', outcome: { source: 'human', by: 'Jonas', at: '' } })].map(endedByDeadline), [true, false, true, false]);
    const you = { needed: false, mayAnswer: false, yesCounts: false, mayAssign: false, bar: 'assigned' as const, reason: 'It is for Jonas.', snoozedUntil: null };
    assert.deepEqual([timedOut(), question(), timedOut({ restartedAs: 'j2' }), timedOut({ you })].map(takesLate), [true, false, false, false]);
});

test('a set that somebody else has settled says who, and with what', () => {
    const set = { responses: [{ questionId: 'a', answer: 'eu', by: 'Jonas' }, { questionId: 'b', answer: 'us ', by: 'Maya' }], approved: null, outcome: { source: 'human' as const, by: 'Jonas', at: '' } };
    assert.equal(settledOtherwise({ responses: [{ questionId: 'b', answer: 'us' }] }, set), undefined);
    assert.deepEqual(settledOtherwise({ responses: [{ questionId: 'b', answer: 'us' }, { questionId: 'a', answer: 'asia' }] }, set), { by: 'Jonas', said: 'eu' });
    assert.deepEqual(settledOtherwise({ responses: [{ questionId: 'c', answer: 'x' }] }, set), { by: 'Jonas', said: '' });
    assert.equal(settledOtherwise({ approved: true }, { ...set, approved: true }), undefined);
    assert.deepEqual(settledOtherwise({ approved: true }, { ...set, approved: false }), { by: 'Jonas', said: 'Rejected' });
    assert.deepEqual(settledOtherwise({ approved: true }, set), { by: 'Jonas', said: '' }, 'it is still open');
});
