// What belongs to the inbox and is kept in this browser: named filters, and what is quiet for a while. And the names of
// the projects that questions come from.
import type { Question } from '../core/api.gen.ts';
import { Quiet, Views, type View } from '../core/inbox.ts';
import { kept, ticker } from './app.svelte.ts';
import { api, ops } from './server.svelte.ts';

const quietMs = 10 * 60_000;

class SavedViews {
    readonly #kept = new Views(kept);
    all = $state.raw<View[]>(this.#kept.all);

    keep(name: string, query: string): void {
        this.all = this.#kept.keep(name, query);
    }

    drop(name: string): void {
        this.all = this.#kept.drop(name);
    }
}
export const views = new SavedViews();

/** Quiet questions are not in the bar and bring no notification, until their time is over. Deadlines run on. */
class QuietQuestions {
    readonly #kept = new Quiet(kept);
    #all = $state.raw<Record<string, number>>(this.#kept.all);
    /** Told of each whose quiet is over. */
    onover: (id: string) => void = () => {};

    constructor() {
        for (const [id, until] of Object.entries(this.#all)) this.#wake(id, until);
    }

    until(id: string): number | undefined {
        const end = this.#all[id];
        return end !== undefined && end > ticker.now ? end : undefined;
    }

    hush(question: Question): number {
        const until = Date.now() + quietMs;
        this.#all = this.#kept.set(question.id, until, Date.now());
        this.#wake(question.id, until);
        return until;
    }

    wake(id: string): void {
        this.#all = this.#kept.set(id, 0, Date.now());
    }

    #wake(id: string, until: number): void {
        setTimeout(() => this.#all[id] === until && this.onover(id), Math.max(0, until - Date.now()));
    }
}
export const quiet = new QuietQuestions();

class ProjectNames {
    #names = $state.raw<Record<string, string>>({});
    #asked = new Set<string>();

    /** The name of a project; its id until it is known. */
    of(id: string): string {
        return this.#names[id] ?? id;
    }

    /** Asks for names that are not known yet, once for each project. */
    async learn(ids: string[]): Promise<void> {
        const missing = ids.filter((id) => !this.#asked.has(id));
        if (missing.length === 0) return;
        for (const id of missing) this.#asked.add(id);
        const found: Record<string, string> = {};
        await api
            .pages(ops.project_list, { query: { limit: 200 } }, (page) => {
                for (const { id, name } of page.projects) found[id] = name;
            })
            .catch(() => {
                for (const id of missing) this.#asked.delete(id);
            });
        this.#names = { ...this.#names, ...found };
    }
}
export const projectNames = new ProjectNames();
