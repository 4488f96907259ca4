// What this browser has loaded for one person in one workspace, so that it can be read while the server is away. Kept for a day at
// most, in bounds, and only as long as that person is logged in here: whoever leaves, or comes in their place, has it forgotten.
// Kept in the browser's cache, which pages have wherever they can be opened without a network at all.
import { parse } from './exact.ts';
import { prefix } from './forget.ts';

const longest = 24 * 3600_000;
const largest = 256_000; // letters of one reply
const bounds = { entries: 200, letters: 4_000_000 };
const pruneEvery = 50;

export interface Remembered {
    at: number;
    said: unknown;
}

export class Memory {
    readonly #cache: Promise<Cache>;
    #kept = 0;

    constructor(owner: string) {
        this.#cache = caches.open(prefix + owner);
        this.#cache.catch(() => {});
    }

    /** Keeps what was said under an address; what is too long is let go of, so that nothing older stands for it. */
    async keep(address: string, said: unknown, at = Date.now()): Promise<void> {
        try {
            const text = JSON.stringify(said);
            const cache = await this.#cache;
            if (text.length > largest) await cache.delete(address);
            else await cache.put(address, new Response(text, { headers: { 'X-At': String(at), 'X-Letters': String(text.length) } }));
            if (++this.#kept % pruneEvery === 0) await this.prune();
        } catch {
            // A full disk, or a browser that keeps nothing: then there is less to read.
        }
    }

    async recall(address: string, now = Date.now()): Promise<Remembered | undefined> {
        try {
            const found = await (await this.#cache).match(address);
            const at = Number(found?.headers.get('X-At'));
            if (!found || now - at > longest) return undefined;
            return { at, said: parse(await found.text()) };
        } catch {
            return undefined;
        }
    }

    /** Lets go of what is too old, and of the oldest of what is too much. */
    async prune(now = Date.now()): Promise<void> {
        const cache = await this.#cache;
        const all = await Promise.all(
            (await cache.keys()).map(async (request) => {
                const { headers } = (await cache.match(request)) ?? new Response();
                return { request, at: Number(headers.get('X-At')), letters: Number(headers.get('X-Letters')) };
            }),
        );
        let [entries, letters] = [0, 0];
        for (const { request, at, letters: more } of all.sort((a, b) => b.at - a.at)) {
            const fits = now - at <= longest && entries < bounds.entries && letters + more <= bounds.letters;
            if (!fits) await cache.delete(request);
            else [entries, letters] = [entries + 1, letters + more];
        }
    }
}
