// What belongs to the page as a whole: where it is, what it remembers, what it says.
import { place, type Place } from '../core/router.ts';
import { readJson, shelf, writeJson } from '../core/store.ts';
import { Keymap } from '../core/keymap.ts';
import { Drafts } from '../core/drafts.ts';
import { t } from '../text/en.ts';
import { sight } from './sight.ts';
import type { Still } from './still.svelte.ts';

export const kept = shelf();
export const drafts = new Drafts(kept);
export const keymap = new Keymap(sight);

// Where

const inWorkspace = 'workspace';

/** A query with that workspace instead of whichever it names. */
function withWorkspace(query: string, slug = ''): string {
    const params = new URLSearchParams(query);
    if (!slug && !params.has(inWorkspace)) return query;
    params.delete(inWorkspace);
    if (slug) params.set(inWorkspace, slug);
    const text = params.toString();
    return text ? `?${text}` : '';
}

/**
 * Where the page is. An address may also name a workspace. That is no part of what pages see of it: it stays in front of
 * whoever looks wherever they go, so that what they send to somebody leads there.
 */
class Where {
    path = $state(location.pathname);
    query = $state(withWorkspace(location.search));
    readonly place: Place = $derived(place(this.path));
    readonly params = $derived(new URLSearchParams(this.query));
    #workspace = new URLSearchParams(location.search).get(inWorkspace) ?? '';
    /** Somebody has gone on from where the page was loaded. */
    moved = false;

    /** The workspace that addresses name; '': the one that is called default. */
    get workspace(): string {
        return this.#workspace;
    }

    set workspace(slug: string) {
        this.#workspace = slug;
        this.#write(true, location.hash);
    }

    /** An address as it is sent to somebody. */
    whole(to: string): string {
        const url = new URL(to, location.origin);
        return url.pathname + withWorkspace(url.search, this.#workspace) + url.hash;
    }

    go(to: string, { replace = false } = {}): void {
        const url = new URL(to, location.origin);
        const query = withWorkspace(url.search);
        if (url.pathname === this.path && query === this.query) return;
        this.path = url.pathname;
        this.query = query;
        this.moved = true;
        this.#write(replace);
    }

    #write(replace: boolean, hash = ''): void {
        history[replace ? 'replaceState' : 'pushState'](null, '', this.whole(this.path + this.query) + hash);
    }

    /** Changes one part of the query, so that what is shown can be sent to somebody. */
    set(name: string, value: string | undefined): void {
        const params = new URLSearchParams(this.query);
        if (value) params.set(name, value);
        else params.delete(name);
        const text = params.toString();
        this.go(this.path + (text ? `?${text}` : ''), { replace: true });
    }

    #read(): void {
        this.moved = true;
        this.path = location.pathname;
        this.query = withWorkspace(location.search);
    }

    start(): void {
        const ours = (event: Event) => {
            const link = (event.target as Element).closest?.('a[href]');
            return link instanceof HTMLAnchorElement && link.origin === location.origin && !link.target && !link.hash ? link : undefined;
        };
        // Opened in another tab it shall be the same place.
        const complete = (event: Event) => {
            const link = ours(event);
            if (link && this.#workspace) link.href = this.whole(link.pathname + link.search);
        };
        addEventListener('popstate', () => this.#read());
        addEventListener('auxclick', complete);
        addEventListener('contextmenu', complete);
        addEventListener('click', (event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return complete(event);
            if (event.defaultPrevented || event.button !== 0 || event.altKey) return;
            const link = ours(event);
            if (!link) return;
            event.preventDefault();
            this.go(link.pathname + link.search);
        });
    }
}
export const where = new Where();

// The clock: one for all countdowns.

class Ticker {
    now = $state(Date.now());
    constructor() {
        setInterval(() => this.look(), 1000);
    }

    /** Everything that tells a time reads the clock anew. */
    look(): void {
        this.now = Date.now() === this.now ? this.now + 1 : Date.now();
    }
}
export const ticker = new Ticker();

// What a person likes

type Theme = 'system' | 'light' | 'dark';
interface Likes {
    theme: Theme;
    keys: boolean;
    compact: boolean;
    notify: boolean;
}

class Looks {
    #likes = $state<Likes>({ theme: 'system', keys: true, compact: false, notify: false, ...readJson<Partial<Likes>>(kept, 'witan.likes', {}) });

    get likes(): Likes {
        return this.#likes;
    }

    set<K extends keyof Likes>(name: K, value: Likes[K]): void {
        this.#likes[name] = value;
        writeJson(kept, 'witan.likes', $state.snapshot(this.#likes));
        this.apply();
    }

    /** A switch was turned: notifications are on once the browser allows them. */
    async notify(box: HTMLInputElement): Promise<void> {
        const allowed = box.checked && 'Notification' in window && (await Notification.requestPermission()) === 'granted';
        if (box.checked && !allowed) toasts.say(t.menu.notifyDenied, 'alert');
        box.checked = allowed;
        this.set('notify', allowed);
    }

    apply(): void {
        const root = document.documentElement;
        if (this.#likes.theme === 'system') delete root.dataset['theme'];
        else root.dataset['theme'] = this.#likes.theme;
        if (this.#likes.compact) root.dataset['density'] = 'compact';
        else delete root.dataset['density'];
        if (this.#likes.keys) delete root.dataset['keys'];
        else root.dataset['keys'] = 'off';
        keymap.singles = this.#likes.keys;
    }
}
export const looks = new Looks();

// What is said in passing

export interface Toast {
    id: number;
    text: string;
    icon: 'check' | 'clock' | 'alert' | 'offline';
    undo?: () => void;
    until?: number; // when what it tells of happens
}

class Toasts {
    list = $state<Toast[]>([]);
    #next = 1;

    say(text: string, icon: Toast['icon'] = 'check', ms = 4000): void {
        this.list = this.list.filter((one) => one.text !== text || one.undo); // once, however often it is said
        const id = this.add({ text, icon });
        setTimeout(() => this.drop(id), ms);
    }

    add(toast: Omit<Toast, 'id'>): number {
        const id = this.#next++;
        this.list = [...this.list.slice(-2), { ...toast, id }];
        return id;
    }

    drop(id: number): void {
        this.list = this.list.filter((toast) => toast.id !== id);
    }
}
export const toasts = new Toasts();

/** Words for screen readers only. */
class Speech {
    words = $state('');
    say(words: string): void {
        this.words = '';
        queueMicrotask(() => (this.words = words));
    }
}
export const speech = new Speech();

// A decision that was not taken is told to who sees, and to who listens.
keymap.onearly = (seen) => {
    const words = seen ? t.keys.early : t.keys.unseen;
    if (toasts.list.at(-1)?.text !== words) toasts.say(words, 'alert');
    speech.say(words);
};

/** Does what a button is for, unless that, or the page, has only just come to be so. */
export function onPurpose(still: Still, act: () => void): void {
    if (still.is) act();
    else keymap.onearly(true);
}

/** What lies over the page, asked for from anywhere: it stays when the page below is still being loaded. */
class Over {
    searches = $state(0);
    helps = $state(0);
    search = (): void => {
        this.searches++;
        sight.awaits = true;
    };
    help = (): void => void this.helps++;
}
export const over = new Over();
