// The squad chat: what was said in order and once, each prompt read once, and nothing left out that came while nobody looked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Later, open, refused, type Call, type Page } from './lib/page.ts';

const load = () => import('../src/stores/chat.svelte.ts');
const list = 'GET /api/chat';
const looks = 'GET /api/discussion/*';

const at = (n: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, n)).toISOString();
const said = (n: number, more = {}) => ({ id: `m${String(n).padStart(4, '0')}`, agent_name: 'Scout', message: `Line ${n}.`, is_human: false, message_type: 'general', discussion_prompt_id: null, task_ref: null, created_at: at(n), ...more });
const asked = (n: number) => said(n, { message_type: 'discussion_prompt', discussion_prompt_id: `p${n}` });
const reply = (n: number, to: number, more = {}) => said(n, { message_type: 'discussion_response', discussion_prompt_id: `p${to}`, ...more });
const prompt = (id: string, more = {}) => ({ id, requester_agent: 'Scout', prompt_message: 'Why?', required_responses: 2, response_count: 0, timeout_minutes: 30, timeout_at: at(1800), status: 'pending', ...more });
const shown = (chat: { messages: Array<{ id: string }> }) => chat.messages.map(({ id }) => Number(id.slice(1)));

// All that was said, newest first, in pages as the server makes them.
function serve(page: Page, all: () => Array<ReturnType<typeof said>>, size = 100): void {
    page.server.on(list, ({ query }: Call) => {
        const newest = [...all()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
        const from = query['cursor'] ? newest.findIndex(({ id }) => id === query['cursor']) + 1 : 0;
        const messages = newest.slice(from, from + size);
        return { messages, nextCursor: from + size < newest.length ? messages.at(-1)!.id : null };
    });
    page.server.on(looks, (_: Call, [id]: string[]) => ({ prompt: prompt(id!), responses: all().filter((one) => one.message_type === 'discussion_response' && one.discussion_prompt_id === id), ready: false }));
    page.server.on('GET /api/agents', { agents: [{ name: 'Scribe' }], nextCursor: null });
}

test('each prompt is read once, however many messages tell of it, and again when a reply is new', async (t) => {
    const page = open(t, '/chat');
    const all = [asked(1), reply(2, 1), said(3), asked(4), reply(5, 1)];
    serve(page, () => all);
    const { chat } = await load();
    await page.live();
    chat.show();
    await page.until(() => chat.current);
    await page.pass(200);
    assert.deepEqual(shown(chat), [1, 3, 4], 'replies stand in their threads');
    assert.equal(page.server.to(looks).length, 2);
    assert.equal(page.server.to(list).length, 1);
    assert.equal(chat.threads.get('p1')!.replies.length, 2);
    // A link asks for what is here already.
    await chat.need('p1');
    assert.equal(page.server.to(looks).length, 2);
    all.push(reply(6, 4));
    page.happen('chat.message', all.at(-1));
    page.happen('prompt.responded', { promptId: 'p4' });
    await page.pass(200);
    assert.equal(page.server.to(looks).length, 3);
    assert.equal(chat.threads.get('p4')!.replies.length, 1);
});

test('a prompt that could not be read is asked for again with the next list', async (t) => {
    const page = open(t, '/chat');
    serve(page, () => [asked(1)]);
    page.server.on(looks, refused(503));
    const { chat } = await load();
    await page.live();
    chat.show();
    await page.until(() => chat.current);
    assert.equal(chat.threads.size, 0);
    serve(page, () => [asked(1)]);
    await chat.load();
    await page.until(() => chat.threads.size === 1);
});

test('what came while it was not shown is read before anything counts as new', async (t) => {
    const page = open(t, '/chat');
    const all = [said(1)];
    serve(page, () => all);
    const { chat } = await load();
    await page.live();
    const leave = chat.show();
    await page.until(() => chat.current);
    leave();
    assert.equal(chat.current, false);
    all.push(said(2));
    page.happen('chat.message', said(2));
    await page.pass(200);
    assert.deepEqual(shown(chat), [1], 'nobody looks');
    const slow = new Later();
    page.server.on(list, () => slow.reply);
    chat.show();
    await page.settle();
    assert.equal(chat.current, false, 'what is here is old');
    slow.give({ messages: [said(2), said(1)], nextCursor: null });
    await page.until(() => chat.current);
    assert.deepEqual(shown(chat), [1, 2]);
});

for (const [missed, kept] of [[250, true], [900, false]] as const)
    test(`${missed} messages that were missed leave no gap`, async (t) => {
        const page = open(t, '/chat');
        let all = Array.from({ length: 150 }, (_, i) => said(i));
        serve(page, () => all);
        const { chat } = await load();
        await page.live();
        const leave = chat.show();
        await page.until(() => chat.current);
        await chat.older();
        assert.equal(chat.messages.length, 150);
        leave();
        all = Array.from({ length: 150 + missed }, (_, i) => said(i));
        chat.show();
        await page.until(() => chat.current);
        const numbers = shown(chat);
        assert.equal(numbers.at(-1), all.length - 1);
        assert.deepEqual(numbers, numbers.map((_, i) => numbers[0]! + i), 'one after the other');
        assert.equal(numbers[0] === 0, kept, 'what is far away is let go of');
        while (chat.more) await chat.older();
        assert.equal(chat.messages.length, all.length, 'and is found again');
    });

test('a prompt that ended while events were lost is read again', async (t) => {
    const page = open(t, '/chat');
    serve(page, () => [asked(1), asked(2)]);
    const { chat } = await load();
    await page.live();
    chat.show();
    await page.until(() => chat.current);
    assert.equal(chat.open.length, 2);
    page.server.on(looks, (_: Call, [id]: string[]) => ({ prompt: prompt(id!, { status: 'cancelled' }), responses: [], ready: true }));
    page.server.pass('stream.gap', { oldest: 1 });
    await page.pass(200);
    await page.until(() => chat.open.length === 0);
});

test('a message or a reply is found by its id, with what shows it', async (t) => {
    const page = open(t, '/chat');
    serve(page, () => [said(1), asked(2), reply(3, 2)]);
    const { chat } = await load();
    await page.live();
    chat.show();
    await page.until(() => chat.current);
    assert.deepEqual(['m0001', 'p2', 'm0003', 'm0009'].map((id) => chat.shownBy(id)), ['m0001', 'p2', 'p2', undefined]);
});

test('whoever has only replied to a prompt can be called as well; who spoke last comes first', async (t) => {
    const page = open(t, '/chat');
    serve(page, () => [said(1), asked(2), said(3, { agent_name: 'Builder' }), reply(4, 2, { agent_name: 'Quiet' }), reply(5, 2, { agent_name: 'Ana', is_human: true }), said(6, { message_type: 'system', agent_name: 'system' })]);
    const { chat } = await load();
    await page.live();
    chat.show();
    await page.until(() => chat.current && chat.threads.size === 1);
    assert.deepEqual(chat.names, ['Quiet', 'Builder', 'Scout', 'Scribe']);
});

test('what one says stands there once, though an event tells of it as well; what is refused is thrown', async (t) => {
    const page = open(t, '/chat');
    serve(page, () => []);
    const { chat } = await load();
    await page.live();
    chat.show();
    await page.until(() => chat.current);
    page.server.on('POST /api/chat', { message: said(7) });
    await chat.say('Line 7.');
    page.happen('chat.message', said(7));
    await page.pass(100);
    assert.deepEqual(shown(chat), [7]);
    page.server.on('POST /api/discussion', { prompt: prompt('p8'), chat: asked(8) });
    await chat.ask('Why?', 2, 30);
    page.happen('prompt.created', { promptId: 'p8' });
    page.happen('chat.message', asked(8));
    await page.pass(200);
    assert.equal(page.server.to(looks).length, 0, 'what it asked itself it knows');
    page.server.on('POST /api/chat', refused(422, { error: 'Not like this.' }));
    await assert.rejects(chat.say('x'), /Not like this/);
    assert.deepEqual(chat.names, ['Scout', 'Scribe']);
});

test('a list that fails says so, and what was known stays', async (t) => {
    const page = open(t, '/chat');
    page.server.on(list, refused(500));
    page.server.on('GET /api/agents', refused(500));
    const { chat } = await load();
    await page.live();
    chat.show();
    await page.until(() => chat.failure);
    assert.deepEqual([chat.loaded, chat.current], [false, false]);
    serve(page, () => [said(1)]);
    await chat.load();
    assert.deepEqual([chat.failure, chat.current, shown(chat)], [undefined, true, [1]]);
});
