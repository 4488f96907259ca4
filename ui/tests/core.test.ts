// The core without a browser: what it sends, hears, keeps and says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address, Api, Refused, Unreachable } from '../src/core/api.ts';
import { Drafts } from '../src/core/drafts.ts';
import { op, type Op } from '../src/core/op.ts';
import { Outbox, type Parcel } from '../src/core/outbox.ts';
import { place, safeNext } from '../src/core/router.ts';
import { pages } from '../src/pages/list.ts';
import { FrameReader } from '../src/core/sse.ts';
import { memoryShelf, readJson, type Shelf } from '../src/core/store.ts';
import { ago, clock, date, dayOf, due, exact, learnServerTime, left, level, secondOf, serverNow, spoken, timeOf, took, weekday } from '../src/core/time.ts';

const reply = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    new Response(body === undefined ? null : JSON.stringify(body), { status, headers });

test('an address holds what was given, escaped, and leaves out what was not', () => {
    assert.equal(address('/api/jobs/{id}/logs', { path: { id: 'a/b?c' }, query: { limit: 5, cursor: undefined, q: 'x y&z' } }), '/api/jobs/a%2Fb%3Fc/logs?limit=5&q=x+y%26z');
    assert.equal(address('/api/me', {}), '/api/me');
});

test('a call sends JSON, the key and the workspace, and gives the reply', async () => {
    const seen: Array<{ input: string; init: RequestInit | undefined }> = [];
    const api = new Api(async (input, init) => {
        seen.push({ input, init });
        return reply(200, { success: true });
    });
    api.workspace = 'w1';
    const answer: Op<{ path: { id: string }; body: unknown }, { success: boolean }> = op('POST', '/api/questions/{id}/answer');
    assert.deepEqual(await api.call(answer, { path: { id: 'q' }, body: { response: 1 } }, { key: 'k' }), { success: true });
    assert.equal(seen[0]!.input, '/api/questions/q/answer');
    assert.equal(seen[0]!.init!.body, '{"response":1}');
    const headers = seen[0]!.init!.headers as Record<string, string>;
    assert.equal(headers['Idempotency-Key'], 'k');
    assert.equal(headers['X-Witan-Workspace'], 'w1');
    assert.equal(headers['Content-Type'], 'application/json');
});

test('a refusal carries the words of the server; nobody there is something else', async () => {
    let out = 0;
    const api = new Api(async () => reply(401, { error: 'Log in first.', code: 'unauthorized', hint: 'Do.' }, { 'X-Request-Id': 'r1' }));
    api.onUnauthorized = () => out++;
    const me: Op<object, unknown> = op('GET', '/api/me');
    await assert.rejects(api.call(me, {}), (why: Refused) => why instanceof Refused && why.code === 'unauthorized' && why.requestId === 'r1' && why.hint === 'Do.');
    assert.equal(out, 1);
    const gone = new Api(async () => {
        throw new TypeError('fetch failed');
    });
    await assert.rejects(gone.call(me, {}), Unreachable);
    const html = new Api(async () => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    await assert.rejects(html.call(me, {}), (why: Refused) => why.status === 502 && why.message.includes('Bad gateway'));
});

test('all pages of a list are read, by their cursors', async () => {
    const asked: string[] = [];
    const api = new Api(async (input) => {
        asked.push(input);
        return reply(200, { n: asked.length, nextCursor: asked.length < 3 ? `c${asked.length}` : null });
    });
    const list: Op<{ query?: { cursor?: string } }, { n: number; nextCursor: string | null }> = op('GET', '/api/x');
    const got: number[] = [];
    await api.pages(list, {}, (page) => got.push(page.n));
    assert.deepEqual(got, [1, 2, 3]);
    assert.deepEqual(asked, ['/api/x', '/api/x?cursor=c1', '/api/x?cursor=c2']);
});

test('frames are whole however their bytes are cut', () => {
    const text = 'retry: 2000\n: open\n\nid: 7\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: beat\n\ndata: last\n\nid: 9\ndata: cut';
    for (let cut = 0; cut <= text.length; cut++) {
        const reader = new FrameReader();
        const frames = [...reader.feed(text.slice(0, cut)), ...reader.feed(text.slice(cut))];
        const plain = frames.map((frame) => ({ ...frame, data: frame.data.replaceAll('\n', '') }));
        assert.deepEqual(plain, [
            { id: 7, data: '{"a":1}' },
            { id: undefined, data: 'last' },
        ], `cut at ${cut}`);
    }
});

test('time left and past are said as people say them', () => {
    const minute = 60_000;
    assert.deepEqual([221_000, 0, -5, 48 * minute, 130 * minute, 120 * minute, 26 * 60 * minute, 72 * 60 * minute].map(left), ['3:41', '0:00', '0:00', '48 min', '2 h 10 min', '2 h', '1 day', '3 days']);
    assert.deepEqual([6 * minute, 4 * minute, 30_000, 0].map(level), ['calm', 'soon', 'last', 'over']);
    assert.equal(ago(0, 3 * minute), '3 min ago');
    assert.equal(ago(0, 5000), 'just now');
    assert.equal(took(26_000), '26 s');
    assert.equal(spoken(6 * minute, 5 * minute), 'Five minutes left');
    assert.equal(spoken(5 * minute, 4 * minute), '');
    assert.equal(spoken(61_000, 60_000), 'One minute left');
    assert.equal(spoken(1000, 0), 'Time is up');
    assert.deepEqual([null, new Date(minute).toISOString(), new Date(60 * minute).toISOString(), new Date(48 * 60 * minute).toISOString()].map((at) => due(at, 0)), ['none', 'soon', 'today', 'later']);
});

test('countdowns follow the clock of the server', () => {
    learnServerTime('2026-01-01T00:01:00.000Z', Date.parse('2026-01-01T00:00:00.000Z'));
    assert.equal(serverNow(1000), 61_000);
    learnServerTime('not a time', 0);
    assert.equal(serverNow(1000), 61_000);
    learnServerTime('1970-01-01T00:00:00.000Z', 0);
});

test('paths lead to pages, and a login leads nowhere else', () => {
    assert.deepEqual(place('/inbox/01-ab'), { page: 'inbox', id: '01-ab' });
    assert.deepEqual(place('/'), { page: 'inbox' });
    assert.deepEqual(place('/q/x'), { page: 'q', id: 'x' });
    assert.deepEqual(place('/inbox/%E0%A4%A'), { page: 'inbox', id: '%E0%A4%A' });
    assert.deepEqual(place('/jobs/'), { page: 'jobs' });
    for (const none of ['/etc/passwd', '/inbox/a/b', '/inbox//', '/approvals/x', '/q', 'inbox', '', '//', '//inbox', '/constructor', '/toString/x']) assert.equal(place(none).page, 'nothing', none);
    for (const [page, { all, one }] of Object.entries(pages)) {
        assert.deepEqual(place(`/${page}`), { page: all === undefined ? 'nothing' : page });
        assert.deepEqual(place(`/${page}/a%20b`), one === undefined ? { page: 'nothing' } : { page, id: 'a b' });
    }
    for (const bad of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', null, '/login?next=/x']) assert.equal(safeNext(bad), '/inbox', String(bad));
    assert.equal(safeNext('/jobs/1?x=2'), '/jobs/1?x=2');
});

const parcel = (n: number, questionId = `q${n}`): Parcel => ({ key: `k${n}`, by: 'maya', questionId, response: { type: 'text', value: 'x' }, label: 'x', at: n });

test('the outbox keeps answers while nobody is there, and sends each under its own key', async () => {
    const kept = memoryShelf();
    const sent: string[] = [];
    let there = false;
    const make = () =>
        new Outbox(kept, async ({ key }) => {
            sent.push(key);
            if (!there) throw new Unreachable();
        });
    const box = make();
    box.add(parcel(1));
    box.add(parcel(2));
    await box.flush('maya');
    assert.deepEqual(sent, ['k1'], 'it stops at the first that does not get through');
    there = true;
    const again = make(); // the page was loaded anew
    const done: string[] = [];
    again.onsent = ({ parcel: one, outcome }) => done.push(`${one.key} ${outcome}`);
    await Promise.all([again.flush('maya'), again.flush('maya')]);
    assert.deepEqual(sent, ['k1', 'k1', 'k2']);
    assert.deepEqual(done, ['k1 sent', 'k2 sent']);
    assert.deepEqual(again.waiting, []);
});

test('a refusal takes an answer out of the outbox, trouble of the server does not', async () => {
    const said: string[] = [];
    let status = 503;
    const box = new Outbox(memoryShelf(), async () => {
        throw new Refused(status, { error: 'no', code: 'x' });
    });
    box.onsent = ({ outcome }) => said.push(outcome);
    box.add(parcel(1));
    for (status of [503, 500, 429, 401]) await box.flush('maya');
    assert.equal(box.waiting.length, 1);
    status = 409;
    await box.flush('maya');
    assert.deepEqual(said, ['refused']);
    assert.equal(box.waiting.length, 0);
});

test('an answer by a link that has ended is refused for good, since nobody can log in and send it', async () => {
    const said: string[] = [];
    let code = 'unauthorized';
    const box = new Outbox(memoryShelf(), async () => {
        throw new Refused(401, { error: 'no', code });
    });
    box.onsent = ({ parcel: one, outcome }) => said.push(`${one.by} ${outcome}`);
    for (const [n, by] of ['link', 'link@other', 'maya'].entries()) box.add({ ...parcel(n), by });
    for (const by of ['link', 'link@other']) await box.flush(by);
    assert.equal(box.waiting.length, 3);
    for (code of ['link_ended', 'link_refused']) for (const by of ['link', 'link@other', 'maya']) await box.flush(by);
    assert.deepEqual(said, ['link refused', 'link@other refused']);
    assert.deepEqual(box.waiting.map(({ by }) => by), ['maya'], 'whose session has ended logs in again');
});

test('an answer that there is no room for in the browser is sent all the same', async () => {
    const sent: string[] = [];
    let there = false;
    const full = { ...memoryShelf(), setItem: () => { throw new DOMException('full', 'QuotaExceededError'); } };
    const box = new Outbox(full, async ({ key }) => {
        if (!there) throw new Unreachable();
        sent.push(key);
    });
    box.add(parcel(1));
    box.add(parcel(2));
    await box.flush('maya');
    assert.equal(box.waiting.length, 2);
    there = true;
    await box.flush('maya');
    assert.deepEqual([sent, box.waiting], [['k1', 'k2'], []]);
});

test('nobody sends the answers of somebody else, or reads what they typed', async () => {
    const kept = memoryShelf();
    const sent: string[] = [];
    const box = new Outbox(kept, async ({ key }) => sent.push(key));
    box.add(parcel(1));
    await box.flush('jonas');
    assert.deepEqual(sent, []);
    box.add({ ...parcel(2, 'q1'), by: 'jonas' });
    await box.flush('jonas');
    assert.deepEqual(sent, ['k2']);
    box.forget('maya');
    assert.deepEqual(box.waiting, []);
    const drafts = new Drafts(kept);
    drafts.owner = 'maya';
    drafts.write('q', { text: 'secret' });
    drafts.owner = 'jonas';
    assert.deepEqual(drafts.read('q'), {});
    drafts.owner = 'maya';
    assert.deepEqual(drafts.read('q'), { text: 'secret' });
    drafts.clear();
    assert.deepEqual(drafts.read('q'), {});
});

test('a second answer to a question takes the place of the first, and one can be taken back', async () => {
    const box = new Outbox(memoryShelf(), async () => {});
    box.add(parcel(1, 'q'));
    box.add(parcel(2, 'q'));
    assert.deepEqual(box.waiting.map(({ key }) => key), ['k2']);
    box.remove('k2');
    assert.equal(box.waiting.length, 0);
});

test('drafts are kept until they are empty, and only so many', () => {
    const kept = memoryShelf();
    const drafts = new Drafts(kept);
    for (let i = 0; i < 250; i++) drafts.write(`q${i}`, { text: `t${i}` }, i);
    assert.deepEqual(drafts.read('q249'), { text: 't249' });
    assert.deepEqual(drafts.read('q1'), {}, 'the oldest went');
    drafts.forget('q249');
    assert.deepEqual(drafts.read('q249'), {});
    const broken: Shelf = { ...memoryShelf(), getItem: () => '{oops', setItem: () => { throw new Error('full'); } };
    assert.deepEqual(readJson(broken, 'x', []), []);
    new Drafts(broken).write('q', { text: 'x' });
});

test('every span of time has its words, up to the date', () => {
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
    assert.deepEqual([30_000, 5 * hour, 30 * hour, 3 * day].map((past) => ago(0, past)), ['30 s ago', '5 h ago', 'yesterday', '3 days ago']);
    assert.match(ago(Date.parse('2026-01-02T12:00:00Z'), Date.parse('2026-02-02T12:00:00Z')), /Jan.*2026/);
    assert.equal(ago(5000, 0), 'just now', 'a clock that is ahead');
    assert.deepEqual([0, 6 * minute, 130 * minute].map(took), ['0 s', '6 min', '2 h 10 min']);
    const noon = new Date(2026, 0, 2, 12, 5).getTime();
    assert.equal(clock(noon, noon + hour), '12:05');
    assert.equal(clock(noon, noon + 2 * day), 'Jan 2, 12:05');
    assert.equal(exact(noon + 9000), 'Jan 2, 2026, 12:05:09');
    const late = new Date(2026, 11, 31, 0, 0).getTime();
    assert.deepEqual([weekday(noon), dayOf(late), date(late), timeOf(late), secondOf(late)], ['Fri', 'Dec 31', 'Dec 31, 2026', '00:00', '00:00:00']);
});
