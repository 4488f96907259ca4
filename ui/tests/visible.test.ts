// What cannot be seen, or is not what it seems, is marked; tests/unit/base/test_visible.c holds the program to the same words.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { flat, label, visible } from '../src/core/visible.ts';

interface Fixture {
    texts: Array<{ text: string; exact: boolean; flat: string }>;
    every: Array<{ before: string; after: string; exact: boolean; marked: Array<[number, number]> }>;
}
const fixture = JSON.parse(readFileSync(new URL('../../tests/fixtures/visible.json', import.meta.url), 'utf8')) as Fixture;

test('what cannot be seen is marked, and what people write is not', () => {
    for (const one of fixture.texts) assert.equal(flat(one.text, one.exact), one.flat, JSON.stringify(one.text.slice(0, 60)));
});

test('each character is marked where it deceives', () => {
    for (const { before, after, exact, marked } of fixture.every) {
        let at = 0;
        for (let code = 1; code < 0xe1010; code++) {
            if (code === 0xd800) code = 0xe000;
            if (code === 0x20000) code = 0xdfff0; // further ones are all alike, up to the tags
            while (at < marked.length && code > marked[at]![1]) at++;
            const listed = at < marked.length && code >= marked[at]![0];
            const text = before + String.fromCodePoint(code) + after;
            assert.equal(flat(text, exact) !== text, listed, `${code.toString(16)} between ${before} and ${after}`);
        }
    }
});

test('the parts hold all of a text, in its order, whatever it is', () => {
    const bits = ['a', 'rm', ' ', '  ', '\n', '\t', '\r\n', '\u202e', '\u200d', 'а', 'Ж', 'ש', '中', '😀', '\ufe0f', '\u0301', '\ud800', '/', 'ｒ', '         ', '\u00a0', '🏴', '\u{e0067}', '\u{e007f}'];
    let seed = 7;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    for (let round = 0; round < 5000; round++) {
        const text = Array.from({ length: random(40) }, () => bits[random(bits.length)]).join('');
        const parts = visible(text, round % 2 === 0);
        assert.equal(parts.map((part) => part.text).join(''), text);
        assert.ok(parts.every((part) => part.text.length > 0 && label(part).length > 0));
        for (const part of parts) if (part.is === 'text') assert.doesNotMatch(part.text, /[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u007f-\u009f]/);
    }
});

test('runs are one mark, however long', () => {
    assert.deepEqual(visible(`ls${' '.repeat(3000)}; rm -rf /`, true).map(label), ['ls', '3,000 blanks', '; rm -rf /']);
    assert.equal(visible('\u200b'.repeat(100_000)).length, 1);
});
