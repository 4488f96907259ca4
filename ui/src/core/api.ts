// Calls operations. What goes wrong is told apart: the server said no, or it was not there.
import type { Op } from './op.ts';

/** The server refused: its words, its code, and the field or hint if there is one. */
export class Refused extends Error {
    readonly status: number;
    readonly code: string;
    readonly field: string | undefined;
    readonly hint: string | undefined;
    readonly requestId: string | undefined;

    constructor(status: number, said: { error?: string; code?: string; field?: string; hint?: string }, requestId?: string) {
        super(said.error ?? `The server answered ${status}.`);
        this.name = 'Refused';
        this.status = status;
        this.code = said.code ?? 'unknown';
        this.field = said.field;
        this.hint = said.hint;
        this.requestId = requestId;
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
        return JSON.parse(text);
    } catch {
        return { error: text.slice(0, 200) };
    }
}

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export class Api {
    readonly #fetch: Fetch;
    #workspace: string | undefined;
    /** Told when the server says that nobody is logged in. */
    onUnauthorized: () => void = () => {};

    constructor(fetcher: Fetch = (input, init) => fetch(input, init)) {
        this.#fetch = fetcher;
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
        throw new Refused(reply.status, ((await readJson(reply)) ?? {}) as object, reply.headers.get('X-Request-Id') ?? undefined);
    }

    async call<T extends Given, G>(op: Op<T, G>, given: T, { signal, key }: CallOptions = {}): Promise<G> {
        const headers: Record<string, string> = { Accept: 'application/json' };
        if (given.body !== undefined) headers['Content-Type'] = 'application/json';
        if (key) headers['Idempotency-Key'] = key;
        if (this.#workspace) headers['X-Witan-Workspace'] = this.#workspace;
        const init: RequestInit = { method: op.method, headers, credentials: 'same-origin', signal: signal ?? null };
        if (given.body !== undefined) init.body = JSON.stringify(given.body);
        let reply: Response;
        let said: unknown;
        try {
            reply = await this.#fetch(address(op.path, given), init);
            said = await readJson(reply);
        } catch (why) {
            if (signal?.aborted) throw why;
            throw new Unreachable(why);
        }
        if (reply.ok) return said as G;
        if (reply.status === 401) this.onUnauthorized();
        throw new Refused(reply.status, (said ?? {}) as object, reply.headers.get('X-Request-Id') ?? undefined);
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
