// One event stream for all tabs of a browser. The tab that holds a lock listens to the server and tells the
// others; when it goes, the next in the queue takes over where it was. A browser keeps few connections to one
// host, and a stream takes one for good.
import type { EventType } from './api.gen.ts';
import { parse } from './exact.ts';
import { FrameReader } from './sse.ts';

/** How the types of events begin that are about one kind of thing. */
export type EventFamily = EventType extends infer One ? (One extends `${infer Of}.${string}` ? `${Of}.` : One extends `${infer Of}_${string}` ? `${Of}_` : never) : never;

export interface Happening {
    type: EventType;
    at: string;
    [member: string]: unknown;
}

export type LiveState = { is: 'live' } | { is: 'connecting' } | { is: 'waiting'; until: number } | { is: 'refused' };

export interface LiveWorld {
    fetch: (input: string, init?: RequestInit) => Promise<Response>;
    locks: Pick<LockManager, 'request'>;
    channel: { postMessage(data: unknown): void; onmessage: ((event: MessageEvent) => void) | null };
    now: () => number;
    wait: (ms: number, signal: AbortSignal) => Promise<void>;
    /** The workspace that is listened to; the server's choice when it is undefined. */
    workspace?: string | undefined;
    /** The last event before anything was loaded: what comes after it is told, and nothing need be loaded twice. */
    after?: number | undefined;
}

/** Tabs that look at the same workspace share a stream, and this name. Tabs of an older build, which tell each other otherwise, had another. */
export const streamName = (workspace?: string): string => (workspace ? `witan-stream:${workspace}` : 'witan-stream');

export interface LiveCalls {
    /** An event, in order and once. */
    event(happening: Happening): void;
    /** Events were lost, or nobody knows where this begins: load anew what is shown. */
    reload(): void;
    state(state: LiveState): void;
}

// What happens is told as the server wrote it: a channel does not take exact numbers (core/exact.ts).
type Message =
    | { kind: 'event'; seq: number; data: string }
    | { kind: 'passing'; data: string }
    | { kind: 'reload'; seq: number }
    | { kind: 'state'; state: LiveState }
    | { kind: 'hello' }
    | { kind: 'at'; seq: number; state: LiveState };

const quietMost = 40_000; // the server sends a heartbeat at least every 15 s
const firstWait = 500;
const longestWait = 15_000;

export class Live {
    readonly #world: LiveWorld;
    readonly #calls: LiveCalls;
    readonly #stop = new AbortController();
    #seq = -1; // the last event seen; -1: none yet
    #leads = false;
    #begun = false;
    #state: LiveState = { is: 'connecting' };
    #wake: AbortController | undefined;

    constructor(world: LiveWorld, calls: LiveCalls) {
        this.#world = world;
        this.#calls = calls;
        if (world.after === undefined) return;
        this.#seq = world.after;
        this.#begun = true;
    }

    get leads(): boolean {
        return this.#leads;
    }

    start(): void {
        this.#world.channel.onmessage = ({ data }) => this.#hear(data as Message);
        this.#world.channel.postMessage({ kind: 'hello' } satisfies Message);
        void this.#world.locks
            .request(streamName(this.#world.workspace), { signal: this.#stop.signal }, () => this.#lead())
            .catch(() => {});
    }

    stop(): void {
        this.#stop.abort();
        this.#world.channel.onmessage = null;
    }

    /** Tries again at once, when the network is back or somebody asks for it. */
    hurry(): void {
        this.#wake?.abort();
        this.#world.channel.postMessage({ kind: 'hello' } satisfies Message);
    }

    #tell(state: LiveState): void {
        this.#state = state;
        this.#calls.state(state);
    }

    #hear(message: Message): void {
        if (message.kind === 'hello') {
            if (!this.#leads) return;
            this.#wake?.abort();
            this.#world.channel.postMessage({ kind: 'at', seq: this.#seq, state: this.#state } satisfies Message);
        } else if (message.kind === 'event') {
            this.#take(message.seq, parse(message.data) as Happening);
        } else if (message.kind === 'passing') {
            this.#calls.event(parse(message.data) as Happening);
        } else if (message.kind === 'reload') {
            this.#seq = message.seq;
            this.#begin();
        } else if (message.kind === 'state') {
            this.#tell(message.state);
        } else if (message.kind === 'at') {
            // This is where a new tab begins; one that slept has missed what was told meanwhile.
            if (!this.#begun || message.seq > this.#seq) this.#begin();
            this.#seq = Math.max(this.#seq, message.seq);
            this.#tell(message.state);
        }
    }

    #begin(): void {
        this.#begun = true;
        this.#calls.reload();
    }

    #take(seq: number, happening: Happening): void {
        if (seq <= this.#seq) return;
        this.#seq = seq;
        this.#calls.event(happening);
    }

    // Runs as long as this tab leads, that is until it is closed.
    async #lead(): Promise<void> {
        let tries = 0;
        this.#leads = true;
        while (!this.#stop.signal.aborted) {
            this.#say({ is: 'connecting' });
            const ended = await this.#listen();
            if (ended === 'refused') {
                this.#say({ is: 'refused' });
                return;
            }
            tries = ended === 'was open' ? 0 : tries + 1;
            const ms = Math.min(longestWait, firstWait * 2 ** Math.min(tries, 10)) * (0.75 + Math.random() / 2);
            this.#say({ is: 'waiting', until: this.#world.now() + ms });
            this.#wake = new AbortController();
            await this.#world.wait(ms, AbortSignal.any([this.#wake.signal, this.#stop.signal]));
        }
        this.#leads = false;
    }

    #say(state: LiveState): void {
        this.#tell(state);
        this.#world.channel.postMessage({ kind: 'state', state } satisfies Message);
    }

    async #listen(): Promise<'was open' | 'never open' | 'refused'> {
        const quiet = new AbortController();
        const signal = AbortSignal.any([quiet.signal, this.#stop.signal]);
        let open = false;
        let timer = setTimeout(() => quiet.abort(), quietMost);
        try {
            const headers: Record<string, string> = { Accept: 'text/event-stream' };
            if (this.#world.workspace) headers['X-Witan-Workspace'] = this.#world.workspace;
            if (this.#seq >= 0) headers['Last-Event-ID'] = String(this.#seq);
            const reply = await this.#world.fetch('/api/events', { headers, signal, cache: 'no-store', priority: 'low' }); // what is shown comes first
            if (reply.status === 401 || reply.status === 403) return 'refused';
            if (!reply.ok || !reply.body) return 'never open';
            open = true;
            this.#say({ is: 'live' });
            if (this.#seq < 0) this.#lost(-1);
            const reader = new FrameReader();
            const text = reply.body.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>);
            for await (const part of read(text)) {
                clearTimeout(timer);
                timer = setTimeout(() => quiet.abort(), quietMost);
                for (const frame of reader.feed(part)) {
                    if (!this.#frame(frame.id, frame.data)) return 'refused';
                }
            }
        } catch {
            // The connection broke, went quiet, or this tab stops.
        } finally {
            clearTimeout(timer);
        }
        return open ? 'was open' : 'never open';
    }

    // False: the server says that this caller hears nothing any more.
    #frame(id: number | undefined, data: string): boolean {
        const happening = parse(data) as Happening;
        if (happening.type === 'stream.ended') return false;
        if (happening.type === 'stream.gap') this.#lost(Number(happening['oldest'] ?? 0) - 1);
        if (id === undefined) this.#pass(happening, data);
        if (id === undefined || id <= this.#seq) return true;
        this.#take(id, happening);
        this.#world.channel.postMessage({ kind: 'event', seq: id, data } satisfies Message);
        return true;
    }

    // What is in no log and does not come again: the words of a turn while they are spoken.
    #pass(happening: Happening, data: string): void {
        if (happening.type.startsWith('stream.' satisfies EventFamily)) return;
        this.#calls.event(happening);
        this.#world.channel.postMessage({ kind: 'passing', data } satisfies Message);
    }

    #lost(seq: number): void {
        this.#seq = seq;
        this.#begin();
        this.#world.channel.postMessage({ kind: 'reload', seq: this.#seq } satisfies Message);
    }
}

async function* read(stream: ReadableStream<string>): AsyncGenerator<string> {
    const reader = stream.getReader();
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            yield value;
        }
    } finally {
        reader.cancel().catch(() => {});
    }
}
