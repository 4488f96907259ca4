// Approvals in a queue, jobs with their log, notifications: what happens is seen as it happens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, visit } from './lib/browser.mjs';
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
    await sheet.getByRole('rowheader', { name: 'Create ticket 2?' }).waitFor();
    // Somebody is faster with one of them.
    await server.must(200, 'POST', `/api/questions/${asked[2].questionId}/answer`, { response: { type: 'approval', value: false } });
    await sheet.getByRole('button', { name: 'Approve 3' }).click();
    await sheet.getByRole('row').filter({ hasText: 'Create ticket 1?' }).getByText('Done').waitFor();
    await sheet.getByRole('row').filter({ hasText: 'Create ticket 2?' }).getByText(/answered/).waitFor();
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
    const lost = (text) => page.getByRole('region', { name: text });
    // One by its button: the other's answer comes between the click and the server.
    await page.route(`**/api/questions/${first.questionId}/answer`, async (route) => {
        await faster(first, false);
        await route.continue();
    });
    await row('Drop the table?').getByRole('button', { name: 'Approve' }).click();
    await lost('Drop the table?').getByRole('alert').getByText(/not taken.*answered/).waitFor();
    await lost('Drop the table?').getByText(/Rejected/).waitFor();
    await lost('Drop the table?').locator('.mine').getByText('Approved').waitFor();
    // One with a reason.
    await row('Send the mails?').getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel(/^Why not/).fill('Not on Fridays');
    await faster(second, true);
    await page.getByRole('button', { name: 'Reject 1' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('button', { name: 'Close' }).last().click();
    await lost('Send the mails?').getByRole('alert').getByText(/not taken/).waitFor();
    await lost('Send the mails?').getByText('Rejected: “Not on Fridays”').waitFor();
    await accessible(page, 'answers that were not taken');
    await lost('Drop the table?').getByRole('button', { name: 'Put away: Drop the table?' }).click();
    await lost('Drop the table?').waitFor({ state: 'detached' });
    await row('One more?').waitFor();
    assert.equal((await get(server, first)).response.value, false);
    assert.equal((await get(server, second)).response.value, true);
});

onBothEngines('one approval is rejected with a reason, and arguments are approved with changes', {}, async (server, t) => {
    const asked = await ask(server, { question: 'Delete rows?' });
    const page = await visit(t, server, '/approvals');
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel(/^Why not/).fill('Not on Fridays');
    await page.getByRole('button', { name: 'Reject 1' }).click();
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

onBothEngines('notifications come, are answered where they stand, and are settled everywhere', {}, async (server, t) => {
    const asked = await ask(server, { type: 'blocking', responseType: 'boolean', question: 'Really?', agent: 'Scout' });
    const page = await visit(t, server, '/notifications');
    const item = page.getByRole('listitem').filter({ hasText: 'Really?' });
    await item.getByRole('button', { name: 'Yes' }).click();
    assert.equal((await get(server, asked)).response.value, true);
    await item.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'All' }).click();
    await item.getByText('Settled').waitFor();
    await ask(server, { question: 'Another?', agent: 'Scout' });
    await page.getByRole('listitem').filter({ hasText: 'Another?' }).waitFor();
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await page.getByRole('button', { name: 'Mark all read' }).waitFor({ state: 'detached' });
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
    const page = await visit(t, server, `/inbox/${asked.questionId}`, { workers: true });
    const context = page.context();
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await until(() => page.evaluate(() => Boolean(navigator.serviceWorker.controller)), 'the worker is in charge');
    await page.getByLabel('Your answer').fill('Ada');
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText(/1 answer kept/).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'The server is away' }).waitFor();
    await page.getByText('1 answer is kept on this device').waitFor();
    assert.equal((await server.must(200, 'GET', `/api/questions/${asked.questionId}`)).question.status, 'pending');
    await context.setOffline(false);
    const { response } = await get(server, asked);
    assert.equal(response.value, 'Ada');
    await page.getByText('Nothing needs you').waitFor();
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
    await page.getByText(/answered .*: Ada/).waitFor();
    await page.getByText('Grace').waitFor();
});

test('a thousand open questions are listed without a long pause', { timeout: 600_000 }, async (t) => {
    const server = await start(t, { env: { WITAN_LIMITS_TOKEN_RATE: '100000' } });
    for (let i = 0; i < 1000; i += 50) await Promise.all(Array.from({ length: 50 }, (_, n) => ask(server, { question: `Question ${i + n}?`, timeoutMinutes: 60 + i + n })));
    const page = await visit(t, server, '/inbox');
    await page.getByText('1000 open').waitFor();
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
