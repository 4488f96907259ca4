// The words of a turn while it is spoken: joined from what is said and what was said before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Speech } from '../src/core/speech.ts';

test('pieces stand at their offset, counted in characters', () => {
    const speech = new Speech();
    speech.hear(0, 'Tea 🍵');
    speech.hear(5, ' it is');
    assert.deepEqual([speech.text, speech.missed, speech.anew], ['Tea 🍵 it is', 0, 0]);
});

test('a turn that is asked for again begins anew', () => {
    const speech = new Speech();
    speech.hear(0, 'Wrong ');
    speech.hear(6, 'start ');
    speech.hear(0, 'We');
    speech.hear(2, ' begin');
    assert.equal(speech.text, 'We begin');
});

test('who comes in the middle has all of it, whichever comes first', () => {
    const late = new Speech(); // the beginning comes after pieces that go beyond it
    late.hear(10, '🍵 is ');
    late.hear(15, 'hot');
    assert.deepEqual([late.missed, late.text], [10, '🍵 is hot']);
    late.before('I say tea 🍵 is ');
    late.hear(18, ' today');
    assert.deepEqual([late.missed, late.text], [0, 'I say tea 🍵 is hot today']);
    const early = new Speech(); // the beginning overtakes pieces that are in it
    early.before('I say tea 🍵 is hot');
    early.hear(10, '🍵 is ');
    early.hear(15, 'hot');
    early.hear(18, ' today');
    assert.equal(early.text, 'I say tea 🍵 is hot today');
});

test('a beginning that ends before what is heard joins nothing, and is asked for again', () => {
    const speech = new Speech();
    speech.hear(10, 'end');
    speech.before('I say');
    assert.deepEqual([speech.missed, speech.text], [10, 'end']);
    speech.before('I say the end');
    assert.deepEqual([speech.missed, speech.text], [0, 'I say the end']);
});

test('the beginning of another try is not mixed in', () => {
    const speech = new Speech();
    speech.hear(0, 'We ');
    speech.before('Wrong start');
    assert.equal(speech.text, 'We ');
    const other = new Speech();
    other.before('Wrong start');
    other.hear(0, 'We ');
    other.hear(3, 'begin');
    assert.equal(other.text, 'We begin');
});

// Every way in which somebody can come into the middle: where the pieces begin to be heard, when the beginning was asked for, when
// it arrives. However it is, at the end all of it is there once.
test('whenever somebody comes and whatever overtakes what, nothing is doubled and nothing is missing', () => {
    const pieces = ['I ', 'say ', '🍵', ' is', ' ', 'hot', ' and', ' 🍵', ' again', '.'];
    const whole = pieces.join('');
    const offset = (n: number) => [...pieces.slice(0, n).join('')].length;
    for (let from = 0; from <= pieces.length; from++)
        for (let asked = from; asked <= pieces.length; asked++)
            for (let arrives = from; arrives <= pieces.length; arrives++) {
                const speech = new Speech();
                for (let n = from; n <= pieces.length; n++) {
                    if (n === arrives) speech.before(pieces.slice(0, asked).join(''));
                    if (n < pieces.length) speech.hear(offset(n), pieces[n]!);
                }
                assert.deepEqual([speech.text, speech.missed], [whole, 0], `heard from ${from}, asked at ${asked}, answered at ${arrives}`);
            }
});
