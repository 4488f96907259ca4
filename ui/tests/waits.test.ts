// What waits for what: the figures, the picture, and questions with tradeoffs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Notification, Task } from '../src/core/api.gen.ts';
import { picture, tradeoffs, unblocks, waiting } from '../src/core/waits.ts';

const task = (id: string, depends_on: string[] = [], fields: Partial<Task> = {}): Task => ({ id, project_id: 'p', title: id, description: '', status: 'open', priority: 2, assignee: null, block_reason: null, depends_on, session_id: null, result: null, problems: [], created_at: '', updated_at: '', ...fields });
const set = (id: string, sourceId: string, fields: Partial<Notification> = {}): Notification => ({ id, projectId: 'p', source: 'execute', sourceId, kind: 'open_question', agent: 'coder', questions: [], responses: [], status: 'open', approved: null, createdAt: '', resolvedAt: null, outcome: null, task: null, ...fields });

test('an answer lets its task go on, and all that wait for that', () => {
    const tasks = [task('a', [], { status: 'blocked' }), task('b', ['a']), task('c', ['b', 'a']), task('d', ['c'], { status: 'closed' }), task('e')];
    assert.equal(waiting(tasks, 'a'), 2);
    assert.equal(unblocks(tasks, [set('s', 'a')], set('s', 'a')), 3);
    assert.equal(unblocks(tasks, [set('s', 'a'), set('t', 'a')], set('s', 'a')), 0, 'another set holds it still');
    assert.equal(unblocks(tasks, [], set('s', 'a', { source: 'plan' })), 0);
});

test('the picture leads from questions to what waits, step by step', () => {
    const tasks = [task('a', [], { status: 'blocked' }), task('b', ['a']), task('c', ['b', 'a']), task('free')];
    const { nodes, edges, columns, rows } = picture(tasks, [set('s', 'a'), set('elsewhere', 'x', { source: 'prd' })]);
    const column = Object.fromEntries(nodes.map((node) => [node.id, node.column]));
    assert.deepEqual(column, { s: 0, a: 1, b: 2, c: 3 });
    assert.deepEqual(edges.map(({ from, to }) => `${from.id}${to.id}`).toSorted(), ['ab', 'ac', 'bc', 'sa']);
    assert.equal(columns, 4);
    assert.equal(rows, 1);
    assert.equal(picture([task('free')], []).nodes.length, 0);
});

test('no two stand in one place, a circle does not hang, and what finds no room is counted', () => {
    const many = [task('a', ['z']), ...Array.from({ length: 30 }, (_, i) => task(`t${i}`, ['a'])), task('z', ['a'])];
    const drawn = picture(many, [], 20);
    assert.equal(new Set(drawn.nodes.map((node) => `${node.column}/${node.row}`)).size, drawn.nodes.length);
    assert.equal(drawn.left, 12);
});

test('options A, B, C are read from a question, and only from such', () => {
    const { ask, options } = tradeoffs('Which part?\n\nA: The payment step. For: most of it.\nB) The form\n   small\n- **C.** None');
    assert.equal(ask, 'Which part?');
    assert.deepEqual(options, [
        { letter: 'A', name: 'The payment step', more: 'For: most of it.' },
        { letter: 'B', name: 'The form small', more: '' },
        { letter: 'C', name: 'None', more: '' },
    ]);
    assert.deepEqual(tradeoffs('A: one thing only').options, []);
    assert.deepEqual(tradeoffs('Ask B: why?').options, []);
});
