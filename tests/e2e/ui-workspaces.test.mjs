// Somebody with a part in several workspaces goes from one to the other, and sends addresses that lead there.
import assert from 'node:assert/strict';
import { accessible, person } from './lib/browser.mjs';
import { login, makeUser } from './lib/identity.mjs';
import { becomes, onBothEngines, until } from './lib/server.mjs';

const row = (page, text) => page.locator('.rows').getByRole('listitem').filter({ hasText: text });

onBothEngines('the workspace is switched in the top bar, by keys alone, and the address names it', {}, async (server, t) => {
    await makeUser(server, 'Maya', 'correct horse', 'owner');
    const cookie = await login(server, 'Maya', 'correct horse');
    await server.must(201, 'POST', '/api/workspaces', { name: 'Research', slug: 'research' }, { headers: { Cookie: cookie, Origin: server.url } });
    const ask = (question, workspace) =>
        server.must(201, 'POST', '/api/questions', { question, type: 'blocking', responseType: 'text' }, { headers: { Cookie: cookie, Origin: server.url, 'X-Witan-Workspace': workspace } });
    await ask('At home?', 'default');
    const { questionId } = await ask('Abroad?', 'research');
    const context = await person(t, server, { cookie });
    const page = await context.newPage();
    await page.goto('/inbox');
    await row(page, 'At home?').waitFor();
    await becomes(() => new URL(page.url()).search, '', 'the usual workspace needs no name');
    // By keys alone.
    const menu = page.getByRole('dialog', { name: 'Workspaces' });
    await until(async () => {
        await page.keyboard.press('g');
        await page.keyboard.press('w'); // a second and a half later it would be a key of its own
        return menu.isVisible();
    }, 'the menu is open');
    await menu.getByRole('link', { name: /you are here/ }).waitFor();
    await accessible(page, 'workspaces');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await row(page, 'Abroad?').waitFor();
    assert.equal(await row(page, 'At home?').count(), 0);
    await page.getByRole('button', { name: 'Workspace Research, switch to another' }).waitFor();
    // The choice stays: on other pages, after a reload, and in the address.
    const named = () => new URL(page.url()).searchParams.get('workspace');
    await becomes(named, 'research', 'the address names it');
    await row(page, 'Abroad?').getByRole('link').click();
    await page.getByRole('article').getByRole('heading', { name: 'Abroad?' }).waitFor();
    await becomes(named, 'research', 'the address names it');
    const shared = page.url();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
    await becomes(named, 'research', 'the address names it');
    await page.reload();
    await page.getByRole('button', { name: /Workspace Research/ }).waitFor();
    await page.goBack();
    await page.getByRole('article').getByRole('heading', { name: 'Abroad?' }).waitFor();
    // Sent to somebody, or opened in another tab, it leads to the same thing.
    const other = await context.newPage();
    await other.goto(shared);
    await other.getByRole('article').getByRole('heading', { name: 'Abroad?' }).waitFor();
    await becomes(() => new URL(other.url()).pathname, `/inbox/${questionId}`, 'the same thing');
    // With Ctrl a click is the browser's. Chromium 150 without a desktop loses the tab that it opens, so another one opens the link.
    const link = row(other, 'Abroad?').getByRole('link');
    await other.evaluate(() =>
        window.addEventListener('click', (event) => {
            document.body.dataset.left = String(!event.defaultPrevented);
            event.preventDefault();
        }),
    );
    await link.click({ modifiers: ['Control'] });
    assert.equal(await other.evaluate(() => document.body.dataset.left), 'true', 'the click is left to the browser');
    const tab = await context.newPage();
    await tab.goto(await link.evaluate((element) => element.href));
    await tab.getByRole('article').getByRole('heading', { name: 'Abroad?' }).waitFor();
    // And back, with the mouse.
    await page.getByRole('button', { name: /Workspace Research/ }).click();
    await menu.getByRole('link', { name: /default/i }).click();
    await row(page, 'At home?').waitFor();
    await becomes(named, null, 'the usual one needs no name');
});
