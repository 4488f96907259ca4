// The discussions: those of the list, and the one that is being watched, as it is spoken.
import { address, Refused } from '../core/api.ts';
import type { Discussion, Entry, Turn } from '../core/api.gen.ts';
import type { Happening } from '../core/live.ts';
import { Rounds } from '../core/rounds.ts';
import { FrameReader } from '../core/sse.ts';
import { hear, type Spoken } from '../core/talk.ts';
import { api, ops, session, stream } from './server.svelte.ts';

const gather = 120;
const peekFor = 1500;

type Filter = { status?: Discussion['status'] };

class Discussions {
    list = $state<Discussion[]>([]);
    loaded = $state(false);
    failure = $state<unknown>();
    more = $state<string | null>(null);
    #filter: Filter | undefined;
    readonly #rounds = new Rounds(() => this.#load());
    #timer: ReturnType<typeof setTimeout> | undefined;
    #watched = new Set<Talk>();

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => {
                this.#soon();
                for (const talk of this.#watched) void talk.load();
            },
        );
    }

    #hear(happening: Happening): void {
        const id = happening['discussionId'];
        if (typeof id !== 'string') return;
        for (const talk of this.#watched) if (talk.id === id) talk.hear(happening);
        if (happening.type !== 'turn.delta') this.#soon();
    }

    #soon(): void {
        if (!this.#filter) return;
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            if (this.#filter) void this.#rounds.want();
        }, gather);
    }

    load(filter: Filter): Promise<void> {
        this.#filter = filter;
        return this.#rounds.want();
    }

    async #load(): Promise<void> {
        const filter = this.#filter;
        if (!filter) return;
        try {
            const page = await api.call(ops.discussion_list, { query: { ...filter, limit: 100 } });
            if (this.#filter !== filter) return; // somebody looks at others by now
            this.list = page.discussions;
            this.more = page.nextCursor;
            this.loaded = true;
            this.failure = undefined;
        } catch (why) {
            this.failure = why;
        }
    }

    async older(): Promise<void> {
        const from = this.more;
        if (!from) return;
        const page = await api.call(ops.discussion_list, { query: { ...this.#filter, limit: 100, cursor: from } });
        if (this.more !== from) return; // the list is another by now, or somebody clicked twice
        this.list = [...this.list, ...page.discussions];
        this.more = page.nextCursor;
    }

    leave(): void {
        this.#filter = undefined;
    }

    watch(talk: Talk): () => void {
        this.#watched.add(talk);
        void talk.load();
        return () => {
            this.#watched.delete(talk);
            talk.leave();
        };
    }
}
export const discussions = new Discussions();

/** It stands still until somebody from outside has taken a turn. */
export const waits = ({ status, phase }: Discussion) => status === 'active' && (phase === 'outside' || phase === 'person');

/** One discussion, live. */
export class Talk {
    readonly id: string;
    discussion = $state<Discussion>();
    entries = $state.raw<Entry[]>([]);
    spoken = $state.raw<Spoken[]>([]);
    order = $state.raw<string[]>([]);
    next = $state<string | null>(null);
    result = $state.raw<Record<string, unknown>>();
    /** The turn that waits for somebody outside, and whether it is a person's. */
    owed = $state.raw<Turn>();
    looked = $state(false);
    failure = $state<unknown>();
    #timer: ReturnType<typeof setTimeout> | undefined;
    #peeked: AbortController | undefined;
    readonly #finished = new Set<string>();

    constructor(id: string) {
        this.id = id;
    }

    load(): Promise<void> {
        return this.#rounds.want();
    }
    readonly #rounds = new Rounds((stale) => this.#load(stale));

    async #load(stale: () => boolean): Promise<void> {
        try {
            const reply = await api.call(ops.discussion_get, { path: { id: this.id } });
            const entries = [...reply.entries];
            for (let cursor = reply.nextCursor; cursor; ) {
                const page = await api.call(ops.discussion_get, { path: { id: this.id }, query: { cursor } });
                entries.push(...page.entries);
                cursor = page.nextCursor;
            }
            if (stale() && this.looked) return;
            this.discussion = reply.discussion;
            // What was told of while this was on its way is not in it, and must not go.
            const read = new Set(entries.map(({ id }) => id));
            this.entries = [...entries, ...this.entries.filter(({ id }) => !read.has(id))];
            this.order = reply.speakerOrder;
            this.next = reply.nextSpeaker;
            this.result = reply.result;
            if (reply.discussion.endedAt) this.spoken = [];
            this.failure = undefined;
            await this.#whose(reply.discussion, stale);
            if (!this.looked && ['calling', 'speaking'].includes(reply.discussion.phase)) void this.#peek();
        } catch (why) {
            if (!(why instanceof Refused) || ![400, 404, 422].includes(why.status)) this.failure = why;
        }
        this.looked = true;
    }

    async #whose(discussion: Discussion, stale: () => boolean): Promise<void> {
        if (!waits(discussion)) this.owed = undefined;
        else {
            const { turns } = await api.call(ops.turn_list, { query: { limit: 200 } });
            if (stale()) return; // somebody has just taken it
            this.owed = turns.find((turn) => turn.discussionId === this.id);
        }
    }

    /** Whether it is this person's turn. */
    get mine(): boolean {
        const { owed } = this;
        return session.answers && owed !== undefined && owed.agentId === null && (owed.userId === null || owed.userId === session.me?.caller.id);
    }

    hear(happening: Happening): void {
        if (happening.type === 'turn.delta') this.#piece(happening);
        else {
            if (happening.type === 'turn.started') this.#begin(happening);
            if (happening.type === 'turn.finished') this.#finish(happening);
            this.#soon();
        }
    }

    #begin(happening: Happening): void {
        const { turnId, speaker, kind, roundNumber } = happening as unknown as { turnId: string; speaker: string; kind: string; roundNumber: number };
        this.spoken = [...this.spoken.filter((one) => one.turnId !== turnId), { turnId, speaker, kind, round: Math.max(1, roundNumber), text: '', missed: 0 }];
    }

    #piece(happening: Happening): void {
        const { turnId, speaker, kind, round, offset, text } = happening as unknown as { turnId: string; speaker: string; kind: string; round: number; offset: number; text: string };
        if (this.#finished.has(turnId)) return; // its own stream was slower than the one for all
        const known = this.spoken.find((one) => one.turnId === turnId);
        const spoken = hear(known ?? { turnId, speaker, kind, round: Math.max(1, round), text: '', missed: 0 }, offset, text);
        this.spoken = [...this.spoken.filter((one) => one.turnId !== turnId), spoken];
    }

    #finish(happening: Happening): void {
        const { turnId, kind, entry } = happening as unknown as { turnId: string; kind: string; entry: Entry };
        this.#finished.add(turnId);
        this.spoken = this.spoken.filter((one) => one.turnId !== turnId);
        if (kind !== 'ballot' && kind !== 'judge' && !this.entries.some((one) => one.id === entry.id)) this.entries = [...this.entries, entry];
    }

    #soon(): void {
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            void this.load();
        }, gather);
    }

    // Who comes while somebody speaks has missed the beginning: the discussion's own stream begins with it.
    async #peek(): Promise<void> {
        this.#peeked = new AbortController();
        const timer = setTimeout(() => this.#peeked?.abort(), peekFor);
        try {
            const reply = await fetch(`/api/discussions/${encodeURIComponent(this.id)}/stream?types=turn.delta`, {
                signal: this.#peeked.signal,
                cache: 'no-store',
                headers: api.workspace ? { 'X-Witan-Workspace': api.workspace } : {},
            });
            const reader = reply.body!.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader();
            const frames = new FrameReader();
            for (let part = await reader.read(); !part.done; part = await reader.read())
                for (const { data } of frames.feed(part.value)) this.#sofar(JSON.parse(data) as Happening);
        } catch {
            // It is ended as soon as it has told; what comes after comes over the one stream.
        } finally {
            clearTimeout(timer);
        }
    }

    #sofar(happening: Happening): void {
        if (happening['offset'] === 0 && happening.type === 'turn.delta') this.#piece(happening);
        this.#peeked?.abort();
    }

    leave(): void {
        this.#peeked?.abort();
        clearTimeout(this.#timer);
    }

    async #then(call: Promise<{ discussion: Discussion }>): Promise<void> {
        const { discussion } = await call;
        this.#rounds.outdate();
        this.discussion = discussion;
        if (!waits(discussion)) this.owed = undefined;
        this.#soon();
    }

    pause = () => this.#then(api.call(ops.discussion_pause, { path: { id: this.id } }));
    resume = () => this.#then(api.call(ops.discussion_resume, { path: { id: this.id } }));
    skip = () => this.#then(api.call(ops.discussion_next, { path: { id: this.id } }));
    addRound = () => this.#then(api.call(ops.discussion_rounds, { path: { id: this.id }, body: { add: 1 } }));
    cancel = () => this.#then(api.call(ops.discussion_cancel, { path: { id: this.id } }));
    say = (content: string) => this.#then(api.call(ops.turn_take, { path: { id: this.id }, body: { content } }));
    pass = (reason: string) => this.#then(api.call(ops.turn_take, { path: { id: this.id }, body: { pass: true, ...(reason ? { reason } : {}) } }));
    open = (message: string) => this.#then(api.call(ops.discussion_message, { path: { id: this.id }, body: { message } }));
    interject = (content: string) => this.#then(api.call(ops.discussion_interject, { path: { id: this.id }, body: { content } }));

    async transcript(format: 'markdown' | 'json'): Promise<string> {
        const text = await api.text(address(ops.discussion_transcript.path, { path: { id: this.id }, query: { format } }));
        return format === 'json' ? JSON.stringify(JSON.parse(text), null, 2) : text;
    }
}

const three = ['Divergent', 'Convergent', 'Critical'];

/** The names of agents that can be seated: those that there are, and the three, which are made when they are needed. */
export async function agentNames(): Promise<string[]> {
    const names: string[] = [];
    await api.pages(ops.agent_list, { query: { limit: 200 } }, (page) => names.push(...page.agents.map((agent) => agent.name)));
    return [...three, ...names.filter((name) => !three.includes(name)).sort()];
}

export interface Wish {
    topic: string;
    mode: Discussion['mode'];
    agents: string[];
    person: boolean;
    rounds: number;
    choices: string[];
    rehearse: boolean;
}

async function make(name: string): Promise<void> {
    try {
        await api.call(ops.agent_create, { body: { name, role: name.toLowerCase() } });
    } catch (why) {
        if (!(why instanceof Refused) || why.status !== 409) throw why; // somebody else was quicker
    }
}

/** Starts a discussion and gives its id. */
export async function begin(wish: Wish): Promise<string> {
    const there: string[] = [];
    await api.pages(ops.agent_list, { query: { limit: 200 } }, (page) => there.push(...page.agents.map((agent) => agent.name)));
    for (const name of wish.agents) if (!there.includes(name) && three.includes(name)) await make(name);
    const seats = wish.agents.map((agentName) => (three.includes(agentName) ? { agentName, role: agentName.toLowerCase() } : { agentName }));
    const own = session.me?.caller;
    const you = { role: 'user', name: own?.kind === 'user' ? own.name : 'You', ...(own?.kind === 'user' ? { userId: own.id } : {}) };
    const options = { ...(wish.choices.length > 1 ? { vote: { choices: wish.choices, rule: 'majority' as const } } : {}), ...(wish.rehearse ? { rehearse: true } : {}) };
    const { discussion } = await api.call(ops.discussion_create, {
        body: { topic: wish.topic, mode: wish.mode, rounds: wish.rounds, participants: wish.person ? [...seats, you] : seats, options },
    });
    return discussion.id;
}
