// What agents write, and what the page says about a question.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pieces } from '../src/core/long.ts';
import type { Question } from '../src/core/api.gen.ts';
import { blocks, inline, safeLink, words } from '../src/core/markdown.ts';
import { actionOf, answerText, diff, ends, facts, headline, hue, split } from '../src/core/wording.ts';

test('markdown becomes a tree', () => {
    assert.deepEqual(inline('a **b _c_** `d*e*`'), [
        { is: 'text', text: 'a ' },
        { is: 'strong', of: [{ is: 'text', text: 'b ' }, { is: 'em', of: [{ is: 'text', text: 'c' }] }] },
        { is: 'text', text: ' ' },
        { is: 'code', text: 'd*e*' },
    ]);
    const kinds = blocks('# H\n\ntext\nmore\n\n- a\n- b\n  - c\n\n1. x\n\n> q\n\n```js\n<b>\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---').map((one) => one.is);
    assert.deepEqual(kinds, ['h', 'p', 'list', 'list', 'quote', 'pre', 'table', 'rule']);
    assert.deepEqual(inline('snake_case_name and 2 * 3 * 4'), [{ is: 'text', text: 'snake_case_name and 2 * 3 * 4' }]);
});

test('what is hostile stays text, and links lead to the web only', () => {
    for (const bad of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'vbscript:x', '//evil.example', '/api/logout', 'file:///etc/passwd'])
        assert.equal(safeLink(bad), undefined, bad);
    assert.equal(safeLink('https://example.org/a'), 'https://example.org/a');
    const tree = JSON.stringify(blocks('<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) ![pixel](https://evil.example/p.png)'));
    assert.ok(!tree.includes('"link"'), tree);
    assert.ok(tree.includes('<script>alert(1)</script>'));
});

test('nothing of what is written is left out', () => {
    const code = (text: string) => blocks(text).map((one) => (one.is === 'pre' ? [one.lang, one.text] : one.is));
    assert.deepEqual(code('```sh\nls\n```\nb'), [['sh', 'ls'], 'p']);
    assert.deepEqual(code('```sh ; rm -rf /\nls\n```'), [['sh', '```sh ; rm -rf /\nls']]);
    assert.deepEqual(code('```\nls\n``` ; rm -rf /\n```'), [['', 'ls\n``` ; rm -rf /']]);
    assert.equal(words('Do | what\n|---|---|\n| drop | `orders` |'), 'Do what drop orders');
    assert.deepEqual(actionOf(question({ action: { name: 'run', args: 1, env: { A: 'b' } } as never })), { name: 'run', args: 1, more: [['env', { A: 'b' }]] });
});

test('whatever comes is read to its end', () => {
    for (const part of ['*', '_', '`', '[', '](', '> ', '- ', '**a', '[a](', '![', '~~', '|', '\\']) blocks(part.repeat(20_000));
    assert.equal(words('['.repeat(100_000)).length, 4000);
});

const question = (over: Partial<Question> = {}): Question =>
    ({ id: 'q', type: 'approval', responseType: 'approval', question: 'Run it?', askedBy: 'Builder', timeoutAt: '2026-01-01T00:00:00Z', options: null, action: null, approvals: { have: 0, need: 1, by: [] }, defaultResponse: null, context: null, ...over }) as Question;

test('every way out of a question is said before its buttons', () => {
    const approval = ends(question({ action: { name: 'db.migrate', args: {} } }));
    assert.match(approval.yes.text, /Builder runs db\.migrate/);
    assert.match(approval.no!.text, /Nothing runs/);
    assert.match(approval.late.text, /Counts as no/);
    assert.match(ends(question({ approvals: { have: 0, need: 2, by: [] } })).yes.text, /1 more person/);
    const choice = question({ type: 'blocking', responseType: 'choice', options: [{ id: 'o1', label: 'Red', value: 'red' }], defaultResponse: { type: 'choice', value: 'red' } });
    assert.match(ends(choice).late.text, /“Red”, marked as a default/);
    assert.match(ends(question({ type: 'blocking', responseType: 'text' })).late.text, /The job stops/);
    assert.match(ends(question({ type: 'non_blocking', responseType: 'boolean', timeoutAt: null, defaultResponse: { type: 'boolean', value: false } })).late.text, /has gone on with “No”/);
});

test('answers are said by their labels', () => {
    const choice = question({ responseType: 'choice', options: [{ id: 'o1', label: 'Red', value: 'red' }] });
    assert.equal(answerText(choice, { value: 'red' }), 'Red');
    assert.equal(answerText(choice, { value: 'o1' }), 'Red');
    assert.equal(answerText(choice, { value: null, text: 'Blue' }), 'Blue');
    assert.equal(answerText(question(), { value: false }), 'Rejected');
    assert.equal(answerText(question({ responseType: 'text' }), { value: { odd: 1 } }), '{"odd":1}');
});

test('a long question has a title only when it has a short beginning', () => {
    assert.deepEqual(split('Run it?\n\nBecause.'), { title: 'Run it?', rest: 'Because.' });
    assert.deepEqual(split('# Run it?\n- a'), { title: 'Run it?', rest: '- a' });
    assert.equal(split('x'.repeat(2_000_000)).title, '');
    assert.equal(headline(question({ question: 'Deploy **now**?\n\nrest' })), 'Deploy now?');
});

test('what the asker told is shown, whatever its shape', () => {
    assert.deepEqual(facts(question({ context: { projectName: 'P', odd: { a: [1] }, none: null } })), [['odd', { a: [1] }]]);
    assert.equal(hue('Critical'), 'red');
    assert.equal(hue('Builder'), hue('builder'));
});

test('edited arguments show what went and what came', () => {
    assert.deepEqual(diff('a\nb\nc', 'a\nx\nc'), [
        { is: 'same', text: 'a' },
        { is: 'del', text: 'b' },
        { is: 'add', text: 'x' },
        { is: 'same', text: 'c' },
    ]);
});

test('very long text comes in pieces that end with their lines, and loses nothing', () => {
    assert.deepEqual(pieces('short\ntext'), ['short\ntext']);
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join('\n');
    assert.ok(pieces(lines).length > 5);
    assert.equal(pieces(lines).join('\n'), lines);
    const one = '𝄞'.repeat(100_000);
    const cut = pieces(`x${one}`);
    assert.equal(cut.join(''), `x${one}`);
    assert.ok(cut.every((piece) => !/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/.test(piece) && piece.length <= 64_001));
});
