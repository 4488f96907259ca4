// How every page comes: nothing that somebody reads or points at moves, nothing is fetched twice, and no page asks for more, or
// works more, than it did. Figures of the machine are held against each other, not against a clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person } from './lib/browser.mjs';
import { paces, watchLoad } from './lib/loading.mjs';
import { ofOne, plain } from './lib/routes.mjs';
import { full, start } from './lib/server.mjs';
import { furnish, storyServer } from './lib/story.mjs';

const most = { moved: 0.05, requests: 40, bytes: 200_000, layouts: 60, nodes: 5000 };
const widths = [1280, 390];
const atOnce = 3;

// Each page once, at widths and in orders that take turns, and a question on a phone whose parts come last, where all of it stands in
// one column; the full run takes every one of them.
const every = widths.flatMap((width) => Object.keys(paces).map((paced) => ({ width, paced })));
const more = [
    { pages: /^(inbox|notifications)$/, view: (i) => every[(i + 2) % every.length] },
    { pages: /^(inbox|q)-/, view: () => ({ width: 390, paced: 'parts last' }) },
];
function views(routes) {
    const some = (route, i) => [every[i % every.length], ...more.filter(({ pages }) => pages.test(route.name)).map(({ view }) => view(i))];
    return routes.flatMap((route, i) => (full ? every : some(route, i)).map((view) => ({ route, ...view })));
}

async function load(t, server, all) {
    const found = [];
    const heap = [...all];
    const hand = async () => {
        for (let view = heap.shift(); view; view = heap.shift()) {
            const context = await person(t, server, { width: view.width, height: view.width < 500 ? 844 : 800 }); // as for the first time: nothing is known from before
            found.push({ what: `${view.route.path} at ${view.width}, ${view.paced}`, ...(await watchLoad(context, view.route.path, view)) });
            await context.close();
        }
    };
    await Promise.all(Array.from({ length: atOnce }, hand));
    return found;
}

function faultsOf({ what, shifts, reads, ...figures }) {
    const faults = Object.entries(most).filter(([name, limit]) => !(figures[name] <= limit)).map(([name, limit]) => `${what}: ${name} is ${figures[name]}, above ${limit}`);
    if (figures.moved > most.moved) faults.push(...shifts.map(({ value, what: things }) => `    ${value.toFixed(4)} ${things.join(' | ')}`));
    const twice = Object.entries(Object.groupBy(reads, (url) => url)).filter(([url, all]) => all.length > 1);
    return [...faults, ...twice.map(([url, all]) => `${what}: fetched ${all.length} times: ${url}`)];
}

test('every page comes without moving, fetches each list once, and asks for no more than it needs', { timeout: full ? 3_600_000 : 1_800_000 }, async (t) => {
    const server = await storyServer(t);
    const things = await furnish(server);
    const found = await load(t, server, views([...plain, ...ofOne(things)]));
    const faults = found.flatMap(faultsOf);
    // No page works three times as much as the one in the middle.
    const usual = found.map(({ work }) => work).sort((a, b) => a - b)[Math.floor(found.length / 2)];
    faults.push(...found.filter(({ work }) => work > 3 * usual).map(({ what, work }) => `${what}: works ${Math.round(work * 1000)} ms, the usual is ${Math.round(usual * 1000)}`));
    assert.equal(faults.length, 0, faults.join('\n'));
});

test('where nothing waits, pages come without moving, too', { timeout: full ? 1_800_000 : 900_000 }, async (t) => {
    const server = await start(t);
    const routes = ['inbox', 'approvals', 'chat', 'notifications'].map((name) => ({ name, path: `/${name}` }));
    const faults = (await load(t, server, full ? views(routes) : routes.map((route, i) => ({ route, width: widths[i % 2], paced: Object.keys(paces)[i % 3] })))).flatMap(faultsOf);
    assert.equal(faults.length, 0, faults.join('\n'));
});
