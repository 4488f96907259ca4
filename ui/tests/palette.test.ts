import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asks, fits, Lookup, pathOf } from '../src/core/palette.ts';

test('actions are found by the beginnings of their words, in any order', () => {
    assert.ok(fits('Go to Discussions', 'dis'));
    assert.ok(fits('Go to Discussions', 'DISC go'));
    assert.ok(fits('Zürich', 'zur'));
    assert.ok(!fits('Go to Discussions', 'cuss'));
    assert.ok(fits('Anything', '  '));
    assert.ok(asks('a'));
    assert.ok(!asks(' ?! '));
});

test('each kind that has a page leads there', () => {
    const at = (kind: string, projectId: string | null = null) => pathOf({ kind, id: 'a/b', projectId });
    assert.equal(at('question'), '/inbox/a%2Fb');
    assert.equal(at('job'), '/jobs/a%2Fb');
    assert.equal(at('discussion'), '/discussions/a%2Fb');
    assert.equal(at('project'), '/projects/a%2Fb');
    assert.equal(at('task', 'p'), '/projects/p');
    assert.equal(at('task'), undefined);
    assert.equal(at('agent'), '/settings/agents');
    assert.equal(at('something new'), undefined);
});

test('only the last of several searches is taken, and the others are called off', async () => {
    const taken: unknown[] = [];
    const begun: Array<{ typed: string; signal: AbortSignal; answer: (found: string) => void }> = [];
    const lookup = new Lookup<string>(
        (typed, signal) => new Promise((answer) => begun.push({ typed, signal, answer })),
        (found) => taken.push(found),
        0,
    );
    const soon = () => new Promise((done) => setTimeout(done, 5));
    lookup.type('a');
    lookup.type('ab'); // before the first was sent
    await soon();
    assert.deepEqual(begun.map(({ typed }) => typed), ['ab']);
    lookup.type('abc');
    await soon();
    assert.ok(begun[0]!.signal.aborted);
    begun[1]!.answer('late');
    begun[0]!.answer('stale');
    await soon();
    assert.deepEqual(taken, ['late']);
    lookup.type('');
    assert.deepEqual(taken, ['late', undefined]);
});

test('a search that fails says why', async () => {
    const said = await new Promise((done) => {
        const lookup = new Lookup<string>(
            () => Promise.reject(new Error('away')),
            (_, why) => done((why as Error).message),
            0,
        );
        lookup.type('x');
    });
    assert.equal(said, 'away');
});
