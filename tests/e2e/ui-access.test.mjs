// Every route, in pairs of theme and width, with things to show and without: no rule of accessibility is broken,
// and nothing is wider than the page. The full run takes every pair.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, person } from './lib/browser.mjs';
import { full, start, until } from './lib/server.mjs';

const some = [
    { scheme: 'light', width: 390 },
    { scheme: 'dark', width: 1280 },
];
const every = ['light', 'dark'].flatMap((scheme) => [390, 768, 1280, 1600].map((width) => ({ scheme, width })));

async function furnish(server) {
    const job = await server.must(201, 'POST', '/api/jobs', { kind: 'release', agent: 'Builder', status: 'running', input: { title: 'Release 2.4' } });
    await server.must(201, 'POST', `/api/jobs/${job.id}/logs`, { level: 'error', message: `push failed ${'/'.repeat(300)}` });
    const within = await server.must(201, 'POST', `/api/jobs/${job.id}/questions`, {
        question: 'Run **migration**?\n\nIt takes `6 min`.\n\n```\nalter table\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
        type: 'approval',
        responseType: 'approval',
        action: { name: 'db.migrate', args: { target: 'orders', batch: 5000, deep: { a: 1 } } },
        context: { errorDetails: 'it broke', projectName: 'Checkout', bounds: [1, 2] },
    });
    const choice = await server.must(201, 'POST', '/api/questions', { agent: 'Planner', question: 'Which one?', type: 'blocking', responseType: 'choice', allowOther: true, options: [{ label: 'A', description: 'First' }, { label: 'B' }] });
    const text = await server.must(201, 'POST', '/api/questions', { question: 'x'.repeat(600), type: 'error_recovery', responseType: 'text' });
    await server.must(201, 'POST', '/api/questions', { question: 'Verbose?', type: 'non_blocking', responseType: 'boolean', defaultResponse: { type: 'boolean', value: false } });
    const done = await server.must(201, 'POST', '/api/questions', { question: 'Done?', type: 'blocking', responseType: 'boolean' });
    await server.must(200, 'POST', `/api/questions/${done.questionId}/answer`, { response: { type: 'boolean', value: true } });
    await server.must(201, 'POST', '/api/agents', { name: 'Critical', role: 'critical' });
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: 'Tea or coffee?', participants: [{ agentName: 'Critical' }, { role: 'user', name: 'Maya' }], rounds: 2, options: { rehearse: true } });
    await until(async () => (await server.must(200, 'GET', `/api/discussions/${discussion.id}`)).discussion.phase === 'outside', 'it waits for a person');
    await server.must(201, 'POST', '/api/chat', { agent_name: 'Scout', message: `The feed has changed: \`${'x'.repeat(300)}\`` });
    const { prompt } = await server.must(201, 'POST', '/api/discussion', { requester_agent: 'Developer', prompt_message: '**Cache** the list?\n\n1. Redis\n2. Memory', required_responses: 3 });
    await server.must(201, 'POST', `/api/discussion/${prompt.id}`, { agent_name: 'Builder', message: 'Memory is enough.' });
    return [`/discussions/${discussion.id}`, `/inbox/${within.questionId}`, `/inbox/${text.questionId}`, `/inbox/${done.questionId}`, `/q/${choice.questionId}`, `/jobs/${job.id}`];
}

test('every route is accessible, empty and furnished', { timeout: full ? 900_000 : 240_000 }, async (t) => {
    const server = await start(t);
    const routes = ['/inbox', '/approvals', '/chat', '/discussions', '/jobs', '/notifications', '/welcome', '/account', '/nowhere', '/login'];
    const look = async (paths, state) => {
        for (const { scheme, width } of full ? every : some) {
            const context = await person(t, server, { scheme, width, height: 844 });
            const page = await context.newPage();
            for (const path of paths) {
                const what = `${state} ${path} ${scheme} ${width}`;
                await page.goto(path);
                await page.getByRole('heading').first().waitFor();
                await page.waitForTimeout(250);
                await accessible(page, what);
                await fits(page, what);
            }
            await context.close();
        }
    };
    await look(routes, 'empty');
    const furnished = await furnish(server);
    await look([...routes.slice(0, 6), ...furnished], 'furnished');
});

test('dialogs and menus are accessible, and 200 % zoom loses nothing', async (t) => {
    const server = await start(t);
    const [, approval, , , , job] = await furnish(server);
    const context = await person(t, server, { width: 640, height: 400 });
    const page = await context.newPage();
    await page.goto(job);
    await page.getByRole('button', { name: 'Open question' }).last().click();
    await page.getByRole('dialog', { name: 'Run migration?' }).waitFor();
    await accessible(page, 'question dialog');
    await page.keyboard.press('Escape');
    await page.goto(approval);
    await page.getByRole('button', { name: 'Edit arguments' }).click();
    await page.getByRole('textbox', { name: 'Edit arguments' }).fill('{"target": "x"}');
    await page.getByText('What changes').waitFor();
    await accessible(page, 'edited arguments');
    await fits(page, 'edited arguments');
    await page.goto('/discussions');
    await page.getByRole('button', { name: 'New discussion' }).click();
    await page.getByRole('dialog', { name: 'New discussion' }).getByRole('checkbox', { name: 'Divergent' }).waitFor();
    await accessible(page, 'new discussion');
    await page.keyboard.press('Escape');
    await page.goto('/approvals');
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: /^Approve 1/ }).click();
    await page.getByRole('dialog').waitFor();
    await accessible(page, 'batch');
    assert.equal(await page.locator('h1').count(), 1);
});
