// By the keyboard alone, and never by accident.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person, visit } from './lib/browser.mjs';
import { becomes, start, until } from './lib/server.mjs';

const ask = (server, fields) => server.must(201, 'POST', '/api/questions', { question: 'Which region?', type: 'blocking', responseType: 'text', ...fields });
const approval = { type: 'approval', responseType: 'approval' };
const status = async (server, { questionId }) => (await server.must(200, 'GET', `/api/questions/${questionId}`)).question;
const ended = (server, asked) => until(async () => { const found = await status(server, asked); return found.status !== 'pending' && found; }, 'it is answered');

test('j, k, a, r, digits and Enter answer ten questions', async (t) => {
    const server = await start(t);
    const questions = [];
    for (let i = 0; i < 10; i++)
        questions.push(
            await ask(server, {
                question: `Number ${i}?`,
                timeoutMinutes: 20 + i,
                ...(i % 3 === 0 ? approval : i % 3 === 1 ? { responseType: 'choice', options: [{ label: 'A' }, { label: 'B' }] } : { responseType: 'boolean' }),
            }),
        );
    const page = await visit(t, server, '/inbox');
    await page.getByText('10 open').waitFor();
    await page.keyboard.press('j');
    for (let i = 0; i < 10; i++) {
        await page.getByRole('article').getByRole('heading', { name: `Number ${i}?` }).waitFor();
        if (i === 0) {
            await page.keyboard.press('r');
            await page.getByLabel(/^Why not/).fill('Too early');
            await page.keyboard.press('Control+Enter');
        } else if (i % 3 === 0) await page.keyboard.press('a');
        else if (i % 3 === 1) {
            await page.keyboard.press('2');
            await page.keyboard.press('Enter');
        } else await page.keyboard.press(i % 2 ? 'r' : 'a');
    }
    const answers = [];
    for (const question of questions) answers.push((await ended(server, question)).response);
    assert.deepEqual(answers.map(({ value }) => value), [false, 'B', true, true, 'B', false, true, 'B', true, true]);
    assert.equal(answers[0].text, 'Too early');
});

test('an answer by one key can be taken back for a moment', async (t) => {
    const server = await start(t);
    const asked = await ask(server, approval);
    const page = await (await person(t, server)).newPage();
    // From one key to the next a busy machine may take longer than that moment.
    await page.addInitScript(() => {
        const wait = window.setTimeout;
        window.moments = 60;
        window.setTimeout = (act, ms, ...rest) => wait(act, ms === 4000 ? ms * window.moments : ms, ...rest);
    });
    await page.goto(`/inbox/${asked.questionId}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.keyboard.press('a');
    await page.getByText(/Sending in/).waitFor();
    await page.keyboard.press('z');
    await page.getByText('Taken back. Nothing was sent.').waitFor();
    assert.equal((await status(server, asked)).status, 'pending');
    await page.evaluate(() => (window.moments = 1));
    await page.getByRole('link', { name: 'Which region?' }).first().click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.keyboard.press('a');
    await ended(server, asked);
});

test('whoever types while twenty approvals arrive answers none of them', async (t) => {
    const server = await start(t);
    const first = await ask(server, {});
    const page = await visit(t, server, `/q/${first.questionId}`);
    await page.goto(`/jobs`);
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.goto(`/inbox/${first.questionId}`);
    await page.getByLabel('Your answer').click();
    const asked = [];
    const typing = page.keyboard.type('aaaa rrrr 1111 and so on, a a a r r r 1 2 3 yes approve reject all of it', { delay: 25 });
    for (let i = 0; i < 20; i++) asked.push(await ask(server, { ...approval, question: `Run ${i}?` }));
    await typing;
    for (const one of asked) assert.equal((await status(server, one)).status, 'pending');
    assert.match(await page.getByLabel('Your answer').inputValue(), /^aaaa rrrr 1111 .* all of it$/);
});

test('a question that comes opens by itself only for somebody idle, and takes no key that is under way', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/jobs');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const asked = await ask(server, { ...approval, question: 'Run it?' });
    const dialog = page.getByRole('dialog', { name: 'Run it?' });
    await dialog.waitFor();
    await page.waitForFunction(() => document.activeElement.tagName === 'H2'); // on the heading, not on a button
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await status(server, asked)).status, 'pending');
    await page.getByRole('heading', { name: /need(s)? you/ }).waitFor();

    // Somebody is at the keyboard, and stays there.
    await page.evaluate(() => setInterval(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift' })), 100));
    await page.keyboard.press('Shift');
    const second = await ask(server, { ...approval, question: 'And this?' });
    await page.getByText('2 need you').waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal((await status(server, second)).status, 'pending');
    await until(async () => /^\(2\) Jobs/.test(await page.title()), 'the title counts them');
});
