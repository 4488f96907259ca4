// A long list is drawn a piece at a time: what fits a screen at once, the rest while the page can be used.
import { afterPaint } from '../core/tasks.ts';

export class Gradual {
    #drawn = $state(0);
    #waits = false;
    readonly #piece: number;

    /** `first`: so many at once; `piece`: so many more after each time that the page was drawn. */
    constructor(first: number, piece = 8) {
        this.#drawn = first;
        this.#piece = piece;
    }

    /** What is drawn of a list by now. */
    of<T>(list: T[]): T[] {
        if (list.length <= this.#drawn) return list;
        this.#more();
        return list.slice(0, this.#drawn);
    }

    #more(): void {
        if (this.#waits) return;
        this.#waits = true;
        afterPaint(() => {
            this.#waits = false;
            this.#drawn += this.#piece;
        });
    }
}
