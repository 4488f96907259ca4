// Where things are found by what a row says of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOfThing, recorded } from '../src/core/about.ts';
import type { About, EventType } from '../src/core/api.gen.ts';
import { place } from '../src/core/router.ts';

const kinds = ['question', 'job', 'discussion', 'prompt', 'chat', 'project', 'task', 'set', 'decision', 'feedback', 'agent', 'template', 'token', 'user', 'workspace'] as const;

test('every kind of thing leads to a page that there is', () => {
    for (const kind of kinds) {
        const path = placeOfThing({ kind, id: 'a1', name: 'x', projectId: 'p1' });
        assert.notEqual(place(path!.split('?')[0]!).page, 'nothing', kind);
    }
    assert.equal(placeOfThing({ kind: 'task', id: 't1', name: 'x', projectId: 'p1' }), '/projects/p1?view=tasks&task=t1');
    assert.equal(placeOfThing({ kind: 'question', id: '../x', name: 'x', projectId: null }), '/inbox/..%2Fx');
});

test('what is gone leads nowhere', () => {
    assert.equal(placeOfThing(null), undefined);
    assert.equal(placeOfThing({ kind: null, id: null, name: 'Checkout', projectId: null }), undefined);
    assert.equal(placeOfThing({ kind: 'project', id: null, name: 'Checkout', projectId: null } satisfies About), undefined);
});

test('what leaves no row in the audit log is no news there', () => {
    for (const type of ['presence.changed', 'job.log', 'job.progress', 'notification.read', 'question_draft', 'alert', 'turn.delta', 'turn.started'] satisfies EventType[]) assert.equal(recorded(type), false, type);
    for (const type of ['chat.message', 'question_answered', 'question_snoozed', 'question_timeout', 'job.ended', 'user.changed'] satisfies EventType[]) assert.equal(recorded(type), true, type);
});
