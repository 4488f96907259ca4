// The answer that somebody is about to give.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Question } from '../src/core/api.gen.ts';
import { open } from './lib/page.ts';
import { question } from './lib/question.ts';

async function begin(t: TestContext, fields: Partial<Question> = {}) {
    const page = open(t);
    page.server.on('GET /api/questions/*', () => ({ question: question(fields) }));
    page.server.on('POST /api/questions/*/answer', { success: true, jobResumed: true });
    const { Reply, other } = await import('../src/stores/reply.svelte.ts');
    const { drafts } = await import('../src/stores/app.svelte.ts');
    const { shown } = await import('../src/stores/shown.svelte.ts');
    await page.live();
    shown.saw(question(fields)); // or no yes is taken (store-shown.test.ts)
    const given = async () => {
        await page.until(() => page.server.to('POST /api/questions/*/answer').length > 0);
        return (page.server.to('POST /api/questions/*/answer').at(-1)!.body as { response: unknown }).response;
    };
    return { page, reply: new Reply(question(fields)), Reply, other, drafts, given, shown };
}
const action = { name: 'db.drop', args: { tables: 5 } };

test('what was typed is there again, and others hear that somebody types, now and then', async (t) => {
    const { page, reply, Reply } = await begin(t, { type: 'blocking', responseType: 'text' });
    page.server.on('POST /api/questions/*/draft', {});
    for (const letter of 'half a sentence') {
        reply.text += letter;
        reply.typed();
    }
    await page.settle();
    assert.equal(page.server.to('POST /api/questions/*/draft').length, 1);
    await page.pass(20_000);
    reply.typed();
    await page.settle();
    assert.equal(page.server.to('POST /api/questions/*/draft').length, 2);
    assert.equal(new Reply(question({ responseType: 'text' })).text, 'half a sentence');
});

test('nothing is sent before it is whole: a text, a choice, words of one’s own', async (t) => {
    const { page, reply, other, given } = await begin(t, { type: 'blocking', responseType: 'choice', allowOther: true, options: [{ id: 'o1', label: 'eu', value: 'eu' }, { id: 'o2', label: 'us', value: 'us' }] });
    reply.send();
    assert.ok(reply.missing);
    assert.deepEqual([0, 2, 3].map((index) => reply.choose(index)), [true, true, false]);
    assert.equal(reply.choice, other);
    reply.send();
    assert.ok(reply.missing, 'without words');
    await page.settle();
    assert.equal(page.server.to('POST /api/questions/*/answer').length, 0);
    reply.choose(1);
    reply.note = ' nearer ';
    reply.send();
    assert.deepEqual(await given(), { type: 'choice', value: 'us', text: 'nearer' });
});

test('arguments are approved as proposed, or as they were changed, and never while they are no JSON', async (t) => {
    const { page, reply, given } = await begin(t, { action });
    reply.editing = true;
    reply.args = '{"tables": ';
    reply.approve();
    await page.settle();
    assert.equal(page.server.to('POST /api/questions/*/answer').length, 0);
    reply.args = '{"tables": 3}';
    reply.approve();
    assert.deepEqual(await given(), { type: 'approval', value: true, args: { tables: 3 } });
});

test('who approves after another has changed the arguments sees and sends those, unless they changed some themselves', async (t) => {
    const { reply, Reply, given, shown } = await begin(t, { action, requiredApprovals: 2 });
    assert.ok(!reply.changed);
    reply.follow(question({ action, approvedArgs: { tables: 3 } }));
    assert.ok(reply.changed && reply.editing, 'it is shown as a change');
    reply.follow(question({ action, approvedArgs: { tables: 2 } }));
    assert.deepEqual(JSON.parse(reply.args), { tables: 2 }, 'and so is the next');
    reply.args = '{"tables": 1}';
    reply.follow(question({ action, approvedArgs: { tables: 4 } }));
    assert.deepEqual(JSON.parse(reply.args), { tables: 1 }, 'what somebody types is theirs');
    shown.saw(question({ action, approvedArgs: { tables: 3 } }));
    new Reply(question({ action, approvedArgs: { tables: 3 } })).approve();
    assert.deepEqual(await given(), { type: 'approval', value: true, args: { tables: 3 } });
});
