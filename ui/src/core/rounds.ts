// What is loaded whole, one time after the other: replies cannot overtake each other, and what is wanted while one is on its
// way is loaded once more after it, for it may have begun before something happened.
export class Rounds {
    readonly #load: (stale: () => boolean) => Promise<void>;
    #running: Promise<void> | undefined;
    #again = false;
    #stale = false;

    /** `stale`: whether what this round brings is out of date already, and the next one will bring something better. */
    constructor(load: (stale: () => boolean) => Promise<void>) {
        this.#load = load;
    }

    /** Whether something is on its way, which may be older than what is told of now. */
    get busy(): boolean {
        return this.#running !== undefined;
    }

    /** Done when everything that is wanted by then has been loaded. */
    want(): Promise<void> {
        this.#again = true;
        this.#running ??= this.#go();
        return this.#running;
    }

    /** Somebody has changed here what is being loaded: a reply from before must not undo it. */
    outdate(): void {
        if (this.#running) this.#stale = this.#again = true;
    }

    async #go(): Promise<void> {
        try {
            while (this.#again) {
                this.#again = this.#stale = false;
                await this.#load(() => this.#stale);
            }
        } finally {
            this.#running = undefined; // in the same breath as the last look at whether more is wanted
        }
    }
}
