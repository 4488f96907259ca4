// Whatever opens, somebody may type into it at once. Every button of every page is pressed; where that opens a dialog, a menu or a
// field, all letters and digits are typed there and then, while approvals wait that are urgent: nothing may be decided by that,
// and what was typed into a form stands in its first field.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { person } from './lib/browser.mjs';
import { login, makeUser } from './lib/identity.mjs';
import { ofOne, plain } from './lib/routes.mjs';
import { full, patience, until } from './lib/server.mjs';
import { furnish, storyServer } from './lib/story.mjs';

const word = 'nightly agent 123456789 bcdefjkmopqrsuvwxz+ARJ'; // as somebody would begin, and all there is
const harmless = /\/draft$|\/presence\b/; // that somebody types, and is here

/** Somebody's window, and how to type in it without waiting for each key, which is faster than anybody. */
async function hands(t, server, cookie) {
    const context = await person(t, server, { cookie });
    // What one key decides is sent after a moment in which it can be taken back; here that moment is over at once.
    await context.addInitScript(() => {
        const wait = window.setTimeout;
        // Of what is asked for, and of parts that are loaded when they are wanted, none is on its way when this is 0.
        const ask = window.fetch;
        window.asking = 0;
        window.fetch = (input, init) => {
            const counts = !String(input).includes('/api/events');
            window.asking += counts;
            return ask(input, init).finally(() => (window.asking -= counts));
        };
        window.setTimeout = (act, ms, ...rest) => wait(act, ms === 4000 && !window.slowly ? 0 : ms, ...rest);
    });
    const page = await context.newPage();
    const sent = [];
    let held = true; // what buttons do is not what is tried here
    await page.route('**/api/**', (route) => {
        const request = route.request();
        if (request.method() === 'GET') return route.fallback();
        const path = new URL(request.url()).pathname;
        if (held) return route.fulfill({ status: 409, json: { error: 'Not now.', code: 'conflict' } });
        sent.push(`${request.method()} ${path}`);
        return route.fallback();
    });
    // A button that would load a page anew, in another workspace say, stays where it is: else all that follows is tried there.
    // It may do so a moment later, and then takes the place of what is loaded here, which is told of it and tries again.
    let leads;
    await page.route('**/*', (route) => (route.request().isNavigationRequest() && route.request().url() !== leads ? route.fulfill({ status: 204 }) : route.fallback()));
    const load = async (path) => {
        leads = server.url + path;
        for (let left = 10; ; left--)
            try {
                await page.goto(path);
                break;
            } catch (why) {
                if (left === 0 || !why.message.includes('ERR_ABORTED')) throw why;
            }
        leads = undefined;
    };
    const wire = await context.newCDPSession(page);
    const type = async (text) => {
        held = false;
        await Promise.all([...text].map((key) => wire.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text: key })));
        await page.evaluate(() => new Promise((done) => setTimeout(done, 20))); // what a key has begun is on its way
        held = true;
        return sent.splice(0).filter((one) => !harmless.test(one));
    };
    return { page, type, load };
}

// Runs in the page: presses the first thing of a kind that is not known yet, and says which, and what there was before.
function pressNext(known) {
    const covers = document.querySelectorAll('dialog[open], :popover-open:not([popover=manual])');
    const root = covers[covers.length - 1] ?? document.body;
    for (const one of root.querySelectorAll('button, summary, a[href*="?task="]')) {
        if (one.disabled || !one.checkVisibility({ visibilityProperty: true })) continue;
        const words = [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim().replace(/\d+/g, 'N')).join(' ');
        let path = '';
        for (let at = one; at && at !== root; at = at.parentElement) path = `${at.tagName}.${at.classList[0] ?? ''} ${path}`;
        const kind = one.matches('a') ? 'task' : `${path} ${words} ${one.querySelector('svg')?.innerHTML.length ?? ''} ${one.getAttribute('popovertarget') ?? ''}`;
        if (known.includes(kind)) continue;
        one.click();
        return { kind, folds: one.matches('summary'), name: (one.getAttribute('aria-label') ?? one.textContent).trim().slice(0, 40) };
    }
    return undefined;
}

// Runs in the page: what lies over it, and where words would go.
function opened() {
    const over = document.querySelectorAll('dialog[open], :popover-open:not([popover=manual])');
    const top = over[over.length - 1];
    const field = document.activeElement;
    const fields = (of) => [...of.querySelectorAll('textarea, input:not([type=radio], [type=checkbox], [type=date], [type=number])')].filter((one) => one.checkVisibility());
    return {
        covers: over.length,
        name: top?.querySelector('h2')?.textContent ?? top?.getAttribute('aria-label') ?? '',
        // One that begins with a choice begins there.
        form: Boolean(top?.matches('dialog:not([data-reads])') && fields(top).length > 0 && fields(top)[0] === [...top.querySelectorAll('textarea, input, select')].find((one) => one.checkVisibility())),
        fields: fields(document).length,
        text: field?.matches('textarea, input') && field.type !== 'radio' && field.type !== 'checkbox' ? field.value : undefined,
    };
}

test('whatever is opened is typed into at once, and decides nothing', { timeout: full ? 3_600_000 : 900_000 }, async (t) => {
    const server = await storyServer(t);
    const things = await furnish(server);
    await makeUser(server, 'Maya', 'a long password', 'owner');
    const cookie = await login(server, 'Maya', 'a long password');
    const as = { headers: { Cookie: cookie, Origin: server.url } };
    const make = (path, body) => server.must(201, 'POST', path, body, as);
    await make('/api/users', { name: 'Jonas', password: 'another password', role: 'member' });
    const { secret: token } = await make('/api/tokens', { name: 'runner', role: 'agent' });
    const ask = (body) => server.must(201, 'POST', '/api/questions', body, { token }); // by somebody else, so that a key could decide it
    await make('/api/workspaces', { name: 'Other', slug: 'other' });
    await make('/api/templates', { name: 'mine', question: 'Go on?' });
    const urgent = await ask({ question: 'Drop the table?', type: 'approval', responseType: 'approval', timeoutMinutes: 5, action: { name: 'sql', args: { text: 'drop table orders' } } });
    const workspace = (await server.must(200, 'GET', '/api/me', undefined, as)).workspace.id;
    const waiting = async () => (await server.must(200, 'GET', `/api/questions/pending?workspaceId=${workspace}&limit=200`, undefined, as)).questions.map(({ id }) => id).sort();
    const before = await waiting();
    assert.ok(before.includes(urgent.questionId) && before.length > 5);

    const { page, type, load } = await hands(t, server, cookie);
    const go = async (path) => {
        await page.evaluate((to) => {
            history.pushState(null, '', to);
            dispatchEvent(new PopStateEvent('popstate'));
        }, path);
        await quiet();
    };
    // What a page is made of comes in parts: none is on its way, nothing is asked for, and what came is drawn.
    const coming = new Set();
    page.on('request', (request) => request.url().includes('/assets/') && coming.add(request));
    for (const over of ['requestfinished', 'requestfailed']) page.on(over, (request) => coming.delete(request));
    const drawn = () =>
        page.evaluate(async (patience) => {
            const began = performance.now();
            for (let still = 0; still < 4; still++) {
                await new Promise((done) => void (requestAnimationFrame(done), setTimeout(done, 1000)));
                if (window.asking > 0 || !document.querySelector('main :is(h1, h2)') || document.querySelector('.ghost')) still = -1;
                if (performance.now() - began > patience) throw new Error(`${location} is not drawn; ${window.asking} are asked for; ${document.body.innerText.slice(0, 500)}`);
            }
        }, patience);
    const quiet = async () => {
        do {
            await until(() => coming.size === 0, 'all parts of the page are there');
            await drawn();
        } while (coming.size > 0);
    };
    const known = [];
    const forms = [];
    const back = async (path) => {
        await load(path);
        await go(path);
    };
    // Presses one more thing, on the page (depth 1) or in what lies over it, and types if something opens. Says what came of it.
    const step = async (path, depth) => {
        await page.waitForFunction(() => !document.querySelector('.decide') || document.querySelector('[data-settled]')); // keys count there
        const was = await page.evaluate(opened);
        const where = page.url();
        const one = await page.evaluate(pressNext, known);
        if (!one) return 'done';
        known.push(one.kind);
        let now = await page.evaluate(opened);
        const same = () => now.covers === was.covers && now.fields === was.fields;
        // Its part is loaded when it is wanted, which takes a busy machine a while; what opens nothing is not waited for in vain.
        for (let tries = /^New |…|^Help/.test(one.name) ? 60 : 0; tries > 0 && same(); tries -= coming.size === 0) {
            await page.waitForTimeout(50);
            now = await page.evaluate(opened);
        }
        if (now.covers === was.covers && one.kind.includes('BUTTON.find')) {
            await page.waitForFunction(() => document.querySelector('dialog[open]')); // its part is loaded when it is wanted
            now = await page.evaluate(opened);
        }
        const opens = now.covers > was.covers;
        const form = `${path}: ${one.name}`;
        const closes = now.covers < was.covers; // what is seen then was there before
        if (!closes && (opens || now.fields > was.fields || (now.text !== undefined && was.text === undefined)) && !forms.includes(form)) {
            forms.push(form);
            const there = page.url();
            assert.deepEqual(await type(opens ? word : `a ${word}`), [], `typed after “${one.name}” on ${path}`);
            const { text } = await page.evaluate(opened);
            if (!one.folds) assert.equal(page.url(), there, `a key of the page acted after “${one.name}” on ${path}`);
            if (now.form || !(opens || one.folds)) assert.ok(text?.includes('nightly agent'), `“${one.name}” on ${path} does not lead into its first field: ${text}`);
        }
        if (opens && depth > 0 && !(await walk(path, depth - 1))) known.splice(known.indexOf(one.kind), 1); // there is more in it
        if (opens) await page.keyboard.press('Escape');
        return page.url() === where && (await page.evaluate(opened)).covers === 1 - depth ? 'on' : 'left';
    };
    // True: all of it was pressed.
    const walk = async (path, depth) => {
        for (;;) {
            const came = await step(path, depth);
            if (came === 'done') return true;
            if (came === 'left' && depth === 0) return false;
            if (came === 'left') await back(path);
        }
    };
    await load('/inbox');
    const routes = [...plain, ...ofOne(things), { path: `/inbox/${urgent.questionId}` }, { path: `/projects/${things.projects.Checkout.id}?view=tasks` }, { path: `/projects/${things.projects.Checkout.id}?view=settings` }, { path: '/inbox?type=approval' }];
    for (const { path } of routes.filter(({ path }) => !['/login', '/account', '/welcome', '/more'].includes(path))) {
        await go(path);
        await walk(path, 1);
    }
    const list = forms.join('\n');
    for (const name of ['Search', 'Help and keyboard', 'account', 'Views', 'Reject', 'Edit arguments', 'New discussion', 'New project', 'New task', 'New token', 'Delete project', 'Open question']) assert.ok(list.includes(name), `${name} was not found among\n${list}`);

    // What has to be loaded first is meant by whoever types meanwhile.
    await page.route('**/assets/Palette*', async (route) => {
        await new Promise((done) => setTimeout(done, 300));
        await route.fallback();
    });
    await back(`/inbox/${urgent.questionId}`);
    await page.keyboard.press('Control+k');
    assert.deepEqual(await type(word), [], 'typed before the search was there');
    await page.getByRole('dialog', { name: 'Search and commands' }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Search and commands' }).inputValue(), word, 'no letter of it is lost');
    assert.ok(page.url().endsWith(urgent.questionId));

    // And what opens by itself, before somebody who begins to type.
    await load('/jobs');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    const own = await ask({ question: 'And this?', type: 'approval', responseType: 'approval' });
    await page.getByRole('dialog', { name: 'And this?' }).waitFor();
    await page.evaluate(() => (window.slowly = true)); // what is said shall be read
    assert.deepEqual(await type(word), [], 'typed when a question came');
    await page.locator('.toast').filter({ hasText: 'Too early' }).first().waitFor();
    assert.deepEqual(await waiting(), [...before, own.questionId].sort(), 'all of it still waits');
});
