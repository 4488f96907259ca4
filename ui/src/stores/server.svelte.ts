// The server: who we are there, and the one stream of events that feeds every store.
import { Api, Refused, Unreachable } from '../core/api.ts';
import * as ops from '../core/api.gen.ts';
import { forget } from '../core/forget.ts';
import { Live, streamName, type Happening, type LiveState } from '../core/live.ts';
import type { Gives } from '../core/op.ts';
import { Rounds } from '../core/rounds.ts';
import { safeNext } from '../core/router.ts';
import { channel, locks } from '../core/plain.ts';
import { drafts, where } from './app.svelte.ts';

export const api = new Api();
export { ops };

// The workspace that this tab looks at, when it is not the one that the server chooses: an address names it, and the tab remembers.

const chosen = 'witan.workspace';
const usual = 'default'; // where the server leads whoever names none and may go there

function readWorkspace(): string | undefined {
    const named = where.workspace;
    try {
        if (named) sessionStorage.setItem(chosen, named);
        return sessionStorage.getItem(chosen) ?? undefined;
    } catch {
        return named || undefined; // a browser that keeps nothing
    }
}
api.workspace = readWorkspace();

/** Goes to a page of another workspace, all of it anew; without one, back to where the server leads. */
export function enter(path: string, workspace?: string): void {
    try {
        sessionStorage.removeItem(chosen);
    } catch {
        // Then there is nothing to remove.
    }
    location.assign(workspace ? `${path}?workspace=${encodeURIComponent(workspace)}` : path);
}

export type Me = Gives<typeof ops.me_get>;

class Session {
    me = $state<Me | undefined>();
    is = $state<'starting' | 'in' | 'out' | 'away'>('starting');
    /** The server is away, and what is shown is what was loaded before this moment. */
    asOf = $state<number>();
    #whose: string | undefined; // for whom this page has loaded what it holds
    #been = false; // whether this page was ever in: nothing has ended for somebody who just arrives

    /** Under which what is typed here is kept: the same however this workspace was come to. */
    get owner(): string {
        const workspace = this.me?.workspace.slug ?? api.workspace ?? usual;
        const id = this.me?.caller.id ?? 'link';
        return workspace === usual ? id : `${id}@${workspace}`;
    }

    get name(): string {
        return this.me?.caller.name ?? '';
    }

    /** Whether something that is told under this name was done by whoever sits here, in whichever tab. Names are nobody else's. */
    isMe(name: string): boolean {
        return name === 'local' || (name !== '' && name === this.name);
    }

    /** What people type for the command line where the server was started. */
    get program(): string {
        return this.me?.program ?? 'witan';
    }

    /** Whether this caller may answer; agents and viewers only look. */
    get answers(): boolean {
        return this.me?.caller.answers ?? true;
    }

    /** Whether this caller may change who comes in and what is kept. */
    get manages(): boolean {
        return this.me?.caller.manages ?? false;
    }

    async start(): Promise<void> {
        try {
            this.#enter(await api.call(ops.me_get, {}));
        } catch (why) {
            // The workspace is gone, or is nothing to this person: back to their own.
            if (why instanceof Refused && why.status === 404 && api.workspace) return enter('/inbox');
            if (why instanceof Refused && (why.status === 401 || why.status === 403)) {
                this.is = 'out';
                drafts.owner = this.owner;
                void forget();
            } else if (why instanceof Unreachable || why instanceof Refused) {
                if (this.asOf === undefined && !(await this.#recall())) this.is = 'away';
            } else throw why;
        }
    }

    #enter(me: Me, asOf?: number): void {
        this.me = me;
        const before = this.#whose;
        this.#whose = this.owner;
        // Somebody else has come: nothing that was loaded for whoever was here before is shown to them.
        if (before !== undefined && before !== this.owner) return location.assign(where.place.page === 'login' ? safeNext(where.params.get('next')) : where.path + where.query);
        this.asOf = asOf;
        if (where.place.page !== 'q') where.workspace = me.workspace.slug === usual ? '' : me.workspace.slug;
        drafts.owner = this.owner;
        this.is = 'in';
        this.#been = true;
    }

    /** The server is away: what was loaded here the last time can be read. */
    async #recall(): Promise<boolean> {
        const kept = await import('./memory.svelte.ts').then(({ recall }) => recall()).catch(() => undefined);
        if (kept) this.#enter(kept.me, kept.at);
        return kept !== undefined;
    }

    /** Who this is and what they may do has changed; whoever cannot ask just now will be told again. */
    again(): Promise<void> {
        return this.#rounds.want();
    }
    readonly #rounds = new Rounds(async () => {
        const me = await api.call(ops.me_get, {}).catch(() => undefined);
        if (me && this.is === 'in') this.me = me;
    });

    /** Nobody is logged in any more: to the login, and back to the same place afterwards. */
    ended(): void {
        if (this.is === 'in') {
            this.is = 'out';
            stream.stop();
        }
        this.me = undefined;
        this.asOf = undefined;
        void forget();
        if (['login', 'q', 'account'].includes(where.place.page)) return;
        where.go(`/login?next=${encodeURIComponent(where.path + where.query)}${this.#been ? '&ended=1' : ''}`, { replace: true });
    }
}
export const session = new Session();

type Listener = (happening: Happening) => void;

class Stream {
    state = $state<LiveState>({ is: 'connecting' });
    online = $state(navigator.onLine);
    readonly open = $derived(this.online && this.state.is === 'live');
    #live: Live | undefined;
    #hear: Listener[] = [];
    #reload: Array<() => void> = [];
    #first: Array<() => void> = [];
    #again = false;

    /**
     * A store says what it listens to, and how it loads anew what it holds when events were lost. `first`: what it loads at the
     * beginning though no page shows it; whatever a page shows is loaded by the page, once.
     */
    feed(hear: Listener, reload: () => void, first?: () => void): void {
        this.#hear.push(hear);
        this.#reload.push(reload);
        if (first) this.#first.push(first);
    }

    /** A page listens as long as it is shown. */
    listen(hear: Listener): () => void {
        this.#hear.push(hear);
        return () => (this.#hear = this.#hear.filter((other) => other !== hear));
    }

    start(): void {
        if (this.#live) return;
        // Who was away may find everything changed, or be somebody else.
        const loads = this.#again ? this.#reload : this.#first;
        this.#again = true;
        if (session.asOf === undefined) this.#open();
        for (const load of loads) load();
    }

    #open(): void {
        const reload = () => {
            for (const load of this.#reload) load();
        };
        this.#live = new Live(
            {
                fetch: (input, init) => fetch(input, init),
                locks: locks(),
                channel: channel(streamName(api.workspace)),
                workspace: api.workspace,
                after: session.me?.lastEvent,
                now: () => Date.now(),
                wait,
            },
            {
                event: (happening) => {
                    for (const hear of this.#hear) hear(happening);
                },
                reload,
                state: (state) => {
                    if (state.is === 'refused' && this.state.is !== 'refused') void session.start().then(() => session.is === 'out' && session.ended());
                    this.state = state;
                },
            },
        );
        this.#live.start();
    }

    stop(): void {
        this.#live?.stop();
        this.#live = undefined;
    }

    hurry(): void {
        this.#live?.hurry();
    }
}
export const stream = new Stream();
stream.feed(
    ({ type }) => type === 'workspace.changed' && void session.again(),
    () => {},
);

function wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
        if (signal.aborted) return done(); // a stream that was stopped keeps nobody from opening the next
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', () => {
            clearTimeout(timer);
            done();
        });
    });
}

api.onUnauthorized = () => session.ended();
// A network that goes takes the stream with it, at the latest when it is back.
addEventListener('offline', () => (stream.online = false));
addEventListener('online', () => {
    stream.online = true;
    stream.hurry();
});
addEventListener('pageshow', (event) => event.persisted && stream.hurry());
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && stream.hurry());
