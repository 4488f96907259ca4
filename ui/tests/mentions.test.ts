// @Name, as it is being written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, fitting, mentionAt } from '../src/core/mentions.ts';

test('a mention is found where it is written, and nowhere else', () => {
    const at = (text: string) => mentionAt(text, text.length);
    assert.deepEqual(at('@'), { from: 0, typed: '' });
    assert.deepEqual(at('Hello @Sco'), { from: 6, typed: 'Sco' });
    assert.deepEqual(at('(@Ümit-2'), { from: 1, typed: 'Ümit-2' });
    for (const none of ['', 'Hello', 'maya@example', 'x@', '@Scout ', 'see `@Sco', 'see `a` `@Sco']) assert.equal(at(none), undefined, none);
    assert.deepEqual(at('see `a` @Sco'), { from: 8, typed: 'Sco' });
    assert.deepEqual(at('`open\n@Sco'), { from: 6, typed: 'Sco' }, 'code ends with its line');
    assert.deepEqual(mentionAt('@Sc and more', 3), { from: 0, typed: 'Sc' });
});

test('names that begin with it come first, each once, and none that cannot be written', () => {
    const names = ['Scout', 'Planner', 'scribe', 'Price Scout', 'Miscast', 'Scout', ''];
    assert.deepEqual(fitting(names, 'sc'), ['Scout', 'scribe', 'Miscast']);
    assert.deepEqual(fitting(names, ''), ['Scout', 'Planner', 'scribe', 'Miscast']);
    assert.deepEqual(fitting(names, 'zz'), []);
    assert.equal(fitting(Array.from({ length: 50 }, (_, i) => `a${i}`), 'a').length, 8);
});

test('the name takes the place of what was typed', () => {
    const text = 'Ask @Sco about it';
    const mention = mentionAt(text, 8)!;
    assert.deepEqual(complete(text, 8, mention, 'Scout'), { text: 'Ask @Scout about it', caret: 11 });
    assert.deepEqual(complete('@', 1, { from: 0, typed: '' }, 'Scout'), { text: '@Scout ', caret: 7 });
});
