// Whether a press on a button can be meant. What has only just come, or moved, under somebody's finger was not seen there: the second
// click of two would decide whatever has taken the place of what the first one decided.
import { untrack } from 'svelte';

const pressMs = 500; // as long as a double click may take

/** For as long as nothing stirs. */
export interface Still {
    readonly is: boolean;
}

class Rest implements Still {
    is = $state(false);
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor() {
        this.stir();
    }

    /** Something has come here, or has moved. */
    stir(): void {
        this.is = false;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => (this.is = true), pressMs);
    }
}

/** The whole page: an answer was given, a bar came, something was laid over it or taken away. */
export const everywhere = new Rest();

/** A part of the page, from when it comes; whenever what `moves` reads is another, it has moved. */
export function stillHere(moves: () => unknown): Still {
    const here = new Rest();
    $effect(() => {
        moves();
        untrack(() => here.stir());
    });
    return {
        get is() {
            return here.is && everywhere.is;
        },
    };
}
