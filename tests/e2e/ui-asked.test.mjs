// What belongs to a question: its project, step, error and log; who waits is seen on every page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visit } from './lib/browser.mjs';
import { onBothEngines, start } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

onBothEngines('open questions of projects stand in the Needs-you bar of every page and lead to their set', {}, async (server, t) => {
    const work = await Work.begin(server, { name: 'Checkout' });
    const page = await visit(t, server, '/chat');
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    const task = await work.claimed('Add refund endpoint');
    await work.stuck(task.id, 'May refunds be partial?');
    const bar = page.getByRole('region', { name: /needs you/ });
    await bar.getByText('May refunds be partial?').waitFor();
    await page.waitForFunction(() => document.title.startsWith('(1)'));
    await bar.getByRole('link', { name: 'Open' }).click();
    const field = page.getByLabel('May refunds be partial?');
    await field.fill('Yes.');
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('No open questions').waitFor();
    await page.goto('/notifications?show=all');
    await page.getByRole('listitem').filter({ hasText: 'Add refund endpoint' }).getByText('Settled').waitFor();
    assert.equal(await bar.count(), 0);
});

test('a question shows its project, step, error and log; only what blocks nobody can be dismissed', async (t) => {
    const server = await start(t);
    const work = await Work.begin(server, { name: 'Checkout' });
    const job = await server.must(201, 'POST', '/api/jobs', { kind: 'release', agent: 'Builder', status: 'running', projectId: work.project.id, input: { title: 'Release 2.4' } });
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { message: 'the registry answered 502' });
    const ask = (fields) => server.must(201, 'POST', `/api/jobs/${job.id}/questions`, { responseType: 'boolean', ...fields });
    const { questionId } = await ask({ question: 'Retry?', type: 'error_recovery', context: { projectName: 'Checkout', currentStep: 'Push', errorDetails: 'ECONNRESET at registry' } });
    const page = await visit(t, server, `/inbox/${questionId}`);
    await page.getByRole('heading', { name: 'Retry?' }).waitFor();
    await page.getByText('Checkout, Push').first().waitFor();
    await page.getByText('ECONNRESET at registry').waitFor({ state: 'attached' });
    const beside = page.getByRole('complementary', { name: 'Context' });
    await beside.getByText('the registry answered 502').waitFor();
    await beside.getByRole('link', { name: 'Release 2.4' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Dismiss' }).count(), 0);
    await beside.getByRole('link', { name: 'Open the project' }).click();
    await page.getByRole('heading', { name: 'Checkout' }).waitFor();
    const preference = await ask({ question: 'Verbose?', type: 'non_blocking', defaultResponse: { type: 'boolean', value: false } });
    await page.goto(`/inbox/${preference.questionId}`);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('This question was taken back', { exact: false }).waitFor();
});
