// The inbox without a browser: filters, order, batches, views.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item, Question } from '../src/core/api.gen.ts';
import { arrange, batchable, batchKind, byDeadline, decidable, filterOf, fits, grouped, needsYou, placeOf, queryOf, snoozed, Views } from '../src/core/inbox.ts';
import { forWhom } from '../src/core/wording.ts';
import { memoryShelf } from '../src/core/store.ts';
import { you } from './lib/question.ts';

const minute = 60_000;
const at = (ms: number) => new Date(ms).toISOString();
const question = (fields: Partial<Question>): Question => ({ id: 'q', type: 'blocking', responseType: 'text', projectId: null, askedBy: 'Scout', timeoutAt: null, status: 'pending', you, ...fields }) as Question;

test('a filter is an address, and an address a filter', () => {
    const filter = filterOf(new URLSearchParams('?agent=A+B&type=approval&other=1'));
    assert.deepEqual(filter, { status: '', type: 'approval', project: '', agent: 'A B', due: '' });
    assert.equal(queryOf(filter), '?type=approval&agent=A+B');
    assert.equal(queryOf(filterOf(new URLSearchParams())), '');
    assert.equal(queryOf(filterOf(new URLSearchParams('?status=timeout&due=soon'))), '?status=timeout&due=soon');
    assert.equal(filterOf(new URLSearchParams('?status=pending')).status, '', 'what is open has no word');
});

test('a question fits when everything does', () => {
    const one = question({ type: 'approval', projectId: 'p', timeoutAt: at(2 * minute) });
    const fit = (query: string) => fits(one, filterOf(new URLSearchParams(query)), 0);
    for (const query of ['', 'type=approval', 'project=p', 'agent=Scout', 'due=soon', 'type=approval&project=p&agent=Scout&due=soon']) assert.ok(fit(query), query);
    for (const query of ['type=blocking', 'project=x', 'agent=Planner', 'due=none', 'type=approval&due=later']) assert.ok(!fit(query), query);
});

test('rows stand by how soon they end, and empty groups are left out', () => {
    const [soon, none, later] = [question({ id: 'a', timeoutAt: at(minute) }), question({ id: 'b' }), question({ id: 'c', timeoutAt: at(72 * 60 * minute) })];
    const goesOn = question({ id: 'd', type: 'non_blocking' });
    assert.deepEqual(grouped([goesOn, soon, none, later], 0), [['soon', [soon]], ['later', [later]], ['held', [none]], ['none', [goesOn]]]);
    assert.deepEqual(grouped([], 0), []);
});

test('what is no question stands among them by its deadline, and leads to where it is answered', () => {
    const item = (fields: Partial<Item>): Item => ({ id: 'i', type: 'open_questions', projectId: 'p', agent: null, discussionId: null, timeoutAt: null, createdAt: at(0), ...fields }) as Item;
    const [set, prompt, turn] = [item({}), item({ id: 'x', type: 'prompt', agent: 'Scout', timeoutAt: at(minute) }), item({ id: 'y', type: 'turn', discussionId: 'd', timeoutAt: at(9 * minute) })];
    const asks = question({ id: 'q', timeoutAt: at(5 * minute), createdAt: at(0) });
    assert.deepEqual([set, turn, asks, prompt].sort(byDeadline).map(({ id }) => id), ['x', 'q', 'y', 'i']);
    assert.deepEqual([set, prompt, turn].map(placeOf), ['/projects/p?set=i', '/chat?prompt=x', '/discussions/d']);
    assert.ok(fits(prompt, filterOf(new URLSearchParams('?agent=Scout&type=prompt')), 0));
    assert.ok(!fits(set, filterOf(new URLSearchParams('?agent=Scout')), 0));
    assert.ok(fits(asks, filterOf(new URLSearchParams('?status=answered&due=none')), 0), 'deadlines mean nothing any more');
});

test('nothing moves under somebody who reads: what is new waits, unless it stands below', () => {
    assert.deepEqual(arrange(['b', 'd'], ['a', 'b', 'c', 'd', 'e'], false), { order: ['a', 'b', 'c', 'd', 'e'], fresh: 0 });
    assert.deepEqual(arrange(['b', 'd'], ['a', 'b', 'c', 'd', 'e'], true), { order: ['b', 'd', 'e'], fresh: 2 });
    assert.deepEqual(arrange(['b', 'd'], ['a', 'd'], true), { order: ['d'], fresh: 1 }, 'what has gone goes');
    assert.deepEqual(arrange(['b', 'd'], ['d', 'b'], true), { order: ['b', 'd'], fresh: 0 }, 'a moved deadline moves no row');
    assert.deepEqual(arrange(['b'], ['x', 'y'], true), { order: ['x', 'y'], fresh: 0 }, 'another list altogether');
    assert.deepEqual(arrange([], ['x'], true), { order: ['x'], fresh: 0 });
});

test('only a plain yes or no of one kind is given to several', () => {
    const [approval, yesNo, text] = [question({ responseType: 'approval' }), question({ responseType: 'boolean' }), question({})];
    assert.deepEqual([approval, yesNo, text].map(batchable), [true, true, false]);
    assert.ok(!batchable(question({ responseType: 'approval', you: { ...you, yesCounts: false } })), 'nor by who may not');
    assert.equal(batchKind([approval, approval]), 'approval');
    assert.equal(batchKind([yesNo]), 'boolean');
    for (const mixed of [[approval, yesNo], [text], []]) assert.equal(batchKind(mixed), undefined);
});

test('an approval stands among the approvals when a yes or a no ends it', () => {
    const kinds = (['approval', 'boolean', 'text', 'choice'] as const).map((responseType) => question({ type: 'approval', responseType }));
    assert.deepEqual(kinds.map(decidable), [true, true, false, false]);
    assert.equal(decidable(question({ type: 'blocking', responseType: 'approval' })), true);
    assert.equal(decidable(question({ type: 'blocking', responseType: 'boolean' })), false);
});

test('views keep their name and place, and survive nonsense', () => {
    const shelf = memoryShelf();
    const views = new Views(shelf);
    views.keep('Mine', '?agent=Scout');
    views.keep('Soon', '?due=soon');
    views.keep('Mine', '?agent=Planner');
    assert.deepEqual(new Views(shelf).all, [{ name: 'Soon', query: '?due=soon' }, { name: 'Mine', query: '?agent=Planner' }]);
    assert.deepEqual(views.drop('Soon'), [{ name: 'Mine', query: '?agent=Planner' }]);
    for (let i = 0; i < 40; i++) views.keep(`v${i}`, '');
    assert.equal(views.all.length, 30);
    for (const nonsense of ['{}', '[1, null, {"name": 2}]', 'null', '{oops']) {
        shelf.setItem('witan.views', nonsense);
        assert.deepEqual(views.all, []);
    }
});

test('what needs somebody: it waits, an answer of theirs would count, and they have not snoozed it', () => {
    const never = (): number => assert.fail('the time is asked for only where something is snoozed');
    const item = { id: 'i', type: 'turn', you } as Item;
    for (const [what, entry] of Object.entries({ item, question: question({}), approval: question({ type: 'approval' }) })) assert.ok(needsYou(entry, never), what);
    assert.ok(!needsYou(question({ status: 'answered' }), never), 'it has ended');
    assert.ok(!needsYou(question({ type: 'non_blocking' }), never), 'its asker has gone on');
    for (const bar of ['assigned', 'role', 'project', 'requester', 'approved', 'token', 'agent'] as const) assert.ok(!needsYou(question({ you: { ...you, yesCounts: false, bar } }), never), bar);
    const asleep = question({ you: { ...you, snoozedUntil: at(9 * minute) } });
    assert.equal(snoozed(asleep, () => 8 * minute), 9 * minute);
    assert.ok(!needsYou(asleep, () => 8 * minute));
    assert.equal(snoozed(asleep, () => 9 * minute), undefined, 'it is over');
    assert.ok(needsYou(asleep, () => 9 * minute));
});

test('a row says for whom it is, where that is not plain', () => {
    const whom = (fields: Partial<Question>) => forWhom(question({ assignedTo: null, assignee: null, requiredRole: null, ...fields }), 'me');
    assert.equal(whom({}), '');
    assert.equal(whom({ assignedTo: 'me', assignee: 'Ada' }), 'for you');
    assert.equal(whom({ assignedTo: 'u2', assignee: 'Bo' }), 'for Bo');
    assert.equal(whom({ assignedTo: 'u2' }), 'for somebody else', 'who has gone');
    assert.equal(whom({ requiredRole: 'admin' }), '', 'who may answer need not be told');
    assert.equal(whom({ requiredRole: 'admin', you: { ...you, bar: 'role' } }), 'needs an admin');
    assert.equal(whom({ you: { ...you, bar: 'requester' } }), 'your own request');
    assert.equal(whom({ you: { ...you, bar: 'agent' } }), '');
});
