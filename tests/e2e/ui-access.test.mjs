// Every route in every state (empty, loading, in trouble, furnished, overfull), light and dark, from the phone to the wide
// screen: no rule of accessibility is broken, nothing is wider than the page, nothing moves for those who want it still.
// Each route and state is looked at once here, with themes and widths taking turns; the full run takes every one of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible, fits, person, settled, visit } from './lib/browser.mjs';
import { ofOne, plain } from './lib/routes.mjs';
import { becomes, full, start } from './lib/server.mjs';
import { furnish, overfill, storyServer } from './lib/story.mjs';

const themes = ['light', 'dark'];
const widths = full ? [390, 768, 1280, 1600] : [390, 768, 1280];
const atOnce = 3;

// Replies that never come, and replies that are refused. Who one is, is always told.
const hindrances = {
    loading: () => new Promise(() => {}),
    trouble: (route) => route.fulfill({ status: 500, json: { error: 'Something broke.', code: 'internal' } }),
};
const hindered = /\/api\/(?!me$|events)/;

async function look(page, { path }, state, what) {
    await page.unrouteAll();
    if (hindrances[state]) await page.route(hindered, hindrances[state]);
    await page.goto(path);
    if (state !== 'loading') await settled(page);
    else {
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForTimeout(200); // what shows that it loads comes after a while
        if (!/^\/(q|settings)/.test(path)) await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    }
    if (state === 'trouble') assert.equal(await page.getByText('undefined').count(), 0, what);
    await accessible(page, what);
    await fits(page, what);
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0, `${what}: something moves`);
    if (state === 'furnished' || state === 'overfull') {
        // From right to left, and at twice the size.
        await page.evaluate(() => (document.documentElement.dir = 'rtl'));
        await fits(page, `${what}, from right to left`);
        await page.evaluate(() => (document.documentElement.dir = 'ltr'));
        const before = page.viewportSize();
        await page.setViewportSize({ width: 640, height: 400 });
        await fits(page, `${what} at 200 %`);
        await page.setViewportSize(before);
    }
}

// Works through what is to be seen, several pages at a time, each with one theme and one width.
async function lookAt(t, server, views) {
    const faults = [];
    const heaps = Object.values(Object.groupBy(views, ({ theme, width }) => theme + width));
    const hand = async () => {
        for (let heap = heaps.shift(); heap; heap = heaps.shift()) {
            const context = await person(t, server, { scheme: heap[0].theme, width: heap[0].width, height: 844 });
            const page = await context.newPage();
            for (const { route, state, theme, width } of heap)
                await look(page, route, state, `${state} ${route.path} ${theme} ${width}`).catch((fault) => faults.push(fault.message));
            await page.unrouteAll({ behavior: 'ignoreErrors' });
            await context.close();
        }
    };
    await Promise.all(Array.from({ length: atOnce }, hand));
    assert.equal(faults.length, 0, faults.join('\n\n'));
}

function views(routes, state, turn) {
    const every = themes.flatMap((theme) => widths.map((width) => ({ theme, width })));
    return routes.flatMap((route, i) => (full ? every : [every[(i + turn) % every.length]]).map((looks) => ({ route, state, ...looks })));
}

test('every route is accessible, empty and while it loads, and when the server is in trouble', { timeout: full ? 3_600_000 : 1_800_000 }, async (t) => {
    const server = await start(t);
    const nowhere = { name: 'nowhere', path: '/nowhere' };
    const shell = plain.filter(({ name }) => !['welcome', 'account', 'login', 'more'].includes(name));
    await lookAt(t, server, [...views([...plain, nowhere], 'empty', 0), ...views(shell, 'loading', 2), ...views(shell, 'trouble', 4)]);
});

test('every route is accessible with things to show, and with too much of it', { timeout: full ? 3_600_000 : 1_800_000 }, async (t) => {
    const server = await storyServer(t);
    const things = await furnish(server);
    const alone = ofOne(things);
    const lists = plain.filter(({ name }) => !['welcome', 'account', 'login', 'more'].includes(name));
    // What loads, or is in trouble, looks alike for all of a kind.
    const kinds = full ? alone : Object.values(Object.groupBy(alone, ({ name }) => name.split('-')[0])).map(([first]) => first);
    await lookAt(t, server, [...views([...lists, ...alone], 'furnished', 1), ...views(kinds, 'loading', 3), ...views(kinds, 'trouble', 5)]);
    await lookAt(t, server, views(await overfill(server), 'overfull', 0));
});

test('the pages that need no script are accessible and fit, light and dark', async (t) => {
    const server = await storyServer(t);
    const { choice, question } = await furnish(server);
    for (const scheme of ['light', 'dark']) {
        const page = await visit(t, server, '/q/01890000-0000-7000-8000-000000000001', { scheme, width: 390, height: 844 });
        await page.getByRole('heading', { name: 'This does not work' }).waitFor();
        await accessible(page, `unknown question ${scheme}`);
        const { url } = await server.must(201, 'POST', `/api/questions/${choice}/link`, {});
        await page.goto(new URL(url, server.url).pathname);
        await page.getByRole('button', { name: 'Show the question' }).waitFor();
        await accessible(page, `link ${scheme}`);
        await fits(page, `link ${scheme}`);
    }
    const plainly = await visit(t, server, `/q/${question}`, { javaScriptEnabled: false });
    await plainly.getByRole('heading', { name: 'Run migration 0042 on the production database?', exact: true }).waitFor();
    await plainly.locator('p').filter({ hasText: 'Shoppers can go on buying' }).waitFor(); // text is not searched within noscript
    await plainly.goto('/inbox');
    await plainly.getByText('This page has not loaded.').waitFor();
});

test('dialogs and menus are accessible, and the keyboard reaches the page first', async (t) => {
    const server = await storyServer(t);
    const { job, question } = await furnish(server);
    const context = await person(t, server, { width: 640, height: 400 });
    const page = await context.newPage();
    await page.goto(`/jobs/${job.id}`);
    await page.getByRole('heading', { name: 'Release 2.4' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // "Skip to content"
    await becomes(() => page.evaluate(() => document.activeElement.id), 'main', 'the link leads past what is on every page');
    await page.getByRole('button', { name: 'Open question' }).last().click();
    await page.getByRole('dialog', { name: 'Run migration 0042 on the production database?' }).waitFor();
    await accessible(page, 'question dialog');
    await page.keyboard.press('Escape');
    await page.goto(`/inbox/${question}`);
    await page.getByRole('button', { name: 'Edit arguments' }).click();
    await page.getByRole('textbox', { name: 'Edit arguments' }).fill('{"target": "x"}');
    await page.getByText('What changes').waitFor();
    await accessible(page, 'edited arguments');
    await fits(page, 'edited arguments');
    await page.goto('/discussions');
    await page.getByRole('button', { name: 'New discussion' }).click();
    await page.getByRole('dialog', { name: 'New discussion' }).getByRole('checkbox', { name: 'Divergent' }).waitFor();
    await accessible(page, 'new discussion');
    await fits(page, 'new discussion');
    await page.keyboard.press('Escape');
    await page.goto('/approvals');
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: /^Approve 1/ }).click();
    await page.getByRole('dialog').waitFor();
    await accessible(page, 'batch');
    assert.equal(await page.locator('h1').count(), 1);
});
