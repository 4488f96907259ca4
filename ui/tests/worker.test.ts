// The service worker: under which name it keeps the pages, what it forgets, and what it never answers for.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { kept, version, withContents } from '../scripts/contents.ts';

function folder(t: TestContext): string {
    const made = mkdtempSync(join(tmpdir(), 'witan-pages-'));
    t.after(() => rmSync(made, { recursive: true }));
    mkdirSync(join(made, 'assets'));
    for (const [name, text] of [['index.html', '<script src="/assets/a-1.js">'], ['sw.js', 'x'], ['icon.svg', '<svg/>'], ['assets/a-1.js', 'one'], ['assets/b-2.css', 'two']]) writeFileSync(join(made, name!), text!);
    return made;
}

test('the name comes from the contents: one letter anywhere makes another, the time of a file does not', (t) => {
    const pages = folder(t);
    const first = version(pages);
    assert.match(first, /^[0-9a-f]{16}$/);
    const names = new Set([first]);
    for (const name of ['index.html', 'sw.js', 'icon.svg', 'assets/a-1.js']) {
        const file = join(pages, name);
        const was = readFileSync(file, 'utf8');
        writeFileSync(file, was.replace(/.$/, '!')); // as long as before
        names.add(version(pages));
        writeFileSync(file, was);
        assert.equal(version(pages), first, 'the same again, though written anew');
    }
    assert.equal(names.size, 5);
    writeFileSync(join(pages, 'assets/c-3.js'), '');
    assert.notEqual(version(pages), first, 'an empty file counts');
    assert.deepEqual(kept(pages), ['/', '/assets/a-1.js', '/assets/b-2.css', '/assets/c-3.js', '/icon.svg'], 'the worker itself is not kept, the page is under its address');
    assert.throws(() => withContents('no place for it', pages), /__KEPT__/);
});

// A browser that has kept pages before, and a server that is there or not.
function world(t: TestContext) {
    const stores = new Map<string, Map<string, string>>([['witan-abc', new Map([['/', 'old']])], ['another-app', new Map()]]);
    const hears: Record<string, (event: object) => void> = {};
    const asked: string[] = [];
    const state = { away: false, skipped: false, claimed: false };
    class Asked {
        readonly url: string;
        readonly method = 'GET';
        readonly mode: string;
        readonly cache: string;
        constructor(url: string, { mode = 'cors', cache = 'default' } = {}) {
            this.url = new URL(url, 'https://witan.test').href;
            this.mode = mode;
            this.cache = cache;
        }
    }
    const path = (of: string | Asked) => new URL(typeof of === 'string' ? of : of.url, 'https://witan.test').pathname;
    const caches = {
        open: async (name: string) => {
            const store = stores.get(name) ?? new Map<string, string>();
            stores.set(name, store);
            return { addAll: async (all: Asked[]) => all.forEach((one) => void (asked.push(`${one.cache} ${path(one)}`), store.set(path(one), `kept ${path(one)}`))) };
        },
        keys: async () => [...stores.keys()],
        delete: async (name: string) => stores.delete(name),
        match: async (what: string | Asked, { cacheName }: { cacheName: string }) => stores.get(cacheName)?.get(path(what)),
    };
    const self = { addEventListener: (type: string, hear: (event: object) => void) => (hears[type] = hear), skipWaiting: async () => void (state.skipped = true), clients: { claim: async () => void (state.claimed = true) } };
    const fetch = async (what: Asked) => (state.away ? Promise.reject(new TypeError('away')) : `fresh ${path(what)}`);
    const source = withContents(stripTypeScriptTypes(readFileSync(new URL('../src/sw.ts', import.meta.url), 'utf8')).replace('export {};', ''), folder(t));
    new Function('self', 'caches', 'fetch', 'location', 'Request', 'Response', source)(self, caches, fetch, { origin: 'https://witan.test' }, Asked, { error: () => 'error' });
    const does = async (type: string): Promise<void> => {
        let done: Promise<unknown> | undefined;
        hears[type]!({ waitUntil: (work: Promise<unknown>) => (done = work) });
        await done;
    };
    const get = async (url: string, mode = 'cors'): Promise<unknown> => {
        let reply: unknown = 'not ours';
        hears['fetch']!({ request: new Asked(url, { mode }), respondWith: (with_: unknown) => (reply = with_) });
        return reply;
    };
    return { stores, asked, state, does, get };
}

test('a new build keeps its files, forgets those of the last one and nothing of others, and takes over', async (t) => {
    const { stores, asked, state, does } = world(t);
    await does('install');
    assert.equal(stores.size, 3, 'the old ones are there until the new ones are');
    assert.deepEqual(asked, ['no-cache /', 'default /assets/a-1.js', 'default /assets/b-2.css', 'no-cache /icon.svg'], 'what has no hash in its name is asked for anew');
    assert.ok(state.skipped);
    await does('activate');
    assert.equal(stores.has('witan-abc'), false);
    assert.equal(stores.has('another-app'), true);
    assert.match([...stores.keys()].find((name) => name.startsWith('witan-'))!, /^witan-[0-9a-f]{16}$/);
    assert.ok(state.claimed);
});

test('pages come from the server as long as it is there; what it knows and what is secret is never answered for', async (t) => {
    const { state, does, get } = world(t);
    await does('install');
    await does('activate');
    assert.equal(await get('/inbox', 'navigate'), 'fresh /inbox');
    state.away = true;
    assert.equal(await get('/inbox', 'navigate'), 'kept /');
    assert.equal(await get('/assets/a-1.js'), 'kept /assets/a-1.js');
    for (const [url, mode] of [['/api/me', 'cors'], ['/api/audit/export', 'navigate'], ['/q/1/secret', 'navigate'], ['https://elsewhere.test/', 'cors'], ['/assets/unknown.js', 'cors']] as const) assert.equal(await get(url, mode), 'not ours', url);
});
