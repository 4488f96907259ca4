// The log of a job in the browser: long, live, searched, copied and taken along. What is counted is work, not time: rows that are
// drawn, readings of the server, lines that the page keeps.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { accessible, framed, person, visit } from './lib/browser.mjs';
import { becomes, full, start, until } from './lib/server.mjs';

const esc = '\u001b';

const makeJob = (server, fields) => server.must(201, 'POST', '/api/jobs', { kind: 'build', agent: 'Builder', status: 'running', input: { title: 'A long build' }, ...fields });

async function jobWith(server, count) {
    const job = await makeJob(server);
    await server.sql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) INSERT INTO job_logs (job_id, seq, kind, level, message, created_at) SELECT '${job.id}', i, 'log', CASE WHEN i % 1000 = 7 THEN 'error' ELSE 'info' END, 'entry ' || i || ' of the build', ${Date.now() - 3_600_000} + i FROM n`);
    await server.sql(`UPDATE jobs SET log_lines = ${count} WHERE id = '${job.id}'`);
    return job;
}

// Several at a time, as an agent that prints.
async function say(server, job, from, to) {
    for (let at = from; at <= to; at += 20) {
        const some = Array.from({ length: Math.min(20, to - at + 1) }, (_, i) => at + i);
        await Promise.all(some.map((i) => server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { message: `entry ${i} of the build` })));
    }
}

const drawn = (page) => page.getByRole('log').locator('li').count();
const line = (page, i) => page.getByRole('log').getByText(`entry ${i} of the build`, { exact: true });

test('a log of ten thousand lines is read from its end, drawn as far as it is seen, followed, searched, copied and downloaded', async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_TOKEN_RATE: '100000' } });
    const job = await jobWith(server, 10_000);
    const context = await person(t, server, { permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    const readings = [];
    page.on('request', (request) => request.method() === 'GET' && request.url().includes(`${job.id}/logs`) && !request.url().includes('kind=') && readings.push(request.url()));
    await page.goto(`/jobs/${job.id}`);
    await line(page, 10_000).waitFor();
    const log = page.getByRole('log');
    const box = (what) => log.evaluate((pane, name) => pane[name], what);
    const atEnd = () => log.evaluate((pane) => pane.scrollHeight - pane.scrollTop - pane.clientHeight < 8);
    await until(atEnd, 'it opens at its end');
    assert.ok((await drawn(page)) < 150, 'only what is seen is drawn');
    assert.ok(readings.length <= 3, `the end alone is read: ${readings}`);

    // It grows, and its end is followed.
    await say(server, job, 10_001, 10_100);
    await line(page, 10_100).waitFor();
    await until(atEnd, 'its end is followed');
    assert.ok((await drawn(page)) < 150);

    // Somebody reads further up: what is read stays where it is, and what is new is counted.
    await log.hover();
    await page.mouse.wheel(0, -2000);
    await page.getByRole('button', { name: 'To the end' }).waitFor();
    await framed(page);
    const seen = await log.evaluate((pane) => [...pane.querySelectorAll('li')].find((row) => row.getBoundingClientRect().top >= pane.getBoundingClientRect().top).innerText);
    await say(server, job, 10_101, 10_280);
    for (let i = 10_281; i <= 10_300; i++) await say(server, job, i, i); // these are in their order
    await page.getByRole('button', { name: '200 new lines' }).waitFor();
    assert.equal(await log.evaluate((pane) => [...pane.querySelectorAll('li')].find((row) => row.getBoundingClientRect().top >= pane.getBoundingClientRect().top).innerText), seen);
    assert.equal(await page.getByRole('switch', { name: 'Follow' }).isChecked(), false);
    assert.ok((await drawn(page)) < 150);

    // Further up, older lines come.
    const before = await box('scrollHeight');
    await log.evaluate((pane) => (pane.scrollTop = 0));
    await until(async () => (await box('scrollHeight')) > before, 'older lines come');
    assert.ok((await box('scrollTop')) > 0, 'what is read stays where it is');
    await page.getByRole('button', { name: '200 new lines' }).click();
    await line(page, 10_300).waitFor();
    await until(atEnd, 'and back to the end');

    // A search looks at all of it.
    await page.getByLabel('Search the log').fill('ENTRY 17 of');
    await line(page, 17).waitFor();
    assert.equal(await drawn(page), 1);
    await page.getByLabel('Search the log').fill('');
    await page.getByRole('button', { name: 'Info' }).click();
    await until(async () => (await drawn(page)) === 10, 'the ten errors');
    await page.getByRole('button', { name: 'Info' }).click();
    await line(page, 10_300).waitFor();

    // Lines are marked at their time and by keys, and copied; so is all of it.
    await line(page, 10_290).locator('..').locator('time').click();
    await line(page, 10_293).locator('..').locator('time').click({ modifiers: ['Shift'] });
    await page.getByText('4 lines selected').waitFor();
    await log.focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('5 lines selected').waitFor();
    await page.keyboard.press('Control+c');
    await page.getByText('5 lines copied').waitFor();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    assert.deepEqual((await copied()).split('\n').map((row) => row.replace(/^\d\d:\d\d:\d\d info {2}/, '')), [10_290, 10_291, 10_292, 10_293, 10_294].map((i) => `entry ${i} of the build`));
    await page.keyboard.press('Escape');
    await page.getByText('5 lines selected').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Copy the log' }).click();
    await page.getByText('10300 lines copied').waitFor();
    assert.equal((await copied()).split('\n').length, 10_300);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download the log' }).click()]);
    const rows = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n');
    assert.equal(rows.length, 10_300);
    assert.match(rows[6], /^\d{4}-.*Z error entry 7 of the build$/);
    assert.ok(readings.length < 60, `read in large pages: ${readings.length}`);
    await accessible(page, 'a long log');
});

test('a job shows its steps, its project, the colours of its log, and lines however long and wide', async (t) => {
    const server = await start(t);
    const project = await server.must(201, 'POST', '/api/projects', { name: 'Checkout' });
    const job = await makeJob(server, { projectId: project.id });
    const progress = (fields) => server.must(200, 'POST', `/api/jobs/${job.id}/progress`, fields);
    await progress({ done: 0, total: 3, step: 'Build and test' });
    await progress({ done: 1, total: 3, step: 'Deploy to staging' });
    const page = await visit(t, server, `/jobs/${job.id}`);
    const steps = page.getByRole('region', { name: 'Steps and timeline' });
    await steps.getByRole('heading', { name: 'Step 2 of 3' }).waitFor();
    assert.deepEqual(await steps.locator('.steplist li > span').allInnerTexts(), ['Build and test', 'Deploy to staging']);
    assert.match(await steps.getByRole('listitem').filter({ hasText: 'Deploy to staging' }).getAttribute('aria-current'), /step/);
    await progress({ done: 2, total: 3, step: 'Deploy to production' });
    await steps.getByRole('listitem').filter({ hasText: 'Deploy to production' }).getByText('now').waitFor();
    await page.getByRole('link', { name: 'Checkout' }).waitFor();
    assert.match(await page.getByRole('link', { name: 'Checkout' }).getAttribute('href'), new RegExp(`/projects/${project.id}$`));

    const log = page.getByRole('log');
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { message: `${esc}[32m✔ 41 passed${esc}[0m, ${esc}[1;31m1 failed${esc}[0m${esc}]0;title${'\u0007'}` });
    await log.getByText('✔ 41 passed', { exact: true }).waitFor();
    const colour = (text) => log.getByText(text, { exact: true }).evaluate((span) => getComputedStyle(span).color);
    assert.notEqual(await colour('✔ 41 passed'), await colour('1 failed'));
    assert.ok(!(await log.innerText()).includes('title'));
    // What there is can be switched off.
    const debug = page.getByRole('group', { name: 'Levels' }).getByRole('button', { name: 'Debug' });
    assert.equal(await debug.count(), 0);
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { level: 'debug', message: 'cache is cold' });
    await log.getByText('cache is cold').waitFor();
    await debug.click();
    await log.getByText('cache is cold').waitFor({ state: 'detached' });
    await debug.click();
    await log.getByText('cache is cold').waitFor();
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { message: 'Fetching 10 %\rFetching 100 %' });
    await log.getByText('Fetching 100 %', { exact: true }).waitFor();
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { message: `begin ${'x'.repeat(30_000)} end` });
    assert.equal(await log.getByText(/ end$/).count(), 0);
    await log.getByRole('button', { name: /^Show all of this line/ }).click();
    await log.getByText(/ end$/).waitFor();
    await until(() => log.evaluate((pane) => pane.scrollHeight - pane.scrollTop - pane.clientHeight < 8), 'the end is followed when a line grows');
    await page.getByRole('button', { name: 'Wrap long lines' }).click();
    await until(() => log.evaluate((pane) => pane.scrollWidth > pane.clientWidth), 'without wrapping it scrolls sideways');
    await accessible(page, 'a log in colours');
});

// What the browser did, task by task: how long the longest had the processor, whoever else wanted it meanwhile.
async function tasks(context, page) {
    const session = await context.newCDPSession(page);
    const seen = [];
    session.on('Tracing.dataCollected', ({ value }) => seen.push(...value.filter(({ name }) => name.endsWith('RunTask') || name === 'this page')));
    await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['toplevel', 'blink.user_timing'] } });
    return async () => {
        const over = new Promise((done) => session.once('Tracing.tracingComplete', done));
        await page.evaluate(() => performance.mark('this page'));
        await session.send('Tracing.end');
        await over;
        const mark = seen.find(({ name }) => name === 'this page');
        const own = seen.filter(({ pid, tid }) => pid === mark.pid && tid === mark.tid); // others have pages, too
        assert.ok(own.length > 1000, 'tasks were seen');
        const most = (of) => own.reduce((longest, task) => Math.max(longest, (task[of] ?? 0) / 1000), 0);
        return { worked: most('tdur'), took: most('dur') };
    };
}

test('a hundred thousand lines and five hundred a second hold up nobody: no task of the page works for 200 ms', { skip: !full && 'only with WITAN_FULL=1', timeout: 300_000 }, async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_TOKEN_RATE: '100000' } });
    const job = await jobWith(server, 100_000);
    const context = await person(t, server);
    const page = await context.newPage();
    const longest = await tasks(context, page);
    await page.goto(`/jobs/${job.id}`);
    await line(page, 100_000).waitFor();
    const flood = (async () => {
        const began = Date.now();
        for (let second = 0; second < 10; second++) {
            await say(server, job, 100_001 + second * 500, 100_500 + second * 500);
            await new Promise((wake) => setTimeout(wake, Math.max(0, began + (second + 1) * 1000 - Date.now())));
        }
    })();
    await page.getByLabel('Search the log').fill('entry 99');
    await until(() => page.getByText(/being searched/).count().then((n) => n === 0), 'all of it is searched');
    await page.getByLabel('Search the log').fill('');
    for (let i = 0; i < 20; i++) {
        await page.getByRole('log').hover();
        await page.mouse.wheel(0, i % 2 ? 40_000 : -60_000);
        await framed(page);
    }
    await flood;
    await page.getByRole('button', { name: /new lines$/ }).click();
    await line(page, 105_000).waitFor();
    assert.ok((await drawn(page)) < 150);
    const { worked, took } = await longest();
    t.diagnostic(`the longest task worked for ${worked} ms, and was over after ${took} ms`);
    assert.ok(worked < 200, `the longest task worked for ${worked} ms`);
    await becomes(() => page.getByRole('switch', { name: 'Follow' }).isChecked(), true, 'the end is followed again');
});
