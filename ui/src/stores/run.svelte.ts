// The trace of one run, as a page shows it: its end first, older entries when they are wanted, and whatever comes while it runs.
import { joined, readFrom, stepsShown, type Entry, type Run } from '../core/run.ts';
import { Gather } from '../core/gather.ts';
import type { Happening } from '../core/live.ts';
import type { Gives } from '../core/op.ts';
import { Rounds } from '../core/rounds.ts';
import { api, ops } from './server.svelte.ts';

export type Replay = Gives<typeof ops.run_replay>;

export const page = 100;
const farAhead = 5 * page; // who is farther behind than this begins anew at the end
const most = 800; // entries that are kept while the end is followed
const gather = 150;

export class Trace {
    readonly id: string;
    run = $state.raw<Run>();
    entries = $state.raw<Entry[]>([]);
    /** Whether there are older entries than those that are here. */
    more = $state(false);
    /** How many have come since somebody reads further up. */
    fresh = $state(0);
    failure = $state<unknown>();
    /** Whether somebody sees the end as it grows. */
    following = $state(true);
    readonly steps = $derived(stepsShown(this.entries));
    #told = 0; // the last entry that an event told of
    #older: Promise<void> | undefined;
    #left = false;
    readonly #rounds = new Rounds(() => this.#look());
    readonly #soon = new Gather<number>(gather, () => void (this.#left || this.#rounds.want()));

    constructor(id: string) {
        this.id = id;
    }

    /** Reads what is not here yet. It never throws: `failure` says why something is missing. */
    load(): Promise<void> {
        return this.#rounds.want();
    }

    /** The first look: what goes on is read from its end and followed, what has ended from its beginning, if it is not too long for that. */
    async open(ended: boolean): Promise<void> {
        const first = ended && !this.run;
        if (first) this.following = false;
        await this.load();
        if (first && this.last <= most) await this.reach(1);
    }

    /** The run moved on, or something was missed: what follows is read in a moment. */
    hear(happening?: Happening): void {
        const last = happening?.['lastSeq'];
        if (typeof last === 'number') this.#told = Math.max(this.#told, last);
        this.#soon.add(0);
    }

    leave(): void {
        this.#left = true;
    }

    get last(): number {
        return this.entries.at(-1)?.seq ?? 0;
    }

    async #look(): Promise<void> {
        try {
            if (this.entries.length === 0 || this.#told > this.last + farAhead) await this.#anew();
            else await this.#further();
            this.failure = undefined;
        } catch (why) {
            this.failure = why;
        }
    }

    async #anew(): Promise<void> {
        const { run, entries, nextCursor } = await api.call(ops.run_trace, { path: { id: this.id }, query: { order: 'newest', limit: page } });
        this.run = run;
        this.entries = entries.toReversed();
        this.more = nextCursor !== null;
    }

    // A call that was not done when it was read is read again with what follows it.
    async #further(): Promise<void> {
        let from = readFrom(this.entries);
        for (;;) {
            const { run, entries, nextCursor } = await api.call(ops.run_trace, { path: { id: this.id }, query: { limit: page, after: from } });
            const before = this.last;
            this.run = run;
            this.entries = joined(this.entries, entries);
            if (!this.following) this.fresh += entries.filter(({ seq }) => seq > before).length;
            this.#shed();
            from = entries.at(-1)?.seq ?? from;
            if (nextCursor === null || entries.length === 0) return;
        }
    }

    #shed(): void {
        if (!this.following || this.entries.length <= most) return;
        this.entries = this.entries.slice(-most / 2);
        this.more = true;
    }

    /** Reads the page before what is here. */
    older(): Promise<void> {
        this.#older ??= this.#before().finally(() => (this.#older = undefined));
        return this.#older;
    }

    async #before(): Promise<void> {
        const first = this.entries[0]?.seq;
        if (!first || !this.more) return;
        try {
            const { entries, nextCursor } = await api.call(ops.run_trace, { path: { id: this.id }, query: { order: 'newest', limit: page, cursor: String(first) } });
            this.entries = joined(this.entries, entries.toReversed());
            this.more = nextCursor !== null;
            this.failure = undefined;
        } catch (why) {
            this.failure = why;
        }
    }

    /** Reads as far back as this entry. True: it is here. */
    async reach(seq: number): Promise<boolean> {
        this.following = false; // or what is wanted would be shed
        while (this.more && (this.entries[0]?.seq ?? 0) > seq && !this.failure) await this.older();
        return this.entries.some((entry) => entry.seq >= seq);
    }

    follow(yes: boolean): void {
        this.following = yes;
        if (yes) this.fresh = 0;
    }

    /** Every decision made again from what is stored. */
    replay(): Promise<Replay> {
        return api.call(ops.run_replay, { path: { id: this.id } });
    }
}
