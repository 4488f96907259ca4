// What a component would have been shown: every value that an expression has had, one after the other.
import { flushSync } from 'svelte';

export interface Watched<T> {
    /** All that was seen so far; a value that is the same as before is not drawn anew. */
    readonly seen: T[];
    readonly last: T;
    stop(): void;
}

export function watch<T>(look: () => T): Watched<T> {
    const seen: T[] = [];
    const stop = $effect.root(() => {
        $effect(() => {
            seen.push(look());
        });
    });
    flushSync();
    return {
        get seen() {
            flushSync();
            return seen;
        },
        get last() {
            flushSync();
            return seen.at(-1)!;
        },
        stop,
    };
}
