// Answers that were not taken. Nobody shall believe that one counts which does not: each is kept in this browser until whoever
// gave it has put it away, through reloads and in every tab.
import { readJson, writeJson, type Shelf } from './store.ts';

export interface Refusal {
    id: string; // of the attempt, so that it is told once
    what: string; // what was answered, in a line
    href: string; // where that is
    why: string;
    code: string;
    mine: string; // what was said, in words
    at: number;
    first?: string; // who was first, and with what, where nothing else says so
    /** A question, which can say more about itself; and what was said, so that it can be said again. */
    questionId?: string;
    response?: { type: string; value: unknown; text?: string; args?: unknown };
    /** It came after the deadline and is kept with the question. */
    kept?: boolean;
    /** It has been spoken to whoever hears the page. */
    told?: boolean;
}

const most = 50; // the oldest goes first
const longest = 200; // of a line that names something

export class Refusals {
    readonly #shelf: Shelf;
    /** What a full shelf had no room for lasts as long as the page. */
    readonly #unkept = new Map<string, Refusal[]>();

    constructor(shelf: Shelf) {
        this.#shelf = shelf;
    }

    /** Under which they are kept: each person has their own. */
    static key(owner: string): string {
        return `witan.refused.${owner}`;
    }

    /** The newest first. */
    of(owner: string): Refusal[] {
        const unkept = this.#unkept.get(owner);
        if (unkept) return unkept;
        const all = readJson<unknown>(this.#shelf, Refusals.key(owner), []);
        return Array.isArray(all) ? (all as Refusal[]).filter((one) => typeof one?.id === 'string') : [];
    }

    /** A second one about the same question takes the place of the first. */
    add(owner: string, refusal: Refusal): void {
        const others = this.of(owner).filter((one) => one.id !== refusal.id && (!refusal.questionId || one.questionId !== refusal.questionId));
        this.#keep(owner, [{ ...refusal, what: refusal.what.slice(0, longest) }, ...others].slice(0, most));
    }

    change(owner: string, id: string, changes: Partial<Refusal>): void {
        this.#keep(owner, this.of(owner).map((one) => (one.id === id ? { ...one, ...changes } : one)));
    }

    drop(owner: string, which: (refusal: Refusal) => boolean): void {
        const all = this.of(owner);
        const left = all.filter((one) => !which(one));
        if (left.length < all.length) this.#keep(owner, left);
    }

    #keep(owner: string, refusals: Refusal[]): void {
        if (writeJson(this.#shelf, Refusals.key(owner), refusals.length > 0 ? refusals : undefined)) this.#unkept.delete(owner);
        else this.#unkept.set(owner, refusals);
    }
}
