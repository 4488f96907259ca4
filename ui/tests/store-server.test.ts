// Who is here, and the one stream that feeds every store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, refused, somebody } from './lib/page.ts';

const server = () => import('../src/stores/server.svelte.ts');
const app = () => import('../src/stores/app.svelte.ts');

test('who is logged in is asked for once, and drafts are kept under their name', async (t) => {
    const page = open(t, '/inbox');
    const { session } = await server();
    const { drafts } = await app();
    const is = page.watch(() => session.is);
    await session.start();
    assert.deepEqual(is.seen, ['starting', 'in']);
    assert.equal(session.name, 'Ada');
    assert.equal(drafts.owner, 'p1');
    assert.equal(page.server.to('GET /api/me').length, 1);
});

test('nobody is logged in, nobody answers, and something broke are three things', async (t) => {
    const page = open(t, '/jobs');
    const { session } = await server();
    page.server.on('GET /api/me', refused(401));
    await session.start();
    assert.equal(session.is, 'out');
    assert.match(page.path, /^\/login\?next=%2Fjobs$/, 'to the login and back; nothing has ended for who was never in');
    page.server.away = true;
    await session.start();
    assert.equal(session.is, 'away');
    page.server.away = false;
    page.server.on('GET /api/me', refused(503));
    await session.start();
    assert.equal(session.is, 'away');
});

test('a session that ends while it is looked at leads to the login, says so, and its stream stops', async (t) => {
    const page = open(t, '/chat?prompt=p7');
    const { api, ops, session } = await server();
    await page.live();
    assert.equal(page.server.listeners, 1);
    page.server.on('GET /api/jobs', refused(401));
    await assert.rejects(api.call(ops.job_list, {}));
    assert.equal(session.is, 'out');
    assert.equal(session.me, undefined);
    assert.equal(page.path, `/login?next=${encodeURIComponent('/chat?prompt=p7')}&ended=1`);
    await page.until(() => page.server.listeners === 0, 'the stream is closed');
});

test('what is typed is kept under the person and the workspace, however it was come to', async (t) => {
    let page = open(t, '/inbox?workspace=lab');
    page.server.on('GET /api/me', { ...somebody, workspace: { id: 'w2', slug: 'lab', name: 'Lab' } });
    let { session } = await server();
    await session.start();
    assert.equal(session.owner, 'p1@lab');
    assert.equal(page.server.calls[0]!.headers['x-witan-workspace'], 'lab', 'the server is asked for what the address names');
    page = await page.reload('/inbox');
    ({ session } = await server());
    await session.start();
    assert.equal(page.server.calls.at(-1)!.headers['x-witan-workspace'], 'lab', 'the tab remembers');
    assert.equal(page.path, '/inbox?workspace=lab', 'and the address says so again');
});

test('a workspace that is gone leads back to one’s own', async (t) => {
    const page = open(t, '/inbox?workspace=gone');
    page.server.on('GET /api/me', refused(404));
    const { session } = await server();
    await session.start();
    assert.deepEqual(page.left, ['/inbox']);
    assert.equal(page.tab.getItem('witan.workspace'), null, 'or the next page would ask for it once more');
});

test('who may answer and who may manage is what the server says, whatever the role', async (t) => {
    const page = open(t);
    const { session } = await server();
    for (const [answers, manages] of [[true, true], [true, false], [false, true], [false, false]] as const) {
        page.server.on('GET /api/me', { ...somebody, caller: { ...somebody.caller, role: 'auditor', answers, manages } });
        await session.start();
        assert.deepEqual([session.answers, session.manages], [answers, manages]);
    }
});

test('events reach stores and pages in order and once; a page that is gone hears nothing', async (t) => {
    const page = open(t);
    const { stream } = await server();
    const [store, shown]: [string[], string[]] = [[], []];
    let reloads = 0;
    stream.feed(({ type }) => store.push(type), () => reloads++);
    page.server.on('GET /api/me', { ...somebody, lastEvent: undefined }); // a server that does not say where its log is
    const gone = stream.listen(({ type }) => shown.push(type));
    await page.live();
    assert.equal(reloads, 1, 'what was before the stream is loaded');
    page.happen('a');
    page.server.pass('b');
    await page.until(() => store.length === 2);
    gone();
    page.happen('c');
    await page.until(() => store.length === 3);
    assert.deepEqual([store, shown], [['a', 'b', 'c'], ['a', 'b']]);
});

test('a stream that breaks says so, comes back after its last event, and misses nothing', async (t) => {
    const page = open(t);
    const { stream } = await server();
    const heard: unknown[] = [];
    stream.feed(({ n }) => heard.push(n), () => {});
    await page.live();
    assert.equal(stream.open, true);
    page.happen('x', { n: 1 });
    await page.until(() => heard.length === 1);
    page.server.cut();
    await page.until(() => stream.state.is === 'waiting');
    assert.equal(stream.open, false);
    page.happen('x', { n: 2 });
    await page.pass(1000);
    await page.until(() => heard.length === 2);
    assert.deepEqual(heard, [1, 2]);
    assert.deepEqual(page.server.streams, ['0', '1']);
});

test('a network that goes is told at once, and one that is back is tried at once', async (t) => {
    const page = open(t);
    const { stream } = await server();
    await page.live();
    const isOpen = page.watch(() => stream.open);
    page.server.away = true;
    page.fire('offline');
    assert.equal(stream.open, false, 'before the stream knows');
    page.server.cut();
    await page.until(() => stream.state.is === 'waiting');
    await page.pass(60_000); // in vain
    page.server.away = false;
    page.fire('online'); // nobody waits for the rest of the pause
    await page.until(() => stream.open);
    assert.deepEqual(isOpen.seen, [true, false, true]);
});

test('a stream that is refused asks who is here, and leads to the login when it is nobody', async (t) => {
    const page = open(t, '/audit');
    const { session, stream } = await server();
    await page.live();
    page.server.on('GET /api/me', refused(403));
    page.server.refusesStream = 403;
    page.server.cut();
    await page.pass(1000);
    await page.until(() => session.is === 'out');
    assert.equal(stream.state.is, 'refused');
    assert.match(page.path, /^\/login\?next=%2Faudit&ended=1/);
});

test('a role that changes is asked for anew when the server tells of it', async (t) => {
    const page = open(t);
    const { session } = await server();
    await page.live();
    page.server.on('GET /api/me', { ...somebody, caller: { ...somebody.caller, role: 'viewer', answers: false } });
    page.happen('workspace.changed');
    await page.until(() => !session.answers);
});

test('nothing is loaded twice: the stream goes on after what was known when this page asked who is here', async (t) => {
    const page = open(t);
    const { session, stream } = await server();
    const heard: unknown[] = [];
    let [reloads, first] = [0, 0];
    stream.feed(({ n }) => heard.push(n), () => reloads++, () => first++);
    for (const n of [1, 2, 3]) page.happen('x', { n });
    page.server.on('GET /api/me', { ...somebody, lastEvent: 3 });
    await session.start();
    page.happen('x', { n: 4 }); // while the page loads what it shows
    stream.start();
    await page.until(() => heard.length === 1);
    assert.deepEqual([heard, reloads, first], [[4], 0, 1]);
    assert.deepEqual(page.server.streams, ['3']);
    page.server.pass('stream.gap', { oldest: 9 });
    await page.until(() => reloads === 1);
});

test('whoever logs in once more finds everything loaded anew: it may be somebody else', async (t) => {
    const page = open(t);
    const { session, stream } = await server();
    let reloads = 0;
    stream.feed(() => {}, () => reloads++);
    page.server.on('GET /api/me', { ...somebody, lastEvent: 0 });
    await page.live();
    assert.equal(reloads, 0);
    session.ended();
    await page.live();
    assert.equal(reloads, 1);
});

test('somebody else who logs in gets a page of their own, where they were going', async (t) => {
    const page = open(t, '/jobs');
    const { session } = await server();
    await page.live();
    session.ended();
    page.server.on('GET /api/me', { ...somebody, caller: { ...somebody.caller, id: 'p2', name: 'Bob' } });
    await session.start();
    assert.deepEqual(page.left, ['/jobs']);
    assert.equal(session.is, 'out', 'nothing of whoever was here before is drawn');
});

test('another tab leads and says nothing: what is needed at the beginning is loaded all the same', async (t) => {
    const page = open(t);
    const { session, stream } = await server();
    (page.navigator['locks'] as { request: unknown }).request = () => new Promise(() => {}); // somebody else has it for good
    let first = 0;
    stream.feed(() => {}, () => {}, () => first++);
    await session.start();
    stream.start();
    await page.settle();
    assert.equal(first, 1);
});
