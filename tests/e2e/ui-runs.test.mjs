// Runs in the browser: started, watched step by step, answered where they ask, and made again from what is stored.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible, fits, framed, person, seen, settled, visit } from './lib/browser.mjs';
import { paces, watchLoad } from './lib/loading.mjs';
import { begins, ended, script, traceOf, withRuns } from './lib/run-script.mjs';
import { begin, finish as finishes, stage, step } from './lib/runs.mjs';
import { until } from './lib/server.mjs';

const asks = (question, more = {}) => ['ask_question', { question, type: 'blocking', responseType: 'text', ...more }];
const database = asks('Which database is it?', { responseType: 'choice', options: [{ label: 'Postgres', value: 'pg' }, { label: 'SQLite', value: 'lite' }] });
const finish = (result) => ({ call: [['finish', { result }]] });
const trace = (page) => page.getByRole('group', { name: 'Trace of the run' });
const card = (page, name) => trace(page).getByRole('article', { name, exact: true });
const open = (server, id) => until(async () => (await server.must(200, 'GET', `/api/jobs/${id}/questions`)).questions.find(({ status }) => status === 'pending'), 'it asks');

const onBothEngines = (name, speakers, run) => {
    for (const engine of ['sqlite', 'postgres']) test(`${name} (${engine})`, async (t) => run(await withRuns(t, speakers, { engine }), t));
};

onBothEngines(
    'a run is started in the browser, asks there, is answered there, and goes on to its result',
    {
        Scout: [
            { say: 'I **ask** first.', call: [database] },
            { call: [['report_progress', { done: 1, total: 2, step: 'Writing' }], ['no_such_tool', { deep: { list: Array.from({ length: 40 }, (_, i) => ({ number: i })) } }]] },
            finish('It is *Postgres*.'),
        ],
    },
    async (server, t) => {
        await server.must(201, 'POST', '/api/projects', { name: 'Checkout' });
        const page = await visit(t, server, '/jobs');
        await page.getByRole('button', { name: 'Run an agent' }).click();
        const form = page.getByRole('dialog', { name: 'Run an agent' });
        await form.getByRole('option', { name: 'Scout' }).waitFor({ state: 'attached' });
        await form.getByLabel('Agent').selectOption('');
        await form.getByText('Budget').click();
        await form.getByLabel('Steps').fill('none');
        await form.getByRole('button', { name: 'Start' }).click();
        // What is wrong stands beside its field, and the first of it has the focus.
        const says = async (label, words) => {
            const field = form.getByLabel(label);
            assert.equal(await field.getAttribute('aria-invalid'), 'true');
            const told = (await field.getAttribute('aria-describedby')).split(' ').at(-1);
            assert.equal(await form.locator(`[id="${told}"]`).innerText(), words);
        };
        await says('Agent', 'Choose the agent that shall do it.');
        await says('Task', 'Say what it shall do.');
        await says('Steps', 'A number above zero, or nothing.');
        assert.equal(await form.getByLabel('Agent').evaluate((field) => field === document.activeElement), true);
        await accessible(page, 'what is wrong in the dialog');
        await fits(page, 'the dialog');
        await form.getByLabel('Agent').selectOption('Scout');
        await form.getByLabel('Project').selectOption('Checkout');
        await form.getByLabel('Task').fill('Say which database it is.');
        await form.getByLabel('Steps').fill('many');
        // What has become right says so before anything is sent.
        await until(async () => (await form.locator('[aria-invalid=true]').count()) === 1, 'only what is still wrong is marked');
        await says('Steps', 'A number above zero, or nothing.');
        await form.getByLabel('Steps').fill('100000000');
        await until(async () => (await form.locator('[aria-invalid=true]').count()) === 0, 'nothing is marked');
        await form.getByRole('button', { name: 'Start' }).click();
        await form.getByText(/steps/).last().waitFor();
        await until(async () => (await form.getByLabel('Steps').getAttribute('aria-invalid')) === 'true', 'the server’s word stands at its field');
        await form.getByLabel('Steps').fill('100');
        await until(async () => (await form.getByLabel('Steps').getAttribute('aria-invalid')) === null, 'it was about another number');
        // What was typed is there again.
        await page.reload();
        await page.getByRole('button', { name: 'Run an agent' }).waitFor();
        await page.keyboard.press('c');
        await form.getByRole('option', { name: 'Scout' }).waitFor({ state: 'attached' });
        assert.equal(await form.getByLabel('Task').inputValue(), 'Say which database it is.');
        await form.getByLabel('Agent').selectOption('Scout');
        await form.getByLabel('Project').selectOption('Checkout');
        await form.getByText('Budget').click();
        await form.getByLabel('Steps').fill('7');
        await form.getByRole('button', { name: 'Start' }).click();

        await page.getByRole('heading', { name: 'Say which database it is.', level: 1 }).waitFor();
        await trace(page).getByText('ask', { exact: true }).and(page.locator('strong')).waitFor();
        const asked = card(page, 'ask_question');
        await asked.getByText('Which database is it?').first().waitFor();
        await page.getByText('1 of 7').waitFor();
        await page.getByRole('link', { name: 'Checkout' }).waitFor();
        await page.getByText('Waiting for user response').waitFor();
        await accessible(page, 'a run that waits');
        // Answered right there.
        await asked.getByRole('button', { name: 'Answer' }).click();
        const dialog = page.getByRole('dialog', { name: 'Which database is it?' });
        await seen(page, 'Which database is it?');
        await dialog.getByRole('radio', { name: 'Postgres' }).check();
        await dialog.getByRole('button', { name: 'Send answer' }).click();
        // It goes on with the very call that asked, and the page with it.
        await asked.getByText('You answered: Postgres').waitFor();
        await page.getByRole('region', { name: 'Result' }).getByText('Postgres').and(page.locator('em')).waitFor();
        await page.getByText('3 of 7').waitFor();
        await card(page, 'no_such_tool').getByText('No such tool', { exact: true }).waitFor();
        assert.equal(await card(page, 'ask_question').count(), 1);
        const id = new URL(page.url()).pathname.split('/').at(-1);
        const { entries } = await traceOf(server, id);
        assert.equal(entries.filter(({ kind, call }) => kind === 'call' && call.name === 'ask_question').length, 1);
        // What is long is folded, and opened.
        const folded = card(page, 'no_such_tool').getByText('Arguments');
        assert.equal(await card(page, 'no_such_tool').getByText('number').first().isVisible(), false);
        await folded.click();
        await card(page, 'no_such_tool').getByText('number').first().waitFor();
        // Decisions are quiet, and say why.
        const decisions = trace(page).locator('details.decided');
        assert.ok((await decisions.count()) >= 3);
        assert.equal(await decisions.first().evaluate((one) => one.open), false);
        await accessible(page, 'a run that has ended');
        await page.getByRole('button', { name: 'Replay' }).click();
        await page.getByText(/^Every decision came out the same: \d+ decisions in 3 steps\.$/).waitFor();
        await page.getByRole('link', { name: 'Log', exact: true }).click();
        await page.getByRole('log').waitFor();
        assert.match(page.url(), /view=log/);
        await accessible(page, 'the log of a run');
    },
);

test('what waits is clear of the bar on a phone, and what has ended begins at its beginning', async (t) => {
    const turns = Array.from({ length: 8 }, (_, i) => ({ say: `Part ${i}.`, call: [['report_progress', { done: i, total: 8, step: `part ${i}` }]] }));
    const server = await withRuns(t, { Scout: [...turns, { call: [database] }, finish('Done.')] });
    const { id } = await begins(server, 'Scout', 'Look.');
    const question = await open(server, id);
    const page = await visit(t, server, `/jobs/${id}`, { width: 390, height: 844 });
    const follow = page.getByRole('switch', { name: 'Follow' });
    await card(page, 'ask_question').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Progress', exact: true }).count(), 1);
    await follow.uncheck();
    await follow.check();
    const bottom = async (one) => (({ y, height }) => y + height)(await one.boundingBox());
    const bar = page.getByRole('button', { name: 'Open question' });
    await until(async () => (await bottom(card(page, 'ask_question'))) < (await bar.boundingBox()).y, 'the call that waits can be seen');
    await server.must(200, 'POST', `/api/questions/${question.id}/answer`, { response: { type: 'choice', value: 'pg' } });
    await ended(server, id);
    await trace(page).getByRole('region', { name: 'Result' }).waitFor();
    assert.equal(await follow.isChecked(), true, 'who has followed it sees its end');
    await page.reload();
    await trace(page).getByText('Look.', { exact: true }).waitFor();
    await settled(page);
    assert.equal(await follow.isChecked(), false);
    assert.equal(await trace(page).evaluate((pane) => pane.scrollTop), 0);
    await page.getByRole('button', { name: 'To the end' }).click();
    assert.equal(await follow.isChecked(), true);
});

// No event but the run's own tells of a step in which nobody is asked and nothing is reported.
test('each step of a run is seen as it comes, with what it took', async (t) => {
    const gates = [1, 2, 3].map(() => {
        const gate = {};
        gate.opens = new Promise((open) => (gate.open = open));
        return gate;
    });
    const says = [{ text: 'The first step.', calls: [{ name: 'no_such_tool', args: { at: 1 } }] }, { text: 'The second step.', calls: [{ name: 'no_such_tool', args: { at: 2 } }] }, { calls: [finishes('All done.')] }];
    const { server } = await stage(t, (call) => ({ ...says[step(call) - 1], wait: gates[step(call) - 1].opens }));
    const id = await begin(server, { input: { task: 'Go step by step.' } });
    const page = await visit(t, server, `/jobs/${id}`);
    await page.getByRole('heading', { name: 'Go step by step.', level: 1 }).waitFor();
    await trace(page).getByText('Asking the model').waitFor();
    await page.getByText('0 of 50').waitFor();
    gates[0].open();
    await trace(page).getByText('The first step.').waitFor();
    await trace(page).getByText(/^\d+ tokens in, \d+ out/).first().waitFor();
    await page.getByText('1 of 50').waitFor();
    await trace(page).getByText('Asking the model').waitFor();
    gates[1].open();
    await trace(page).getByText('The second step.').waitFor();
    assert.equal(await card(page, 'no_such_tool').count(), 2);
    gates[2].open();
    await page.getByRole('region', { name: 'Result' }).getByText('All done.').waitFor();
});

// So many notes at the end of what a run has done, as another program would write them.
async function pad(server, id, many) {
    const { entries } = await traceOf(server, id);
    const last = entries.at(-1).seq;
    await server.sql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many}) INSERT INTO run_entries (job_id, seq, step, kind, text, created_at) SELECT '${id}', ${last} + i, 1, 'note', 'note number ' || i, ${Date.now()} + i FROM n`);
    await server.sql(`UPDATE runs SET last_seq = ${last + many} WHERE job_id = '${id}'`);
}

onBothEngines('a long trace is read from its end and in pages, and nothing moves under who reads further up', { Scout: [{ call: [asks('Go on?')] }, { say: 'Going on.', call: [asks('And now?')] }, finish('Done.')] }, async (server, t) => {
    const { id } = await begins(server, 'Scout', 'Count.');
    const question = await open(server, id);
    await pad(server, id, 350);
    const page = await visit(t, server, `/jobs/${id}`);
    const note = (i) => trace(page).getByText(`note number ${i}`, { exact: true });
    await note(350).waitFor();
    const atEnd = () => trace(page).evaluate((pane) => pane.scrollHeight - pane.scrollTop - pane.clientHeight < 8);
    await until(atEnd, 'it opens at its end');
    assert.ok((await trace(page).locator('[data-seq]').count()) <= 100, 'a page of it is drawn');
    assert.equal(await note(100).count(), 0);
    // Older ones come when they are wanted, and what is read stays where it is.
    const earlier = page.getByRole('button', { name: 'Show earlier' });
    await earlier.scrollIntoViewIfNeeded();
    await framed(page);
    const first = trace(page).locator('[data-seq]').first();
    const seq = await first.getAttribute('data-seq');
    // Within the trace: the bar that says what needs somebody goes and comes above all of the page.
    const place = () => trace(page).evaluate((pane, seq) => Math.round(pane.querySelector(`[data-seq="${seq}"]`).getBoundingClientRect().top - pane.getBoundingClientRect().top), seq);
    const before = await place();
    await earlier.click();
    await note(200).waitFor();
    await framed(page);
    assert.ok(Math.abs((await place()) - before) <= 2, `it stood at ${before}, now at ${await place()}`);
    assert.equal(await page.getByRole('switch', { name: 'Follow' }).isChecked(), false);
    // What comes meanwhile is counted, and moves nothing.
    await server.must(200, 'POST', `/api/questions/${question.id}/answer`, { response: { type: 'text', value: 'yes' } });
    const fresh = page.getByRole('button', { name: /^\d+ new entries$/ });
    await fresh.waitFor();
    await open(server, id);
    assert.ok(Math.abs((await place()) - before) <= 2, `it stood at ${before}, now at ${await place()}`);
    await fresh.click();
    await card(page, 'ask_question').getByText('And now?').first().waitFor();
    await until(atEnd, 'and back to the end');
    while ((await earlier.count()) > 0) {
        const count = await trace(page).locator('[data-seq]').count();
        await earlier.click();
        await until(async () => (await earlier.count()) === 0 || (await trace(page).locator('[data-seq]').count()) > count, 'more of it comes');
    }
    await trace(page).getByText('Count.', { exact: true }).waitFor();
    await accessible(page, 'a long trace');
});

test('a run’s page comes without moving, light and dark, at the desk and on the phone', async (t) => {
    const server = await withRuns(t, { Scout: [{ say: 'First I count.', call: [['report_progress', { done: 1, total: 3, step: 'Counting' }]] }, { call: [database] }] });
    const { id } = await begins(server, 'Scout', 'Count what is there, and say which database it is.');
    await open(server, id);
    for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) {
        for (const paced of Object.keys(paces)) {
            const context = await person(t, server, { width, height: width < 500 ? 844 : 800, scheme });
            const { moved, shifts, reads } = await watchLoad(context, `/jobs/${id}`, { paced });
            assert.ok(moved <= 0.03, `${width}, ${paced}: ${moved}\n${JSON.stringify(shifts, null, 1)}`);
            assert.deepEqual(Object.entries(Object.groupBy(reads, (url) => url)).filter(([, all]) => all.length > 1).map(([url]) => url), [], 'each list is read once');
            await context.close();
        }
        const page = await visit(t, server, `/jobs/${id}`, { width, height: width < 500 ? 844 : 800, scheme });
        await settled(page);
        await accessible(page, `a run, ${scheme}, ${width} wide`);
        await fits(page, `a run, ${scheme}, ${width} wide`);
        assert.equal(await page.getByText('What happened').isVisible(), width > 899, 'on the phone the trace tells it');
        await page.goto('/jobs');
        await page.getByRole('button', { name: 'Run an agent' }).click();
        await page.getByRole('dialog', { name: 'Run an agent' }).waitFor();
        await accessible(page, `the dialog, ${scheme}, ${width} wide`);
        await fits(page, `the dialog, ${scheme}, ${width} wide`);
    }
});

const notes = `tools:
  keep_note:
    description: Keeps a note.
    input_schema: {type: object, properties: {text: {type: string}, where: {type: object}}, required: [text]}
    argv: [/bin/cat]
    needs_approval: true
  look:
    description: Looks.
    input_schema: {type: object}
    argv: [/bin/cat]
`;

test('a call that needs approval shows all its arguments, and what was changed; it is the call that runs', async (t) => {
    const args = { text: `${'long '.repeat(100)} to its end`, where: { file: 'notes.md', at: { page: 3, lines: [1, 2, 3, { from: 'a'.repeat(80), to: 'b'.repeat(80) }] } } };
    const server = await withRuns(t, { Scout: [{ call: [['keep_note', args]] }, { call: [['keep_note', { text: 'again' }]] }, finish('Kept.')] }, { more: notes });
    const page = await visit(t, server, '/jobs');
    // Only what is chosen may be used.
    await page.getByRole('button', { name: 'Run an agent' }).click();
    const form = page.getByRole('dialog', { name: 'Run an agent' });
    await form.getByText('Only some').click();
    await form.getByRole('checkbox', { name: /^keep_note/ }).check();
    await form.getByLabel('Agent').selectOption('Scout');
    await form.getByLabel('Task').fill('Keep a note.');
    await form.getByRole('button', { name: 'Start' }).click();
    const first = card(page, 'keep_note').first();
    await first.getByText('Waits for approval').waitFor();
    await page.getByText('keep_note', { exact: true }).first().waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    assert.deepEqual((await traceOf(server, id)).run.tools, ['keep_note']);
    await first.getByRole('button', { name: 'Answer' }).click();
    const dialog = page.getByRole('dialog').filter({ has: page.getByText('Will run') });
    for (const words of ['to its end', '"notes.md"', 'a'.repeat(80)]) await dialog.getByText(words).first().waitFor();
    await fits(page, 'an approval with deep arguments');
    await accessible(page, 'an approval with deep arguments');
    await dialog.getByRole('button', { name: /^Edit arguments/ }).click();
    await dialog.getByRole('textbox', { name: /arguments/i }).fill(JSON.stringify({ text: 'shorter' }));
    await dialog.locator('.body').evaluate((body) => (body.scrollTop = body.scrollHeight));
    await dialog.getByRole('button', { name: /^Approve/ }).click();
    await first.getByText('Approved with changes').waitFor();
    await first.getByText('You answered: Approved').waitFor();
    await first.getByText('"text": "shorter"').first().waitFor();
    await first.getByText('{"text":"shorter"}', { exact: false }).last().waitFor();
    // The second is rejected, in the queue of approvals: a plain result, with the reason.
    const second = card(page, 'keep_note').last();
    await second.getByText('Waits for approval').waitFor();
    const question = await open(server, id);
    await server.must(200, 'POST', `/api/questions/${question.id}/answer`, { response: { type: 'approval', value: false, text: 'Not twice.' } });
    await second.getByText('Rejected', { exact: true }).waitFor();
    await second.getByText(/Not twice\./).waitFor();
    await page.getByRole('region', { name: 'Result' }).getByText('Kept.').waitFor();
    await accessible(page, 'a run with approvals');
});

test('a run is cancelled on its page, and one that fails says why', async (t) => {
    const server = await withRuns(t, { Scout: [{ call: [database] }], Broken: ['!fail The model is ill.'] });
    const { id } = await begins(server, 'Scout', 'Ask.');
    const page = await visit(t, server, `/jobs/${id}`);
    await page.getByRole('button', { name: 'Cancel job…' }).click();
    await page.getByRole('dialog', { name: 'Cancel this job?' }).getByRole('button', { name: 'Cancel', exact: true }).click();
    await trace(page).getByText('Cancelled', { exact: true }).last().waitFor();
    assert.equal((await ended(server, id)).status, 'cancelled');
    const other = await begins(server, 'Broken', 'Try.');
    await ended(server, other.id);
    await page.goto(`/jobs/${other.id}`);
    await trace(page).getByText(/^Failed: .*ill/).waitFor();
    await accessible(page, 'a run that failed');
});

test('what no longer fits the model is shown as the summary that stands for it, which leads to what was said', async (t) => {
    // Each reply makes many calls, so that what is condensed is more than one page of a trace.
    const part = (n) => ({ say: `Part ${n} begins. ${'All is counted. '.repeat(90)}`, call: Array.from({ length: 12 }, (_, done) => ['report_progress', { done }]) });
    const lines = script({ Ada: [...Array.from({ length: 7 }, (_, i) => part(i + 1)), { call: [asks('Go on?')] }], '* (summary)': ['In short: **twelve** were counted, again and again.'] });
    const { server } = await stage(t, { provider: 'scripted', window: 4000 }, { tools: (work) => writeFile(join(work, 'script.txt'), `${lines}\n`) });
    const id = await begin(server, { input: { task: 'Count.' } });
    await open(server, id);
    const { entries } = await traceOf(server, id);
    const summary = entries.find(({ kind }) => kind === 'condensed');
    assert.ok(summary, 'its conversation was too long for the model');
    const { from, to } = summary.data;
    assert.ok(from < to && to < summary.seq, JSON.stringify(summary));

    const page = await visit(t, server, `/jobs/${id}`);
    await card(page, 'ask_question').waitFor();
    const entry = trace(page).locator(`[data-seq="${summary.seq}"]`);
    const first = trace(page).getByText('Part 1 begins.');
    // The last page of the trace is here: the summary, but not the beginning of what it stands for.
    await entry.waitFor();
    assert.equal(await first.count(), 0);
    await entry.getByText('Condensed', { exact: true }).waitFor();
    await entry.getByText(`What was said before (entries ${from} to ${to}) goes to the model as this summary from here on.`, { exact: true }).waitFor();
    assert.equal(await entry.getByText('twelve', { exact: true }).evaluate((word) => word.tagName), 'STRONG');
    await accessible(page, 'a run that was condensed');
    await entry.getByRole('button', { name: 'Go to what was said' }).click();
    await first.waitFor();
    const reached = () => page.evaluate(() => Number(document.activeElement.closest('[data-seq]')?.dataset.seq));
    await until(async () => (await reached()) === from, 'what it stands for is read from its beginning');
    const top = async (one) => (await one.boundingBox()).y;
    await until(async () => Math.abs((await top(trace(page).locator(`[data-seq="${from}"]`))) - (await top(trace(page)))) < 40, 'that is at the top');
    assert.equal(await first.isVisible(), true);
    assert.equal(await page.getByRole('switch', { name: 'Follow' }).isChecked(), false);
});

test('a replay that comes out differently says where, and leads there', async (t) => {
    const server = await withRuns(t, { Scout: [{ call: [['report_progress', { done: 1 }]] }, finish('Done.')] });
    const { id } = await begins(server, 'Scout', 'Count.');
    await ended(server, id);
    const { entries } = await traceOf(server, id);
    const decision = entries.findLast(({ kind }) => kind === 'decision');
    await server.sql(`UPDATE run_entries SET data = '${JSON.stringify({ ...decision.data, verdict: 'fail' })}' WHERE job_id = '${id}' AND seq = ${decision.seq}`);
    const page = await visit(t, server, `/jobs/${id}`);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText(/^1 of \d+ decisions came out differently\.$/).waitFor();
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: String(decision.seq), exact: true }) });
    assert.match(await row.innerText(), /fail[^]*complete/);
    await accessible(page, 'a replay that differs');
    await row.getByRole('button').click();
    assert.equal(await page.evaluate(() => Number(document.activeElement.dataset.seq)), decision.seq);
});
