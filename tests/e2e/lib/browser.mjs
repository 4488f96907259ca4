// A real browser for the pages: Debian's chromium, one for all tests of a process. Its build without a desktop draws the same
// with two thirds of the work; the whole one is taken where there is no other.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import { atEnd, full } from './server.mjs';

const require = createRequire(new URL('../../../ui/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const programs = [
    process.env.CHROMIUM,
    ...['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`),
];
let running;

// To find what depends on speed or on one order of events: WITAN_UI_SLOW=4 gives each page a quarter of the processor,
// WITAN_UI_LATE=300 holds each request, each reply and each piece of a stream up for as many milliseconds at most.
const slow = Number(process.env.WITAN_UI_SLOW ?? 1);
const late = Number(process.env.WITAN_UI_LATE ?? 0);

async function hinder(context) {
    if (late > 0) await context.addInitScript(holdUp, late);
    if (slow <= 1) return;
    const open = context.newPage.bind(context);
    context.newPage = async () => {
        const page = await open();
        await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slow });
        return page;
    };
}

// Runs in the page. Writes are sent at once, as a page that is left would not send them any more.
function holdUp(most) {
    const ask = window.fetch;
    const pause = () => new Promise((done) => setTimeout(done, Math.random() * most));
    const pauses = { transform: (piece, to) => pause().then(() => to.enqueue(piece)) };
    window.fetch = async (input, init) => {
        if ((init?.method ?? 'GET') === 'GET') await pause();
        const reply = await ask(input, init);
        await pause();
        if (!reply.body || !reply.headers.get('Content-Type')?.startsWith('text/event-stream')) return reply;
        return new Response(reply.body.pipeThrough(new TransformStream(pauses)), reply);
    };
}

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
// A file of tests ends by itself; pictures are not made by tests.
if (process.env.NODE_TEST_CONTEXT) after(closeBrowser);

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
    await hinder(context);
    const wrong = [];
    let closing = false; // parts that were still on their way are not there then, and that is no fault of the page
    context.on('console', (message) => {
        if (message.type() === 'error' && !closing && !harmless.test(message.text())) wrong.push(message.text());
    });
    context.on('weberror', (error) => {
        if (!closing) wrong.push(String(error.error().stack));
    });
    if (cookie) {
        const [name, ...value] = cookie.split('=');
        await context.addCookies([{ name, value: value.join('='), url: server.url }]);
    }
    // What a page never does is else waited for without an end. A test that has it open for that long hears of it where it waits.
    const hangs = setTimeout(() => void context.close({ reason: 'The page was open for too long.' }).catch(() => {}), (full ? 40 : 8) * 60_000);
    // Before the server: a page that loses it says so.
    atEnd(t, async () => {
        clearTimeout(hangs);
        closing = true;
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

// A key counts for the question that is shown: it has been seen long enough. With `name`, for the one of that name.
export const seen = (page, name) => page.locator('[data-settled]').filter(name === undefined ? {} : { has: page.getByRole('heading', { name, exact: true }) }).first().waitFor();

// What was scrolled has been told to the page, and what it does then is drawn.
export const framed = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// No rule of accessibility is broken in what is shown.
export async function accessible(page, what) {
    await page.evaluate(axeSource);
    const violations = await page.evaluate(async () => {
        const found = (await globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })).violations;
        // What happens to lie half under a bar that stays is as large as it is once it is scrolled to.
        for (const one of found.filter(({ id }) => id === 'target-size')) {
            const still = [];
            for (const node of one.nodes) {
                const element = document.querySelector(node.target[0]);
                const places = [];
                for (let at = element; at; at = at.parentElement) places.push([at, at.scrollTop]);
                element.scrollIntoView({ block: 'center' });
                if ((await globalThis.axe.run(element, { runOnly: { type: 'rule', values: ['target-size'] } })).violations.length > 0) still.push(node);
                for (const [at, top] of places) at.scrollTop = top;
            }
            one.nodes = still;
        }
        return found.filter(({ nodes }) => nodes.length > 0);
    });
    const said = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)}\n    ${failureSummary.slice(0, 240)}`).join('\n  ')}`);
    assert.deepEqual(said, [], what);
}

// Nothing reaches beyond the sides of the page, of a part of it that scrolls on its own, or of a dialog.
export async function fits(page, what) {
    const over = await page.evaluate(() => {
        const parts = [document.documentElement, ...document.querySelectorAll('.pane, dialog[open] > .body')].filter((part) => part.clientWidth > 1); // one pixel is for those who listen
        return parts.map((part) => [part.scrollWidth - part.clientWidth, part.className]).filter(([much]) => much > 0);
    });
    assert.deepEqual(over, [], `${what}: too wide`);
    // Where panes scroll on their own, the page around them stays where it is.
    const under = await page.evaluate(() => (innerWidth < 720 || !document.querySelector('.app > .panes') ? 0 : document.documentElement.scrollHeight - document.documentElement.clientHeight));
    assert.equal(under, 0, `${what}: the page scrolls under its panes`);
}
