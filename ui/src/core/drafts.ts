// What somebody has typed and not sent. It survives a reload, a login, a conflict and a deadline.
import { readJson, writeJson, type Shelf } from './store.ts';

export interface Draft {
    choice?: string;
    text?: string;
    note?: string;
    args?: string;
}

const kept = 200;

type All = Record<string, Draft & { at: number }>;

export class Drafts {
    readonly #shelf: Shelf;
    /** Whose they are: each has their own on a browser that several use. */
    owner = '';

    constructor(shelf: Shelf) {
        this.#shelf = shelf;
    }

    get #name(): string {
        return `witan.drafts.${this.owner}`;
    }

    read(id: string): Draft {
        const { at: _, ...draft } = readJson<All>(this.#shelf, this.#name, {})[id] ?? { at: 0 };
        return draft;
    }

    write(id: string, draft: Draft, now = Date.now()): void {
        const all = readJson<All>(this.#shelf, this.#name, {});
        const some = Object.values(draft).some((value) => value !== undefined && value !== '');
        if (some) all[id] = { ...draft, at: now };
        else delete all[id];
        const newest = Object.entries(all)
            .sort(([, a], [, b]) => b.at - a.at)
            .slice(0, kept);
        writeJson(this.#shelf, this.#name, Object.fromEntries(newest));
    }

    forget(id: string): void {
        this.write(id, {});
    }

    /** Their owner has left. */
    clear(): void {
        writeJson(this.#shelf, this.#name, undefined);
    }
}
