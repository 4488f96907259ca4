// The inbox as a list: filters with names, several at once, what is snoozed for a while, and rows that stay where they are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, framed, seen, visit } from './lib/browser.mjs';
import { becomes, onBothEngines, start } from './lib/server.mjs';

const ask = (server, fields) => server.must(201, 'POST', '/api/questions', { question: 'Run it?', type: 'approval', responseType: 'approval', ...fields });
const get = async (server, { questionId }) => (await server.must(200, 'GET', `/api/questions/${questionId}?wait=55`)).question;
const row = (page, text) => page.getByRole('listitem').filter({ hasText: text });

test('filters stand in the address, get a name, and are found again', async (t) => {
    const server = await start(t);
    const shop = await server.must(201, 'POST', '/api/projects', { name: 'Web shop' });
    await ask(server, { question: 'In the shop?', projectId: shop.id, agent: 'Scout' });
    await ask(server, { question: 'Anywhere else?', agent: 'Planner' });
    const page = await visit(t, server, '/inbox');
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    await page.getByLabel('Project').selectOption('Web shop');
    await page.getByText('1 of 2').waitFor();
    await becomes(() => new URL(page.url()).searchParams.get('project'), shop.id, 'the address says which');
    await row(page, 'Anywhere else?').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Views' }).click();
    const menu = page.getByRole('dialog', { name: 'Views' });
    await menu.getByLabel('Name of this view').fill('The shop');
    await accessible(page, 'views');
    await menu.getByRole('button', { name: 'Save' }).click();
    await menu.waitFor({ state: 'hidden' });
    await page.goto('/inbox');
    await row(page, 'Anywhere else?').waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await menu.getByRole('link', { name: 'The shop' }).click();
    await page.getByText('1 of 2').waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await menu.getByRole('button', { name: 'Remove the view The shop' }).click();
    await menu.getByRole('link', { name: 'The shop' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByLabel('Type').selectOption('Error recovery');
    await page.getByText('No question fits these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(page, 'In the shop?').waitFor();
});

test('nothing moves under somebody who reads further down; what is new is counted', async (t) => {
    const server = await start(t);
    for (let i = 0; i < 20; i++) await ask(server, { question: `Question ${i}?`, timeoutMinutes: 60 + i });
    const page = await visit(t, server, '/inbox');
    await page.locator('.list-head').getByText('20 need you').waitFor();
    await row(page, 'Question 15?').getByRole('link').scrollIntoViewIfNeeded();
    await framed(page);
    const top = () => row(page, 'Question 15?').evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const before = await top();
    await ask(server, { question: 'More urgent?', timeoutMinutes: 30 });
    const pill = page.getByRole('button', { name: '1 new' });
    await pill.waitFor();
    assert.equal(await top(), before);
    assert.equal(await row(page, 'More urgent?').count(), 0);
    await ask(server, { question: 'Less urgent?', timeoutMinutes: 300 });
    await row(page, 'Less urgent?').waitFor(); // below everything: it moves nothing
    assert.equal(await top(), before);
    await pill.click();
    await row(page, 'More urgent?').waitFor();
    await pill.waitFor({ state: 'detached' });
});

onBothEngines('several of one kind are selected by keys and answered after a look at the list', {}, async (server, t) => {
    const asked = [];
    for (let i = 0; i < 3; i++) asked.push(await ask(server, { question: `Create ticket ${i}?`, timeoutMinutes: 60 + i }));
    const yesNo = await ask(server, { question: 'Really?', type: 'blocking', responseType: 'boolean', timeoutMinutes: 70 });
    await ask(server, { question: 'What name?', type: 'blocking', responseType: 'text', timeoutMinutes: 80 });
    const page = await visit(t, server, '/inbox');
    await page.locator('.list-head').getByText('5 need you').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    for (let i = 0; i < 4; i++) await page.keyboard.press('J'); // a text is not given to several: it is passed over
    const bar = page.getByRole('region', { name: 'Selected approvals' });
    await bar.getByText('4 selected').waitFor();
    await bar.getByText('Only questions of one kind').waitFor();
    await row(page, 'Really?').getByRole('checkbox').uncheck();
    await page.keyboard.press('A');
    const sheet = page.getByRole('dialog', { name: 'Approve these 3?' });
    await sheet.getByRole('listitem').filter({ hasText: 'Create ticket 2?' }).waitFor();
    await page.keyboard.press('a'); // reaches nothing below the sheet
    await sheet.getByRole('button', { name: 'Approve 3' }).click();
    for (const one of asked) assert.equal((await get(server, one)).response.value, true);
    await page.locator('.list-head').getByText('2 need you').waitFor();
    assert.equal((await server.must(200, 'GET', `/api/questions/${yesNo.questionId}`)).question.status, 'pending');
});

test('one of several alike brings the others along', async (t) => {
    const server = await start(t);
    for (let i = 0; i < 3; i++) await ask(server, { question: 'Send the mail?' });
    const page = await visit(t, server, '/inbox');
    await row(page, 'Send the mail?').first().hover();
    await row(page, 'Send the mail?').first().getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Add 2 alike' }).click();
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('3 selected').waitFor({ state: 'detached' });
});

test('a question is snoozed for a while, in every browser, and its deadline runs on', async (t) => {
    const server = await start(t);
    const asked = await ask(server, { question: 'Urgent?' }); // for a quarter of an hour
    const page = await visit(t, server, '/inbox');
    const another = await visit(t, server, '/jobs');
    const bar = another.getByRole('heading', { name: /needs you/ });
    await bar.waitFor();
    await page.getByRole('heading', { name: /1 needs you/ }).waitFor();
    await page.keyboard.press('j');
    await seen(page, 'Urgent?');
    await page.keyboard.press('h');
    await page.getByText(/Snoozed for you until .* runs on/).waitFor();
    await row(page, 'Urgent?').getByText(/snoozed until/).waitFor();
    await page.getByText('0 need you, 1 open').waitFor();
    await bar.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remind me again' }).click();
    await row(page, 'Urgent?').getByText(/snoozed until/).waitFor({ state: 'detached' });
    await bar.waitFor();
    // By the button one says for how long.
    await page.getByRole('button', { name: 'Snooze…' }).click();
    const later = page.getByRole('dialog', { name: 'Remind me later' });
    await accessible(page, 'snoozing');
    await later.getByRole('button', { name: 'In an hour' }).click();
    await later.waitFor({ state: 'hidden' });
    await bar.waitFor({ state: 'detached' });
    const { you, timeoutAt } = (await server.must(200, 'GET', `/api/questions/${asked.questionId}`)).question;
    assert.equal(Date.parse(timeoutAt) - Date.parse(you.snoozedUntil), 5 * 60_000, 'it is back five minutes before its deadline');
});
