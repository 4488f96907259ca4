// A run as its trace tells of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, condensedOf, fieldOf, figures, given, joined, money, questionsOf, readFrom, resultText, stepsShown, tokens, toolsFor, wished, type Entry, type Run, type RunCall } from '../src/core/run.ts';

const call = (id: string, more: Partial<RunCall> = {}): RunCall => ({ id, name: 'word_count', arguments: '{}', approvedArguments: null, state: 'done', outcome: 'ok', output: '3', questionId: null, discussionId: null, promptId: null, startedAt: null, endedAt: null, ...more });
const entry = (seq: number, step: number, kind: Entry['kind'], more: Partial<Entry> = {}): Entry => ({ seq, step, kind, at: '2026-11-18T10:00:00Z', text: null, data: null, model: null, tokensIn: null, tokensOut: null, tookMs: null, call: null, ...more });

test('a trace is shown by step: a call once, with what came of it, and decisions that follow each other as one', () => {
    const steps = stepsShown([
        entry(1, 0, 'input'),
        entry(2, 1, 'decision'),
        entry(3, 1, 'decision'),
        entry(4, 1, 'reply'),
        entry(5, 1, 'call', { call: call('a') }),
        entry(6, 1, 'decision'),
        entry(7, 1, 'result', { call: call('a') }),
        entry(8, 2, 'result', { call: call('of an older page') }),
    ]);
    assert.deepEqual(steps.map(({ step, rows }) => [step, rows.map((row) => row.entry?.kind ?? row.decisions?.length)]), [[0, ['input']], [1, [2, 'reply', 'call', 1]], [2, ['result']]]);
});

test('what follows is read from the first call that was not done', () => {
    assert.equal(readFrom([]), 0);
    assert.equal(readFrom([entry(4, 1, 'reply'), entry(5, 1, 'call', { call: call('a') }), entry(6, 1, 'decision')]), 6);
    assert.equal(readFrom([entry(4, 1, 'reply'), entry(5, 1, 'call', { call: call('a', { state: 'running', outcome: null }) }), entry(6, 1, 'decision')]), 4);
});

test('entries are kept once, in their order, as they were read last', () => {
    const before = [entry(3, 1, 'reply'), entry(4, 1, 'call', { call: call('a', { state: 'running', outcome: null }) })];
    const later = joined(before, [entry(4, 1, 'call', { call: call('a') }), entry(5, 2, 'reply')]);
    assert.deepEqual(later.map(({ seq }) => seq), [3, 4, 5]);
    assert.equal(later[1]?.call?.state, 'done');
    const older = joined(later, [entry(1, 0, 'input'), entry(2, 0, 'decision')]);
    assert.deepEqual(older.map(({ seq }) => seq), [1, 2, 3, 4, 5]);
    // What came of a call is told by its result, though the call itself is not read again.
    const ended = joined(before, [entry(5, 1, 'result', { call: call('a', { output: 'nine' }) })]);
    assert.deepEqual([ended[1]?.call?.state, ended[1]?.call?.output], ['done', 'nine']);
    assert.equal(joined(before, []), before);
});

test('a call that people let run is told with their question', () => {
    const decided = entry(8, 1, 'decision', { call: call('a'), data: { rule: 'people', verdict: 'approved', questionId: 'q1' } });
    assert.deepEqual([...questionsOf([entry(7, 1, 'call', { call: call('a') }), entry(7, 1, 'decision', { data: { verdict: 'wait' } }), decided])], [['a', 'q1']]);
});

test('figures say what is spent of what, and only what is counted', () => {
    const spent = { steps: 3, tokensIn: 12_000, tokensOut: 340, seconds: 60, money: 0, usageMissing: 0 };
    const run: Run = { jobId: 'j', agent: 'Coder', model: 'm', phase: 'asking', step: 3, budget: { steps: 50, tokens: 200_000, seconds: 3600, money: null }, spent, tools: [], recover: false, waitsFor: null, beganAt: '2026-11-18T10:01:00Z', startedAt: '2026-11-18T09:00:00Z', endedAt: null };
    const now = Date.parse('2026-11-18T10:02:00Z');
    assert.deepEqual(figures(run, now).map(({ what, said, limit }) => [what, said, limit]), [['steps', '3', '50'], ['tokens', '12.3 k', '200 k'], ['seconds', '2 min', '1 h']]);
    assert.equal(figures({ ...run, beganAt: null }, now)[2]?.said, '1 min', 'waiting for others does not count');
    const paid = figures({ ...run, endedAt: '2026-11-18T10:01:26Z', budget: { steps: null, tokens: null, seconds: null, money: null }, spent: { ...spent, seconds: 26, money: 0.0042 } }, now);
    assert.deepEqual(paid.map(({ what, said, limit }) => [what, said, limit]), [['steps', '3', ''], ['tokens', '12.3 k', ''], ['seconds', '26 s', ''], ['money', '0.0042', '']]);
});

test('times, tokens and money are short', () => {
    assert.deepEqual([0, 340, 1234, 26_400, 125_000].map(brief), ['0 ms', '340 ms', '1.2 s', '26 s', '2 min']);
    assert.deepEqual([0, 950, 1000, 12_340, 200_000, 1_250_000].map(tokens), ['0', '950', '1 k', '12.3 k', '200 k', '1.3 M']);
    assert.deepEqual([0, 0.00421, 0.05, 0.1, 1.267, 1234].map(money), ['0', '0.0042', '0.05', '0.1', '1.27', '1,234']);
});

test('a summary says which part it tells, and a result is read as text where it is one', () => {
    assert.deepEqual(condensedOf(entry(9, 2, 'condensed', { data: { from: 2, to: 6 } })), { from: 2, to: 6 });
    assert.equal(condensedOf(entry(9, 2, 'condensed', { data: null })), undefined);
    assert.deepEqual(resultText('done'), { text: 'done', rest: [] });
    assert.deepEqual(resultText({ result: 'done', open_questions: ['why?'] }), { text: 'done', rest: [['open_questions', ['why?']]] });
    assert.deepEqual(resultText({ rows: 3 }), { text: '', rest: [['rows', 3]] });
    assert.deepEqual(resultText(null), { text: '', rest: [] });
});

test('arguments are values, or the text of a model that did not write JSON', () => {
    assert.deepEqual([{ a: 1 }, '{"a":1}', '{"a":', '"text"', null].map(given), [{ a: 1 }, { a: 1 }, '{"a":', 'text', null]);
});

test('tools are those of the project, and those for all, but none that need a task', () => {
    const listed = [{ name: 'a', projects: null }, { name: 'b', projects: ['Checkout'] }, { name: 'c', projects: ['p1'] }, { name: 'd', projects: [] }];
    const tools = [...listed.map((tool) => ({ ...tool, inTaskFolder: false })), { name: 'e', projects: null, inTaskFolder: true }];
    const names = (project: string[]) => toolsFor(tools, project).map(({ name }) => name);
    assert.deepEqual([names([]), names(['p1', 'Checkout']), names(['p2', 'Other'])], [['a'], ['a', 'b', 'c'], ['a']]);
});

test('what is typed into the budget is a number above zero or nothing, and what the server refuses is told at its field', () => {
    assert.deepEqual(['', '  ', '12', '0.5', '0', '-1', 'many', null].map(wished), [undefined, undefined, 12, 0.5, NaN, NaN, NaN, undefined]);
    assert.deepEqual(['agent', 'budget.steps', 'budget.seconds', 'budget', 'tools[2]', undefined].map(fieldOf), ['agent', 'steps', 'minutes', 'steps', 'tools', '']);
});
