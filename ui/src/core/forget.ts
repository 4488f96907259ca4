// Under which names a browser keeps what was loaded for reading without the server (core/memory.ts), and how it is forgotten.
export const prefix = 'offline-witan:';

/** Forgets what was kept, but for those of whom `keep` says so. */
export async function forget(keep: (owner: string) => boolean = () => false): Promise<void> {
    if (!('caches' in globalThis)) return;
    try {
        const names = (await caches.keys()).filter((name) => name.startsWith(prefix));
        await Promise.all(names.filter((name) => !keep(name.slice(prefix.length))).map((name) => caches.delete(name)));
    } catch {
        // A browser that keeps nothing.
    }
}

/** Everybody for whom something is kept here. */
export async function owners(): Promise<string[]> {
    if (!('caches' in globalThis)) return [];
    const names = await caches.keys().catch(() => []);
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}
