// A real browser for the pages: Debian's chromium, one for all tests of a process.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../ui/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const programs = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
let running;

export function browser() {
    running ??= chromium.launch({
        executablePath: programs.find((path) => path && existsSync(path)),
        args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    return running;
}

export async function closeBrowser() {
    await (await running)?.close();
    running = undefined;
}

// What a page may say in the console without anything being wrong: refusals that a test provokes.
const harmless = /Failed to load resource|net::ERR_|Service Worker registration blocked/;

// Somebody with a browser of their own. Whatever breaks the page's policy, or throws, fails the test.
export async function person(t, server, { width = 1280, height = 800, scheme = 'light', workers = false, cookie, ...options } = {}) {
    const context = await (
        await browser()
    ).newContext({
        baseURL: server.url,
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: 'reduce',
        serviceWorkers: workers ? 'allow' : 'block',
        ...options,
    });
    const wrong = [];
    context.on('console', (message) => {
        if (message.type() === 'error' && !harmless.test(message.text())) wrong.push(message.text());
    });
    context.on('weberror', (error) => wrong.push(String(error.error().stack)));
    if (cookie) {
        const [name, ...value] = cookie.split('=');
        await context.addCookies([{ name, value: value.join('='), url: server.url }]);
    }
    t.after(async () => {
        await context.close();
        assert.deepEqual(wrong, [], 'the browser complained');
    });
    context.setDefaultTimeout(120_000);
    return context;
}

export async function visit(t, server, path = '/', options = {}) {
    const context = await person(t, server, options);
    const page = await context.newPage();
    await page.goto(path);
    return page;
}

// The page shows what it is about: its heading is there, and nothing it asked for is still on its way.
export async function settled(page) {
    await page.getByRole('heading').first().waitFor();
    await page.waitForFunction(() => document.querySelector('.skel, .ghost') === null);
    await page.evaluate(async () => {
        await document.fonts.ready;
        for (let still = 0; still < 5; ) {
            const before = performance.getEntriesByType('resource').length;
            await new Promise((wake) => setTimeout(wake, 40));
            still = performance.getEntriesByType('resource').length === before ? still + 1 : 0;
        }
    });
}

// No rule of accessibility is broken in what is shown.
export async function accessible(page, what) {
    await page.evaluate(axeSource);
    const found = await page.evaluate(() =>
        globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }),
    );
    const said = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)}\n    ${failureSummary.slice(0, 240)}`).join('\n  ')}`);
    assert.deepEqual(said, [], what);
}

// Nothing reaches beyond the sides of the page, of a part of it that scrolls on its own, or of a dialog.
export async function fits(page, what) {
    const over = await page.evaluate(() => {
        const parts = [document.documentElement, ...document.querySelectorAll('.pane, dialog[open] > .body')].filter((part) => part.clientWidth > 1); // one pixel is for those who listen
        return parts.map((part) => [part.scrollWidth - part.clientWidth, part.className]).filter(([much]) => much > 0);
    });
    assert.deepEqual(over, [], `${what}: too wide`);
}
