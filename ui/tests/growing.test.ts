// Markdown while it is written: what can change no more is read once, what is not finished is shown as what it becomes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closed, Growing } from '../src/core/growing.ts';
import { blocks, type Block } from '../src/core/markdown.ts';
import { words } from './lib/words.ts';

const grow = (...pieces: string[]): Growing => {
    const growing = new Growing();
    for (const piece of pieces) {
        growing.add(piece);
        growing.tree();
    }
    return growing;
};
const shown = (text: string): Block[] => grow(text).tree();

function random(seed: number): () => number {
    let state = seed;
    return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0), state / 2 ** 32);
}

const sample = `# A title

Some **bold** words and \`code\`,
over two lines.

1. one
2. two
   - deeper
   - and more

3. three

> quoted *words*
> go on

| a | b |
|---|---|
| 1 | 2 |

\`\`\`js
const a = 1;

# no title
\`\`\`
The end: [a link](https://example.org/x).
`;

test('in whatever pieces it comes, what is there at the end is what would be read at once', () => {
    const parts = ['\n', '\n\n', '# ', '- ', '1. ', '2', '. ', '> ', '```', '~~~', '**', '_', '`', '|', '|---|', 'word', ' ', '  ', 'a | b', '[x](', 'http://y)', '\r\n', '\t', '---', '🍵', '\\'];
    for (let seed = 1; seed <= 600; seed++) {
        const next = random(seed);
        const text = seed % 3 === 0 ? sample : Array.from({ length: 40 }, () => parts[Math.floor(next() * parts.length)]!).join('');
        const growing = new Growing();
        for (let at = 0; at < text.length; ) {
            const step = 1 + Math.floor(next() * 12);
            growing.add(text.slice(at, at + step));
            at += step;
            if (next() < 0.8) growing.tree();
        }
        assert.deepEqual(growing.tree(true), blocks(text), `seed ${seed}: ${JSON.stringify(text)}`);
    }
});

test('blocks that are done stay the same objects', () => {
    const growing = grow('One.\n\nTwo.\n\n- a\n');
    const before = growing.tree();
    growing.add('- b\n\nThree');
    const after = growing.tree();
    assert.equal(after[0], before[0]);
    assert.equal(after[1], before[1]);
    assert.equal(after.length, 4);
});

test('marks that are open are closed, addresses that are half there are left out', () => {
    assert.equal(closed('some **bold te'), 'some **bold te**');
    assert.equal(closed('some **bold te*'), 'some **bold te**');
    assert.equal(closed('a *b **c'), 'a *b **c***');
    assert.equal(closed('run `ls -l'), 'run `ls -l`');
    assert.equal(closed('run `a * b'), 'run `a * b`');
    assert.equal(closed('`done` and **so on**'), '`done` and **so on**');
    assert.equal(closed('see [the page](https://exam'), 'see the page');
    assert.equal(closed('see [the page](https://example.org)'), 'see [the page](https://example.org)');
    assert.equal(closed('2 * 3 is 6, snake_case'), '2 * 3 is 6, snake_case');
    assert.equal(closed('a **'), 'a ');
    assert.equal(closed('\\*not a mark'), '\\*not a mark');
    assert.equal(closed(`*${'far away '.repeat(80)}`), `*${'far away '.repeat(80)}`);
});

test('signs at the beginning of a line wait for what follows; code is shown while it is written', () => {
    assert.deepEqual(shown('Words\n\n#'), blocks('Words'));
    assert.deepEqual(shown('- a\n-'), blocks('- a'));
    assert.deepEqual(shown('1. a\n2'), blocks('1. a'));
    assert.deepEqual(shown('```js\nlet a = **b'), [{ is: 'pre', lang: 'js', text: 'let a = **b' }]);
    assert.deepEqual(shown('some **bo'), [{ is: 'p', of: [{ is: 'text', text: 'some ' }, { is: 'strong', of: [{ is: 'text', text: 'bo' }] }] }]);
});

test('however long one block is, each of its letters is read some times and no more, and none waits', () => {
    for (const [first, piece] of [['', 'word '], ['```\n', 'let a = 1;\n'], ['- ', 'word '], ['> ', 'word ']] as const) {
        const growing = new Growing();
        growing.add(first);
        let length = first.length;
        for (let i = 0; i < 6000; i++) {
            growing.add(piece);
            length += piece.length;
            const tree = growing.tree();
            if (i % 1000 === 999) assert.ok(words(tree).trimEnd().endsWith(piece.trim()), `the newest words are shown after ${i}`);
        }
        assert.ok(growing.looked < length * 40 + 4_000_000, `${growing.looked} letters read of ${length}`);
    }
    // And many small ones: only the last is read.
    const many = new Growing();
    for (let i = 0; i < 4000; i++) {
        many.add(`Paragraph ${i}.\n\n`);
        many.tree();
    }
    assert.ok(many.looked < 4000 * 100, `${many.looked}`);
});
