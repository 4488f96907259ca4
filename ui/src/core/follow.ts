// Follows a job's log: its end first, what is added as it is told, what was missed in between, and older lines when somebody
// goes there. So many lines are kept and no more; those at the end that nobody looks at go first.
import type { Happening } from './live.ts';
import { Lines, type Line } from './lines.ts';

export interface Query {
    order?: 'oldest' | 'newest';
    limit: number;
    cursor?: string;
}
export type Read = (query: Query) => Promise<{ logs: Line[]; nextCursor: string | null }>;

export const page = 200;
const pageMost = 2000;
const farAhead = 5 * page; // who is farther behind than this begins anew at the end
const linesMost = 100_000;
const lettersMost = 16_000_000;

/** A line, as an event tells of it. */
export const told = (happening: Happening): Line => ({
    seq: Number(happening['line']),
    at: happening.at,
    kind: 'log',
    level: happening['level'] as Line['level'],
    message: String(happening['message']),
    data: happening['data'],
});

export class Follow {
    readonly lines = new Lines();
    /** The last line that is known of; it may not be here. */
    newest = 0;
    /** Whether the log's first line is here. */
    whole = false;
    /** Whether somebody sees the end as it grows. */
    following = true;
    /** Why lines that are wanted are not here. */
    failure: unknown;
    readonly #read: Read;
    readonly #changed: () => void;
    readonly #most: number;
    #filling: Promise<void> | undefined;
    #paging: Promise<void> | undefined;
    #time = 0; // counts up when all begins anew: what was asked for before is not for this one

    constructor(read: Read, changed: () => void, most = linesMost) {
        this.#read = read;
        this.#changed = changed;
        this.#most = most;
    }

    /** Reads the end of the log, and forgets what was here. */
    async begin(): Promise<void> {
        await this.#anew();
        this.#changed();
        await this.#fill();
    }

    async #anew(): Promise<void> {
        const time = ++this.#time;
        const known = this.newest;
        const { logs, nextCursor } = await this.#read({ order: 'newest', limit: page });
        if (time !== this.#time) return;
        this.lines.clear();
        this.whole = nextCursor === null;
        for (const line of logs) this.#keep(line);
        if (this.newest === known) this.newest = this.lines.last; // what was told of before is no longer there
    }

    /** A line was added to the log. */
    hear(line: Line): void {
        this.#take(line);
        this.#changed();
        if (this.#behind) void this.#fill();
    }

    /** Something that no event names may have been added, or events were lost. */
    async refresh(): Promise<void> {
        if (this.lines.count === 0) return this.begin();
        const time = this.#time;
        const after = await this.#read({ limit: page, cursor: String(this.lines.last) });
        const end = after.nextCursor === null ? after : await this.#read({ order: 'newest', limit: page });
        if (time !== this.#time) return;
        for (const line of [...after.logs, ...end.logs]) this.#take(line);
        this.#changed();
        await this.#fill();
    }

    // What is near the end of what is here belongs here, with what is missing in between; what is too far is only known of.
    #take(line: Line): void {
        this.newest = Math.max(this.newest, line.seq);
        if (this.lines.count > 0 && (line.seq > this.lines.last + farAhead || line.seq < this.lines.first)) return;
        if (!this.following && this.full && line.seq > this.lines.last) return;
        this.#keep(line);
    }

    #keep(line: Line): void {
        this.newest = Math.max(this.newest, line.seq);
        if (this.lines.add(line) && this.following) this.#shed('oldest');
    }

    /** Whether as many lines are here as are kept. */
    get full(): boolean {
        return this.lines.count >= this.#most || this.lines.letters >= lettersMost;
    }

    #shed(end: 'oldest' | 'newest'): void {
        while ((this.lines.count > this.#most || this.lines.letters > lettersMost) && this.lines.shed(end)) if (end === 'oldest') this.whole = false;
    }

    get #behind(): boolean {
        return this.lines.gap() !== undefined || (this.following && this.lines.last < this.newest);
    }

    #fill(): Promise<void> {
        this.#filling ??= this.#fillAll().finally(() => (this.#filling = undefined));
        return this.#filling;
    }

    // One reading after the other until nothing is missing. What fails is tried again with the next line, or by hand.
    async #fillAll(): Promise<void> {
        try {
            while (this.#behind) {
                if (this.following && this.newest > this.lines.last + farAhead) await this.#anew();
                else await this.#fillOne();
                this.failure = undefined;
                this.#changed();
            }
        } catch (why) {
            this.failure = why;
            this.#changed();
        }
    }

    async #fillOne(): Promise<void> {
        const time = this.#time;
        const known = this.newest;
        const gap = this.lines.gap() ?? { after: this.lines.last, before: known + 1 };
        const limit = Math.min(page, gap.before - gap.after - 1);
        const { logs, nextCursor } = await this.#read({ limit, ...(gap.after > 0 ? { cursor: String(gap.after) } : {}) });
        if (time !== this.#time) return;
        for (const line of logs) this.#take(line);
        const reached = nextCursor === null ? gap.before - 1 : Math.min(gap.before - 1, logs.at(-1)?.seq ?? gap.before - 1);
        this.lines.without(gap.after + 1, reached);
        if (reached >= known && this.newest === known) this.newest = this.lines.last;
    }

    /** Reads what came before what is here. For somebody who looks there, what is at the other end may go; else nothing goes. */
    older({ many = page, goes = true } = {}): Promise<void> {
        return this.#turn(async () => {
            const time = this.#time;
            if (this.whole || this.lines.count === 0 || (!goes && this.full)) return;
            const { logs, nextCursor } = await this.#read({ order: 'newest', limit: many, cursor: String(this.lines.first) });
            if (time !== this.#time) return;
            for (const line of logs) this.lines.add(line);
            this.whole = nextCursor === null;
            if (goes && !this.following) this.#shed('newest');
            this.#changed();
        });
    }

    /** Reads what came after what is here, for somebody who has come there from further up. */
    newer(): Promise<void> {
        return this.#turn(async () => {
            const time = this.#time;
            if (this.following || this.lines.last >= this.newest) return;
            const { logs } = await this.#read({ limit: page, cursor: String(this.lines.last) });
            if (time !== this.#time) return;
            for (const line of logs) this.lines.add(line);
            this.#shed('oldest');
            if (logs.length === 0) this.newest = this.lines.last;
            this.#changed();
        });
    }

    #turn(run: () => Promise<void>): Promise<void> {
        this.#paging ??= run()
            .catch((why) => {
                this.failure = why;
                this.#changed();
            })
            .finally(() => (this.#paging = undefined));
        return this.#paging;
    }

    /** Reads everything that came before and fits, page by page, until it is called off. */
    async gather(signal: AbortSignal): Promise<void> {
        while (!this.whole && !this.full && !this.failure && !signal.aborted) await this.older({ many: pageMost, goes: false });
    }

    /** Goes to the end, and stays there. */
    end(): Promise<void> {
        this.following = true;
        return this.#fill();
    }
}

/** The whole log from its first line, page by page. */
export async function* pages(read: Read, signal: AbortSignal): AsyncGenerator<Line[]> {
    let cursor: string | undefined;
    do {
        const { logs, nextCursor } = await read({ limit: pageMost, ...(cursor ? { cursor } : {}) });
        signal.throwIfAborted();
        yield logs;
        cursor = nextCursor ?? undefined;
    } while (cursor);
}
