// What is told one by one and looked at together: the first to come starts the clock, the others join it.
export class Gather<T> {
    readonly #ms: number;
    readonly #take: (those: T[]) => void;
    readonly #told = new Set<T>();
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(ms: number, take: (those: T[]) => void) {
        this.#ms = ms;
        this.#take = take;
    }

    add(one: T): void {
        this.#told.add(one);
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            const those = [...this.#told];
            this.#told.clear();
            this.#take(those);
        }, this.#ms);
    }
}
