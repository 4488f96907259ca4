// A page without a browser: what a browser gives to the stores (an address, storage, a clock, locks, a network), small and in the
// hands of the test. The stores themselves are the real ones.
//
//   const page = open(t, '/inbox');
//   page.server.on('GET /api/questions/pending', { questions: [], nextCursor: null, serverTime: page.now() });
//   const { questions } = await import('../src/stores/questions.svelte.ts');   // after open: each page has modules of its own
//   await page.live();                        // logged in, and the stream is open
//   page.happen('question_asked', { questionId: 'q1' });
//   await page.pass(60);                      // the clock moves, and what it starts is done
import assert from 'node:assert/strict';
import { mock, type TestContext } from 'node:test';
import { nextPage } from './runes.ts';
import type { Watched } from './watch.svelte.ts';

const { watch } = await import('./watch.svelte.ts'); // once there is somebody to compile it

// ---- the server -------------------------------------------------------------------------------------------------------------

/** One request as the server saw it. */
export interface Call {
    method: string;
    path: string;
    query: Record<string, string>;
    body: unknown;
    /** Its body, letter by letter. */
    sent: string;
    headers: Record<string, string>;
}

type Says = unknown | ((call: Call, match: string[]) => unknown);

/** What the server refuses, with its words. */
export function refused(status: number, said: { error?: string; code?: string; field?: string; hint?: string; [member: string]: unknown } = {}): Response {
    return Response.json({ error: `refused with ${status}`, code: 'refused', ...said }, { status, headers: { 'X-Request-Id': 'req' } });
}

/** A reply that comes when the test says so. */
export class Later {
    readonly reply: Promise<unknown>;
    give: (what: unknown) => void = () => {};
    constructor() {
        this.reply = new Promise((done) => (this.give = done));
    }
}

export class Server {
    /** Every request but those for the stream, in order. */
    readonly calls: Call[] = [];
    /** With which Last-Event-ID each stream was opened; '': without. */
    readonly streams: string[] = [];
    /** No request gets through while it is set. */
    away = false;
    /** The stream is refused with this status while it is set. */
    refusesStream = 0;
    readonly #says: Array<{ method: string; path: RegExp; says: Says }> = [];
    readonly #log: string[] = [];
    readonly #open = new Set<ReadableStreamDefaultController<Uint8Array>>();

    /** What a request gets: a value, or what a function makes of the request; `*` stands for one part of a path, and
     *  gives way to a path without one. The last that was said holds. A function may give a promise (see Later), a Response (see refused), or throw: then nobody answers. */
    on(request: string, says: Says): void {
        const [method, path] = request.split(' ') as [string, string];
        const escaped = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '([^/]+)');
        this.#says.unshift({ method, path: new RegExp(`^${escaped}$`), says });
    }

    /** The requests of a kind so far: `to('GET /api/jobs/*')`. */
    to(request: string): Call[] {
        const [method, path] = request.split(' ') as [string, string];
        const like = new RegExp(`^${path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]+')}$`);
        return this.calls.filter((call) => call.method === method && like.test(call.path));
    }

    get listeners(): number {
        return this.#open.size;
    }

    /** Something happens: it is in the log, and every open stream hears it. */
    happen(type: string, members: Record<string, unknown> = {}): void {
        const id = this.#log.length + 1;
        const frame = `id: ${id}\ndata: ${JSON.stringify({ type, at: new Date().toISOString(), ...members })}\n\n`;
        this.#log.push(frame);
        this.#write(frame);
    }

    /** Something that is in no log: words while they are spoken, a gap. */
    pass(type: string, members: Record<string, unknown> = {}): void {
        this.#write(`data: ${JSON.stringify({ type, at: new Date().toISOString(), ...members })}\n\n`);
    }

    /** All streams break. */
    cut(): void {
        for (const stream of this.#open) stream.error(new TypeError('cut'));
        this.#open.clear();
    }

    #write(frame: string): void {
        for (const stream of this.#open) stream.enqueue(new TextEncoder().encode(frame));
    }

    async fetch(input: string, init: RequestInit = {}): Promise<Response> {
        const url = new URL(input, location.origin);
        const headers = Object.fromEntries(new Headers(init.headers).entries());
        if (this.away) throw new TypeError('nobody answers');
        init.signal?.throwIfAborted();
        if (url.pathname === '/api/events') return this.#stream(headers['last-event-id'], init.signal);
        const call: Call = {
            method: init.method ?? 'GET',
            path: url.pathname,
            query: Object.fromEntries(url.searchParams),
            body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
            sent: typeof init.body === 'string' ? init.body : '',
            headers,
        };
        this.calls.push(call);
        const rows = this.#says.filter(({ method, path }) => method === call.method && path.test(call.path));
        const row = rows.find(({ path }) => !path.source.includes('([^/]+)')) ?? rows[0];
        const says: unknown = row ? await (typeof row.says === 'function' ? (row.says as (call: Call, match: string[]) => unknown)(call, row.path.exec(call.path)!.slice(1)) : row.says) : refused(404, { error: `the test says nothing to ${call.method} ${call.path}`, code: 'not_found' });
        if (says instanceof Response) return says.clone(); // it may be said more than once
        return says === undefined ? new Response(null, { status: 204 }) : Response.json(says);
    }

    #stream(after: string | undefined, signal: AbortSignal | null | undefined): Response {
        if (this.refusesStream) return refused(this.refusesStream);
        this.streams.push(after ?? '');
        const body = new ReadableStream<Uint8Array>({
            start: (stream) => {
                this.#open.add(stream);
                if (after !== undefined) for (const frame of this.#log.slice(Number(after))) stream.enqueue(new TextEncoder().encode(frame));
                signal?.addEventListener('abort', () => this.#open.delete(stream) && stream.error(new TypeError('aborted')));
            },
        });
        return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    }
}

// ---- the browser ------------------------------------------------------------------------------------------------------------

class Shelf {
    readonly kept = new Map<string, string>();
    /** Nothing fits any more. */
    full = false;
    getItem = (key: string): string | null => this.kept.get(key) ?? null;
    setItem = (key: string, value: string): void => {
        if (this.full) throw new DOMException('full', 'QuotaExceededError');
        this.kept.set(key, String(value));
    };
    removeItem = (key: string): void => void this.kept.delete(key);
    key = (index: number): string | null => [...this.kept.keys()][index] ?? null;
    clear = (): void => this.kept.clear();
    get length(): number {
        return this.kept.size;
    }
}

// One after the other under each name, as LockManager has it; what was asked for with a signal can be called off.
class Locks {
    readonly #turns = new Map<string, Promise<unknown>>();
    request = async (name: string, ...rest: unknown[]): Promise<unknown> => {
        const run = rest.at(-1) as (lock: { name: string }) => unknown;
        const { signal } = (rest.length > 1 ? rest[0] : {}) as LockOptions;
        const turn = (this.#turns.get(name) ?? Promise.resolve()).then(() => {
            signal?.throwIfAborted();
            return run({ name });
        });
        this.#turns.set(name, turn.catch(() => {}));
        return turn;
    };
}

class Channel {
    static readonly open = new Set<Channel>();
    onmessage: ((event: { data: unknown }) => void) | null = null;
    readonly name: string;
    constructor(name: string) {
        this.name = name;
        Channel.open.add(this);
    }
    postMessage(data: unknown): void {
        for (const other of Channel.open) if (other !== this && other.name === this.name) queueMicrotask(() => other.onmessage?.({ data: structuredClone(data) }));
    }
    close(): void {
        Channel.open.delete(this);
    }
}

/** What pages keep of replies, by name and address. */
class Caches {
    readonly all = new Map<string, Map<string, Response>>();
    open = async (name: string): Promise<unknown> => {
        const kept = this.all.get(name) ?? new Map<string, Response>();
        this.all.set(name, kept);
        const address = (of: string | { url: string }) => new URL(typeof of === 'string' ? of : of.url, 'https://witan.test').href;
        return {
            put: async (of: string, reply: Response) => void kept.set(address(of), reply),
            match: async (of: string | { url: string }) => kept.get(address(of))?.clone(),
            delete: async (of: string | { url: string }) => kept.delete(address(of)),
            keys: async () => [...kept.keys()].map((url) => ({ url })),
        };
    };
    keys = async (): Promise<string[]> => [...this.all.keys()];
    delete = async (name: string): Promise<boolean> => this.all.delete(name);
}

/** The little of an element that stores touch. */
class Thing extends EventTarget {
    readonly dataset: Record<string, string> = {};
    href = '';
}

class Notice {
    static permission = 'default';
    static requestPermission = async (): Promise<string> => Notice.permission;
    static shown: Notice[] = [];
    onclick: (() => void) | null = null;
    readonly title: string;
    readonly options: { body?: string; tag?: string };
    constructor(title: string, options: { body?: string; tag?: string } = {}) {
        this.title = title;
        this.options = options;
        Notice.shown.push(this);
    }
}

const turn = () => new Promise<void>((done) => void setImmediate(done)); // which no test's clock holds up

/** The person who is logged in unless a test says otherwise. */
export const somebody = {
    caller: { id: 'p1', name: 'Ada', role: 'owner', answers: true, manages: true, kind: 'person' },
    workspace: { id: 'w1', slug: 'default', name: 'Default' },
    program: 'witan',
    lastEvent: 0,
};

export class Page {
    readonly server: Server;
    readonly local: Shelf;
    readonly tab: Shelf;
    readonly caches: Caches;
    readonly document = Object.assign(new EventTarget(), {
        visibilityState: 'visible',
        readyState: 'complete',
        title: '',
        activeElement: null,
        documentElement: new Thing(),
        body: new Thing(),
        icon: new Thing(),
        getElementById: () => null,
        querySelector: (what: string): Thing | null => (what === 'link[rel=icon]' ? this.document.icon : null),
    });
    /** What was put into the clipboard. */
    readonly clipboard: string[] = [];
    /** Addresses that were loaded anew, as by a link to somewhere else. */
    readonly left: string[] = [];
    /** Service workers that were registered. */
    readonly workers: string[] = [];
    readonly navigator: Record<string, unknown>;
    readonly #events = new EventTarget();
    readonly #undo: Array<() => void> = [];
    readonly #watched: Array<Watched<unknown>> = [];
    #url: URL;

    constructor(path: string, before?: Page) {
        this.server = before?.server ?? new Server();
        this.local = before?.local ?? new Shelf();
        this.tab = before?.tab ?? new Shelf();
        this.caches = before?.caches ?? new Caches();
        this.#url = new URL(path, 'https://witan.test');
        this.navigator = {
            onLine: true,
            locks: new Locks(),
            clipboard: { writeText: async (text: string) => void this.clipboard.push(text) },
            serviceWorker: { register: async (address: string) => void this.workers.push(address) },
        };
        if (!before) this.server.on('GET /api/me', somebody);
        Notice.shown = [];
        Notice.permission = 'default';
        nextPage();
        this.#globals();
    }

    #globals(): void {
        const page = this;
        const location = {
            get pathname() { return page.#url.pathname; },
            get search() { return page.#url.search; },
            get hash() { return page.#url.hash; },
            get href() { return page.#url.href; },
            get origin() { return page.#url.origin; },
            assign: (to: string) => void page.left.push(to),
            reload: () => void page.left.push(page.#url.pathname),
        };
        const goTo = (_: unknown, __: string, to: string) => void (page.#url = new URL(to, page.#url));
        const window: Record<string, unknown> = {
            location,
            history: { pushState: goTo, replaceState: goTo },
            localStorage: this.local,
            sessionStorage: this.tab,
            document: this.document,
            navigator: this.navigator,
            fetch: (input: string, init?: RequestInit) => this.server.fetch(input, init),
            caches: this.caches,
            BroadcastChannel: Channel,
            Notification: Notice,
            HTMLAnchorElement: Thing,
            requestAnimationFrame: (run: (at: number) => void) => setTimeout(() => run(Date.now()), 16),
            cancelAnimationFrame: (frame: number) => clearTimeout(frame),
            requestIdleCallback: (run: () => void) => setTimeout(run, 1),
            matchMedia: () => ({ matches: false, addEventListener: () => {} }),
            addEventListener: this.#events.addEventListener.bind(this.#events),
            removeEventListener: this.#events.removeEventListener.bind(this.#events),
            dispatchEvent: this.#events.dispatchEvent.bind(this.#events),
            focus: () => {},
        };
        for (const [name, value] of Object.entries({ ...window, window: { ...window }, self: globalThis })) {
            const was = Object.getOwnPropertyDescriptor(globalThis, name);
            Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
            this.#undo.push(() => (was ? Object.defineProperty(globalThis, name, was) : Reflect.deleteProperty(globalThis, name)));
        }
    }

    /** Now, as the server writes times; so many milliseconds later with a number. */
    now(later = 0): string {
        return new Date(Date.now() + later).toISOString();
    }

    get path(): string {
        return this.#url.pathname + this.#url.search;
    }

    /** Notifications that the page has shown outside of itself. */
    get notices(): Notice[] {
        return Notice.shown;
    }

    allowNotices(permission: 'granted' | 'denied' | 'default'): void {
        Notice.permission = permission;
    }

    /** Something of the window's: 'online', 'offline', 'pagehide', 'storage'. */
    fire(type: string, members: Record<string, unknown> = {}): void {
        if (type === 'online' || type === 'offline') this.navigator['onLine'] = type === 'online';
        this.#events.dispatchEvent(Object.assign(new Event(type), members));
    }

    /** Somebody looks at the page, or at another. */
    see(visible: boolean): void {
        this.document.visibilityState = visible ? 'visible' : 'hidden';
        this.document.dispatchEvent(new Event('visibilitychange'));
    }

    happen(type: string, members: Record<string, unknown> = {}): void {
        this.server.happen(type, members);
    }

    /** What a component would be shown of an expression. */
    watch<T>(look: () => T): Watched<T> {
        const watched = watch(look);
        this.#watched.push(watched);
        return watched;
    }

    /** Whatever needs no time is done: replies that are there, frames of the stream, what follows from them. */
    async settle(): Promise<void> {
        for (let i = 0; i < 20; i++) await turn();
    }

    /** Time passes: timers run in their order, and what they start is done. */
    async pass(ms: number): Promise<void> {
        await this.settle();
        mock.timers.tick(ms);
        await this.settle();
    }

    /** Waits for something that may take the machine a while, but takes no time of the page's clock. */
    async until(holds: () => unknown, what = String(holds)): Promise<void> {
        for (let i = 0; i < 5000; i++) {
            if (holds()) return;
            await turn();
        }
        assert.fail(`never came: ${what}`);
    }

    /** Somebody is logged in, and the stream is open. */
    async live(): Promise<void> {
        const { session, stream } = await import('../../src/stores/server.svelte.ts');
        await session.start();
        stream.start();
        await this.until(() => stream.state.is === 'live', 'the stream is open');
        await this.settle();
    }

    /** The same browser, loaded anew: storage and server stay, everything else begins. */
    async reload(path = this.path): Promise<Page> {
        await this.#stop();
        this.#close();
        return this.#next = new Page(path, this);
    }
    #next: Page | undefined;

    async #stop(): Promise<void> {
        for (const watched of this.#watched) watched.stop();
        const { stream } = await import('../../src/stores/server.svelte.ts');
        stream.stop();
        await this.settle();
    }

    #close(): void {
        Channel.open.clear();
        for (const undo of this.#undo.splice(0).reverse()) undo();
    }

    /** The end of the test: nothing stays. */
    async end(): Promise<void> {
        if (this.#next) return this.#next.end();
        await this.#stop();
        this.server.cut();
        this.#close();
    }
}

/** Opens a page for a test, at a time that stands still until the test lets it pass. */
export function open(t: TestContext, path = '/inbox', at = '2026-03-04T10:42:00Z'): Page {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.parse(at) });
    const clock = mock.method(performance, 'now', () => Date.now() - Date.parse(at)); // the other clock of a page
    const page = new Page(path);
    t.after(async () => {
        await page.end();
        clock.mock.restore();
        mock.timers.reset();
    });
    return page;
}
