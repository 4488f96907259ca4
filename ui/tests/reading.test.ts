import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pin } from '../src/core/pin.ts';
import { missed, Reading, type Said } from '../src/core/reading.ts';

const said = (n: number, by = 'Scout') => ({ id: `m${n}`, created_at: `2026-01-01T10:${String(n).padStart(2, '0')}:00.000Z`, by });
const list = (n: number) => Array.from({ length: n }, (_, i) => said(i));
const mine = (one: Said & { by: string }) => one.by === 'me';
const fresh = (messages: ReturnType<typeof list>, reading: Reading) => missed(messages, reading.line, mine).map(({ id }) => id).join(' ');

test('whoever comes for the first time has missed nothing, and their place is kept', () => {
    const reading = new Reading();
    const mark = reading.look(list(3), true, 1000);
    assert.deepEqual(mark, { key: `${said(2).created_at}m2`, at: 1000 });
    assert.equal(fresh(list(3), reading), '');
});

test('what came since the last visit begins at a line, which stays while it is looked at', () => {
    const before = new Reading();
    const reading = new Reading(before.look(list(3), true, 1000));
    reading.look(list(5), true, 2000);
    assert.equal(fresh(list(5), reading), 'm3 m4');
    reading.look(list(6), true, 3000);
    assert.equal(fresh(list(6), reading), 'm3 m4', 'what comes before one’s eyes is not among it');
    assert.equal(reading.line?.at, 1000, 'since the visit before');
    assert.equal(reading.seen?.at, 3000);
});

test('who has missed nothing sees no line above what comes while they look', () => {
    const reading = new Reading(new Reading().look(list(3), true, 1000));
    reading.look(list(3), true, 2000);
    reading.look(list(9), true, 3000);
    assert.equal(fresh(list(9), reading), '');
    reading.look(list(9), false, 4000);
    reading.look(list(11), false, 5000);
    assert.equal(fresh(list(11), reading), 'm9 m10', 'and one above what comes when they look away');
    assert.equal(reading.line?.at, 3000);
    const empty = new Reading(new Reading().look(list(1), true, 1000));
    empty.look([], true, 2000); // all was removed since
    empty.look(list(2), true, 3000);
    assert.equal(fresh(list(2), empty), '');
});

test('the line moves on when something comes while nobody looks, and only then', () => {
    const reading = new Reading();
    reading.look(list(3), true, 1000);
    reading.look(list(3), false, 2000);
    assert.equal(fresh(list(3), reading), '');
    for (const n of [4, 5, 6]) assert.equal(reading.look(list(n), false, 3000), undefined, 'nothing was seen');
    assert.equal(fresh(list(6), reading), 'm3 m4 m5');
    reading.look(list(6), true, 4000);
    assert.equal(fresh(list(6), reading), 'm3 m4 m5', 'they are shown now, and the line with them');
});

test('one’s own words are not new to oneself', () => {
    const reading = new Reading(new Reading().look(list(3), true, 1000));
    const all = [...list(3), said(3, 'me'), said(4), said(5, 'me')];
    reading.look(all, true, 2000);
    assert.equal(fresh(all, reading), 'm4');
    assert.equal(fresh([...list(3), said(3, 'me')], reading), '');
});

test('a list that is shorter than what was seen takes nothing back', () => {
    const reading = new Reading(new Reading().look(list(5), true, 1000));
    assert.equal(reading.look(list(3), true, 2000), undefined);
    assert.equal(reading.look([], true, 2000), undefined);
    assert.equal(reading.seen?.at, 1000);
});

// A scroller as the browser has it: it cannot be beyond its end.
const scroller = () => ({
    scrollHeight: 1000,
    clientHeight: 400,
    top: 0,
    get scrollTop() {
        return Math.min(this.top, this.scrollHeight - this.clientHeight);
    },
    set scrollTop(to: number) {
        this.top = Math.max(0, Math.min(to, this.scrollHeight - this.clientHeight));
    },
});

test('growth is not scrolling, in whatever place it happens; a person is', () => {
    const one = scroller();
    const pin = new Pin(() => one as unknown as HTMLElement);
    const up = (by: number) => (one.scrollTop -= by);
    const at = () => one.scrollTop;
    pin.down();
    assert.equal(at(), 600);
    one.scrollHeight += 500;
    assert.equal(pin.low, false);
    assert.equal(pin.raised, false, 'it grew');
    pin.down();
    assert.equal(at(), 1100);
    one.scrollHeight -= 300; // and is cut off at its new end
    assert.equal(pin.raised, false, 'it shrank');
    pin.down();
    up(50);
    assert.equal(pin.raised, false, 'nearly the end');
    up(50);
    assert.equal(pin.raised, true);
    assert.equal(pin.moved, true);
});

test('nothing to scroll is no reason to fail', () => {
    const pin = new Pin(() => undefined);
    pin.down();
    assert.deepEqual([pin.low, pin.raised, pin.moved], [true, false, false]);
});
