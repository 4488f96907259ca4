// Who is here. This tab says what it shows, when that changes and every while; and a page that shows who is here reads it once and
// follows what is told.
import type { Gives } from '../core/op.ts';
import type { Happening } from '../core/live.ts';
import { uuid } from '../core/plain.ts';
import { changed, looks, spotOf, type Spot } from '../core/whereabouts.ts';
import { where } from './app.svelte.ts';
import { api, ops, session, stream } from './server.svelte.ts';

type Listed = Gives<typeof ops.presence_list>;
export type Person = Listed['people'][number];

const again = 40_000; // the server counts a tab for 90 s
const settle = 600; // who goes through pages is told of where they stay
const anew = 60_000; // what is told in passing may be missed

/** What this tab says. It is there as soon as somebody is logged in, and nothing waits for it. */
class Whereabouts {
    readonly #tab = uuid();
    #touched = Date.now();
    #said = '';
    #timer: ReturnType<typeof setTimeout> | undefined;
    #begun = false;

    start(): void {
        if (this.#begun) return;
        this.#begun = true;
        for (const what of ['pointerdown', 'keydown', 'wheel', 'touchmove']) addEventListener(what, () => this.#touch(), { passive: true, capture: true });
        document.addEventListener('visibilitychange', () => this.soon(0));
        addEventListener('pagehide', () => this.#leave());
        addEventListener('pageshow', (event) => event.persisted && this.soon(0));
        $effect.root(() => {
            $effect(() => {
                void [where.path, session.is];
                this.soon(settle);
            });
        });
        setInterval(() => this.#say(), again);
    }

    // Somebody who comes back to the machine is here at once.
    #touch(): void {
        const back = !looks(true, this.#touched, Date.now());
        this.#touched = Date.now();
        if (back) this.soon(0);
    }

    soon(ms: number): void {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#now() !== this.#said && this.#say(), ms);
    }

    get #body(): { tab: string; state: 'here' | 'away' } & Spot {
        return { tab: this.#tab, ...spotOf(where.place), state: looks(document.visibilityState === 'visible', this.#touched, Date.now()) ? 'here' : 'away' };
    }

    #now = (): string => JSON.stringify(this.#body);

    // Agents have no page to be at; whoever is logged out has said so by that.
    get #speaks(): boolean {
        return session.is === 'in' && session.me?.caller.role !== 'agent';
    }

    #say(): void {
        if (!this.#speaks) return;
        this.#said = this.#now();
        void api.call(ops.presence_say, { body: this.#body }).catch(() => (this.#said = ''));
    }

    #leave(): void {
        if (!this.#speaks || !this.#said) return;
        this.#said = '';
        void api.call(ops.presence_say, { body: { ...this.#body, state: 'gone' } }, { keepalive: true }).catch(() => {});
    }
}
export const whereabouts = new Whereabouts();

class Presence {
    people = $state.raw<Person[]>([]);
    agents = $state.raw<Listed['agents']>([]);
    loaded = $state(false);
    #shown = 0;
    #loads = 0;
    #later: ReturnType<typeof setTimeout> | undefined;

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => this.#shown > 0 && void this.load(),
        );
    }

    #hear(happening: Happening): void {
        if (happening.type !== 'presence.changed' || this.#shown === 0 || !this.loaded) return;
        this.people = changed(this.people, happening['people'] as Person[]);
        if (happening['whole'] !== false) return;
        this.#later ??= setTimeout(() => {
            this.#later = undefined;
            void this.load();
        }, Math.random() * 3000);
    }

    /** A page shows who is here from now on; several may. */
    show(): () => void {
        if (this.#shown++ === 0) void this.load();
        const timer = setInterval(() => document.visibilityState === 'visible' && void this.load(), anew);
        return () => {
            clearInterval(timer);
            this.#shown--;
        };
    }

    async load(): Promise<void> {
        const mine = ++this.#loads;
        const found = await api.call(ops.presence_list, { query: { limit: 200 } }).catch(() => undefined);
        if (!found || mine !== this.#loads) return;
        this.people = found.people;
        this.agents = found.agents;
        this.loaded = true;
    }
}
export const presence = new Presence();
