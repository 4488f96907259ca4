// Pictures of what happened: a discussion's shape, and a job's line of time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, visit } from './lib/browser.mjs';
import { start, until } from './lib/server.mjs';

const minute = 60_000;

test('the shape of a discussion leads to what was said', async (t) => {
    const server = await start(t);
    const names = ['Divergent', 'Convergent', 'Critical'];
    for (const name of names) await server.must(201, 'POST', '/api/agents', { name, role: name.toLowerCase() });
    const { discussion } = await server.must(201, 'POST', '/api/discussions', { topic: 'Ship on Friday?', participants: names.map((agentName) => ({ agentName })), rounds: 3, options: { rehearse: true } });
    const get = () => server.must(200, 'GET', `/api/discussions/${discussion.id}`);
    await until(async () => (await get()).discussion.status === 'completed', 'it has ended');
    const { entries } = await get();
    const passes = entries.filter(({ metadata }) => metadata.pass).length;
    assert.ok(passes > 0 && passes < entries.length, 'some pass');
    for (const width of [1280, 390]) {
        const page = await visit(t, server, `/discussions/${discussion.id}`, { width });
        await page.getByText('Shape', { exact: true }).click();
        const shape = page.getByRole('table');
        await until(async () => (await shape.getByRole('row').count()) === 1 + names.length, 'a row for each');
        assert.equal(await shape.getByRole('button').count(), entries.length);
        assert.equal(await shape.getByRole('button', { name: /: passed$/ }).count(), passes);
        await accessible(page, `the shape at ${width}`);
        await fits(page, `the shape at ${width}`);
        await shape.getByRole('button', { name: /^Divergent, round 1: \d+ words/ }).click();
        await page.locator(`#e-${entries[0].id}`).waitFor();
        await shape.waitFor({ state: 'detached' });
    }
});

test('a job’s line of time says how long it waited', async (t) => {
    const server = await start(t);
    const job = await server.must(201, 'POST', '/api/jobs', { kind: 'release', agent: 'Builder', status: 'running' });
    await server.advance(4 * minute); // and however long it takes to say so
    const { questionId } = await server.must(201, 'POST', `/api/jobs/${job.id}/questions`, { question: 'Push the tag?', type: 'blocking', responseType: 'boolean' });
    await server.advance(9 * minute);
    await server.must(200, 'POST', `/api/questions/${questionId}/answer`, { response: { type: 'boolean', value: true } });
    await server.advance(6 * minute);
    await server.must(200, 'PATCH', `/api/jobs/${job.id}`, { status: 'completed' });
    const page = await visit(t, server, `/jobs/${job.id}`);
    await page.getByRole('img', { name: /^(19|2\d) min, of which (9|1\d) min waiting for people$/ }).waitFor();
    await accessible(page, 'a job’s line of time');
});
