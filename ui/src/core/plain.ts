// What browsers give only to pages that came over https or from this machine, and what does in its place
// where a server in the network is reached over plain http. Tabs then know nothing of each other.
const turns = new Map<string, Promise<unknown>>();

type Run = (lock: null) => unknown;

function request(name: string, ...rest: [Run] | [LockOptions, Run]): Promise<unknown> {
    const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest;
    const turn = (turns.get(name) ?? Promise.resolve()).then(() => {
        options.signal?.throwIfAborted();
        return run(null);
    });
    turns.set(name, turn.catch(() => {}));
    return turn;
}

/** Locks within this tab alone: one after the other, in the order of asking. */
export const tabLocks = { request } as Pick<LockManager, 'request'>;

/** The browser's locks, which all tabs share, or else those of this tab. */
export const locks = (): Pick<LockManager, 'request'> => (navigator as { locks?: LockManager }).locks ?? tabLocks;

/** How tabs that share locks tell each other; without such locks each listens for itself, and tells nobody. */
export const channel = (name: string): Pick<BroadcastChannel, 'postMessage' | 'onmessage'> =>
    (navigator as { locks?: LockManager }).locks ? new BroadcastChannel(name) : { postMessage: () => {}, onmessage: null };

/** A random UUID (version 4), with whatever the browser has. */
export function uuid(source: { randomUUID?: () => string; getRandomValues: (into: Uint8Array<ArrayBuffer>) => Uint8Array } = crypto): string {
    if (source.randomUUID) return source.randomUUID();
    const bytes = source.getRandomValues(new Uint8Array(16));
    const hex = [...bytes].map((byte, i) => (i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, '0')).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

// The old way: a field that nobody sees is marked and copied. In an open dialog nothing outside it can be marked.
function copyMarked(text: string): boolean {
    const back = document.activeElement as HTMLElement | null;
    const field = document.createElement('textarea');
    field.value = text;
    field.style.position = 'fixed';
    field.style.opacity = '0';
    (back?.closest('dialog') ?? document.body).append(field);
    field.select();
    try {
        return document.execCommand('copy');
    } finally {
        field.remove();
        back?.focus({ preventScroll: true });
    }
}

/** Puts a text into the clipboard; false where the browser does not let us. */
export async function copyText(text: string): Promise<boolean> {
    try {
        const clipboard = (navigator as { clipboard?: Clipboard }).clipboard;
        if (!clipboard) return copyMarked(text);
        await clipboard.writeText(text);
        return true;
    } catch {
        return false;
    }
}
