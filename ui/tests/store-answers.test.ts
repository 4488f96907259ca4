// Answers on their way, and what becomes of those that are not taken.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Question } from '../src/core/api.gen.ts';
import { open, refused, type Page } from './lib/page.ts';
import { question, timedOut } from './lib/question.ts';

const stores = async () => ({ ...(await import('../src/stores/answers.svelte.ts')), ...(await import('../src/stores/refusals.svelte.ts')), ...(await import('../src/stores/questions.svelte.ts')), ...(await import('../src/stores/app.svelte.ts')), ...(await import('../src/stores/shown.svelte.ts')) });
const yes = { type: 'approval' as const, value: true };
const won = { status: 'answered' as const, response: { type: 'approval' as const, value: false }, outcome: { source: 'human' as const, by: 'Jonas', at: '2026-03-04T10:42:00Z' } };

async function begin(t: TestContext, first: Question, path = '/inbox') {
    const page = open(t, path);
    const asked = { now: first };
    page.server.on('GET /api/questions/*', () => ({ question: asked.now }));
    page.server.on('GET /api/questions/pending', () => ({ questions: [asked.now].filter(({ status }) => status === 'pending'), nextCursor: null, serverTime: page.now() }));
    const all = await stores();
    await page.live();
    await all.questions.load();
    all.shown.saw(first); // or no yes is taken (store-shown.test.ts)
    return { page, asked, ...all };
}
const sent = (page: Page) => page.server.to('POST /api/questions/*/answer').length;

test('an answer by one key waits four seconds, says so from four on, and can be taken back', async (t) => {
    const { page, answers, toasts, ticker } = await begin(t, question());
    page.server.on('POST /api/questions/*/answer', { success: true, jobResumed: true });
    await page.pass(700); // the page's clock has last looked a while ago
    answers.give(question(), yes, { quick: true });
    assert.equal(Math.ceil((toasts.list[0]!.until! - ticker.now) / 1000), 4);
    await page.pass(3900);
    assert.equal(sent(page), 0);
    toasts.list[0]!.undo!();
    await page.pass(5000);
    assert.equal(sent(page), 0);
    assert.deepEqual(answers.held, {});
    answers.give(question(), yes, { quick: true });
    await page.pass(4000);
    assert.equal(sent(page), 1);
    assert.equal(toasts.list.at(-1)!.text, 'Sent: Approved');
});

test('whoever answers twice has answered once', async (t) => {
    const { page, answers, refusals } = await begin(t, question());
    page.server.on('POST /api/questions/*/answer', { success: true, jobResumed: true });
    answers.give(question(), yes, { quick: true });
    answers.give(question(), yes, { quick: true });
    answers.give(question(), { type: 'approval', value: false });
    assert.equal(sent(page), 0, 'the first still waits');
    await page.pass(4000);
    assert.deepEqual([sent(page), refusals.list.length], [1, 0]);
});

test('whoever logs out has what they just gave sent first, and stays to be told when it was not taken', async (t) => {
    const { page, answers, refusals } = await begin(t, question());
    page.server.on('POST /api/questions/*/answer', refused(409, { error: 'Jonas has already answered this question.', code: 'conflict' }));
    answers.give(question(), yes, { quick: true });
    assert.equal(await answers.left(), false);
    assert.equal(refusals.list.length, 1);
    assert.equal(await answers.left(), true, 'they know by now');
    page.server.on('POST /api/questions/*/answer', { success: true, jobResumed: true });
    answers.give(question(), yes, { quick: true });
    assert.equal(await answers.left(), true);
    assert.equal(sent(page), 2);
    assert.deepEqual([...page.local.kept.keys()].filter((key) => /outbox|refused|drafts/.test(key)), []);
});

test('who is overruled while their answer waits is told at once, and it is kept over a reload until it is put away', async (t) => {
    let { page, asked, answers, refusals, speech, toasts } = await begin(t, question());
    page.server.on('POST /api/questions/*/answer', refused(409, { error: 'Jonas has already answered this question.', code: 'conflict' }));
    const spoken = page.watch(() => speech.words);
    answers.give(question(), yes, { quick: true });
    await page.pass(1000);
    assert.equal(sent(page), 0);
    asked.now = question(won);
    page.happen('question_answered', { questionId: 'q1', ...won });
    await page.until(() => refusals.list.length > 0, 'it is told before the moment is over');
    assert.equal(toasts.list.length, 0);
    const [told] = refusals.list;
    assert.deepEqual([told!.what, told!.mine, told!.why, told!.code, told!.href], ['Drop the tables?', 'Approved', 'Jonas has already answered this question.', 'conflict', '/inbox/q1']);
    await page.settle();
    assert.equal(spoken.seen.filter((words) => words.includes('Drop the tables?')).length, 1);
    page = await page.reload('/chat');
    ({ answers, refusals, speech } = await stores());
    const again = page.watch(() => speech.words);
    await page.live();
    assert.equal(refusals.list.length, 1);
    refusals.speak();
    assert.ok(!again.seen.some((words) => words.includes('Drop')), 'and spoken once');
    refusals.putAway(refusals.list[0]!);
    assert.equal(refusals.list.length, 0);
    assert.equal(await answers.left(), true);
    assert.deepEqual([...page.local.kept.keys()].filter((key) => key.startsWith('witan.refused')), []);
});

test('who came by a link, and can read no more, learns from the refusal how it ended', async (t) => {
    const page = open(t, '/q/q1');
    page.server.on('GET /api/me', refused(401, { error: 'This needs a token or a login.', code: 'unauthorized' }));
    page.server.on('GET /api/questions/*', refused(401, { error: 'It has ended.', code: 'link_ended' }));
    page.server.on('POST /api/questions/*/answer', refused(409, { error: 'Jonas has already answered this question.', code: 'conflict', status: won.status, winner: { ...won.outcome, response: won.response } }));
    const { answers, refusals, questions, shown } = await stores();
    await (await import('../src/stores/server.svelte.ts')).session.start();
    questions.learn(question());
    shown.saw(question());
    answers.give(question(), yes);
    await page.until(() => refusals.list.length > 0);
    const known = questions.all.get('q1')!;
    assert.deepEqual([known.status, known.outcome?.by, known.response], ['answered', 'Jonas', won.response]);
    assert.deepEqual([answers.waiting, refusals.list[0]!.code], [[], 'conflict']);
});

test('an approval that does not count is no answer that was sent', async (t) => {
    const { page, answers, refusals, toasts, questions } = await begin(t, question({ requestedBy: 'p1' }));
    page.server.on('POST /api/questions/*/answer', { success: true, jobResumed: false, approvals: { have: 0, need: 1, counted: false, why: 'You asked for this yourself.' } });
    answers.give(question(), yes);
    await page.until(() => refusals.list.length > 0);
    assert.deepEqual([refusals.list[0]!.code, refusals.list[0]!.why], ['uncounted', 'You asked for this yourself.']);
    assert.equal(Object.keys(answers.done).length, 0);
    assert.equal(toasts.list.length, 0);
    assert.equal(questions.all.get('q1')?.status, 'pending');
    page.server.on('POST /api/questions/*/answer', { success: true, jobResumed: false, approvals: { have: 1, need: 2, counted: true } });
    answers.give(question(), yes);
    assert.equal(refusals.list.length, 0, 'it is answered anew');
    await page.until(() => toasts.list.length > 0);
    assert.equal(toasts.list[0]!.text, 'Approved: counted, 1 of 2');
    assert.equal(answers.done['q1']?.counted, true);
});

test('whose approval was taken out of the count by other arguments is told', async (t) => {
    const by = (id: string, name: string) => ({ id, by: name, at: '' });
    const { page, refusals } = await begin(t, question({ requiredApprovals: 2, approvals: { have: 1, need: 2, by: [by('p1', 'Ada')] } }));
    page.happen('question_approval', { questionId: 'q1', by: 'Ada', approvals: { have: 1, need: 3 } });
    await page.settle();
    assert.equal(refusals.list.length, 0, 'her own');
    page.happen('question_approval', { questionId: 'q1', by: 'Jonas', approvals: { have: 1, need: 2 } });
    await page.until(() => refusals.list.length > 0);
    assert.match(refusals.list[0]!.why, /^Jonas approved with other arguments/);
});

test('a role that was taken away, words that do not fit and what is gone keep the words; trouble of the server keeps the answer', async (t) => {
    const text = question({ type: 'blocking', responseType: 'text' });
    const { page, answers, refusals, drafts } = await begin(t, text);
    for (const [status, code] of [[403, 'forbidden'], [400, 'invalid'], [404, 'not_found'], [410, 'gone'], [413, 'too_large']] as const) {
        page.server.on('POST /api/questions/*/answer', refused(status, { error: `No: ${status}.`, code, hint: 'Ask.' }));
        drafts.write('q1', { text: 'eu' });
        answers.give(text, { type: 'text', value: 'eu', text: 'nearer' });
        await page.until(() => refusals.list[0]?.code === code, String(status));
        assert.deepEqual([refusals.list.length, refusals.list[0]!.mine, refusals.list[0]!.why], [1, 'eu: “nearer”', `No: ${status}. Ask.`]);
        assert.equal(drafts.read('q1').text, 'eu');
        assert.deepEqual(refusals.list[0]!.response, { type: 'text', value: 'eu', text: 'nearer' });
    }
    refusals.putAway(refusals.list[0]!);
    assert.equal(drafts.read('q1').text, 'eu', 'the question is open: the words may yet be sent');
    page.server.on('POST /api/questions/*/answer', refused(503));
    answers.give(text, { type: 'text', value: 'eu' });
    await page.settle();
    assert.equal(answers.waiting.length, 1);
    assert.equal(refusals.list.length, 0);
});

test('an answer that was kept offline and came too late is told; one that was known to be late is kept and no refusal', async (t) => {
    const late = refused(409, { error: 'Too late.', code: 'late', hint: 'POST /api/questions/q1/restart', kept: true } as never);
    const { page, asked, answers, refusals, toasts } = await begin(t, question());
    page.server.away = true;
    answers.give(question(), yes);
    await page.settle();
    page.server.away = false;
    asked.now = timedOut();
    page.server.on('POST /api/questions/*/answer', late);
    page.fire('online');
    await page.until(() => refusals.list.length > 0);
    assert.deepEqual([refusals.list[0]!.code, refusals.list[0]!.kept], ['late', true]);
    assert.ok(!refusals.list[0]!.why.includes('/api/'), 'no hint for programs');
    await page.settle();
    answers.give(asked.now, yes, { quick: true });
    await page.until(() => toasts.list.some(({ text }) => text.startsWith('Kept with the question')), 'without a moment to take it back: it decides nothing');
    assert.equal(refusals.list.length, 0);
    page.server.on('POST /api/questions/*/answer', refused(409, { error: 'Too late.', code: 'late', kept: false } as never));
    answers.give(asked.now, yes);
    await page.until(() => refusals.list.length > 0, 'there is no room for it');
    assert.match(refusals.list[0]!.why, /yours is not/);
});

test('a job is restarted with a late answer, which puts its card away', async (t) => {
    const { page, answers, refusals } = await begin(t, timedOut());
    refusals.add({ id: 'r', questionId: 'q1', what: 'x', href: '', why: '', code: 'late', mine: 'y' });
    page.server.on('POST /api/questions/*/restart', refused(409, { error: 'Has already started a job.' }));
    await assert.rejects(answers.restart('q1'), /already started/);
    assert.equal(refusals.list.length, 1);
    page.server.on('POST /api/questions/*/restart', { jobId: 'j2', restartOf: 'j1' });
    await answers.restart('q1');
    assert.equal(page.path, '/jobs/j2');
    assert.equal(refusals.list.length, 0);
});

test('what a form is told stays in the form while it is there and could be mended there', async (t) => {
    const { refusals, page } = await begin(t, question());
    const { Refused } = await import('../src/core/api.ts'); // that of this page
    const told = { what: 'Which colour?', href: '/chat?prompt=1', mine: 'Green' };
    const [here, gone] = [{ isConnected: true }, { isConnected: false }] as unknown as Element[];
    assert.equal(refusals.tell(new Refused(400, { error: 'Too long.', field: 'message' }), told, here), false);
    assert.equal(refusals.tell(new Refused(503, { error: 'Later.' }), told, here), false);
    assert.equal(refusals.tell(new Error('The server cannot be reached.'), told, here), false);
    assert.equal(refusals.list.length, 0);
    assert.equal(refusals.tell(new Refused(409, { error: 'It has ended.', field: 'id' }), told, here), true);
    assert.equal(refusals.tell(new Refused(400, { error: 'Cannot respond.' }), told, here), true);
    assert.equal(refusals.tell(new Error('The server cannot be reached.'), told, gone), true);
    assert.equal(refusals.list.length, 3);
    // Another tab puts one away, and a tab that nobody sees is silent until somebody does.
    page.local.kept.delete('witan.refused.p1');
    page.fire('storage', { key: 'witan.refused.p1' });
    assert.equal(refusals.list.length, 0);
    const { speech } = await stores();
    const spoken = page.watch(() => speech.words);
    page.see(false);
    refusals.tell(new Refused(409, { error: 'It has ended.' }), told, here);
    await page.settle();
    assert.equal(spoken.seen.length, 1);
    page.see(true);
    await page.until(() => spoken.seen.at(-1)!.includes('Which colour?') && spoken.seen.length > 1, 'it is spoken once somebody looks');
});
