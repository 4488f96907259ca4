// Tabs of one browser share one stream: who leads, who follows, and what happens when the leader goes.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { parse } from '../src/core/exact.ts';
import { Live, type Happening, type LiveWorld } from '../src/core/live.ts';

// A tab listens for ever: those that a test leaves open, because it failed or is done, are closed behind it.
const open = new Set<{ close: () => void }>();
afterEach(() => {
    for (const tab of open) tab.close();
    open.clear();
});

// A browser: tabs with one lock and one channel, and a server that keeps its log.
class Browser {
    log: Array<{ id: number; happening: Happening }> = [];
    opened: Array<string | undefined> = [];
    streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
    refuse = 0;
    #queue: Array<() => Promise<void>> = [];
    #busy = false;
    #tabs = new Set<{ onmessage: ((event: MessageEvent) => void) | null; deaf: boolean }>();

    get #leader() {
        return [...this.#tabs][0]; // the lock goes to whoever asked first
    }

    happen(type: string, more: Record<string, unknown> = {}): void {
        const id = this.log.length + 1;
        this.log.push({ id, happening: { type: type as Happening['type'], at: '', ...more } });
        for (const stream of this.streams) stream.enqueue(this.frame(id));
    }

    frame(id: number): Uint8Array {
        return new TextEncoder().encode(`id: ${id}\ndata: ${JSON.stringify(this.log[id - 1]!.happening)}\n\n`);
    }

    /** Something that is in no log: it has no number and does not come again. */
    pass(type: string): void {
        for (const stream of this.streams) stream.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ type, at: '' })}\n\n`));
    }

    cut(): void {
        for (const stream of this.streams) stream.error(new Error('cut'));
        this.streams.clear();
    }

    tab() {
        const gone = new AbortController();
        const heard: string[] = [];
        const args: string[] = [];
        const tab = { heard, args, reloads: 0, live: undefined as unknown as Live, close: () => {}, deafen: (deaf: boolean) => void (port.deaf = deaf) };
        const port = { deaf: false, onmessage: null as ((event: MessageEvent) => void) | null, postMessage: (data: unknown) => this.#post(port, data) };
        this.#tabs.add(port);
        const world: LiveWorld = {
            channel: port,
            locks: { request: ((_: string, __: unknown, run: () => Promise<void>) => this.#lock(run, gone.signal)) as LiveWorld['locks']['request'] },
            now: () => 0,
            wait: async () => {},
            fetch: async (_, init) => {
                if (this.refuse > 0) {
                    this.refuse--;
                    throw new TypeError('away');
                }
                const after = (init!.headers as Record<string, string>)['Last-Event-ID'];
                this.opened.push(after);
                const from = after === undefined ? this.log.length : Number(after);
                return new Response(
                    new ReadableStream<Uint8Array>({
                        start: (stream) => {
                            this.streams.add(stream);
                            for (const { id } of this.log.slice(from)) stream.enqueue(this.frame(id));
                            init!.signal?.addEventListener('abort', () => this.streams.delete(stream) && stream.error(new Error('aborted')));
                        },
                    }),
                );
            },
        };
        tab.live = new Live(world, {
            event: ({ type, args: told }) => {
                heard.push(type);
                if (told !== undefined) args.push(JSON.stringify(told));
            },
            reload: () => tab.reloads++,
            state: () => {},
        });
        tab.close = () => {
            tab.live.stop();
            gone.abort();
            this.#tabs.delete(port);
            this.#next();
        };
        tab.live.start();
        open.add(tab);
        return tab;
    }

    /** Tells all tabs but the leader what it told them before: messages of two leaders may overlap, and one may come late. */
    repeat(seq: number): void {
        const data = JSON.stringify(this.log[seq - 1]!.happening);
        this.#post(this.#leader, { kind: 'event', seq, data });
    }

    #post(from: unknown, data: unknown): void {
        for (const port of this.#tabs) if (port !== from && !port.deaf) port.onmessage?.({ data: structuredClone(data) } as MessageEvent);
    }

    #lock(run: () => Promise<void>, gone: AbortSignal): Promise<void> {
        this.#queue.push(async () => {
            if (!gone.aborted) await Promise.race([run(), new Promise<void>((end) => gone.addEventListener('abort', () => end()))]);
        });
        this.#next();
        return Promise.resolve();
    }

    #next(): void {
        if (this.#busy || this.#queue.length === 0) return;
        this.#busy = true;
        void this.#queue.shift()!().then(() => {
            this.#busy = false;
            this.#next();
        });
    }
}

const settle = () => new Promise((done) => setTimeout(done, 20));

test('eight tabs open one stream, and all hear everything once and in order', async () => {
    const browser = new Browser();
    browser.happen('before');
    const tabs = Array.from({ length: 8 }, () => browser.tab());
    await settle();
    assert.equal(browser.opened.length, 1);
    browser.happen('one');
    browser.happen('two');
    await settle();
    for (const tab of tabs) assert.deepEqual(tab.heard, ['one', 'two']);
    assert.deepEqual(tabs.map((tab) => tab.live.leads), [true, ...Array(7).fill(false)]);
    assert.ok(tabs.every((tab) => tab.reloads >= 1), 'each loads what there was before');
});

test('an event that is told twice is taken once by a tab that follows, and an older one not at all', async () => {
    const browser = new Browser();
    const [leader, follower] = [browser.tab(), browser.tab()];
    await settle();
    browser.happen('one');
    browser.happen('two');
    await settle();
    browser.repeat(2);
    browser.repeat(1);
    browser.happen('three');
    await settle();
    for (const tab of [leader, follower]) assert.deepEqual(tab.heard, ['one', 'two', 'three']);
});

test('what the first leader told is not taken again when the next one reads the log from an earlier place', async () => {
    const browser = new Browser();
    const [first, second, third] = [browser.tab(), browser.tab(), browser.tab()];
    await settle();
    browser.happen('one');
    await settle();
    second.deafen(true); // the tab that is next does not come to hear of it
    browser.happen('two');
    await settle();
    second.deafen(false);
    first.close();
    await settle();
    browser.happen('three');
    await settle();
    for (const tab of [second, third]) assert.deepEqual(tab.heard, ['one', 'two', 'three']);
});

test('a number that JavaScript cannot hold comes to all tabs with its digits, and nothing breaks', async () => {
    const browser = new Browser();
    const tabs = [browser.tab(), browser.tab()];
    await settle();
    browser.happen('answered', { args: parse('{"account":1234567890123456789}') });
    browser.happen('next');
    await settle();
    for (const tab of tabs) assert.deepEqual([tab.heard, tab.args], [['answered', 'next'], ['{"account":1234567890123456789}']]);
    assert.equal(browser.opened.length, 1);
});

test('what is in no log passes through to all tabs, once', async () => {
    const browser = new Browser();
    const tabs = [browser.tab(), browser.tab()];
    await settle();
    browser.happen('one');
    browser.pass('turn.delta');
    browser.pass('stream.note');
    browser.happen('two');
    await settle();
    for (const tab of tabs) assert.deepEqual(tab.heard, ['one', 'turn.delta', 'two']);
});

test('when the leader goes, the next takes over where it was; nothing is lost or doubled', async () => {
    const browser = new Browser();
    const [first, second, third] = [browser.tab(), browser.tab(), browser.tab()];
    await settle();
    browser.happen('one');
    await settle();
    first.close();
    browser.happen('while nobody led');
    await settle();
    browser.happen('three');
    await settle();
    assert.deepEqual(second.heard, ['one', 'while nobody led', 'three']);
    assert.deepEqual(third.heard, second.heard);
    assert.deepEqual(browser.opened, [undefined, '1']);
});

test('a stream that breaks is opened again after the last event, however often it takes', async () => {
    const browser = new Browser();
    const tab = browser.tab();
    await settle();
    browser.happen('one');
    await settle();
    browser.refuse = 3;
    browser.cut();
    browser.happen('two');
    await settle();
    assert.deepEqual(tab.heard, ['one', 'two']);
    assert.equal(browser.opened.at(-1), '1');
});
