import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Newest } from '../src/core/newest.ts';
import { Rounds } from '../src/core/rounds.ts';

test('a reply that was overtaken undoes nothing, of each thing on its own', () => {
    const newest = new Newest<string>();
    const [list, one] = [newest.begin(), newest.begin()];
    assert.equal(one('a'), true);
    assert.equal(list('a'), false, 'the list began before');
    assert.equal(list('b'), true, 'of this one nothing else is known');
    assert.equal(one('b'), true, 'in order');
    const late = newest.begin();
    newest.told('a');
    assert.equal(late('a'), false, 'an event came meanwhile');
    assert.equal(newest.begin()('a'), true);
});

/** Rounds whose replies come when the test says so. */
function held() {
    const open: Array<() => void> = [];
    const stale: boolean[] = [];
    const rounds = new Rounds(async (isStale) => {
        await new Promise<void>((done) => open.push(done));
        stale.push(isStale());
    });
    const settle = () => new Promise((done) => setImmediate(done));
    return { rounds, open, stale, settle };
}

test('one is on its way at a time, and all that is wanted meanwhile is one more', async () => {
    const { rounds, open, settle } = held();
    let done = 0;
    for (let i = 0; i < 3; i++) void rounds.want().then(() => done++);
    await settle();
    assert.equal(open.length, 1);
    void rounds.want().then(() => done++);
    open[0]!();
    await settle();
    assert.deepEqual([open.length, done], [2, 0], 'the next runs, and nobody is told yet');
    open[1]!();
    await settle();
    assert.deepEqual([open.length, done], [2, 4]);
    void rounds.want();
    await settle();
    assert.equal(open.length, 3, 'later it runs anew');
    open[2]!();
});

test('what was changed here meanwhile is loaded once more, and the reply from before knows that it is out of date', async () => {
    const { rounds, open, stale, settle } = held();
    rounds.outdate();
    await settle();
    assert.equal(open.length, 0, 'nothing is on its way, nothing is out of date');
    void rounds.want();
    await settle();
    rounds.outdate();
    open[0]!();
    await settle();
    open[1]!();
    await settle();
    assert.deepEqual(stale, [true, false]);
});

test('a round that fails ends, and the next begins', async () => {
    let runs = 0;
    const rounds = new Rounds(async () => {
        if (++runs === 1) throw new Error('no');
    });
    await assert.rejects(rounds.want(), /no/);
    await rounds.want();
    assert.equal(runs, 2);
});
