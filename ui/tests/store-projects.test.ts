// The projects with what is stuck in each, and one as it is worked on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Later, open, refused, type Call } from './lib/page.ts';

const load = () => import('../src/stores/projects.svelte.ts');
const task = (id: string, more = {}) => ({ id, title: id, status: 'open', ...more });
const set = (id: string, asked: number, answered: number) => ({ id, status: 'open', questions: Array.from({ length: asked }, (_, i) => ({ id: `q${i}` })), responses: Array.from({ length: answered }, (_, i) => ({ questionId: `q${i}` })) });

function furnish(page: ReturnType<typeof open>): void {
    page.server.on('GET /api/projects', ({ query }: Call) => (query['cursor'] ? { projects: [{ id: 'p2', name: 'Two' }], nextCursor: null } : { projects: [{ id: 'p1', name: 'One' }], nextCursor: 'x' }));
    page.server.on('GET /api/projects/*', (_: Call, [id]: string[]) => ({ id, name: id }));
    page.server.on('GET /api/projects/*/tasks', { tasks: [task('t1'), task('t2')], nextCursor: null });
    page.server.on('GET /api/projects/*/notifications', { notifications: [set('s1', 3, 1), set('s2', 1, 0)], nextCursor: null });
    page.server.on('GET /api/projects/*/feedback', { feedback: [], nextCursor: null });
    page.server.on('GET /api/projects/*/prd', { sections: [] });
    page.server.on('GET /api/projects/*/plans', { plans: [] });
}

test('all of them are listed, each with what is stuck in it; what happens in one is counted there alone', async (t) => {
    const page = open(t, '/projects');
    furnish(page);
    const { projects } = await load();
    await page.live();
    page.happen('task.updated', { projectId: 'p1', taskId: 't1' });
    await page.pass(500);
    assert.equal(page.server.to('GET /api/projects').length, 0, 'nobody looks');
    projects.show();
    await page.until(() => projects.stuck.size === 2);
    assert.deepEqual(projects.list.map(({ name }) => name), ['One', 'Two']);
    assert.deepEqual(projects.stuck.get('p2'), { blocked: 2, questions: 3 });
    const before = page.server.to('GET /api/projects/p2/tasks').length;
    page.server.on('GET /api/projects/p1/tasks', { tasks: [], nextCursor: null });
    page.happen('task.updated', { projectId: 'p1', taskId: 't1' });
    page.happen('task.updated', { projectId: 'p1', taskId: 't2' });
    await page.pass(120);
    await page.until(() => projects.stuck.get('p1')?.blocked === 0);
    assert.equal(page.server.to('GET /api/projects/p1/tasks').length, 2, 'two changes are one look');
    assert.equal(page.server.to('GET /api/projects/p2/tasks').length, before);
});

test('one that is not known brings the list anew, and what cannot be counted says nothing', async (t) => {
    const page = open(t, '/projects');
    furnish(page);
    const { projects } = await load();
    await page.live();
    const leave = projects.show();
    await page.until(() => projects.stuck.size === 2);
    page.server.on('GET /api/projects', { projects: [{ id: 'p3', name: 'Three' }], nextCursor: null });
    page.server.on('GET /api/projects/p3/tasks', refused(500));
    page.happen('task.created', { projectId: 'p3' });
    await page.pass(120);
    await page.until(() => projects.list[0]?.id === 'p3' && page.server.to('GET /api/projects/p3/tasks').length > 0);
    await page.settle();
    assert.equal(projects.stuck.has('p3'), false);
    leave();
    const reads = page.server.calls.length;
    page.happen('task.created', { projectId: 'p4' });
    await page.pass(500);
    assert.equal(page.server.calls.length, reads, 'nobody looks any more');
});

test('a list that fails says so, and the next that comes takes that away', async (t) => {
    const page = open(t, '/projects');
    furnish(page);
    page.server.on('GET /api/projects', refused(503));
    const { projects } = await load();
    await projects.load();
    assert.ok(projects.failure);
    assert.equal(projects.loaded, false);
    furnish(page);
    await projects.load();
    assert.equal(projects.failure, undefined);
    assert.equal(projects.list.length, 2);
});

test('what is told of a task while the list is on its way is newer than the list', async (t) => {
    const page = open(t, '/projects/p1');
    furnish(page);
    const slow = new Later();
    page.server.on('GET /api/projects/p1/tasks', () => slow.reply);
    const { projects, Work } = await load();
    await page.live();
    const work = new Work('p1');
    const leave = projects.watch(work);
    await page.until(() => page.server.to('GET /api/projects/p1/tasks').length === 1);
    page.happen('task.updated', { projectId: 'p1', taskId: 't1', ...task('t1', { status: 'closed' }) });
    page.happen('task.deleted', { projectId: 'p1', taskId: 't2' });
    page.happen('task.updated', { projectId: 'p2', taskId: 't9', ...task('t9') }); // another project's
    await page.settle();
    slow.give({ tasks: [task('t1'), task('t2'), task('t3')], nextCursor: null });
    await page.until(() => work.loaded);
    assert.deepEqual(work.tasks.map(({ id, status }) => `${id} ${status}`), ['t1 closed', 't3 open']);
    assert.equal(work.task('t9'), undefined);
    leave();
    page.happen('task.deleted', { projectId: 'p1', taskId: 't1' });
    await page.settle();
    assert.ok(work.task('t1'), 'nobody works on it here any more');
});

test('a project that is not there is gone; one that cannot be read is not', async (t) => {
    const page = open(t, '/projects/p1');
    furnish(page);
    page.server.on('GET /api/projects/p1', refused(404));
    page.server.on('GET /api/projects/p2', refused(500));
    const { Work } = await load();
    const [gone, failed] = [new Work('p1'), new Work('p2')];
    await gone.load();
    await failed.load();
    assert.deepEqual([gone.gone, gone.failure], [true, undefined]);
    assert.equal(failed.gone, false);
    assert.ok(failed.failure);
});

test('what is settled or dismissed here is not brought back by a list that began before', async (t) => {
    const page = open(t, '/projects/p1');
    furnish(page);
    const { Work, unanswered } = await load();
    const work = new Work('p1');
    await work.load();
    assert.deepEqual(work.sets.map(unanswered), [2, 1]);
    const slow = new Later();
    let reads = 0;
    page.server.on('GET /api/projects/p1/notifications', () => (++reads === 1 ? slow.reply : { notifications: [set('s1', 3, 2)], nextCursor: null }));
    const again = work.load();
    await page.until(() => reads === 1);
    page.server.on('PATCH /api/projects/p1/notifications/s1', { ...set('s1', 3, 2) });
    page.server.on('DELETE /api/projects/p1/notifications/s2', {});
    await work.settle('s1', { responses: [] });
    await work.dismiss('s2');
    const shown = page.watch(() => work.sets.map(({ id }) => id).join());
    slow.give({ notifications: [set('s1', 3, 1), set('s2', 1, 0)], nextCursor: null });
    await again;
    assert.ok(!shown.seen.includes('s1,s2'), 'not even for a moment');
    assert.deepEqual(work.sets.map(({ id }) => id), ['s1']);
    assert.equal(unanswered(work.sets[0]!), 1);
    page.server.on('PATCH /api/projects/p1/notifications/s1', { ...set('s1', 3, 3), status: 'resolved' });
    await work.settle('s1', { responses: [] });
    assert.equal(work.sets.length, 0);
});

test('tasks that are made and changed here are there at once, and a name that was given stays', async (t) => {
    const page = open(t, '/projects/p1');
    furnish(page);
    page.server.on('POST /api/projects/p1/tasks', task('t3'));
    page.server.on('PATCH /api/projects/p1/tasks/t1', task('t1', { status: 'closed' }));
    page.server.on('PATCH /api/projects/p1', { id: 'p1', name: 'Till' });
    const { Work } = await load();
    const work = new Work('p1');
    await work.load();
    await work.makeTask({ title: 't3' });
    await work.setTask('t1', { status: 'closed' });
    assert.deepEqual(work.tasks.map(({ id, status }) => `${id} ${status}`), ['t3 open', 't1 closed', 't2 open']);
    const slow = new Later();
    let reads = 0;
    page.server.on('GET /api/projects/p1', () => (++reads === 1 ? slow.reply : { id: 'p1', name: 'Till' }));
    const again = work.load();
    await page.until(() => reads === 1);
    await work.update({ name: 'Till' });
    const shown = page.watch(() => work.project?.name);
    slow.give({ id: 'p1', name: 'p1' });
    await again;
    assert.ok(!shown.seen.includes('p1'), 'not even for a moment');
    assert.equal(work.project!.name, 'Till');
});
