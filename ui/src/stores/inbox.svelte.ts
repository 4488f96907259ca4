// What belongs to the inbox and is kept in this browser: named filters. And the names of the projects that questions come from.
import { Views, type View } from '../core/inbox.ts';
import { kept } from './app.svelte.ts';
import { api, ops } from './server.svelte.ts';

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

class ProjectNames {
    #names = $state.raw<Record<string, string>>({});
    #asked = new Set<string>();

    /** The name of a project; its id until it is known. */
    of(id: string): string {
        return this.#names[id] ?? id;
    }

    /** All that are known, for lists to choose from. */
    get all(): Array<[string, string]> {
        return Object.entries(this.#names);
    }

    /** Asks for names that are not known yet, once for each project; all of them come with any. */
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
