// Colours of terminals: what programs write is read as runs of words with a look.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isColoured, plain, settled, spans, type Span } from '../src/core/ansi.ts';

const esc = '\u001b';
const sgr = (codes: string, text: string): Span[] => spans(`${esc}[${codes}m${text}`);

test('words have the look that was chosen, until another is', () => {
    assert.deepEqual(spans(`a${esc}[31mb${esc}[1mc${esc}[0md`), [{ text: 'a' }, { fg: 'red', text: 'b' }, { fg: 'red', bold: true, text: 'c' }, { text: 'd' }]);
    assert.deepEqual(sgr('2;3;4;9', 'x'), [{ dim: true, italic: true, underline: true, strike: true, text: 'x' }]);
    assert.deepEqual(spans(`${esc}[1;4mx${esc}[22;24my`), [{ bold: true, underline: true, text: 'x' }, { text: 'y' }]);
    assert.deepEqual(spans(`${esc}[32ma${esc}[32mb${esc}[mc`), [{ fg: 'green', text: 'ab' }, { text: 'c' }]);
});

test('16, 256 and all colours become the hues of the page; what is black or white is its own', () => {
    const hue = (codes: string) => sgr(codes, 'x')[0]!.fg;
    assert.deepEqual(['30', '31', '32', '33', '34', '35', '36', '37'].map(hue), [undefined, 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', undefined]);
    assert.deepEqual(['90', '91', '92', '94', '97'].map(hue), ['grey', 'red', 'green', 'blue', undefined]);
    assert.deepEqual(['38;5;9', '38;5;46', '38;5;21', '38;5;244', '38;5;231', '38;5;16'].map(hue), ['red', 'green', 'blue', 'grey', undefined, undefined]);
    assert.deepEqual(['38;2;255;0;0', '38;2;250;200;0', '38;2;0;200;220', '38;2;200;0;200', '38:2::0:200:0', '38:2:0:0:255', '38:5:1'].map(hue), ['red', 'yellow', 'cyan', 'magenta', 'green', 'blue', 'red']);
    assert.deepEqual(spans(`${esc}[38;5;1;4mx`), [{ fg: 'red', underline: true, text: 'x' }], 'what follows a colour is read on');
});

test('words on a ground have the page’s colour, so that nothing hides in its own', () => {
    assert.deepEqual(sgr('31;41', 'x'), [{ bg: 'red', text: 'x' }]);
    assert.deepEqual(sgr('30;40', 'x'), [{ text: 'x' }]);
    assert.deepEqual(sgr('7', 'x'), [{ inverse: true, text: 'x' }]);
    assert.deepEqual(sgr('7;32', 'x'), [{ bg: 'green', text: 'x' }]);
    assert.deepEqual(sgr('7;42', 'x'), [{ fg: 'green', text: 'x' }]);
    assert.deepEqual(sgr('8', 'concealed'), [{ text: 'concealed' }]);
});

test('what else a terminal is told is dropped, and no words with it', () => {
    assert.equal(plain(`a${esc}[2Kb${esc}[1;1Hc${esc}]0;a title${'\u0007'}d${esc}]8;;http://x${esc}\\e${esc}]8;;${esc}\\f${esc}(Bg${esc}7h`), 'abcdefgh');
    assert.equal(plain(`${esc}]0;without an end: rm -rf /`), '0;without an end: rm -rf /', 'a title that does not end takes nothing with it');
    assert.equal(plain(`${esc}[31`), '31');
    assert.equal(plain(`cut ${esc}`), 'cut ');
    assert.equal(plain('\u009b31mred'), 'red');
    assert.equal(isColoured('plain\ttext\r\n'), false);
});

test('of a line that was written over its last state is shown, in the colours that were chosen', () => {
    assert.equal(settled('10 %\r55 %\r100 %'), '100 %');
    assert.equal(settled('done\r'), 'done');
    assert.equal(settled('one\r\ntwo\r\n'), 'one\ntwo\n');
    assert.equal(settled('abc\b\bd'), 'ad');
    assert.deepEqual(spans(settled(`${esc}[32m10 %\r20 %${esc}[K`)), [{ fg: 'green', text: '20 %' }]);
});

// A generator of its own, so that what fails can be run again.
function random(seed: number): () => number {
    let state = seed;
    return () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0), state / 2 ** 32);
}

test('whatever is written: nothing but escapes goes, runs are as long as they can be, and it is read once', () => {
    const parts = [esc, '[', ']', '\u0007', '\\', 'm', '31', ';', '38;5;', '0', ':', 'word', ' ', '\n', '\u009b', '🍵', 'H', '\u0000', 'K', '(', '?25l'];
    for (let seed = 1; seed <= 400; seed++) {
        const next = random(seed);
        const text = Array.from({ length: 1 + Math.floor(next() * 40) }, () => parts[Math.floor(next() * parts.length)]!).join('');
        const found = spans(text);
        assert.equal(found.map((span) => span.text).join(''), plain(text), `seed ${seed}`);
        assert.ok(found.every((span) => span.text !== '' && !/[\u001b\u009b]/.test(span.text)), `seed ${seed}`);
        for (let i = 1; i < found.length; i++) {
            const [{ text: _a, ...a }, { text: _b, ...b }] = [found[i - 1]!, found[i]!];
            assert.notDeepEqual(a, b, `seed ${seed}`);
        }
        const bare = text.replaceAll(/[\u001b\u009b]/g, '');
        assert.equal(plain(bare), bare, `seed ${seed}: without escapes all of it stays`);
    }
    // A million letters of the worst kinds; what looked at a place again and again would take hours.
    for (const worst of [`${esc}[`, `${esc}]`, `${esc}]x`, `${esc}[31`, `${esc}[38;5;`, '\u009b']) assert.ok(spans(worst.repeat(1_000_000 / worst.length)).length >= 0);
    assert.ok(settled('x\r'.repeat(500_000)).length < 10);
});
