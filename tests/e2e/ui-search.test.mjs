// Search and commands: by the keyboard alone, live while somebody types, on the phone by its button.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, visit } from './lib/browser.mjs';
import { becomes, onBothEngines, start, until } from './lib/server.mjs';

const ask = (server, question) => server.must(201, 'POST', '/api/questions', { question, type: 'blocking', responseType: 'text', agent: 'Builder' });

onBothEngines('whatever was asked is found by its words and opened by the keyboard alone', {}, async (server, t) => {
    const { questionId } = await ask(server, 'Drain the **Zürich** node tonight?');
    const shop = await server.must(201, 'POST', '/api/projects', { name: 'Zürich shop' });
    const page = await visit(t, server, '/jobs');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Search and commands' });
    const field = dialog.getByRole('combobox', { name: 'Search and commands' });
    await field.waitFor();
    await page.keyboard.type('zuri');
    await dialog.getByRole('option', { name: /Zürich shop/ }).waitFor();
    await accessible(page, 'the palette with results');
    await dialog.getByRole('option', { name: /Zürich shop/, selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await dialog.getByRole('option', { name: /Drain the/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('article').getByRole('heading', { name: 'Drain the Zürich node tonight?' }).waitFor();
    await becomes(() => new URL(page.url()).pathname, `/inbox/${questionId}`, 'the address leads there');

    // Typed into a field, the keys open it as well; what was focused is focused again afterwards.
    await page.getByLabel('Your answer').fill('Not yet');
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('zurich shop');
    await dialog.getByRole('option', { name: /Zürich shop/ }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.keyboard.type(', wait');
    await becomes(() => page.getByLabel('Your answer').inputValue(), 'Not yet, wait', 'the field has the focus again');

    // What another program writes meanwhile is found, too; a search that finds nothing says so.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('marmot');
    await dialog.getByText('Nothing fits “marmot”.').waitFor();
    await accessible(page, 'the palette without results');
    await page.keyboard.press('Control+k');
    await dialog.waitFor({ state: 'hidden' });
    await server.must(201, 'POST', `/api/projects/${shop.id}/tasks`, { title: 'Count marmots' });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('marmot');
    await dialog.getByRole('option', { name: /Count marmots/ }).click();
    await until(() => page.url().endsWith(`/projects/${shop.id}`), 'the task leads to its project');
});

test('pages and actions are found by their words', async (t) => {
    const server = await start(t);
    const page = await visit(t, server, '/inbox');
    const dialog = page.getByRole('dialog', { name: 'Search and commands' });
    const take = async (words, name) => {
        await page.keyboard.press('Control+k');
        await dialog.getByRole('combobox').fill(words);
        await dialog.getByRole('option', { name, selected: true }).waitFor();
        await page.keyboard.press('Enter');
        await dialog.waitFor({ state: 'hidden' });
    };
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await take('app', 'Approvals');
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    await take('dark', 'Dark theme');
    await becomes(() => page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'it is dark');
    await take('start disc', 'Start a discussion');
    await page.getByRole('dialog').getByLabel(/Topic/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await take('keyboard', 'Help and keyboard shortcuts');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await take('inbox', 'Inbox'); // where no dialog opens by itself
    await ask(server, 'Which otter?');
    const unread = async () => (await server.must(200, 'GET', '/api/notifications?unread=true')).notifications.length;
    await until(async () => (await unread()) > 0, 'something is unread');
    await take('mark all', /Mark all notifications read/);
    await until(async () => (await unread()) === 0, 'all is read');
});

test('a slow answer to what was typed before is not shown', async (t) => {
    const server = await start(t);
    await ask(server, 'Which otter?');
    await ask(server, 'Which badger?');
    const page = await visit(t, server, '/jobs');
    let release;
    const held = new Promise((done) => (release = done));
    await page.route('**/api/search?*', async (route) => {
        if (route.request().url().includes('otter')) await held;
        await route.continue().catch(() => {});
    });
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    await page.keyboard.press('Control+k');
    const dialog = page.getByRole('dialog', { name: 'Search and commands' });
    const asked = page.waitForRequest(/q=otter/);
    await dialog.getByRole('combobox').fill('otter');
    await asked;
    await dialog.getByRole('combobox').fill('badger');
    await dialog.getByRole('option', { name: /Which badger/ }).waitFor();
    release();
    await page.waitForTimeout(300);
    assert.equal(await dialog.getByRole('option', { name: /Which otter/ }).count(), 0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('on the phone a button opens it', async (t) => {
    const server = await start(t);
    const { questionId } = await ask(server, 'Which otter?');
    const page = await visit(t, server, '/jobs', { width: 390, height: 780, hasTouch: true });
    await page.getByRole('button', { name: /Search or jump to/ }).tap();
    const dialog = page.getByRole('dialog', { name: 'Search and commands' });
    await dialog.getByRole('combobox').fill('ott');
    await dialog.getByRole('option', { name: /Which otter/ }).waitFor();
    await fits(page, 'the palette on the phone');
    await accessible(page, 'the palette on the phone');
    await dialog.getByRole('option', { name: /Which otter/ }).tap();
    await until(() => page.url().endsWith(`/inbox/${questionId}`), 'the question opens');
    await page.goto('/chat');
    await page.getByRole('button', { name: /Search or jump to/ }).tap();
    await dialog.getByRole('button', { name: 'Close' }).tap();
    await dialog.waitFor({ state: 'hidden' });
});
