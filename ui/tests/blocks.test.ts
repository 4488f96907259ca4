// How code, diffs and long texts are shown: all of it, letter by letter, whatever it is.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { calm } from '../src/core/calm.ts';
import { languageOf, tokens } from '../src/core/code.ts';
import { leadsTo, inline } from '../src/core/markdown.ts';
import { differs, mayBePatch, patch, rows, stretches, type Line } from '../src/core/patch.ts';
import { between, coloured, inPieces, plainly } from '../src/core/segments.ts';
import { visible } from '../src/core/visible.ts';
import { split } from '../src/core/wording.ts';

const tinted = (text: string, lang: string) => tokens(text, lang).filter(({ tint }) => tint).map(({ text: word, tint }) => `${tint} ${word}`);

test('code has the colours of its language', () => {
    assert.deepEqual(tinted('def main(): # go\n    return "a\\"b"', 'python'), ['word def', 'name main', 'note # go', 'word return', 'text "a\\"b"']);
    assert.deepEqual(tinted('rm -rf "$HOME/x y" # all', 'sh'), ['word rm', 'mark -rf', 'text "$HOME/x y"', 'note # all']);
    assert.deepEqual(tinted("SELECT 'it''s' FROM t -- x", 'sql'), ['word SELECT', "text 'it'", "text 's'", 'word FROM', 'note -- x']);
    assert.deepEqual(tinted('{"a": 12, "b": "c"}', 'json'), ['mark "a"', 'number 12', 'mark "b"', 'text "c"']);
    assert.deepEqual(tinted('/* never\nends', 'c'), ['note /* never\nends']);
    assert.deepEqual(tokens('plain', 'unheard-of'), [{ text: 'plain' }]);
});

test('the language is known by the fence, the first line, the file or the argument', () => {
    assert.equal(languageOf('x', { lang: 'TS' }), 'ts');
    assert.equal(languageOf('#!/usr/bin/env python3\nx', { name: 'command' }), 'python');
    assert.equal(languageOf('x', { file: 'src/Main.rs', name: 'content' }), 'rs');
    assert.equal(languageOf('FROM debian', { file: '/x/Dockerfile' }), 'dockerfile');
    assert.equal(languageOf('ls', { name: 'command' }), 'sh');
    assert.equal(languageOf('what is new?', { name: 'query' }), '');
    assert.equal(languageOf('select 1', { name: 'query' }), 'sql');
    assert.equal(languageOf(' {"a": 1}', {}), 'json');
    assert.equal(languageOf('{ not', {}), '');
});

const alphabet = ['a', 'if ', '"', "'", '`', '\n', '/*', '*/', '//', '#', '--', '\\', '@x', '$y', ' ', '1.5', '<!--', '<a', '=', ': ', '"""', '\u202e', 'а', '         '];
test('tokens and pieces together are the text', () => {
    let seed = 3;
    const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
    const langs = ['c', 'java', 'js', 'rust', 'go', 'python', 'ruby', 'php', 'sh', 'sql', 'json', 'yaml', 'toml', 'css', 'html', 'lua', 'tf'];
    for (let round = 0; round < 3000; round++) {
        const text = Array.from({ length: random(30) }, () => alphabet[random(alphabet.length)]).join('');
        const found = tokens(text, langs[round % langs.length]!);
        assert.equal(found.map((token) => token.text).join(''), text);
        const segments = coloured(visible(text, true), found);
        assert.equal(segments.map(({ part }) => part.text).join(''), text);
        const cut = random(text.length + 1);
        const two = [...between(segments, 0, cut), ...between(segments, cut, text.length)].map(({ part }) => part.text).join('');
        assert.equal(two, text);
    }
    const long = Array.from({ length: 5000 }, (_, i) => `line ${i}${i % 100 ? '' : '\u200b'}`).join('\n');
    const pieces = inPieces(plainly(long));
    assert.ok(pieces.length > 4);
    assert.equal(pieces.map((piece) => piece.map(({ part }) => part.text).join('')).join('\n'), long);
    const wide = '👍'.repeat(100_000);
    assert.equal(inPieces([{ part: { is: 'text', text: wide } }]).flat().map(({ part }) => part.text).join(''), wide);
});

const diffText = ['diff --git a/x.py b/x.py', 'index 1..2 100644', '--- a/x.py', '+++ b/x.py', '@@ -1,3 +1,4 @@ def', ' one', '-two', '+two and a half', '+three', ' four', '\\ No newline at end of file', ''].join('\n');
test('a unified diff is read, to its last line', () => {
    assert.ok(mayBePatch(diffText));
    const [file] = patch(diffText)!.files;
    assert.equal(file!.name, 'x.py');
    assert.deepEqual(file!.hunks[0]!.lines.map((line) => [line.is, line.old, line.new, line.text]), [
        ['same', 1, 1, 'one'],
        ['del', 2, undefined, 'two'],
        ['add', undefined, 2, 'two and a half'],
        ['add', undefined, 3, 'three'],
        ['same', 3, 4, 'four'],
        ['same', undefined, undefined, '\\ No newline at end of file'],
    ]);
    assert.deepEqual(rows(file!.hunks[0]!.lines).map(({ left, right }) => [left?.text, right?.text]).slice(1, 3), [['two', 'two and a half'], [undefined, 'three']]);
    const twice = patch(`From: me\n\n${diffText}${diffText}`)!;
    assert.deepEqual([twice.before, twice.files.length], [['From: me', ''], 2]);
    assert.deepEqual(patch('@@ -1 +1 @@\n-a\n+b')!.files.map(({ name, hunks }) => [name, hunks.length]), [['', 1]]);
});

test('what only looks like a diff is none', () => {
    // Lines behind the hunk, or fewer than it says: whoever runs it would see more than is shown as changed.
    for (const text of [`${diffText}rm -rf /\n`, diffText.replace('+1,4', '+1,9'), diffText.replace('+three\n', ''), diffText.replace('@@ -1,3', '@@ -1,4'), '@@ -1 +1 @@\nls', 'a\nb']) assert.equal(patch(text), undefined, text);
});

test('what has not changed is folded where it is long, but for the lines around what has', () => {
    const same = (n: number): Line[] => Array.from({ length: n }, (_, i) => ({ is: 'same', text: String(i) }));
    const found = stretches([...same(20), { is: 'del', text: 'x' }, ...same(5), { is: 'add', text: 'y' }, ...same(30)]);
    assert.deepEqual(found.map(({ folded, lines }) => [folded, lines.length]), [[true, 17], [false, 13], [true, 27]]);
    assert.deepEqual(differs('the old way', 'the new way'), { begin: 4, end: 4 });
    assert.equal(differs('abc', 'xyz'), undefined);
});

test('a text that is called calm has nothing to be marked', () => {
    const fixture = JSON.parse(readFileSync(new URL('../../tests/fixtures/visible.json', import.meta.url), 'utf8')) as { texts: Array<{ text: string; exact: boolean; flat: string }> };
    for (const { text, exact, flat } of fixture.texts) if (calm(text, exact)) assert.equal(flat, text);
    for (const text of ['Grüße, 東京', 'Привет, мир', 'שלום, עולם', 'Σίσυφος', '10 000 €', 'naïve café']) assert.ok(calm(text), text);
});

test('a link says where it leads, unless its words do', () => {
    const host = (text: string) => inline(text).flatMap((one) => (one.is === 'link' ? [leadsTo(one)] : []))[0];
    assert.equal(host('[the docs](https://docs.example.org/x)'), 'docs.example.org');
    assert.equal(host('https://example.org/x'), '');
    assert.equal(host('[example.org](https://example.org)'), '');
    assert.equal(host('[https://example.org](https://evil.example)'), 'evil.example');
    assert.equal(host('[example.org](https://example.org.evil.example/)'), 'example.org.evil.example');
    assert.equal(host('https://p\u0430ypal.com/x'), 'xn--pypal-4ve.com');
    assert.equal(host('[x](https://paypal.com@evil.example/)'), 'evil.example');
});

test('a question is its own heading, however long', () => {
    const long = `${'Word '.repeat(200).trim()}?`;
    assert.equal(split(long).title, long);
    assert.deepEqual(split('- a\n- b'), { title: '', rest: '- a\n- b' });
});
