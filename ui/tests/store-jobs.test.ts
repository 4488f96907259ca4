// Jobs: the list, single ones, and the log of one as a page shows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Later, open, refused, type Call, type Page } from './lib/page.ts';

const load = () => import('../src/stores/jobs.svelte.ts');
const job = (id: string, fields: Record<string, unknown> = {}) => ({ id, kind: 'build', status: 'running', agent: 'Builder', input: null, endedAt: null, ...fields });

test('what happens to a job is asked for once, however often it is told; of jobs that nobody knows nothing is', async (t) => {
    const page = open(t, '/jobs');
    page.server.on('GET /api/jobs', { jobs: [job('j1'), job('j2')], nextCursor: null });
    page.server.on('GET /api/jobs/*', (_: Call, [id]: string[]) => job(id!, { status: 'completed' }));
    const { jobs } = await load();
    await page.live();
    await jobs.load({});
    assert.deepEqual(jobs.order, ['j1', 'j2']);
    for (let i = 0; i < 50; i++) page.happen('job.progress', { jobId: 'j1', progress: {} });
    page.happen('status', { jobId: 'unknown', status: 'running' });
    await page.pass(200);
    assert.equal(page.server.to('GET /api/jobs/*').length, 1);
    assert.equal(jobs.all.get('j1')!.status, 'completed');
});

test('of two replies the one that was asked for last is kept', async (t) => {
    const page = open(t, '/jobs');
    const slow = new Later();
    let asked = 0;
    page.server.on('GET /api/jobs/*', () => (++asked === 1 ? slow.reply : job('j1', { status: 'completed' })));
    const { jobs } = await load();
    const first = jobs.fetch('j1');
    await page.settle();
    await jobs.fetch('j1');
    slow.give(job('j1', { status: 'running' }));
    await first;
    assert.equal(jobs.all.get('j1')!.status, 'completed');
});

test('a job that is not there is none; a server that fails says so', async (t) => {
    const page = open(t, '/jobs/x');
    page.server.on('GET /api/jobs/*', refused(404));
    const { jobs } = await load();
    assert.equal(await jobs.fetch('x'), undefined);
    page.server.on('GET /api/jobs/*', refused(500));
    await assert.rejects(jobs.fetch('x'));
    page.server.on('GET /api/jobs', refused(503));
    await jobs.load({});
    assert.ok(jobs.failure);
});

test('the last lines of a log come without all that came before', async (t) => {
    const page = open(t, '/inbox/q1');
    page.server.on('GET /api/jobs/*/logs', { logs: [{ seq: 9 }, { seq: 8 }], nextCursor: '8' });
    const { jobs } = await load();
    assert.deepEqual((await jobs.tail('j1', 2)).map(({ seq }) => seq), [8, 9]);
    assert.deepEqual(page.server.to('GET /api/jobs/*/logs').map(({ query }) => query), [{ order: 'newest', limit: '2' }]);
});

// ---- the log of one -----------------------------------------------------------------------------------------------------------

type Row = { seq: number; at: string; kind: string; level: string; message: string; data: unknown };
const row = (seq: number, fields: Partial<Row> = {}): Row => ({ seq, at: '2026-03-04T10:42:00Z', kind: 'log', level: 'info', message: `line ${seq}`, data: null, ...fields });

function withLog(page: Page, rows: Row[]): void {
    page.server.on('GET /api/jobs/*/logs', ({ query }: Call) => {
        const limit = Number(query['limit']);
        const newest = query['order'] === 'newest';
        const from = query['cursor'] ? Number(query['cursor']) : newest ? Infinity : 0;
        const fit = newest ? rows.filter(({ seq }) => seq < from).reverse() : rows.filter(({ seq }) => seq > from);
        return { logs: fit.slice(0, limit), nextCursor: fit.length > limit ? String(fit[limit - 1]!.seq) : null };
    });
}
const range = (n: number) => Array.from({ length: n }, (_, i) => row(i + 1));

test('a thousand lines in one moment are drawn once, and counted for who reads further up', async (t) => {
    const page = open(t, '/jobs/j1');
    const rows = range(500);
    withLog(page, rows);
    const { JobLog } = await import('../src/stores/joblog.svelte.ts');
    const { jobs } = await load();
    await page.live();
    const log = new JobLog('j1');
    jobs.listen('j1', (happening) => happening?.type === 'job.log' && log.hear(happening));
    await log.load();
    await page.pass(300);
    const drawn = page.watch(() => log.version);
    const before = drawn.seen.length;
    log.follows(false);
    for (let seq = 501; seq <= 1500; seq++) {
        rows.push(row(seq));
        page.happen('job.log', { jobId: 'j1', line: seq, level: 'info', message: `line ${seq}`, data: null });
    }
    await page.pass(300);
    assert.equal(drawn.seen.length - before, 1, 'drawn once');
    assert.deepEqual([log.fresh, log.flood, log.follow.lines.last], [1000, true, 1500]);
    const all = { debug: true, info: true, warn: true, error: true };
    log.filter('line 7', all);
    await page.pass(300);
    assert.equal(log.fresh, 100, '700 to 799: what the search hides is not counted');
    page.happen('job.log', { jobId: 'j1', line: 1501, level: 'info', message: 'line 1501', data: null });
    page.happen('job.log', { jobId: 'j1', line: 1502, level: 'info', message: 'line 7, again', data: null });
    await page.pass(300);
    assert.equal(log.fresh, 101);
    log.filter('', all);
    await page.pass(300);
    assert.equal(log.fresh, 1002);
    log.follows(true);
    await page.pass(2000);
    assert.equal(log.fresh, 0);
});

test('a search looks at words without their colours, reads what is further up, and copies what it shows', async (t) => {
    const page = open(t, '/jobs/j1');
    const rows = range(3000);
    rows[6]!.message = '\u001b[31mERROR\u001b[0m: disk\u001b[1m full';
    rows[2990]!.level = 'warn';
    rows.push(row(3001, { kind: 'answer', message: 'disk full, said somebody' }));
    withLog(page, rows);
    const { JobLog } = await import('../src/stores/joblog.svelte.ts');
    const log = new JobLog('j1');
    await log.load();
    const all = { debug: true, info: true, warn: true, error: true };
    log.filter('disk FULL', all);
    await page.until(() => !log.gathering);
    await page.pass(300);
    assert.equal(log.follow.lines.rows, 1);
    assert.match(await log.text(), /^\d\d:\d\d:\d\d info {2}ERROR: disk full$/);
    log.filter('', { ...all, info: false });
    await page.until(() => !log.gathering);
    assert.match(await log.text(), /warn {2}line 2991$/);
    log.filter('', all);
    assert.equal((await log.text(2, 4)).split('\n').length, 3);
    let part = 0;
    const parts = await log.file((done) => (part = done), new AbortController().signal);
    const text = (await Promise.all(parts.map((one) => one.text()))).join('');
    assert.equal(text.trimEnd().split('\n').length, 3001);
    assert.ok(!text.includes('\u001b') && part === 1);
});

test('a list is drawn a piece at a time', async (t) => {
    const page = open(t, '/audit');
    const { Gradual } = await import('../src/stores/gradual.svelte.ts');
    const list = Array.from({ length: 30 }, (_, i) => i);
    const gradual = new Gradual(6, 10);
    const seen = page.watch(() => gradual.of(list).length);
    for (let i = 0; i < 6; i++) await page.pass(20);
    assert.deepEqual(seen.seen, [6, 16, 26, 30]);
    assert.equal(gradual.of([1, 2]).length, 2);
});
