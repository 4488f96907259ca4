// Figures: what the server counted is shown as pictures, with a table that says the same, and follows what happens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, person, visit } from './lib/browser.mjs';
import { onBothEngines, start } from './lib/server.mjs';
import { Work } from './lib/work.mjs';

const minute = 60_000;
const twoMinutes = /^2:[0-5]\d\b/; // the clock runs on while the server is asked, and on a busy machine that is seconds
const day = 24 * 60 * minute;
// Whenever the test runs: what it asks is all of one day, and that day has only begun.
const morning = (server) => server.advance(day - (Date.now() % day) + 60 * minute);
const ask = (server, fields = {}) => server.must(201, 'POST', '/api/questions', { question: 'Retry the feed?', type: 'blocking', responseType: 'boolean', timeoutMinutes: 30, ...fields });
const answer = (server, { questionId }, type = 'boolean') => server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response: { type, value: true } });

// Six answered after two minutes, and approvals of which more run out than should.
async function furnish(server, fields = {}) {
    for (let i = 0; i < 6; i++) {
        const asked = await ask(server, fields);
        await server.advance(2 * minute);
        await answer(server, asked);
    }
    for (let i = 0; i < 6; i++) {
        const asked = await ask(server, { question: 'Deploy?', type: 'approval', responseType: 'approval', ...fields });
        if (i < 3) await server.advance(31 * minute);
        else await answer(server, asked, 'approval');
    }
    for (let i = 0; i < 6; i++) {
        const job = await server.must(201, 'POST', '/api/jobs', { kind: 'import', status: 'running', ...fields });
        await server.must(200, 'PATCH', `/api/jobs/${job.id}`, i < 5 ? { status: 'completed' } : { status: 'failed', error: 'no' });
    }
}

onBothEngines('answer times and timeouts are charts, with the same in tables, by range and project', {}, async (server, t) => {
    await morning(server);
    const work = await Work.begin(server, { name: 'Checkout' });
    const page = await visit(t, server, '/analytics');
    await page.getByText('Nothing was asked in this time').waitFor();
    await furnish(server, { projectId: work.project.id });
    // It follows by itself.
    const half = page.locator('dl > div').filter({ hasText: 'Half are answered within' });
    await half.getByText(twoMinutes).waitFor();
    await half.getByText('n = 9').waitFor();
    await page.reload(); // the dialogs of what was asked meanwhile are gone
    await page.getByRole('img', { name: /^Time to answer/ }).waitFor();
    await page.getByText('Approval: above 20 %.').waitFor();
    await page.getByText('50 %').first().waitFor();
    const figure = page.getByRole('figure').filter({ hasText: 'Time to answer' });
    await figure.getByText('As a table').click();
    const days = await figure.getByRole('row').filter({ has: page.getByRole('cell') }).evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)));
    const asked = days.filter((cells) => Number(cells[2]) > 0);
    assert.deepEqual(asked.map((cells) => cells.slice(2, 5)), [['12', '3', '9']]);
    assert.match(asked[0].slice(0, 2).join(' '), /^2:[0-5]\d.* 2:[0-5]\d/);
    await page.getByText('Completed 83 %').waitFor();
    await page.getByRole('region', { name: 'Ran out most often' }).getByRole('row').filter({ hasText: 'Deploy?' }).waitFor();
    await page.getByRole('link', { name: '24 hours' }).click();
    await page.getByText('12 questions').waitFor();
    const other = await Work.begin(server, { name: 'Empty' });
    await page.reload();
    await page.getByLabel('Project').selectOption(other.project.id);
    await page.getByText('Nothing was asked in this time').waitFor();
    await page.waitForURL(/range=day.*project=/);
});

onBothEngines('the figures of one agent leave the others out', {}, async (server, t) => {
    await furnish(server, { agent: 'Scout' });
    for (let i = 0; i < 5; i++) await answer(server, await ask(server, { agent: 'Builder', question: 'Which branch?' }));
    const page = await visit(t, server, '/analytics?range=day');
    await page.getByText('17 questions').waitFor();
    await page.getByText('jobs that were made for a single question are not counted').waitFor();
    await page.getByLabel('Agent').selectOption('Scout');
    await page.getByText('12 questions').waitFor();
    await page.getByText('Completed 83 %').waitFor();
    assert.equal(await page.getByText('Which branch?').count(), 0);
    await page.waitForURL(/range=day&agent=Scout/);
    await page.getByRole('link', { name: '7 days' }).click();
    await page.waitForURL(/range=week&agent=Scout/);
    await page.getByText('12 questions').waitFor();
    // It goes on to follow, and only what this agent does.
    await answer(server, await ask(server, { agent: 'Builder' }));
    await answer(server, await ask(server, { agent: 'Scout' }));
    await page.getByText('13 questions').waitFor();
    // Each share stands beside what it is of: what has ended, not all that was asked.
    await ask(server, { agent: 'Scout' });
    await page.getByText('77 %').locator('..').getByText('10 of 13 that have ended; 0 by default, 3 ran out. 1 open').waitFor();
    await page.getByText('50 %').first().getByText('3 of 6').waitFor();
});

test('too few figures say so, and a question that blocks for an hour is named', async (t) => {
    const server = await start(t);
    const asked = await ask(server, { question: 'May I?', timeoutMinutes: 300 });
    await answer(server, await ask(server));
    await server.advance(72 * minute);
    const page = await visit(t, server, '/analytics');
    await page.getByText('too few').first().waitFor();
    await page.getByText(/A question that blocks has been open for 1 h (1[2-9]|[2-5]\d) min\./).waitFor(); // the clock runs on here, too
    await page.getByRole('main').getByRole('link', { name: 'May I?' }).click();
    await page.waitForURL(new RegExp(asked.questionId));
});

test('the figures are accessible and fit', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    await furnish(server);
    await ask(server, { question: 'x'.repeat(600) });
    await ask(server, { question: 'x'.repeat(600) });
    for (const [scheme, width] of [['light', 390], ['dark', 1280], ['light', 1600]]) {
        const page = await (await person(t, server, { scheme, width, height: 844 })).newPage();
        await page.goto('/analytics?range=month');
        await page.getByRole('img', { name: /^Time to answer/ }).waitFor();
        for (const table of await page.getByText('As a table').all()) await table.click();
        await accessible(page, `${scheme} ${width}`);
        await fits(page, `${scheme} ${width}`);
    }
});
