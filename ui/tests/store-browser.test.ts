// What stores ask of the browser: its clipboard, and to keep the pages for when there is no network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './lib/page.ts';

test('what was copied is said, and what could not be is, too', async (t) => {
    const page = open(t, '/welcome');
    const { copy } = await import('../src/stores/copy.ts');
    const { toasts } = await import('../src/stores/app.svelte.ts');
    const said = page.watch(() => toasts.list.map(({ text, icon }) => `${icon} ${text}`).at(-1));
    await copy('witan ask', 'That is yours.');
    assert.deepEqual(page.clipboard, ['witan ask']);
    assert.equal(said.last, 'check That is yours.');
    page.navigator['clipboard'] = { writeText: async () => Promise.reject(new Error('not allowed')) };
    await copy('witan ask', 'That is yours.');
    assert.match(said.last!, /^alert (?!That is yours)/);
    await page.pass(4000);
    assert.equal(said.last, undefined, 'neither stays');
});

test('one worker is registered, by an address that the page’s policy knows and no other', async (t) => {
    const page = open(t);
    const rules: Array<(url: string) => string> = [];
    Object.assign(window, {
        trustedTypes: {
            createPolicy: (name: string, { createScriptURL }: { createScriptURL: (url: string) => string }) => {
                assert.equal(name, 'witan', 'the name that the server’s header allows');
                rules.push(createScriptURL);
                return { createScriptURL };
            },
        },
    });
    const { registerWorker } = await import('../src/stores/worker.ts');
    registerWorker();
    assert.deepEqual(page.workers, ['/sw.js']);
    assert.equal(rules[0]!('https://evil.example/sw.js'), '');
});

test('a browser without workers, or that refuses one, is none the worse', async (t) => {
    const page = open(t);
    page.navigator['serviceWorker'] = { register: async () => Promise.reject(new Error('insecure')) };
    const { registerWorker } = await import('../src/stores/worker.ts');
    registerWorker();
    await page.settle();
    delete page.navigator['serviceWorker'];
    registerWorker();
    assert.deepEqual(page.workers, []);
});
