// Reading without the server: what was loaded here, for whom, and until when.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { open, refused, somebody, type Call, type Page } from './lib/page.ts';

const stores = async () => {
    const { api, ops, session, stream } = await import('../src/stores/server.svelte.ts');
    const { questions } = await import('../src/stores/questions.svelte.ts');
    const { asked } = await import('../src/stores/asked.svelte.ts');
    const { remember } = await import('../src/stores/memory.svelte.ts');
    return { api, ops, session, stream, questions, asked, remember };
};

const question = (id: string, over = {}) => ({ id, type: 'blocking', responseType: 'text', status: 'pending', question: `${id}?`, askedBy: 'Builder', jobId: `j-${id}`, timeoutAt: null, createdAt: '2026-03-04T10:00:00Z', ...over });

// What App does when somebody is in.
async function use(page: Page) {
    const all = await stores();
    await all.session.start();
    if (all.session.is === 'in') {
        await all.questions.load();
        all.stream.start();
        await page.settle();
        all.remember();
        await page.settle();
    }
    return all;
}

// Somebody has looked at their inbox until 10:42.
async function visited(t: TestContext, path = '/inbox') {
    let page = open(t, path, '2026-03-04T10:30:00Z');
    const { server } = page;
    const all = new Map([['q1', question('q1')], ['q2', question('q2')]]);
    server.on('GET /api/questions/pending', () => ({ questions: [...all.values()].filter(({ status }) => status === 'pending'), nextCursor: null, serverTime: page.now() }));
    server.on('GET /api/questions/*', (_: Call, [id]: string[]) => (all.has(id!) ? { question: all.get(id!) } : refused(404)));
    server.on('GET /api/inbox', ({ query }: Call) => ({ items: query['type'] === 'turn' ? [{ id: 't1', type: 'turn', text: 'Speak', timeoutAt: null }] : [], nextCursor: null, serverTime: page.now() }));
    server.on('GET /api/notifications/pending-count', { count: 0 });
    server.on('GET /api/chat', { messages: [{ id: 'm1' }], nextCursor: null });
    server.on('GET /api/tokens', { tokens: [{ id: 'secret' }], nextCursor: null });
    const now = await use(page);
    // Twelve minutes pass, and something happens in them that no list tells of.
    all.set('q3', question('q3'));
    page.happen('question_asked', { questionId: 'q3' });
    all.set('q1', question('q1', { status: 'answered' }));
    page.happen('question_answered', { questionId: 'q1' });
    await page.pass(100);
    await page.until(() => now.questions.all.get('q3') && now.questions.all.get('q1')?.status === 'answered');
    await page.pass(3000);
    for (let i = 0; i < 25; i++) await page.pass(30_000);
    return {
        now,
        at: page.now(),
        page,
        /** The page is loaded anew, some time later. */
        later: async (ms: number, to = '/inbox') => {
            page = await page.reload(to);
            await page.pass(ms);
            return { page, ...(await use(page)) };
        },
    };
}

const ids = (those: Array<{ id: string }>) => those.map(({ id }) => id).sort();

test('without the server, a reload shows the inbox as it was at the last live moment, and says when that was', async (t) => {
    const { page: first, later } = await visited(t);
    first.server.away = true;
    const { session, questions, asked, stream } = await later(3600_000);
    assert.equal(session.is, 'in');
    assert.equal(session.name, 'Ada');
    assert.match(new Date(session.asOf!).toISOString(), /T10:42:/, 'not when it was listed');
    assert.deepEqual(ids(questions.open), ['q2', 'q3'], 'what came by events is in it, and what was answered is not open');
    assert.deepEqual(ids(asked.all), ['t1']);
    assert.equal(stream.open, false, 'it is never shown as live');
    await session.start(); // as is tried every few seconds
    assert.match(new Date(session.asOf!).toISOString(), /T10:42:/, 'what is kept does not stand for a server that is back');
    const { serverNow } = await import('../src/core/time.ts');
    assert.equal(serverNow(), Date.now(), 'an old reply does not turn the clock back');
});

test('what was read is there by its address, with its own time; what people manage is not kept', async (t) => {
    const { now, page: first, later } = await visited(t);
    await now.api.call(now.ops.chat_list, { query: { limit: 100 } });
    await now.api.call(now.ops.token_list, { query: { limit: 200 } });
    await first.settle();
    for (let i = 0; i < 10; i++) await first.pass(30_000); // ten minutes without the chat
    first.server.away = true;
    const { api, ops, session } = await later(60_000, '/chat');
    const chat = await api.call(ops.chat_list, { query: { limit: 100 } });
    assert.deepEqual(ids(chat.messages as never), ['m1']);
    assert.match(new Date(session.asOf!).toISOString(), /T10:42:/, 'the oldest of what is on the page');
    const { Unreachable } = await import('../src/core/api.ts');
    await assert.rejects(api.call(ops.token_list, { query: { limit: 200 } }), Unreachable);
    await assert.rejects(api.call(ops.chat_list, { query: { limit: 7 } }), Unreachable, 'what was never loaded is not made up');
    await assert.rejects(api.call(ops.question_cancel, { path: { id: 'q2' }, body: {} }), Unreachable, 'nothing is done without the server');
});

test('when the server is back, everything is loaded from it, and what was kept answers no more', async (t) => {
    const { page: first, later } = await visited(t);
    first.server.away = true;
    const { page, session, questions, stream, api, ops } = await later(60_000);
    page.server.away = false;
    page.server.on('GET /api/questions/*', refused(404));
    page.server.on('GET /api/questions/pending', { questions: [question('q9')], nextCursor: null, serverTime: page.now() });
    await session.start();
    assert.equal(session.asOf, undefined);
    stream.start(); // App does, when asOf has gone
    await page.until(() => stream.open);
    await page.pass(1000);
    await page.until(() => ids(questions.open).join() === 'q9');
    page.server.away = true;
    const { Unreachable } = await import('../src/core/api.ts');
    await assert.rejects(api.call(ops.question_get, { path: { id: 'q2' } }), Unreachable);
});

test('somebody else who has logged in meanwhile sees nothing of it', async (t) => {
    const { page: first, later } = await visited(t);
    first.server.away = true;
    const { page, session } = await later(60_000);
    page.server.away = false;
    page.server.on('GET /api/me', { ...somebody, caller: { ...somebody.caller, id: 'p2', name: 'Bob' } });
    await session.start();
    assert.deepEqual(page.left, ['/inbox'], 'the page is loaded anew');
    assert.notEqual(session.asOf, undefined, 'and shows nothing of theirs before it is');
    const next = await page.reload();
    await use(next);
    await next.pass(3000);
    assert.deepEqual([...next.caches.all.keys()], ['offline-witan:p2']);
});

for (const [what, leave] of [
    ['logs out', async ({ session }: Awaited<ReturnType<typeof stores>>) => session.ended()],
    ['is told that the session has ended', async ({ session }: Awaited<ReturnType<typeof stores>>, page: Page) => {
        page.server.on('GET /api/me', refused(401));
        await session.start();
    }],
] as const)
    test(`nothing is kept of somebody who ${what}`, async (t) => {
        const { now, page: first, later } = await visited(t);
        await leave(now, first);
        await first.pass(40_000);
        assert.deepEqual([...first.caches.all.keys()], []);
        first.server.away = true;
        assert.equal((await later(1000)).session.is, 'away');
    });

test('after a day it is forgotten, and another workspace shows none of it', async (t) => {
    const { page: first, later } = await visited(t);
    first.server.away = true;
    assert.equal((await later(1000, '/inbox?workspace=lab')).session.is, 'away');
    first.tab.clear();
    assert.equal((await later(1000, '/inbox')).session.is, 'in');
    assert.equal((await later(24 * 3600_000, '/inbox')).session.is, 'away');
});

test('a browser that keeps nothing is told that the server is away', async (t) => {
    const page = open(t);
    Reflect.deleteProperty(globalThis, 'caches');
    page.server.away = true;
    const { session } = await use(page);
    assert.equal(session.is, 'away');
    page.server.away = false;
    page.server.on('GET /api/questions/pending', { questions: [], nextCursor: null, serverTime: page.now() });
    await use(page);
    await page.pass(3000);
    session.ended();
    await page.settle();
});

test('what is kept has bounds: the oldest goes first, and nothing that is too long', async (t) => {
    const page = open(t);
    const { Memory } = await import('../src/core/memory.ts');
    const memory = new Memory('p1');
    for (let i = 0; i < 250; i++) await memory.keep(`/api/jobs/${i}`, { i }, Date.now() + i);
    await memory.prune(Date.now() + 1000);
    assert.equal(page.caches.all.get('offline-witan:p1')!.size, 200);
    assert.equal(await memory.recall('/api/jobs/49', Date.now() + 1000), undefined);
    assert.deepEqual((await memory.recall('/api/jobs/50', Date.now() + 1000))?.said, { i: 50 });
    await memory.keep('/api/jobs/60', 'x'.repeat(300_000), Date.now() + 2000);
    assert.equal(await memory.recall('/api/jobs/60', Date.now() + 3000), undefined, 'nor what it was before');
    for (let i = 0; i < 40; i++) await memory.keep(`/api/chat?${i}`, 'x'.repeat(200_000), Date.now() + 5000 + i);
    await memory.prune(Date.now() + 9000);
    const letters = [...page.caches.all.get('offline-witan:p1')!.values()].map((reply) => Number(reply.headers.get('X-Letters')));
    assert.ok(letters.reduce((a, b) => a + b) <= 4_000_000);
    assert.equal(letters.filter((one) => one > 1000).length, 19, 'the newest of them');
});
