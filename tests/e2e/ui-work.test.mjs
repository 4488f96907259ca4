// Approvals in a queue, jobs with their log, notifications: what happens is seen as it happens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, seen, visit } from './lib/browser.mjs';
import { becomes, onBothEngines, quickOnce, start, until } from './lib/server.mjs';

const approval = { type: 'approval', responseType: 'approval' };
const ask = (server, fields) => server.must(201, 'POST', '/api/questions', { question: 'Run it?', ...approval, ...fields });
const get = async (server, { questionId }) => (await server.must(200, 'GET', `/api/questions/${questionId}?wait=55`)).question;
const startJob = (server) => server.must(201, 'POST', '/api/jobs', { kind: 'release', agent: 'Builder', status: 'running', input: { title: 'Release 2.4' } });

onBothEngines('approvals are decided one by one and several at once, with a result for each', {}, async (server, t) => {
    const asked = [];
    for (let i = 0; i < 4; i++) asked.push(await ask(server, { question: `Create ticket ${i}?`, action: { name: 'linear.create_ticket', args: { n: i } } }));
    const page = await visit(t, server, '/approvals');
    const row = (i) => page.getByRole('row').filter({ hasText: `Create ticket ${i}?` });
    await row(0).getByText('linear.create_ticket').waitFor();
    await row(0).getByRole('button', { name: 'Approve' }).click();
    assert.equal((await get(server, asked[0])).response.value, true);
    await row(0).waitFor({ state: 'detached' });
    for (const i of [1, 2, 3]) await row(i).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Approve 3…' }).click();
    const sheet = page.getByRole('dialog', { name: 'Approve these 3?' });
    const listed = (i) => sheet.getByRole('list', { name: 'What is answered' }).getByRole('listitem').filter({ hasText: `Create ticket ${i}?` });
    await listed(2).getByText('linear.create_ticket').waitFor();
    // Somebody is faster with one of them.
    await server.must(200, 'POST', `/api/questions/${asked[2].questionId}/answer`, { response: { type: 'approval', value: false } });
    await sheet.getByRole('button', { name: 'Approve 3' }).click();
    await listed(1).getByText('Done').waitFor();
    await listed(2).getByText(/answered/).waitFor();
    await sheet.getByRole('button', { name: 'Close' }).last().click();
    assert.deepEqual([(await get(server, asked[1])).response.value, (await get(server, asked[2])).response.value, (await get(server, asked[3])).response.value], [true, false, true]);
    await page.getByText('No approval waits').waitFor();
});

onBothEngines('who loses a race on the approvals page is told so there, with who was faster, and keeps their words', {}, async (server, t) => {
    const [first, second] = [await ask(server, { question: 'Drop the table?' }), await ask(server, { question: 'Send the mails?' })];
    await ask(server, { question: 'One more?' });
    const faster = ({ questionId }, value) => server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response: { type: 'approval', value, text: 'I was here' } });
    const page = await visit(t, server, '/approvals');
    const row = (text) => page.getByRole('row').filter({ hasText: text });
    const lost = (text) => page.getByRole('region', { name: 'Answers that were not taken' }).getByRole('article').filter({ hasText: text });
    // One by its button: the other's answer comes between the click and the server.
    await page.route(`**/api/questions/${first.questionId}/answer`, async (route) => {
        await faster(first, false);
        await route.continue();
    });
    await row('Drop the table?').getByRole('button', { name: 'Approve' }).click();
    await lost('Drop the table?').getByRole('heading', { name: 'Your answer was not taken: Drop the table?' }).waitFor();
    await lost('Drop the table?').getByText(/answered .*: Rejected/).waitFor();
    await lost('Drop the table?').getByText('You said: Approved').waitFor();
    // One with a reason.
    await row('Send the mails?').getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel(/^Why not/).fill('Not on Fridays');
    await faster(second, true);
    await page.getByRole('button', { name: /^Reject Ctrl/ }).click();
    await lost('Send the mails?').getByText('You said: Rejected: “Not on Fridays”').waitFor();
    await page.getByRole('button', { name: 'One more' }).click();
    await accessible(page, 'answers that were not taken');
    await lost('Drop the table?').getByRole('button', { name: 'Put away: Drop the table?' }).click();
    await lost('Drop the table?').waitFor({ state: 'detached' });
    await row('One more?').waitFor();
    assert.equal((await get(server, first)).response.value, false);
    assert.equal((await get(server, second)).response.value, true);
});

test('the queue is worked through by keys, with all that each would do, an undo, and nothing approved that was not on screen', async (t) => {
    const server = await start(t);
    const lines = Array.from({ length: 300 }, (_, i) => `step ${i}`).join('\n');
    const asked = {};
    for (const [name, args] of [['First', { team: 'PAY', priority: 'high' }], ['Second', { ids: [1, 2] }], ['Long', { script: `${lines}\nrm -rf /` }], ['Last', { n: 4 }]])
        asked[name] = await ask(server, { question: `${name} one?`, agent: 'Builder', timeoutMinutes: 60 + Object.keys(asked).length, action: { name: 'tool.run', args } });
    const page = await visit(t, server, '/approvals');
    const row = (name) => page.getByRole('row').filter({ hasText: `${name} one?` });
    const pending = async (name) => (await server.must(200, 'GET', `/api/questions/${asked[name].questionId}`)).question.status === 'pending';
    // All arguments, by their names.
    for (const text of ['team', 'PAY', 'priority', 'high']) await row('First').getByText(text, { exact: true }).waitFor();
    await page.keyboard.press('j');
    await row('First').getByRole('link', { name: 'First one?' }).and(page.locator(':focus')).waitFor();
    await seen(page);
    await page.keyboard.press('a');
    await row('First').waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await row('First').waitFor();
    assert.ok(await pending('First'), 'it was taken back');
    // The next one has the focus; its arguments are changed where it stands.
    await row('Second').getByRole('link', { name: 'Second one?' }).focus();
    await seen(page);
    await page.keyboard.press('e');
    const args = page.getByRole('textbox', { name: 'Edit arguments' }).and(page.locator(':focus'));
    await args.fill('{"ids": [1]}');
    await page.getByRole('group', { name: /^Difference/ }).waitFor();
    await page.keyboard.press('Control+Enter');
    await row('Second').waitFor({ state: 'detached' });
    // What is long is folded, and no yes is taken before its end was on screen: not by its button, not by its key, not in the sheet.
    const approve = row('Long').getByRole('button', { name: 'Approve' });
    assert.equal(await approve.getAttribute('aria-disabled'), 'true');
    assert.equal(await row('Long').getByText('rm -rf /').isVisible(), true);
    await row('Long').getByRole('link', { name: 'Long one?' }).focus();
    await seen(page);
    await page.keyboard.press('a');
    await page.getByText(/has not been on screen to its end/).waitFor(); // and it is unfolded, and leads on
    await row('Long').getByRole('button', { name: 'Show all of it' }).waitFor({ state: 'detached' });
    assert.ok(await pending('Long'));
    await page.keyboard.press('x');
    await page.keyboard.press('A');
    const sheet = page.getByRole('dialog', { name: 'Approve this one?' });
    await sheet.getByText('Scroll to the end of the list to approve').waitFor();
    await sheet.getByRole('button', { name: 'Approve 1' }).click({ force: true });
    assert.ok(await pending('Long'));
    // Who holds Enter down on that button gets to the end, and has decided nothing by it.
    await sheet.getByRole('button', { name: 'Approve 1' }).evaluate(async (button) => {
        for (let more = 10; more > 0; ) {
            button.click();
            if (button.getAttribute('aria-disabled') === null) more--;
            await new Promise((done) => requestAnimationFrame(done));
        }
    });
    assert.equal(await sheet.getByRole('button', { name: /^Undo/ }).count(), 0);
    await page.waitForTimeout(500);
    await sheet.getByRole('button', { name: 'Approve 1' }).click();
    await sheet.getByRole('button', { name: /^Undo/ }).click();
    assert.ok(await pending('Long'));
    await sheet.getByRole('button', { name: 'Not now' }).click();
    await until(async () => (await approve.getAttribute('aria-disabled')) === null, 'it has been seen');
    // A reason, where it stands.
    await row('Last').getByRole('link', { name: 'Last one?' }).focus();
    await page.keyboard.press('r');
    await page.getByLabel(/^Why not/).and(page.locator(':focus')).fill('Not on Fridays');
    await page.keyboard.press('Control+Enter');
    assert.deepEqual((await get(server, asked.Second)).approvedArgs, { ids: [1] });
    await accessible(page, 'the queue');
    const { response } = await get(server, asked.Last);
    assert.deepEqual([response.value, response.text], [false, 'Not on Fridays']);
    // Narrowed and sorted, in the address.
    await page.getByLabel('Find approvals').fill('PAY');
    await page.waitForURL(/text=PAY/);
    await row('Long').waitFor({ state: 'detached' });
    await page.getByLabel('Find approvals').fill('nothing of the kind');
    await page.getByRole('heading', { name: 'No approval fits' }).waitFor();
    await page.goto('/approvals?sort=newest');
    await row('Long').waitFor();
    assert.match((await page.getByRole('row').nth(1).textContent()) ?? '', /Long one/);
    // On the phone.
    await page.setViewportSize({ width: 390, height: 844 });
    await row('First').getByRole('button', { name: 'Edit arguments' }).click();
    assert.ok((await page.getByRole('textbox', { name: 'Edit arguments' }).boundingBox()).width > 280);
    await fits(page, 'the queue on the phone');
    await accessible(page, 'the queue on the phone');
});

onBothEngines('one approval is rejected with a reason, and arguments are approved with changes', {}, async (server, t) => {
    const asked = await ask(server, { question: 'Delete rows?' });
    const page = await visit(t, server, '/approvals');
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel(/^Why not/).fill('Not on Fridays');
    await page.getByRole('button', { name: /^Reject Ctrl/ }).click();
    const { response } = await get(server, asked);
    assert.deepEqual([response.value, response.text], [false, 'Not on Fridays']);
    const edited = await ask(server, { action: { name: 'prices.delete', args: { ids: [1, 2, 3], dry: false } } });
    await page.goto(`/inbox/${edited.questionId}`);
    await page.getByRole('button', { name: 'Edit arguments' }).click();
    const args = page.getByRole('textbox', { name: 'Edit arguments' });
    await args.fill('{"ids": [1');
    assert.ok(await page.getByRole('button', { name: 'Approve with changes' }).isDisabled());
    await args.fill('{"ids": [1], "dry": true}');
    await page.getByRole('group', { name: /^Difference/ }).waitFor();
    await page.reload(); // a draft survives
    await page.getByRole('button', { name: 'Approve with changes' }).click();
    assert.deepEqual((await get(server, edited)).approvedArgs, { ids: [1], dry: true });
});

onBothEngines('a job is followed: its log, its question in place, and how it ends', {}, async (server, t) => {
    const job = await startJob(server);
    const page = await visit(t, server, `/jobs/${job.id}`);
    await page.getByRole('heading', { name: 'Release 2.4' }).waitFor();
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { level: 'warn', message: 'the disk is nearly full' });
    await page.getByRole('log').getByText('the disk is nearly full').waitFor();
    const read = page.waitForResponse((response) => response.request().method() === 'GET' && response.url().includes(`/api/jobs/${job.id}/logs`));
    await server.must(200, 'POST', `/api/jobs/${job.id}/progress`, { done: 2, total: 5, step: 'Migrate' });
    await page.getByText('2/5').first().waitFor();
    await read; // the log is read anew: what was told of before and what is read now is one line
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { level: 'info', message: 'and the net is slow' });
    await page.getByRole('log').getByText('and the net is slow').waitFor();
    assert.equal(await page.getByRole('log').getByText('the disk is nearly full').count(), 1);
    await page.getByLabel('Search the log').fill('disk'); // somebody types: no dialog
    const asked = await server.must(201, 'POST', `/api/jobs/${job.id}/questions`, { question: 'Go on?', type: 'blocking', responseType: 'choice', options: [{ label: 'Yes, go on' }, { label: 'Stop' }] });
    await page.getByRole('status').filter({ hasText: 'Waiting for user response' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByLabel('Search the log').fill('');
    await page.getByRole('button', { name: 'Open question' }).last().click();
    const dialog = page.getByRole('dialog', { name: 'Go on?' });
    await dialog.getByRole('radio', { name: 'Yes, go on' }).check();
    await dialog.getByRole('button', { name: 'Send answer' }).click();
    assert.equal((await get(server, asked)).status, 'answered');
    await page.getByRole('log').getByText('Yes, go on').waitFor();
    await page.getByText('Waiting for user response').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel job…' }).click();
    await page.getByRole('dialog', { name: 'Cancel this job?' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled').first().waitFor();
    await page.goto('/jobs?status=cancelled');
    await page.getByRole('listitem').filter({ hasText: 'Release 2.4' }).waitFor();
});

test('jobs are narrowed by project, agent and words and put in order; those of single questions come when they are asked for', async (t) => {
    const server = await start(t);
    const project = await server.must(201, 'POST', '/api/projects', { name: 'Checkout' });
    await startJob(server);
    await server.must(201, 'POST', '/api/agents', { name: 'Zoe', ai_model_config: { provider: 'external' } });
    await server.must(201, 'POST', '/api/jobs', { kind: 'import', agent: 'Scout', projectId: project.id, input: { title: 'Prices of Zürich' } });
    await ask(server, { question: 'Retry the feed?', agent: 'Scout' });
    const page = await visit(t, server, '/jobs');
    const rows = page.getByRole('list').last().getByRole('listitem');
    const names = async () => (await rows.allTextContents()).map((text) => /Release 2.4|Prices of Zürich|Retry the feed|Later/.exec(text)?.[0]);
    const shows = (...wanted) => until(async () => JSON.stringify(await names()) === JSON.stringify(wanted), `the list is ${wanted}`);
    await shows('Prices of Zürich', 'Release 2.4');
    await page.getByLabel('Order').selectOption('Oldest first');
    await shows('Release 2.4', 'Prices of Zürich');
    await page.getByLabel('Find jobs').pressSequentially('zuri');
    await page.waitForURL(/sort=oldest&text=zuri/);
    await shows('Prices of Zürich');
    await page.reload(); // the address says all of it
    await shows('Prices of Zürich');
    assert.equal(await page.getByLabel('Find jobs').inputValue(), 'zuri');
    await page.getByLabel('Find jobs').fill('nowhere');
    await page.getByRole('heading', { name: 'No job fits' }).waitFor();
    await page.getByRole('link', { name: 'Show all jobs' }).click();
    await shows('Prices of Zürich', 'Release 2.4');
    assert.equal(await page.getByLabel('Find jobs').inputValue(), '');
    await page.getByLabel('Project').selectOption('Checkout');
    await shows('Prices of Zürich');
    await page.getByLabel('Project').selectOption('');
    await page.getByLabel('Agent').selectOption('Builder');
    await shows('Release 2.4');
    await page.getByLabel('Agent').selectOption('Zoe'); // none of the jobs that are here is hers
    await page.getByRole('heading', { name: 'No job fits' }).waitFor();
    await page.getByLabel('Agent').selectOption('');
    // What is begun meanwhile comes by itself; a question is no job unless it is asked for.
    await ask(server, { question: 'Retry the feed?', agent: 'Scout' });
    await server.must(201, 'POST', '/api/jobs', { kind: 'import', agent: 'Scout', input: { title: 'Later' } });
    await shows('Later', 'Prices of Zürich', 'Release 2.4');
    await page.getByRole('button', { name: 'Single questions, too' }).click();
    await shows('Later', 'Retry the feed', 'Retry the feed', 'Prices of Zürich', 'Release 2.4');
    await accessible(page, 'jobs that are narrowed');
});

onBothEngines('notifications come, are answered where they stand, and are settled everywhere', {}, async (server, t) => {
    const asked = await ask(server, { type: 'blocking', responseType: 'boolean', question: 'Really?', agent: 'Scout' });
    const page = await visit(t, server, '/notifications');
    const item = page.getByRole('listitem').filter({ hasText: 'Really?' });
    await item.getByRole('button', { name: 'Yes' }).click();
    assert.equal((await get(server, asked)).response.value, true);
    await item.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'All' }).click();
    await item.getByText('Settled').waitFor();
    // What would do something is looked at first, and each says what it is about.
    const another = await ask(server, { question: 'Another?', agent: 'Scout', action: { name: 'shell', args: { command: 'ls' } } });
    const second = page.getByRole('listitem').filter({ hasText: 'Another?' });
    await second.getByText('Scout needs your approval').waitFor();
    assert.equal(await second.getByRole('button', { name: 'Approve' }).count(), 0);
    assert.equal(await second.getByRole('link', { name: 'Another?' }).getAttribute('href'), `/inbox/${another.questionId}`);
    await second.getByRole('link', { name: 'Look and decide' }).waitFor();
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await page.getByRole('button', { name: 'Mark all read' }).waitFor({ state: 'detached' });
});

test('a notification of a job that failed says once what its title says, too', async (t) => {
    const server = await start(t);
    const job = await server.must(201, 'POST', '/api/jobs', { kind: 'import', agent: 'Scout', status: 'running' });
    await server.must(200, 'PATCH', `/api/jobs/${job.id}`, { status: 'failed', error: 'Scout failed' });
    const page = await visit(t, server, '/notifications');
    const item = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'import', exact: true }) });
    await item.getByText('Scout failed', { exact: true }).waitFor();
});

test('a deadline is extended, and one that passes says what became of it', async (t) => {
    const server = await start(t);
    const asked = await ask(server, { type: 'blocking', responseType: 'text', question: 'Name?', timeoutMinutes: 5 });
    const page = await visit(t, server, `/inbox/${asked.questionId}`);
    await page.getByRole('button', { name: /^Extend/ }).click();
    await page.getByText(/The deadline is .* now/).waitFor();
    await page.getByLabel('Your answer').fill('too late');
    await server.advance(21 * 60_000);
    await page.getByText(/Time ran out at/).waitFor();
    await page.getByText('too late').waitFor();
});

test('offline: an answer is kept, survives a reload, and is sent once', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const asked = await ask(server, { type: 'blocking', responseType: 'text', question: 'Name?' });
    const page = await visit(t, server, '/inbox', { workers: true });
    const context = page.context();
    await page.evaluate(() => caches.open('witan-before')); // of a build before this one
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await until(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller)), 'the worker is in charge');
    await becomes(() => page.evaluate(async () => (await caches.keys()).filter((name) => !/^(witan-[0-9a-f]{16}|offline-witan:\w+)$/.test(name)).join()), '', 'the pages are kept by what they hold');
    await page.getByRole('link', { name: 'Name?' }).click();
    await ask(server, { type: 'blocking', responseType: 'text', question: 'Second?' }); // told by an event, listed nowhere
    await page.getByRole('link', { name: 'Second?' }).waitFor();
    await until(() => page.evaluate(async () => (await (await caches.match('/offline/inbox'))?.text())?.includes('Second?')), 'what was told is kept');
    await page.getByLabel('Your answer').fill('Ada');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText(/1 answer kept/).waitFor();
    await page.reload();
    // What was loaded is there to be read, with its time; nothing of it is called live.
    await page.getByText(/^The server is away: this is as of \d\d:\d\d\.$/).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Name?' }).getByText('Ada').waitFor();
    await page.getByRole('link', { name: 'Second?' }).click();
    await page.getByRole('article').getByRole('heading', { name: 'Second?' }).waitFor();
    assert.equal(await page.getByText('Live', { exact: true }).count(), 0);
    await accessible(page, 'without the server');
    assert.equal((await server.must(200, 'GET', `/api/questions/${asked.questionId}`)).question.status, 'pending');
    await context.setOffline(false);
    const { response } = await get(server, asked);
    assert.equal(response.value, 'Ada');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Name?' }).waitFor({ state: 'detached' });
    assert.equal(await page.getByText(/this is as of/).count(), 0);
    const { logs } = await server.must(200, 'GET', `/api/jobs/${(await get(server, asked)).jobId}/logs`);
    assert.equal(logs.filter(({ kind }) => kind === 'answer').length, 1);
    await becomes(() => page.evaluate(() => localStorage.getItem('witan.outbox')), null, 'nothing is kept any more');
});

test('an answer kept offline that comes too late is shown with its words', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const asked = await ask(server, { type: 'blocking', responseType: 'text', question: 'Name?' });
    const page = await visit(t, server, `/inbox/${asked.questionId}`);
    await page.getByLabel('Your answer').fill('Grace');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText(/1 answer kept/).waitFor();
    await server.must(200, 'POST', `/api/questions/${asked.questionId}/answer`, { response: { type: 'text', value: 'Ada' } });
    await page.context().setOffline(false);
    await page.goto(`/inbox/${asked.questionId}`);
    await page.getByText(/answered .*: Ada/).first().waitFor();
    await page.getByText('You said: Grace').waitFor();
});

test('a thousand open questions are listed without a long pause', { timeout: 600_000 }, async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_TOKEN_RATE: '100000' } });
    for (let i = 0; i < 1000; i += 50) await Promise.all(Array.from({ length: 50 }, (_, n) => ask(server, { question: `Question ${i + n}?`, timeoutMinutes: 60 + i + n })));
    const page = await visit(t, server, '/inbox');
    await page.locator('.list-head').getByText('1000 need you').waitFor();
    await page.getByRole('button', { name: 'Show 100 more' }).click();
    await page.getByRole('link', { name: 'Question 150?' }).waitFor();
    // Over more than a tick each: on a busy machine one may take long, but not all.
    const longest = () =>
        page.evaluate(async () => {
            let most = 0;
            const observer = new PerformanceObserver((list) => {
                for (const entry of list.getEntries()) most = Math.max(most, entry.duration);
            });
            observer.observe({ type: 'longtask' });
            await new Promise((done) => setTimeout(done, 1500));
            observer.disconnect();
            return most;
        });
    await quickOnce(1000, longest);
});
