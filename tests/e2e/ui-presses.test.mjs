// Presses that were not meant: the second of a double click, one on what has just come, one on what moved. And keys that stay alive.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person, seen } from './lib/browser.mjs';
import { login, makeUser } from './lib/identity.mjs';
import { becomes, start } from './lib/server.mjs';

const approval = { type: 'approval', responseType: 'approval' };
const yesNo = { type: 'blocking', responseType: 'boolean' };

/**
 * A person's page, and an agent who asks. What can be taken back can be for a minute, unless `window.sends`; and what has come to be
 * stays new for one after `hold()`.
 */
async function stage(t) {
    const server = await start(t);
    await makeUser(server, 'Maya', 'a long password', 'owner');
    const cookie = await login(server, 'Maya', 'a long password');
    const as = { headers: { Cookie: cookie, Origin: server.url } };
    const { secret: token } = await server.must(201, 'POST', '/api/tokens', { name: 'runner', role: 'agent' }, as);
    const ask = async (question, fields) => (await server.must(201, 'POST', '/api/questions', { question, ...fields }, { token })).questionId;
    const status = async (id) => (await server.must(200, 'GET', `/api/questions/${id}`, undefined, as)).question.status;
    const context = await person(t, server, { cookie });
    await context.addInitScript(() => {
        const wait = window.setTimeout;
        window.setTimeout = (act, ms, ...rest) => wait(act, (ms === 500 && window.holds) || (ms === 4000 && !window.sends) ? 60_000 : ms, ...rest);
    });
    const page = await context.newPage();
    const hold = () => page.evaluate(() => (window.holds = true));
    return { ask, status, page, hold };
}

// Clicks where a button is, whatever stands there by then.
async function pressAt(page, button) {
    const box = await button.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    return () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
}
const early = (page) => page.locator('.toast').filter({ hasText: /Too early|Not sent/ }).first().waitFor(); // nothing was decided, and it is said
const ready = (button) => becomes(async () => (await button.getAttribute('aria-disabled')) ?? 'ready', 'ready', 'the button takes a press');

test('of a double click only the first decides: what takes its place has not been seen there', async (t) => {
    const { ask, status, page, hold } = await stage(t);
    const ids = [];
    for (const n of [1, 2, 3, 4]) ids.push(await ask(`Deploy ${n}?`, { ...approval, timeoutMinutes: 10 + n }));
    for (const n of [5, 6]) ids.push(await ask(`Go on ${n}?`, { ...yesNo, timeoutMinutes: 20 + n }));

    await page.goto(`/inbox/${ids[0]}`);
    const approve = page.getByRole('button', { name: 'Approve' });
    await ready(approve);
    await hold();
    let again = await pressAt(page, approve);
    await page.getByRole('heading', { name: 'Deploy 2?' }).waitFor();
    await again();
    await early(page);
    await becomes(() => status(ids[0]), 'answered', 'the first press decides'); // the page goes on before the server has said so
    assert.equal(await status(ids[1]), 'pending');

    await page.goto('/approvals');
    const row = page.getByRole('button', { name: /^Approve/ }).first();
    await ready(row);
    await hold();
    again = await pressAt(page, row);
    await page.getByRole('link', { name: 'Deploy 2?' }).waitFor({ state: 'detached' });
    await again();
    await early(page);
    await page.getByRole('link', { name: 'Deploy 3?' }).waitFor();

    await page.goto('/notifications');
    const yes = page.getByRole('button', { name: 'Yes', exact: true }).first();
    await ready(yes);
    await hold();
    again = await pressAt(page, yes);
    await page.getByRole('link', { name: 'Go on 6?' }).waitFor({ state: 'detached' });
    await again();
    await early(page);
    await becomes(() => status(ids[5]), 'answered', 'the first press decides');
    assert.equal(await status(ids[4]), 'pending');
    assert.deepEqual([await status(ids[2]), await status(ids[3])], ['pending', 'pending']);
});

test('a press on a dialog that has just opened by itself decides nothing, nor does one that asked why', async (t) => {
    const { ask, status, page, hold } = await stage(t);
    await page.goto('/jobs');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await hold();
    const id = await ask('Deploy now?', approval);
    const dialog = page.getByRole('dialog', { name: 'Deploy now?' });
    await (await pressAt(page, dialog.getByRole('button', { name: 'Approve' })))();
    await early(page);
    assert.equal(await status(id), 'pending');
    await dialog.getByRole('button', { name: 'Reject…' }).click();
    await pressAt(page, dialog.getByRole('button', { name: 'Reject', exact: false }).first());
    assert.equal(await status(id), 'pending');
    await dialog.getByLabel(/^Why/).press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim().startsWith('Reject…')), true, 'the focus is where it was');
});

test('whoever takes an answer back goes on with that question', async (t) => {
    const { ask, status, page } = await stage(t);
    const [first, second] = [await ask('Delete 1?', { ...yesNo, timeoutMinutes: 11 }), await ask('Delete 2?', { ...yesNo, timeoutMinutes: 12 })];
    const [third] = [await ask('Deploy 3?', { ...approval, timeoutMinutes: 13 }), await ask('Deploy 4?', { ...approval, timeoutMinutes: 14 })];
    await page.goto(`/inbox/${first}`);
    await seen(page, 'Delete 1?');
    await page.keyboard.press('a');
    await seen(page, 'Delete 2?');
    await page.keyboard.press('z');
    await seen(page, 'Delete 1?');
    await page.evaluate(() => (window.sends = true));
    await page.keyboard.press('r');
    await seen(page, 'Delete 2?');
    await becomes(() => status(first), 'answered', 'it is sent');
    assert.equal(await status(second), 'pending');

    await page.goto('/approvals');
    await ready(page.getByRole('button', { name: /^Approve/ }).first());
    await page.keyboard.press('j');
    await page.locator('tbody.current [data-settled], tbody.current[data-settled]').first().waitFor();
    await page.keyboard.press('a');
    await page.getByRole('link', { name: 'Deploy 3?' }).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await becomes(() => page.evaluate(() => document.activeElement?.id), `approval-${third}`, 'the row has the focus');
});

test('a part that did not come takes no key with it, and comes when it is asked for again', async (t) => {
    const { ask, page } = await stage(t);
    await ask('Where to?', { type: 'blocking', responseType: 'text' });
    const id = await ask('Which way?', { type: 'blocking', responseType: 'text' });
    await page.goto(`/inbox/${id}`);
    await seen(page, 'Which way?');
    await page.route('**/assets/{Palette,Snooze}*', (route) => route.abort());
    const failed = page.locator('.toast').filter({ hasText: 'cannot be reached' });
    for (const key of ['Control+k', 'Control+k']) {
        await page.keyboard.press(key);
        await failed.first().waitFor();
    }
    await page.getByRole('button', { name: 'Snooze…' }).click();
    await page.getByRole('button', { name: 'Snooze…' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.getByLabel('Your answer').pressSequentially('left');
    assert.equal(await page.getByLabel('Your answer').inputValue(), 'left');
    await page.unroute('**/assets/{Palette,Snooze}*');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
});
