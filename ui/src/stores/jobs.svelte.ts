// The jobs: those of the list, and those that were looked at.
import { SvelteMap } from 'svelte/reactivity';
import { Refused } from '../core/api.ts';
import type { EventType, Job, Log } from '../core/api.gen.ts';
import { Gather } from '../core/gather.ts';
import type { Happening } from '../core/live.ts';
import { Newest } from '../core/newest.ts';
import type { Takes } from '../core/op.ts';
import { Rounds } from '../core/rounds.ts';
import { words } from '../core/markdown.ts';
import { headline, label, split } from '../core/wording.ts';
import { questions } from './questions.svelte.ts';
import { api, ops, stream } from './server.svelte.ts';

const gather = 120;
const titleMost = 200; // letters of a task that name its job
const changing: EventType[] = ['status', 'job.ended', 'job.progress'];

/** What of the jobs is wanted, as the server is asked for it. */
export type Wanted = Pick<Takes<typeof ops.job_list>['query'] & {}, 'status' | 'projectId' | 'agent' | 'text' | 'all' | 'sort'>;

class Jobs {
    readonly all = new SvelteMap<string, Job>();
    order = $state<string[]>([]);
    loaded = $state(false);
    failure = $state<unknown>();
    more = $state<string | null>(null);
    readonly waiting = $derived([...this.all.values()].filter((job) => job.status.startsWith('waiting')));
    readonly #wanted = new Gather<string>(gather, (ids) => {
        if (ids.length > 8 && this.#filter) void this.#rounds.want();
        else for (const id of ids.slice(0, 50)) void this.#look(id);
    });
    #filter: Wanted | undefined;
    readonly #looking = new Set<string>();
    readonly #newest = new Newest<string>();
    readonly #rounds = new Rounds(() => this.#load());
    #listeners = new Map<string, Set<(happening?: Happening) => void>>();

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => this.#reload(),
        );
    }

    #reload(): void {
        if (this.#filter) void this.#rounds.want();
        for (const id of this.all.keys()) this.#wanted.add(id);
        for (const those of this.#listeners.values()) for (const tell of those) tell();
    }

    #hear(happening: Happening): void {
        const id = happening['jobId'];
        if (typeof id !== 'string') return;
        for (const tell of this.#listeners.get(id) ?? []) tell(happening);
        if (changing.includes(happening.type)) this.#changed(id);
        if (happening.type === 'job.created' && this.#filter) this.#wanted.add(id);
    }

    // Of one that is not known, what is on its way may be older than this.
    #changed(id: string): void {
        if (this.all.has(id) || this.#looking.has(id)) this.#wanted.add(id);
        else if (this.#rounds.busy) void this.#rounds.want();
    }

    async #look(id: string): Promise<void> {
        this.#looking.add(id);
        const job = await this.fetch(id).catch(() => undefined);
        this.#looking.delete(id);
        if (job && !this.order.includes(id) && this.#filter) this.#place(job, this.#filter);
    }

    // One that is not in the list, and may belong there. Only the server knows which have some words.
    #place(job: Job, filter: Wanted): void {
        const fits = (!filter.status || filter.status === job.status) && (!filter.agent || filter.agent === job.agent) && (!filter.projectId || filter.projectId === job.projectId) && (filter.all || !job.single);
        if (!fits) return;
        if (filter.text) void this.#rounds.want();
        else if (filter.sort !== 'oldest') this.order = [job.id, ...this.order];
        else if (!this.more) this.order = [...this.order, job.id];
    }

    /** Hears of what happens in one job, and of nothing in particular when something may have been missed. */
    listen(id: string, tell: (happening?: Happening) => void): () => void {
        const those = this.#listeners.get(id) ?? new Set();
        this.#listeners.set(id, those.add(tell));
        return () => {
            those.delete(tell);
            if (those.size === 0) this.#listeners.delete(id);
        };
    }

    async fetch(id: string): Promise<Job | undefined> {
        const keep = this.#reads();
        try {
            const job = await api.call(ops.job_get, { path: { id } });
            keep([job]);
            return job;
        } catch (why) {
            if (!(why instanceof Refused) || ![400, 404, 422].includes(why.status)) throw why;
            return undefined;
        }
    }

    // A read begins: what it brings is kept, unless a later one was quicker.
    #reads(): (those: Job[]) => void {
        const newest = this.#newest.begin();
        return (those) => {
            for (const job of those) if (newest(job.id)) this.all.set(job.id, job);
        };
    }

    load(filter: Wanted): Promise<void> {
        this.#filter = filter;
        return this.#rounds.want();
    }

    async #load(): Promise<void> {
        const filter = this.#filter;
        if (!filter) return;
        const keep = this.#reads();
        try {
            const page = await api.call(ops.job_list, { query: { ...filter, limit: 100 } });
            if (this.#filter !== filter) return; // somebody looks at others by now
            keep(page.jobs);
            this.order = page.jobs.map((job) => job.id);
            this.more = page.nextCursor;
            this.loaded = true;
            this.failure = undefined;
            void this.#names(page.jobs);
        } catch (why) {
            this.failure = why;
        }
    }

    /** A job that was made for a question is called by it; one after the other, they are asked for what is not known here. */
    async #names(those: Job[]): Promise<void> {
        for (const { id, single } of those) {
            if (!single || questions.of(id)) continue;
            const asked = await api.call(ops.question_list_job, { path: { id } }).catch(() => undefined);
            if (!asked) return;
            for (const question of asked.questions) questions.learn(question);
        }
    }

    async older(): Promise<void> {
        const from = this.more;
        if (!from || !this.#filter) return;
        const keep = this.#reads();
        const page = await api.call(ops.job_list, { query: { ...this.#filter, limit: 100, cursor: from } });
        if (this.more !== from) return; // the list is another by now, or somebody clicked twice
        keep(page.jobs);
        this.order = [...new Set([...this.order, ...page.jobs.map((job) => job.id)])];
        this.more = page.nextCursor;
        void this.#names(page.jobs);
    }

    leave(): void {
        this.#filter = undefined;
    }

    /** The last lines of a job's log. */
    async tail(id: string, lines: number): Promise<Log[]> {
        const { logs } = await api.call(ops.job_logs, { path: { id }, query: { order: 'newest', limit: lines } });
        return logs.reverse();
    }

    /** What people call it: what it was given as a title or as its task, else its kind. */
    name(job: Job): string {
        const input = job.input as { title?: unknown; name?: unknown; task?: unknown } | string | null;
        const { title, name, task } = typeof input === 'string' ? { title: '', name: '', task: input } : (input ?? {});
        for (const wanted of [title, name]) if (typeof wanted === 'string' && wanted) return wanted;
        if (typeof task === 'string' && task) return words(split(task).title || task).slice(0, titleMost);
        const asked = job.single ? questions.of(job.id) : undefined;
        return asked ? headline(asked) : label(job.kind);
    }
}
export const jobs = new Jobs();
