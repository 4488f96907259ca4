// The log of one job, as a page shows it: filtered, followed, copied and taken along.
import { plain, settled } from '../core/ansi.ts';
import { Follow, pages, told, type Read } from '../core/follow.ts';
import type { Happening } from '../core/live.ts';
import type { Line } from '../core/lines.ts';
import { nextTask, perFrame } from '../core/tasks.ts';
import { secondOf } from '../core/time.ts';
import { api, ops } from './server.svelte.ts';

export type Levels = Record<Line['level'], boolean>;

const kinds = new Set(['log', 'progress', 'status', 'restart', 'question']); // the others are told by the card of their question
const piece = 5000; // lines that are looked at in one go
const many = 10; // lines a second that nobody can listen to

/** A line's words as they are shown. */
export const wordsOf = (line: Line): string => settled(line.message);

const bare = (line: Line): string => plain(wordsOf(line));

export class JobLog {
    readonly id: string;
    readonly follow: Follow;
    /** Counts up when something is to be drawn anew, at most once a frame. */
    version = $state(0);
    /** Lines that came at the end while somebody reads further up. */
    fresh = $state(0);
    /** Whether so much comes that it is not to be read out. */
    flood = $state(false);
    /** Whether all of it is being read, for a search. */
    gathering = $state(false);
    readonly #draw = perFrame(() => this.#drawn());
    readonly #read: Read;
    #passes: (line: Line) => boolean = (line) => kinds.has(line.kind);
    #fresh = 0;
    #left = 0; // the last line when somebody began to read further up
    #since = 0;
    #lately = 0;
    #search: AbortController | undefined;

    constructor(id: string, read: Read = (query) => api.call(ops.job_logs, { path: { id }, query })) {
        this.id = id;
        this.#read = read;
        this.follow = new Follow(read, this.#draw);
        this.follow.lines.filter(this.#passes);
    }

    #drawn(): void {
        this.version += 1;
        this.fresh = this.#fresh;
        const now = Date.now();
        if (now - this.#since > 1000) {
            this.flood = this.#lately > many;
            this.#since = now;
            this.#lately = 0;
        } else if (this.#lately > many) this.flood = true;
    }

    /** Loads what is at the end, or what has come since. */
    load(): Promise<void> {
        return this.follow.refresh();
    }

    hear(happening: Happening): void {
        const line = told(happening);
        this.#lately += 1;
        if (!this.follow.following && line.seq > this.follow.newest && this.#passes(line)) this.#fresh += 1;
        this.follow.hear(line);
    }

    /** Whether the end is seen as it grows. */
    follows(yes: boolean): void {
        if (!yes && this.follow.following) this.#left = this.follow.newest;
        this.follow.following = yes;
        if (!yes) return;
        this.#fresh = 0;
        this.#draw();
        void this.follow.end();
    }

    /** Shows only lines with these words and levels. What is further up is read for it, as far as it fits. */
    filter(find: string, levels: Levels): void {
        const wanted = find.toLowerCase();
        this.#passes = (line) => kinds.has(line.kind) && (line.kind === 'question' || levels[line.level]) && (!wanted || bare(line).toLowerCase().includes(wanted));
        this.follow.lines.filter(this.#passes);
        void this.#sift().then(() => this.#recount());
        this.#search?.abort();
        if (wanted || Object.values(levels).includes(false)) void this.#gather();
    }

    // The end is looked at at once, the rest while the page can be used.
    async #sift(): Promise<void> {
        while (this.follow.lines.sift(piece)) {
            this.#draw();
            await new Promise<void>(nextTask);
        }
        this.#draw();
    }

    // What is new is what would be shown of it.
    #recount(): void {
        if (!this.follow.following) this.#fresh = this.follow.lines.many(this.#left + 1, Infinity);
        this.#draw();
    }

    async #gather(): Promise<void> {
        const search = (this.#search = new AbortController());
        this.gathering = true;
        await this.follow.gather(search.signal);
        if (this.#search === search) this.gathering = false;
        this.#draw();
    }

    leave(): void {
        this.#search?.abort();
    }

    /** The lines that are shown, or those of them between two numbers, as text; what is further up is read first. */
    async text(from?: number, to?: number): Promise<string> {
        if (from === undefined) await this.#gather();
        await this.#sift();
        const rows: string[] = [];
        for (const line of this.follow.lines.shown(from, to)) rows.push(`${secondOf(Date.parse(line.at))} ${line.level.padEnd(5)} ${bare(line)}`);
        return rows.join('\n');
    }

    /** The whole log as the pieces of a file. `progress`: how much of it, from 0 to 1. */
    async file(progress: (part: number) => void, signal: AbortSignal): Promise<Blob[]> {
        const parts: Blob[] = [];
        for await (const lines of pages(this.#read, signal)) {
            parts.push(new Blob(lines.map((line) => `${line.at} ${line.level.padEnd(5)} ${bare(line)}\n`)));
            progress(Math.min(1, (lines.at(-1)?.seq ?? 0) / Math.max(1, this.follow.newest)));
        }
        return parts;
    }
}
