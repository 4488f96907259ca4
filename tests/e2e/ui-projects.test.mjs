// Projects: what agents want to know is answered where it stands, and what waited for it goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, person, settled, visit } from './lib/browser.mjs';
import { becomes, full, onBothEngines, start, until } from './lib/server.mjs';
import { Work, blocked, open } from './lib/work.mjs';

const sentences = ['Full autonomy: proceed without confirmation', 'Notify user but proceed', 'Confirm all changes before proceeding'];
const fraud = 'Should refunds below 5 skip the fraud check?';
const after = 'Which status comes after a partial refund?';

// A coder stands still at one task, and three others come after it.
async function stuck(server) {
    const work = await Work.begin(server, { name: 'Checkout', hilConfig: 'major_only' });
    const refund = await work.claimed('Add refund endpoint');
    const screen = await work.task('Refund screen', { depends_on: [refund.id] });
    const mail = await work.task('Mail about refunds', { depends_on: [refund.id] });
    await work.task('Announce refunds', { depends_on: [screen.id, mail.id] });
    await work.stuck(refund.id, fraud, after);
    return { work, refund };
}

onBothEngines('open questions of a project are answered in their block, and the tasks that waited go on', {}, async (server, t) => {
    const { work, refund } = await stuck(server);
    const page = await visit(t, server, '/projects');
    await page.getByRole('listitem').filter({ hasText: 'Checkout' }).getByText('2 open questions').waitFor();
    await page.getByRole('listitem').getByText('1 task blocked').waitFor();
    await page.getByRole('link', { name: 'Checkout' }).click();
    const set = page.getByRole('article', { name: 'Add refund endpoint' });
    await set.getByText('Blocked: Open Question').waitFor();
    await set.getByText('Answering this unblocks 4 tasks').waitFor();
    await page.getByText('Waits for your answer, 2 to answer').waitFor();
    await set.getByLabel(fraud).fill('Yes, below 5 it may.');
    await page.reload(); // what was typed is still there
    await becomes(() => set.getByLabel(fraud).inputValue(), 'Yes, below 5 it may.', 'the draft is there');
    await set.getByText('it waits for 1 more answer').waitFor();
    await set.getByRole('button', { name: 'Send 1 of 2' }).click();
    await set.getByText('You answered: Yes, below 5 it may.').waitFor();
    await work.is(refund.id, blocked);
    await set.getByLabel(after).fill('partially_refunded');
    await set.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('No open questions').waitFor();
    await work.is(refund.id, open);
    await page.getByText('No task is blocked.').waitFor();
    const { messages } = await work.get(`/tasks/${refund.id}/chat`);
    assert.ok(messages.some(({ message }) => message.includes('partially_refunded')));
});

onBothEngines('what others ask, answer and finish is seen as it happens', {}, async (server, t) => {
    const { work, refund } = await stuck(server);
    const page = await visit(t, server, `/projects/${work.project.id}`);
    await page.getByRole('article', { name: 'Add refund endpoint' }).waitFor();
    const [{ id }] = await work.notifications();
    // Beside the page of that name, the path of the protocol takes answers.
    await server.must(200, 'PATCH', `/projects/${work.project.id}/notifications/${id}`, { responses: [{ questionId: 'q1', answer: 'Yes' }] });
    await page.getByText('No open questions').waitFor();
    await work.set(refund.id, { status: 'closed', result: { summary: 'An endpoint' } });
    await page.getByText('3 open tasks, 0 in progress, 1 closed').waitFor();
    const plan = await work.result('planner', 'plan', 'refunds', { open_questions: [{ id: 'q1', text: 'How far back?\n\nA: A month. For: small.\nB: A year. Against: slow.' }] });
    assert.ok(plan.notificationId);
    const set = page.getByRole('article', { name: 'Plan refunds' });
    await set.getByRole('radio', { name: /B: A year/ }).check();
    await set.getByRole('button', { name: 'Send answer' }).click();
    await set.waitFor({ state: 'detached' });
    const settled = await work.get(`/notifications/${plan.notificationId}`);
    assert.deepEqual(settled.responses.map(({ answer }) => answer), ['B: A year']);
    await work.result('dreamer', 'prd', 'gift-cards', { open_questions: [{ id: 'q1', text: 'Do they expire?' }] });
    await page.getByRole('article', { name: 'PRD, gift-cards' }).getByRole('button', { name: 'Dismiss…' }).click();
    await page.getByRole('dialog', { name: 'Dismiss without an answer?' }).getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('No open questions').waitFor();
    assert.deepEqual(await work.notifications(), []);
});

onBothEngines('a dismissal says what becomes of the task: it goes on, or stays blocked where an orchestrator is on', {}, async (server, t) => {
    const { work, refund } = await stuck(server);
    const page = await visit(t, server, `/projects/${work.project.id}`);
    const set = page.getByRole('article', { name: 'Add refund endpoint' });
    const sure = page.getByRole('dialog', { name: 'Dismiss without an answer?' });
    await set.getByRole('button', { name: 'Dismiss…' }).click();
    await sure.getByText('The task opens again').waitFor();
    await sure.getByRole('button', { name: 'Keep them open' }).click();
    await server.must(200, 'PATCH', work.path(''), { orchestrator: { on: true } });
    await page.reload();
    await set.getByRole('button', { name: 'Dismiss…' }).click();
    await sure.getByText('Nothing is run again by this: the orchestrator is on, and the task stays blocked').waitFor();
    await sure.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('No open questions').waitFor();
    const stays = await work.get(`/tasks/${refund.id}`);
    assert.equal(stays.status, 'blocked');
    assert.match(stays.block_reason, /^Its question was dismissed/);
});

onBothEngines('a question of a closed task does not say that it opens again, and closing one by hand ends its questions', {}, async (server, t) => {
    const { work, refund } = await stuck(server);
    const done = await work.claimed('Tidy up');
    await work.result('coder', 'execute', done.id, { status: 'success', summary: 'Done.', open_questions: [{ id: 'q1', text: 'Also the tests?' }] });
    await work.result('coder', 'execute', done.id, { status: 'success', summary: 'Done.' });
    const page = await visit(t, server, `/projects/${work.project.id}`);
    const set = page.getByRole('article', { name: 'Tidy up' });
    await set.getByText('The task is closed, and stays so. The answer is kept with it.').waitFor();
    await set.getByText('Closed', { exact: true }).waitFor();
    assert.equal(await set.getByText('opens again').count(), 0);
    await set.getByRole('button', { name: 'Dismiss…' }).click();
    const sure = page.getByRole('dialog', { name: 'Dismiss without an answer?' });
    await sure.getByText('The task is closed, and stays so.').waitFor();
    await sure.getByRole('button', { name: 'Keep them open' }).click();
    const open = page.getByRole('article', { name: 'Add refund endpoint' });
    await open.getByText('the task opens again').waitFor();
    await work.set(refund.id, { status: 'closed' });
    await open.waitFor({ state: 'detached' });
    await set.waitFor();
    assert.equal((await work.notifications()).length, 1);
});

onBothEngines('how much agents may decide is set with the sentences that they are told', {}, async (server, t) => {
    const { work } = await stuck(server);
    await work.post('/decisions', { category: 'scopeChanges', description: 'Drop the old page' });
    const page = await visit(t, server, `/projects/${work.project.id}`);
    await page.getByRole('link', { name: 'Change autonomy' }).click();
    for (const sentence of sentences) await until(async () => (await page.getByRole('radio', { name: sentence }).count()) === 3, sentence);
    const scope = page.getByRole('group', { name: 'Scope changes' });
    await until(() => scope.getByRole('radio', { name: sentences[2] }).isChecked(), 'the sentence that holds');
    await scope.getByRole('radio', { name: sentences[1] }).check();
    await page.getByText('Scope changes: 1 goes on, you are told').waitFor();
    await page.getByText('1 question fewer').waitFor();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('It holds from the next decision on.', { exact: false }).last().waitFor();
    await until(async () => (await work.get('')).hilConfig.scopeChanges === 'notify_and_proceed', 'it is stored');
    await page.getByRole('button', { name: 'Full' }).click();
    await page.getByRole('button', { name: 'Undo changes' }).click();
    assert.equal((await work.get('')).hilConfig.dependencyModifications, 'notify_and_proceed');
});

onBothEngines('projects and tasks are made, tasks are read, closed and talked about, feedback is given', {}, async (server, t) => {
    const page = await visit(t, server, '/projects');
    await page.getByText('No project so far').waitFor();
    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByRole('dialog', { name: 'New project' }).getByLabel('Name').fill('Import');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByRole('heading', { name: 'Import' }).waitFor();
    await page.getByRole('link', { name: 'Tasks' }).click();
    for (const title of ['Read the feed', 'Write the table']) {
        await page.getByRole('button', { name: 'New task' }).click();
        const making = page.getByRole('dialog', { name: 'New task' });
        await making.getByLabel('Title').fill(title);
        if (title.startsWith('Write')) await making.getByRole('checkbox', { name: 'Read the feed' }).check();
        await making.getByRole('button', { name: 'Create task' }).click();
        await page.getByRole('listitem').getByRole('link', { name: title }).waitFor();
    }
    await page.getByText('Waits for “Read the feed”').waitFor();
    await page.getByRole('link', { name: 'Read the feed' }).click();
    const dialog = page.getByRole('dialog', { name: 'Read the feed' });
    await dialog.getByText('1 task waits for it').waitFor();
    await dialog.getByLabel('Say something about it').fill('Mind the encoding.');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('Mind the encoding.').waitFor();
    await dialog.getByRole('button', { name: 'Close task' }).click();
    await dialog.getByRole('button', { name: 'Open again' }).waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Closed 1' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Read the feed' }).waitFor();
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByLabel('Your feedback').fill('It is slow on my phone.');
    await page.getByRole('button', { name: 'Send feedback' }).click();
    await page.getByRole('listitem').filter({ hasText: 'It is slow on my phone.' }).getByText('New').waitFor();
});

test('what was wrong with a result is said once, however often it was', async (t) => {
    const work = await Work.begin(await start(t));
    const task = await work.claimed('Cache the price list');
    const { problems } = await work.coder(task.id, '{"status":"failed","summary":"Stuck.","open_questions":"Which database?","open_questions":"Which page size?"}');
    assert.ok(new Set(problems).size < problems.length, JSON.stringify(problems));
    const page = await visit(t, work.server, `/projects/${work.project.id}?task=${task.id}`);
    const wrong = page.getByRole('dialog', { name: 'Cache the price list' }).getByText(/is a text, not a list/);
    await wrong.first().waitFor();
    assert.equal(await wrong.count(), 1);
});

test('what waits for what is a picture, and a table that says the same', async (t) => {
    const server = await start(t);
    const { work } = await stuck(server);
    const page = await visit(t, server, `/projects/${work.project.id}`);
    const picture = page.getByRole('group', { name: 'What waits for what: 4 tasks' });
    await picture.getByRole('link', { name: fraud }).waitFor();
    await picture.getByText('Blocked, 3 tasks wait for it').waitFor();
    await until(async () => (await picture.locator('path[d*="C"]').count()) >= 5, 'a line for each wait');
    await page.getByText('As a table').click();
    const row = page.getByRole('row').filter({ hasText: 'Announce refunds' });
    await row.getByText('Refund screen; Mail about refunds').or(row.getByText('Mail about refunds; Refund screen')).waitFor();
    await picture.getByRole('link', { name: 'Refund screen' }).click();
    await page.getByRole('dialog', { name: 'Refund screen' }).waitFor();
    await page.waitForURL(/task=/);
});

test('a project’s pages are accessible and fit, with much in them and with nothing', { timeout: 600_000 }, async (t) => {
    const server = await start(t);
    const { work } = await stuck(server);
    const empty = await Work.begin(server, { name: 'Empty' });
    await work.result('planner', 'plan', 'x', { open_questions: [{ id: 'q1', text: `Which?\nA: ${'x'.repeat(200)}\nB: Other` }] });
    await server.must(201, 'POST', work.path('/feedback'), { text: 'y'.repeat(400) });
    const of = (one) => ['', '?view=tasks', '?view=documents', '?view=settings'].map((query) => `/projects/${one.project.id}${query}`);
    const all = ['/projects', ...of(work), '/more', ...of(empty), '/projects/01990000-0000-7000-8000-000000000001'];
    for (const [scheme, width, rest] of [['light', 390, 0], ['dark', 1280, 1]]) {
        const page = await (await person(t, server, { scheme, width, height: 844 })).newPage();
        // Every page in one of the two; the full run takes both.
        for (const path of all.filter((_, i) => full || i % 2 === rest)) {
            await page.goto(path);
            await settled(page);
            await accessible(page, `${path} ${scheme} ${width}`);
            await fits(page, `${path} ${scheme} ${width}`);
        }
    }
});

onBothEngines('a project’s orchestrator is off, is switched on with how many and by whom, and is seen so by others', {}, async (server, t) => {
    const project = await server.must(201, 'POST', '/api/projects', { name: 'Checkout' });
    const page = await visit(t, server, `/projects/${project.id}?view=settings`);
    const form = page.getByRole('form', { name: 'Orchestrator' });
    const on = form.getByRole('switch', { name: 'Take ready tasks by itself' });
    await on.waitFor();
    assert.equal(await on.isChecked(), false);
    assert.equal(await form.getByRole('button', { name: 'Save' }).isDisabled(), true);
    await on.check();
    await form.getByLabel('Tasks at a time').fill('17');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').getByText('A whole number from 1 to 16.').waitFor();
    assert.equal(await form.getByLabel('Tasks at a time').evaluate((field) => field === document.activeElement), true);
    await accessible(page, 'the orchestrator with a wrong number');
    await form.getByLabel('Tasks at a time').fill('3');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It holds for the next task.').waitFor();
    const stored = async () => (await server.must(200, 'GET', `/api/projects/${project.id}`)).orchestrator;
    assert.deepEqual(await stored(), { on: true, parallel: 3, coder: 'runner' });
    const other = await visit(t, server, `/projects/${project.id}`, { width: 390, height: 844, scheme: 'dark' });
    await other.getByText('Takes ready tasks by itself, 3 at a time').waitFor();
    await accessible(other, 'a project with an orchestrator, on the phone');
    await other.goto(`/projects/${project.id}?view=settings`);
    await other.getByRole('form', { name: 'Orchestrator' }).waitFor();
    await fits(other, 'the orchestrator on the phone');
    await on.uncheck();
    await form.getByRole('button', { name: 'Save' }).click();
    await until(async () => (await stored()).on === false, 'it is off again');
    await page.goto(`/projects/${project.id}`);
    await page.getByText('Off: nobody takes tasks by itself').waitFor();
});
