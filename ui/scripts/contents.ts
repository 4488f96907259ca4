// What the built pages are made of, for the service worker: which files it keeps, and under which name.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All files below a folder, in an order that is the same everywhere. */
export function files(folder: string): string[] {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
}

const address = (folder: string, file: string): string => file.slice(folder.length).replaceAll('\\', '/');

/** What a browser does not ask for by this name: the worker is not its own to keep, the page is `/`, and the list of pages is the server's. */
const apart = ['/sw.js', '/index.html', '/pages.json'];

/** The addresses that are kept for when there is no network. */
export function kept(folder: string): string[] {
    return ['/', ...files(folder).map((file) => address(folder, file)).filter((name) => !apart.includes(name))];
}

/** A name for exactly these contents, the worker's own among them: one letter less or more, anywhere, makes another. */
export function version(folder: string): string {
    const hash = createHash('sha256');
    for (const file of files(folder)) {
        const bytes = readFileSync(file);
        hash.update(`${address(folder, file)}\0${bytes.length}\0`).update(bytes);
    }
    return hash.digest('hex').slice(0, 16);
}

/** The worker with both written into it; it must be there as it was built. */
export function withContents(worker: string, folder: string): string {
    for (const mark of ['__KEPT__', '__VERSION__']) if (!worker.includes(mark)) throw new Error(`the service worker has no ${mark} to fill in`);
    return worker.replace('__KEPT__', JSON.stringify(kept(folder)).replaceAll("'", '')).replace('__VERSION__', version(folder));
}
