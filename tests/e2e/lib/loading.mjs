// How a page comes: what it asks for, how much that is, what moves meanwhile, and how long it hears nobody.
import { settled } from './browser.mjs';

// Runs in the page before anything else does.
function note() {
    const name = (node) => {
        if (!node) return 'something that is gone';
        const element = node.nodeType === 1 ? node : node.parentElement;
        if (!element) return node.nodeName;
        const classes = [...element.classList].filter((one) => !one.startsWith('svelte-')).map((one) => `.${one}`).join('');
        return `${element.localName}${element.id ? `#${element.id}` : ''}${classes}`;
    };
    const box = ({ x, y, width, height }) => `${Math.round(x)},${Math.round(y)} ${Math.round(width)}x${Math.round(height)}`;
    window.witnessed = { shifts: [], long: [] };
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
            if (!entry.hadRecentInput) window.witnessed.shifts.push({ value: entry.value, what: entry.sources.map((source) => `${name(source.node)} ${box(source.previousRect)} -> ${box(source.currentRect)}`) });
    }).observe({ type: 'layout-shift', buffered: true });
    new PerformanceObserver((list) => window.witnessed.long.push(...list.getEntries().map(({ duration }) => Math.round(duration)))).observe({ type: 'longtask', buffered: true });
}

// Replies, and the parts of the page that are loaded when they are needed, come one by one, each after what came before it has been
// drawn: whatever makes room for itself late is seen to move things. Which comes next is a matter of `pace`.
export const paces = {
    'first first': (held) => held.shift(),
    'latest first': (held) => held.pop(),
    'parts last': (held) => held.splice(Math.max(0, held.findIndex((route) => !isPart(route))), 1)[0],
};
const isPart = (route) => route.request().resourceType() === 'script';

async function oneByOne(page, next) {
    const held = [];
    let over = false;
    let idle = 0; // for how many rounds nothing was waiting
    const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))).catch(() => {});
    await page.route(/\/api\/(?!events)|\.js$/, (route) => void held.push(route));
    const going = (async () => {
        while (!over) {
            await drawn();
            await drawn();
            const route = next(held);
            idle = route ? 0 : idle + 1;
            if (route) await route.continue().then(() => route.request().response()).catch(() => {});
            else await new Promise((done) => setTimeout(done, 10));
        }
    })();
    return async () => {
        while (idle < 5) await new Promise((done) => setTimeout(done, 10));
        over = true;
        await going;
        await page.unrouteAll({ behavior: 'ignoreErrors' });
    };
}

/** Loads a page as somebody does who comes for the first time, and tells how it went. */
export async function watchLoad(context, path, { paced } = {}) {
    const page = await context.newPage();
    await page.addInitScript(note);
    const asked = [];
    page.on('request', (request) => asked.push(request));
    const meter = await context.newCDPSession(page);
    await meter.send('Performance.enable', { timeDomain: 'threadTicks' }); // what it works, not what else the machine does
    const end = paced ? await oneByOne(page, paces[paced]) : async () => {};
    await page.goto(path);
    await settled(page);
    await end();
    await settled(page);
    const { metrics } = await meter.send('Performance.getMetrics');
    const figure = (name) => metrics.find((metric) => metric.name === name).value;
    const { shifts, long } = await page.evaluate(() => window.witnessed);
    const reads = asked.filter((request) => request.method() === 'GET' && new URL(request.url()).pathname.startsWith('/api/')).map((request) => request.url().replace(/^https?:\/\/[^/]+/, ''));
    let bytes = 0;
    for (const request of asked) {
        if (request.url().includes('/api/events')) continue;
        const sizes = await request.sizes().catch(() => undefined);
        bytes += sizes ? sizes.responseBodySize + sizes.responseHeadersSize : 0;
    }
    await page.close();
    return { shifts, moved: shifts.reduce((sum, { value }) => sum + value, 0), long, reads, requests: asked.length, bytes, work: figure('TaskDuration'), layouts: figure('LayoutCount'), nodes: figure('Nodes') };
}
