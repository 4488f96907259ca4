// Up to where somebody has read the chat, and where "new since" stands. The place is kept in the browser, from one visit to the
// next: it moves with every message that is seen, and a server would have to write each time.
export interface Said {
    id: string;
    created_at: string;
}

/** The last message that was seen, and when that was. */
export interface Mark {
    key: string;
    at: number;
}

/** Behind which the new ones begin, and which of them is the last: what came later came before somebody's eyes. */
export interface Line extends Mark {
    until: string;
}

/** What messages are ordered by. */
export const keyOf = ({ created_at, id }: Said): string => created_at + id;

export class Reading {
    #seen: Mark | undefined;
    #line: Line | undefined;
    #begun = false;

    /** `kept`: where the visit before ended; whoever comes for the first time has missed nothing. */
    constructor(kept?: Mark) {
        this.#seen = kept;
    }

    /** Up to where was read. */
    get seen(): Mark | undefined {
        return this.#seen;
    }

    /** Where what came while nobody looked begins and ends; none: nothing did. */
    get line(): Line | undefined {
        return this.#line;
    }

    /** These are all that there are, oldest first; `looks`: the last of them is before somebody's eyes. Tells what is to be kept. */
    look(messages: readonly Said[], looks: boolean, now: number): Mark | undefined {
        const away = !looks || !this.#begun; // before the first look of a visit nobody did
        this.#begun = true;
        const newest = messages.at(-1);
        if (!newest) return undefined;
        const key = keyOf(newest);
        // What comes while nobody looks gets a line of its own, before the first of it.
        if (away && this.#seen && key > this.#seen.key) this.#line = { ...this.#seen, until: key };
        if (!looks || (this.#seen && key < this.#seen.key)) return undefined;
        return (this.#seen = { key, at: now });
    }
}

/** What of the messages came while nobody looked, without one's own. */
export function missed<T extends Said>(messages: readonly T[], line: Line | undefined, own: (one: T) => boolean): T[] {
    return line ? messages.filter((one) => keyOf(one) > line.key && keyOf(one) <= line.until && !own(one)) : [];
}
