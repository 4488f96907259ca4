// Replies overtake each other. What is read one by one and in lists is kept by the read that began last: an older one, which
// may have been answered before something happened, does not undo it.
export class Newest<K> {
    #reads = 0;
    readonly #known = new Map<K, number>();

    /** A read begins. What it gives says of each thing in the reply whether nothing newer is known of it. */
    begin(): (key: K) => boolean {
        const read = ++this.#reads;
        return (key) => {
            if ((this.#known.get(key) ?? 0) > read) return false;
            this.#known.set(key, read);
            return true;
        };
    }

    /** It was told of just now: every reply that is still on its way is older. Whoever says so reads it once more. */
    told(key: K): void {
        this.#known.set(key, ++this.#reads);
    }
}
