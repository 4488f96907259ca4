// Calls operations. What goes wrong is told apart: the server said no, or it was not there.
import { isSpoilt, parse } from './exact.ts';
import type { Op } from './op.ts';
import { t } from '../text/en.ts';

type Said = { error?: string; code?: string; field?: string; hint?: string; [member: string]: unknown };

/** The server refused: its words, its code, and the field or hint if there is one. */
export class Refused extends Error {
    readonly status: number;
    readonly code: string;
    readonly field: string | undefined;
    readonly hint: string | undefined;
    readonly requestId: string | undefined;
    /** All that it said: who was first, whether a late answer was kept. */
    readonly said: Said;

    constructor(status: number, said: Said, requestId?: string) {
        super(said.error ?? `The server answered ${status}.`);
        this.name = 'Refused';
        this.status = status;
        this.code = said.code ?? 'unknown';
        this.field = said.field;
        this.hint = said.hint;
        this.requestId = requestId;
        this.said = said;
    }
}

/** Nobody answered: the network or the server is away. */
export class Unreachable extends Error {
    constructor(cause?: unknown) {
        super('The server cannot be reached.', { cause });
        this.name = 'Unreachable';
    }
}

type Given = { path?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown };

export interface CallOptions {
    signal?: AbortSignal;
    /** A write with the same key is done once, however often it is sent. */
    key?: string;
    /** It is sent although the page is left. */
    keepalive?: boolean;
}

/** The address of a call: path parameters filled in and escaped, query values that are there. */
export function address(path: string, given: Given): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given.path?.[name] ?? '')));
    const query = Object.entries(given.query ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '');
    if (query.length === 0) return filled;
    return `${filled}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

async function readJson(reply: Response): Promise<unknown> {
    const text = await reply.text();
    if (text === '') return undefined;
    try {
        return parse(text);
    } catch {
        return { error: text.slice(0, 200) };
    }
}

type Tell = (address: string, said: unknown) => void;
const early = 60;

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export class Api {
    readonly #fetch: Fetch;
    #workspace: string | undefined;
    /** Told when the server says that nobody is logged in. */
    onUnauthorized: () => void = () => {};
    /** What is known of an address while the server is away. */
    recall: ((address: string) => Promise<unknown>) | undefined;
    #told: Tell | undefined;
    #early: Array<Parameters<Tell>> | undefined = []; // read before somebody was there to be told

    constructor(fetcher: Fetch = (input, init) => fetch(input, init)) {
        this.#fetch = fetcher;
    }

    /** Somebody is told of all that is read, and of what was read so far; nobody any more without one. */
    tell(told: Tell | undefined): void {
        this.#told = told;
        if (told) for (const read of this.#early ?? []) told(...read);
        this.#early = undefined;
    }

    #read(address: string, said: unknown): void {
        if (this.#told) this.#told(address, said);
        else if (this.#early && this.#early.push([address, said]) > early) this.#early.shift();
    }

    /** The workspace that calls are about; the server's choice when it is undefined. */
    set workspace(id: string | undefined) {
        this.#workspace = id;
    }

    get workspace(): string | undefined {
        return this.#workspace;
    }

    /** What a path gives that is no JSON, as text. */
    async text(path: string): Promise<string> {
        const reply = await this.#fetch(path, { headers: this.#workspace ? { 'X-Witan-Workspace': this.#workspace } : {}, credentials: 'same-origin' }).catch((why: unknown) => {
            throw new Unreachable(why);
        });
        if (reply.ok) return reply.text();
        if (reply.status === 401) this.onUnauthorized();
        throw new Refused(reply.status, ((await readJson(reply)) ?? {}) as Said, reply.headers.get('X-Request-Id') ?? undefined);
    }

    async call<T extends Given, G>(op: Op<T, G>, given: T, { signal, key, keepalive = false }: CallOptions = {}): Promise<G> {
        const headers: Record<string, string> = { Accept: 'application/json' };
        if (given.body !== undefined) headers['Content-Type'] = 'application/json';
        if (key) headers['Idempotency-Key'] = key;
        if (this.#workspace) headers['X-Witan-Workspace'] = this.#workspace;
        const init: RequestInit = { method: op.method, headers, credentials: 'same-origin', signal: signal ?? null, keepalive };
        if (given.body !== undefined) {
            const body = (init.body = JSON.stringify(given.body));
            if (isSpoilt(body)) throw new Refused(400, { error: t.failed.digits, code: 'digits' });
        }
        const url = address(op.path, given);
        let reply: Response;
        let said: unknown;
        try {
            reply = await this.#fetch(url, init);
            said = await readJson(reply);
        } catch (why) {
            if (signal?.aborted) throw why;
            const known = op.method === 'GET' ? await this.recall?.(url) : undefined;
            if (known !== undefined) return known as G;
            throw new Unreachable(why);
        }
        if (reply.ok && op.method === 'GET') this.#read(url, said);
        if (reply.ok) return said as G;
        if (reply.status === 401) this.onUnauthorized();
        throw new Refused(reply.status, (said ?? {}) as Said, reply.headers.get('X-Request-Id') ?? undefined);
    }

    /** All pages of a list, each handed on as it comes. */
    async pages<T extends Given & { query?: Record<string, unknown> }, G extends { nextCursor: string | null }>(
        op: Op<T, G>,
        given: T,
        take: (page: G) => void,
        options?: CallOptions,
    ): Promise<void> {
        let cursor: string | undefined;
        do {
            const page: G = await this.call(op, { ...given, query: { ...given.query, cursor } }, options);
            take(page);
            cursor = page.nextCursor ?? undefined;
        } while (cursor);
    }
}

/** One sentence about what went wrong, for people. */
export function sentence(why: unknown): string {
    if (why instanceof Refused) return why.hint ? `${why.message} ${why.hint}` : why.message;
    return why instanceof Error ? why.message : String(why);
}
