// The questions, what else waits, and what of it all needs whoever looks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item, Question } from '../src/core/api.gen.ts';
import { Later, open, refused, type Page } from './lib/page.ts';
import { question, you } from './lib/question.ts';

const pending = 'GET /api/questions/pending';
const inbox = 'GET /api/inbox';
const one = 'GET /api/questions/*';
const item = (fields: Partial<Item>): Item =>
    ({ id: 'i1', type: 'open_questions', text: 'Which?', questions: 1, agent: null, projectId: 'p1', project: 'Shop', assignedTo: null, assignee: null, requiredRole: null, you, timeoutAt: null, defaultResponse: null, source: null, discussionId: null, createdAt: '2026-03-04T10:00:00Z', ...fields }) as Item;
const ids = (those: Iterable<{ id: string }>) => [...those].map(({ id }) => id).join(' ');

// A server that knows these questions, and one at a time what a test says about it.
function knows(page: Page, ...all: Question[]): Map<string, Question> {
    const by = new Map(all.map((each) => [each.id, each]));
    page.server.on(one, (_: unknown, [id]: string[]) => (by.has(id!) ? { question: by.get(id!) } : refused(404)));
    page.server.on(pending, () => ({ questions: [...by.values()].filter(({ status }) => status === 'pending'), serverTime: page.now(), nextCursor: null }));
    page.server.on(inbox, { items: [], serverTime: page.now(), more: false, needYou: 0 });
    return by;
}
const stores = async () => ({
    ...(await import('../src/stores/questions.svelte.ts')),
    ...(await import('../src/stores/asked.svelte.ts')),
    ...(await import('../src/stores/needs.svelte.ts')),
    ...(await import('../src/stores/answers.svelte.ts')),
});

test('what is open is listed by its deadline, page after page, and what has ended meanwhile is looked up', async (t) => {
    const page = open(t, '/inbox');
    const by = knows(page);
    const list = [question({ id: 'late', timeoutAt: page.now(9e5) }), question({ id: 'none' }), question({ id: 'soon', timeoutAt: page.now(6e4) })];
    page.server.on(pending, ({ query }: { query: Record<string, string> }) => (query['cursor'] ? { questions: list.slice(2), serverTime: page.now(), nextCursor: null } : { questions: list.slice(0, 2), serverTime: page.now(), nextCursor: 'more' }));
    const { questions } = await stores();
    await page.live();
    await questions.load();
    assert.equal(ids(questions.open), 'soon late none');
    assert.equal(page.server.to(pending).at(-1)!.query['workspaceId'], 'w1');
    by.set('late', question({ id: 'late', status: 'answered' }));
    list.shift();
    await questions.load();
    await page.pass(60);
    assert.equal(ids(questions.open), 'soon none');
    assert.equal(questions.all.get('late')?.status, 'answered');
});

test('a list that fails says so and keeps what is known', async (t) => {
    const page = open(t, '/inbox');
    knows(page, question());
    const { questions } = await stores();
    await page.live();
    await questions.load();
    page.server.on(pending, refused(500));
    await questions.load();
    assert.ok(questions.failure);
    assert.equal(ids(questions.open), 'q1');
});

test('what happens to one is read, and a reply from before does not open it again', async (t) => {
    const page = open(t, '/inbox');
    const by = knows(page, question());
    const { questions } = await stores();
    const asked: string[] = [];
    questions.onasked = ({ id }) => void asked.push(id);
    await page.live();
    await questions.load();
    by.set('q2', question({ id: 'q2' }));
    page.happen('question_asked', { questionId: 'q2' });
    await page.pass(60);
    assert.equal(ids(questions.open), 'q1 q2');
    assert.deepEqual(asked, ['q2'], 'it has just been asked');
    const slow = new Later();
    let reads = 0;
    page.server.on(one, () => (++reads === 1 ? slow.reply : { question: question({ id: 'q2', status: 'answered' }) }));
    page.happen('question_extended', { questionId: 'q2' });
    await page.pass(60);
    page.happen('question_answered', { questionId: 'q2', response: { type: 'approval', value: true }, outcome: { source: 'human', by: 'Bo', at: page.now() } });
    await page.settle();
    assert.equal(questions.all.get('q2')?.status, 'answered');
    slow.give({ question: question({ id: 'q2' }) });
    await page.settle();
    assert.equal(questions.all.get('q2')?.status, 'answered', 'what was read before it ended');
    await page.pass(60);
    assert.equal(questions.all.get('q2')?.status, 'answered');
    assert.equal(asked.length, 1);
});

test('what is given to somebody is to them as if it had just been asked; a snooze is not', async (t) => {
    const page = open(t, '/inbox');
    const by = knows(page, question({ you: { ...you, mayAnswer: false, yesCounts: false, bar: 'assigned', reason: 'For Bo.' } }));
    const { questions } = await stores();
    const asked: string[] = [];
    questions.onasked = ({ id }) => void asked.push(id);
    await page.live();
    await questions.load();
    by.set('q1', question({ assignedTo: 'p1' }));
    page.happen('question_assigned', { questionId: 'q1', assignedTo: 'p1' });
    await page.pass(60);
    assert.deepEqual(asked, ['q1']);
    assert.equal(questions.all.get('q1')?.you.mayAnswer, true);
    by.set('q1', question({ you: { ...you, snoozedUntil: page.now(6e5) } }));
    page.happen('question_snoozed', { questionId: 'q1', until: page.now(6e5) });
    await page.pass(60);
    assert.deepEqual(asked, ['q1']);
    assert.ok(questions.all.get('q1')?.you.snoozedUntil);
});

test('many at once are read with the list, and open nothing', async (t) => {
    const page = open(t, '/inbox');
    const by = knows(page);
    const { questions } = await stores();
    questions.onasked = () => assert.fail('so many at once');
    await page.live();
    await questions.load();
    const before = page.server.to(pending).length;
    for (let n = 0; n < 20; n++) {
        by.set(`n${n}`, question({ id: `n${n}` }));
        page.happen('question_asked', { questionId: `n${n}` });
    }
    await page.pass(60);
    assert.equal(questions.open.length, 20);
    assert.equal(page.server.to(pending).length, before + 1);
    assert.equal(page.server.to('GET /api/questions/n0').length, 0);
});

test('one that is not there is forgotten; trouble of the server is told', async (t) => {
    const page = open(t, '/inbox');
    knows(page, question());
    const { questions } = await stores();
    await page.live();
    await questions.load();
    page.server.on(one, refused(404));
    assert.equal(await questions.fetch('q1'), undefined);
    assert.equal(questions.all.size, 0);
    page.server.on(one, refused(500));
    await assert.rejects(questions.fetch('q1'));
});

test('sets, prompts and turns are each read once for all that happens at once', async (t) => {
    const page = open(t, '/inbox');
    knows(page);
    const lists: Record<string, Item[]> = { open_questions: [item({})], prompt: [item({ id: 'i2', type: 'prompt', timeoutAt: page.now(6e4) })], turn: [item({ id: 'i3', type: 'turn', discussionId: 'd1', timeoutAt: page.now(3e4) })] };
    page.server.on(inbox, ({ query }: { query: Record<string, string> }) => ({ items: lists[query['type']!], serverTime: page.now(), more: false, needYou: 1 }));
    const { asked } = await stores();
    await page.live();
    await page.pass(1500);
    assert.ok(asked.tried);
    assert.equal(ids(asked.all), 'i3 i2 i1');
    assert.equal(asked.of('i2')?.type, 'prompt');
    const reads = page.server.to(inbox).length;
    lists['turn'] = [];
    for (let n = 0; n < 5; n++) page.happen('turn.finished', { discussionId: 'd1' });
    page.happen('turn.finished', { discussionId: 'another' });
    page.happen('prompt.ended', { promptId: 'another' });
    await page.pass(120);
    assert.equal(ids(asked.all), 'i2 i1');
    assert.equal(page.server.to(inbox).length, reads + 1, 'what is listed nowhere here is nobody’s matter');
    page.server.on(inbox, refused(500));
    page.happen('turn.waiting', { discussionId: 'd2' });
    await page.pass(120);
    assert.equal(ids(asked.all), 'i2 i1', 'what is known stays');
});

test('what needs one is one list: what others are for, what nobody waits for and what is snoozed is not in it', async (t) => {
    const page = open(t, '/inbox');
    const no = (bar: NonNullable<Question['you']['bar']>) => ({ ...you, mayAnswer: false, yesCounts: false, needed: false, bar, reason: 'No.' });
    knows(
        page,
        question({ id: 'mine', timeoutAt: page.now(9e5) }),
        question({ id: 'words', type: 'blocking', responseType: 'text' }),
        question({ id: 'bo', assignedTo: 'p2', you: no('assigned') }),
        question({ id: 'own', you: { ...no('requester'), mayAnswer: true } }),
        question({ id: 'idle', type: 'non_blocking', responseType: 'text' }),
        question({ id: 'later', you: { ...you, needed: false, snoozedUntil: page.now(3e5) } }),
    );
    page.server.on(inbox, ({ query }: { query: Record<string, string> }) => ({ items: query['type'] === 'turn' ? [item({ id: 'ada', type: 'turn' }), item({ id: 'hers', type: 'turn', assignedTo: 'p2', you: no('assigned') })] : [], serverTime: page.now(), more: false, needYou: 0 }));
    const { answers, needs, questions } = await stores();
    const woken: string[] = [];
    needs.onwake = (id) => void woken.push(id);
    const count = page.watch(() => (needs.asleep, needs.look(), needs.count));
    await page.live();
    await questions.load();
    await page.pass(1500);
    assert.equal(ids(needs.all), 'mine words ada');
    assert.equal(needs.approvals, 1);
    assert.deepEqual([...needs.asleep.keys()], ['later']);
    answers.held['mine'] = 'undo';
    assert.equal(ids(needs.all), 'words ada', 'it has just been answered here');
    delete answers.held['mine'];
    answers.waiting = [{ key: 'k1', by: 'p1', questionId: 'words', response: { type: 'text', value: 'Ada' }, label: 'Ada', at: 0 }];
    assert.equal(ids(needs.all), 'mine ada', 'its answer waits for the server');
    answers.waiting = [];
    await page.pass(3e5);
    assert.equal(ids(needs.all), 'mine words later ada', 'its time is over');
    assert.deepEqual(woken, ['later'], 'and that is told once');
    assert.equal(count.seen.at(-1), 4);
    await page.pass(5000);
    assert.deepEqual(woken, ['later']);
});

test('who wakes it by hand is not told that it has woken', async (t) => {
    const page = open(t, '/inbox');
    const by = knows(page, question({ you: { ...you, snoozedUntil: page.now(3e5) } }));
    page.server.on('POST /api/questions/*/wake', () => {
        by.set('q1', question());
        return { snoozedUntil: null };
    });
    const { needs, questions } = await stores();
    needs.onwake = () => assert.fail('by hand');
    page.watch(() => (needs.asleep, needs.look(), needs.count));
    await page.live();
    await questions.load();
    assert.equal(needs.count, 0);
    const { wake } = await import('../src/stores/whose.ts');
    await wake(questions.all.get('q1')!);
    assert.equal(needs.count, 1);
});

test('a snooze says until when; what is refused is said, and changes nothing', async (t) => {
    const page = open(t, '/inbox');
    const by = knows(page, question({ timeoutAt: page.now(9e5) }));
    const until = page.now(6e5);
    page.server.on('POST /api/questions/*/snooze', () => {
        by.set('q1', question({ you: { ...you, snoozedUntil: until } }));
        return { snoozedUntil: until };
    });
    const { needs, questions } = await stores();
    const { toasts } = await import('../src/stores/app.svelte.ts');
    const { snooze } = await import('../src/stores/whose.ts');
    await page.live();
    await questions.load();
    await snooze(questions.all.get('q1')!);
    assert.deepEqual(page.server.to('POST /api/questions/*/snooze').at(-1)!.body, { minutes: 10 });
    assert.match(toasts.list.at(-1)!.text, /^Snoozed for you until .* The deadline, .*, runs on\.$/);
    assert.equal(needs.count, 0);
    page.server.on('POST /api/questions/*/snooze', refused(409, { error: 'Too soon.' }));
    await snooze(questions.all.get('q1')!, 60);
    assert.equal(toasts.list.at(-1)!.text, 'Too soon.');
});

test('who gives a question away sees it as another’s at once; a refusal is for the form to say', async (t) => {
    const page = open(t, '/inbox');
    knows(page, question());
    const given = question({ assignedTo: 'p2', assignee: 'Bo', you: { ...you, mayAnswer: false, yesCounts: false, bar: 'assigned', reason: 'For Bo.' } });
    page.server.on('POST /api/questions/*/assign', { question: given });
    page.server.on('POST /api/questions/*/unassign', { question: question() });
    const { needs, questions } = await stores();
    const { assign } = await import('../src/stores/whose.ts');
    await page.live();
    await questions.load();
    await assign(questions.all.get('q1')!, 'p2', 'You know them.');
    assert.deepEqual(page.server.to('POST /api/questions/*/assign').at(-1)!.body, { to: 'p2', note: 'You know them.' });
    assert.equal(needs.count, 0);
    await assign(given, '', '');
    assert.deepEqual(page.server.to('POST /api/questions/*/unassign').at(-1)!.body, {});
    assert.equal(needs.count, 1);
    page.server.on('POST /api/questions/*/assign', refused(400, { error: 'to names nobody.', field: 'to' }));
    await assert.rejects(assign(question(), 'p9', ''), /to names nobody/);
});

test('an answer of who may not is not sent, whatever offers it', async (t) => {
    const page = open(t, '/inbox');
    knows(page, question({ type: 'blocking', responseType: 'text', you: { ...you, mayAnswer: false, yesCounts: false, bar: 'assigned', reason: 'This question is assigned to Bo.' } }));
    const { answers, questions } = await stores();
    const { toasts } = await import('../src/stores/app.svelte.ts');
    const { Reply } = await import('../src/stores/reply.svelte.ts');
    await page.live();
    await questions.load();
    answers.give(questions.all.get('q1')!, { type: 'text', value: 'Here' });
    assert.equal(toasts.list.at(-1)!.text, 'This question is assigned to Bo.');
    const reply = new Reply(questions.all.get('q1')!);
    reply.text = 'Here';
    reply.send();
    await page.pass(5000);
    assert.equal(reply.bar, 'This question is assigned to Bo.');
    assert.equal(page.server.to('POST /api/questions/*/answer').length, 0);
});

test('whose own request it is can say no, and a yes only by changed arguments where they had approved before', async (t) => {
    const page = open(t, '/inbox');
    knows(page, question({ action: { name: 'deploy', args: { to: 'a' } }, you: { ...you, yesCounts: false, bar: 'requester', reason: 'Yours.' } }));
    const { questions } = await stores();
    const { Reply } = await import('../src/stores/reply.svelte.ts');
    await page.live();
    await questions.load();
    const reply = new Reply(questions.all.get('q1')!);
    assert.deepEqual([reply.mayAnswer, reply.mayApprove, reply.approvable, reply.bar], [true, false, false, 'Yours.']);
    reply.editing = true;
    reply.args = '{"to": "b"}';
    assert.equal(reply.mayApprove, false);
    questions.all.set('q1', question({ action: { name: 'deploy', args: { to: 'a' } }, you: { ...you, yesCounts: false, bar: 'approved', reason: 'Once.' } }));
    assert.deepEqual([reply.mayApprove, reply.bar], [true, '']);
    reply.editing = false;
    assert.deepEqual([reply.mayApprove, reply.bar], [false, 'Once.']);
});

test('attention outside the page: a notification for who wants one and looks elsewhere, and a badge', async (t) => {
    const page = open(t, '/inbox');
    const set: unknown[] = [];
    page.navigator['setAppBadge'] = async (n: number) => void set.push(n);
    page.navigator['clearAppBadge'] = async () => void set.push('none');
    const { notify, setBadge } = await import('../src/stores/attention.ts');
    notify('Scout', 'Drop it?', 'q1', true);
    assert.equal(page.notices.length, 0, 'somebody looks');
    page.see(false);
    notify('Scout', 'Drop it?', 'q1', true);
    assert.equal(page.notices.length, 0, 'nobody has allowed it');
    page.allowNotices('granted');
    notify('Scout', 'Drop it?', 'q1', false);
    assert.equal(page.notices.length, 0, 'nobody wants it');
    notify('Scout', 'x'.repeat(900), 'q1', true);
    assert.equal(page.notices.length, 1);
    assert.equal(page.notices[0]!.options.body!.length, 200);
    page.notices[0]!.onclick!();
    assert.equal(page.path, '/inbox/q1');
    setBadge(2);
    setBadge(2);
    assert.equal(page.document.icon.href, '/icon-dot.svg');
    setBadge(0);
    assert.equal(page.document.icon.href, '/icon.svg');
    assert.deepEqual(set, [2, 'none'], 'once for each number');
});

test('views are kept under their names; projects are asked for once and named by their ids until they come', async (t) => {
    let page = open(t, '/inbox');
    let { projectNames, views } = await import('../src/stores/inbox.svelte.ts');
    views.keep('Shop', '?project=p1');
    views.keep('Shop', '?project=p2');
    assert.deepEqual(views.all, [{ name: 'Shop', query: '?project=p2' }]);
    const slow = new Later();
    page.server.on('GET /api/projects', () => slow.reply);
    const learnt = projectNames.learn(['p1']);
    void projectNames.learn(['p1']);
    assert.equal(projectNames.of('p1'), 'p1');
    slow.give({ projects: [{ id: 'p1', name: 'Web shop' }], nextCursor: null });
    await learnt;
    assert.equal(projectNames.of('p1'), 'Web shop');
    assert.equal(page.server.to('GET /api/projects').length, 1);
    page.server.on('GET /api/projects', refused(500));
    await projectNames.learn(['p2']);
    page.server.on('GET /api/projects', { projects: [{ id: 'p2', name: 'Other' }], nextCursor: null });
    await projectNames.learn(['p2']);
    assert.equal(projectNames.of('p2'), 'Other', 'what failed is asked for again');
    page = await page.reload();
    ({ projectNames, views } = await import('../src/stores/inbox.svelte.ts'));
    assert.equal(views.all.length, 1);
    views.drop('Shop');
    assert.deepEqual(views.all, []);
});
