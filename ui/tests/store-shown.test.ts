// A yes is taken only for what was on screen to its end, as it stands now, wherever it was pressed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question } from '../src/core/api.gen.ts';
import { open } from './lib/page.ts';
import { you } from './lib/question.ts';

const approval = (page: { now: (later?: number) => string }, more: Partial<Question> = {}) =>
    ({ id: 'q1', jobId: 'j1', type: 'approval', responseType: 'approval', question: 'Run it?', status: 'pending', askedBy: 'Builder', createdAt: page.now(), timeoutAt: page.now(600_000), action: { name: 'run', args: { command: 'ls' } }, approvedArgs: null, context: null, options: null, defaultResponse: null, you, ...more }) as Question;

async function begin(t: Parameters<typeof open>[0], more: Partial<Question> = {}) {
    const page = open(t, '/inbox/q1');
    page.server.on('POST /api/questions/q1/answer', { status: 'answered' });
    page.server.on('GET /api/questions/q1', () => ({ question: approval(page, { ...more, status: 'answered' }) }));
    const [{ questions }, { answers }, { Reply }, { shown }, { toasts }] = await Promise.all([
        import('../src/stores/questions.svelte.ts'),
        import('../src/stores/answers.svelte.ts'),
        import('../src/stores/reply.svelte.ts'),
        import('../src/stores/shown.svelte.ts'),
        import('../src/stores/app.svelte.ts'),
    ]);
    await page.live();
    const question = approval(page, more);
    questions.all.set('q1', question);
    return { page, questions, answers, shown, toasts, question, reply: new Reply(question), sent: () => page.server.to('POST /api/questions/q1/answer').map(({ body }) => (body as { response: unknown }).response) };
}

test('what was not shown is not approved, by whatever way, and that is said', async (t) => {
    const { page, answers, shown, toasts, question, reply, sent } = await begin(t);
    assert.equal(reply.shown, false);
    reply.approve();
    assert.match(toasts.list.at(-1)!.text, /^Not sent/);
    reply.approve(true);
    reply.decide(true);
    answers.give(question, { type: 'approval', value: true });
    await page.pass(10_000);
    assert.deepEqual(sent(), []);
    reply.approve();
    shown.saw(question);
    assert.equal(reply.shown, true);
    reply.approve(); // by the same key, held down to get to the end
    assert.match(toasts.list.at(-1)!.text, /^Too early/);
    await page.pass(10_000);
    assert.deepEqual(sent(), []);
    reply.approve();
    await page.until(() => sent().length > 0);
    assert.deepEqual(sent(), [{ type: 'approval', value: true }]);
});

test('a no needs nothing, and neither does what is no approval', async (t) => {
    const { page, reply, shown, question, sent } = await begin(t);
    assert.equal(shown.has({ ...question, type: 'blocking', responseType: 'boolean' }), true);
    assert.equal(shown.has({ ...question, responseType: 'boolean' }), false);
    reply.decide(false);
    await page.until(() => sent().length > 0);
    assert.deepEqual(sent(), [{ type: 'approval', value: false }]);
});

test('what others change meanwhile has to be seen again, and is what is approved then', async (t) => {
    const { page, questions, reply, shown, question, sent } = await begin(t, { requiredApprovals: 2 });
    shown.saw(question);
    assert.equal(reply.shown, true);
    const changed = { ...question, approvedArgs: { command: 'ls -l' } };
    questions.all.set('q1', changed);
    assert.equal(reply.shown, false);
    assert.deepEqual([shown.changed(question), shown.changed(changed), shown.changed({ ...question, id: 'q2' })], [false, true, false]);
    reply.follow(changed); // as whoever shows it does
    assert.equal(reply.args, '{\n  "command": "ls -l"\n}');
    reply.approve();
    await page.pass(10_000);
    assert.deepEqual(sent(), []);
    shown.saw(changed);
    reply.approve();
    await page.until(() => sent().length > 0);
    assert.deepEqual(sent(), [{ type: 'approval', value: true, args: { command: 'ls -l' } }]);
});
