// What belongs to the page as a whole: where it is, what it remembers, what it says.
import { place, type Place } from '../core/router.ts';
import { readJson, shelf, writeJson } from '../core/store.ts';
import { Keymap } from '../core/keymap.ts';
import { Drafts } from '../core/drafts.ts';
import { t } from '../text/en.ts';

export const kept = shelf();
export const drafts = new Drafts(kept);
export const keymap = new Keymap();

// Where

class Where {
    path = $state(location.pathname);
    query = $state(location.search);
    readonly place: Place = $derived(place(this.path));
    readonly params = $derived(new URLSearchParams(this.query));

    go(to: string, { replace = false } = {}): void {
        const url = new URL(to, location.origin);
        if (url.pathname === this.path && url.search === this.query) return;
        history[replace ? 'replaceState' : 'pushState'](null, '', url.pathname + url.search);
        this.#read();
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
        this.path = location.pathname;
        this.query = location.search;
    }

    start(): void {
        addEventListener('popstate', () => this.#read());
        addEventListener('click', (event) => {
            if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
            const link = (event.target as Element).closest?.('a[href]');
            if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin || link.target || link.hash) return;
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

/** What lies over the page, asked for from anywhere: it stays when the page below is still being loaded. */
class Over {
    searches = $state(0);
    helps = $state(0);
    search = (): void => void this.searches++;
    help = (): void => void this.helps++;
}
export const over = new Over();
