// The discussions: those of the list, and the one that is being watched, as it is spoken.
import { address, Refused } from '../core/api.ts';
import type { Discussion, Entry, Turn } from '../core/api.gen.ts';
import { parse } from '../core/exact.ts';
import type { Happening } from '../core/live.ts';
import { Rounds } from '../core/rounds.ts';
import { FrameReader } from '../core/sse.ts';
import { Growing } from '../core/growing.ts';
import type { Block } from '../core/markdown.ts';
import { Speech } from '../core/speech.ts';
import { isAloud, speakersOf, type Spoken } from '../core/talk.ts';
import { perFrame } from '../core/tasks.ts';
import { api, ops, session, stream } from './server.svelte.ts';

const gather = 120;
const peekFor = 1500; // the text so far is told at once, if there is one
const quiet = 200; // after which all of it has been told
const peekAgain = 400;
const peeksMost = 5;

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
                for (const talk of this.#watched) talk.again();
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

/** A turn while it is spoken: who speaks, and what has been said so far. */
export class Turning implements Spoken {
    readonly turnId: string;
    readonly speaker: string;
    readonly kind: string;
    readonly round: number;
    readonly turnIndex: number;
    readonly speech = new Speech();
    #growing = new Growing();
    #shown = 0; // letters that it has been given
    #anew = 0;
    /** Counts up, at most once a frame, when there is more. */
    version = $state(0);
    readonly draw = perFrame(() => (this.version += 1));

    constructor({ turnId, speaker, kind, round, turnIndex }: Spoken & { turnIndex: number }) {
        this.turnId = turnId;
        this.speaker = speaker;
        this.kind = kind;
        this.round = Math.max(1, round);
        this.turnIndex = turnIndex;
    }

    /** What was said, as far as it can be read. */
    get tree(): Block[] {
        void this.version;
        const { text, anew } = this.speech;
        if (anew !== this.#anew) {
            this.#growing = new Growing();
            this.#anew = anew;
            this.#shown = 0;
        }
        if (text.length > this.#shown) this.#growing.add(text.slice(this.#shown));
        this.#shown = text.length;
        return this.#growing.tree();
    }

    get begun(): boolean {
        void this.version;
        return this.speech.text !== '';
    }

    get missed(): boolean {
        void this.version;
        return this.speech.missed > 0;
    }
}

/** One discussion, live. */
export class Talk {
    readonly id: string;
    discussion = $state<Discussion>();
    entries = $state.raw<Entry[]>([]);
    /** The turns that are spoken. What is said is in each of them. */
    spoken = $state.raw<Turning[]>([]);
    /** Who speaks, each once. */
    readonly speakers = $derived(speakersOf(this.spoken));
    /** Counts up, at most once a frame, when more was said. */
    said = $state(0);
    order = $state.raw<string[]>([]);
    next = $state<string | null>(null);
    result = $state.raw<Record<string, unknown>>();
    /** The turn that waits for somebody outside, and whether it is a person's. */
    owed = $state.raw<Turn>();
    looked = $state(false);
    failure = $state<unknown>();
    #timer: ReturnType<typeof setTimeout> | undefined;
    #peeked: AbortController | undefined;
    #peeks = 0;
    #peekSoon: ReturnType<typeof setTimeout> | undefined;
    readonly #draw = perFrame(() => (this.said += 1));
    readonly #finished = new Set<string>();

    constructor(id: string) {
        this.id = id;
    }

    load(): Promise<void> {
        return this.#rounds.want();
    }
    readonly #rounds = new Rounds((stale) => this.#load(stale));

    /** Events were lost, and words with them: who spoke may have finished. */
    again(): void {
        this.spoken = [];
        this.#peeks = 0;
        this.#wonder = true;
        void this.load();
    }
    #wonder = true; // whether somebody may have begun to speak unheard

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
            this.#settle();
            this.failure = undefined;
            await this.#whose(reply.discussion, stale);
            if (this.#wonder && ['calling', 'speaking'].includes(reply.discussion.phase)) void this.#peek();
            this.#wonder = false;
        } catch (why) {
            if (!(why instanceof Refused) || ![400, 404, 422].includes(why.status)) this.failure = why;
        }
        this.looked = true;
    }

    // A turn whose entry is here is over, though the word of that, or its own words, may still be on their way: nothing stands there twice.
    #isOver({ turnId, kind, speaker, round, turnIndex }: Spoken & { turnIndex: number }): boolean {
        if (kind === 'turn' && this.entries.some((one) => one.speaker === speaker && Math.max(1, one.roundNumber) === Math.max(1, round) && one.turnIndex === turnIndex)) this.#finished.add(turnId);
        return this.#finished.has(turnId);
    }

    #settle(): void {
        if (this.spoken.some((one) => this.#isOver(one))) this.spoken = this.spoken.filter((one) => !this.#isOver(one));
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
        if (happening.type === 'turn.delta') this.#piece(happening, false);
        else {
            if (happening.type === 'turn.started') this.#begin(happening);
            if (happening.type === 'turn.finished') this.#finish(happening);
            this.#soon();
        }
    }

    // Its first words may be here before the word that it has begun.
    #begin(happening: Happening): void {
        const { turnId, speaker, kind, roundNumber, turnIndex } = happening as unknown as { turnId: string; speaker: string; kind: string; roundNumber: number; turnIndex: number };
        this.#turn({ turnId, speaker, kind, round: roundNumber, turnIndex });
    }

    #turn(of: Spoken & { turnIndex: number }): Turning | undefined {
        const known = this.spoken.find((one) => one.turnId === of.turnId);
        if (known) return known;
        if (this.#isOver(of)) return undefined; // what it is told by was slower than what told that it is over
        const turn = new Turning(of);
        this.spoken = [...this.spoken, turn];
        return turn;
    }

    #piece(happening: Happening, sofar: boolean): void {
        const { offset, text, ...of } = happening as unknown as Spoken & { turnIndex: number; offset: number; text: string };
        const turn = this.#turn(of);
        if (!turn) return;
        if (sofar) turn.speech.before(text);
        else turn.speech.hear(offset, text);
        turn.draw();
        this.#draw();
        if (turn.speech.missed > 0) this.#peekLater();
        else this.#peeks = 0;
    }

    #finish(happening: Happening): void {
        const { turnId, kind, entry } = happening as unknown as { turnId: string; kind: string; entry: Entry };
        this.#finished.add(turnId);
        this.spoken = this.spoken.filter((one) => one.turnId !== turnId);
        if (isAloud({ kind }) && !this.entries.some((one) => one.id === entry.id)) this.entries = [...this.entries, entry];
    }

    #soon(): void {
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            void this.load();
        }, gather);
    }

    // A piece has come and what is before it is not here: the beginning is asked for, a few times.
    #peekLater(): void {
        if (this.#peeked || this.#peeks >= peeksMost) return;
        this.#peekSoon ??= setTimeout(() => {
            this.#peekSoon = undefined;
            if (this.spoken.some((one) => one.speech.missed > 0)) void this.#peek();
        }, this.#peeks === 0 ? 0 : peekAgain);
    }

    // Who comes while somebody speaks has missed the beginning: the discussion's own stream begins with it, for each who speaks.
    async #peek(): Promise<void> {
        if (this.#peeked) return;
        this.#peeks += 1;
        const peeked = (this.#peeked = new AbortController());
        let timer = setTimeout(() => peeked.abort(), peekFor);
        try {
            const reply = await fetch(`/api/discussions/${encodeURIComponent(this.id)}/stream?types=turn.delta`, {
                signal: peeked.signal,
                cache: 'no-store',
                headers: api.workspace ? { 'X-Witan-Workspace': api.workspace } : {},
            });
            const reader = reply.body!.pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>).getReader();
            peeked.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
            const frames = new FrameReader();
            for (let part = await reader.read(); !part.done; part = await reader.read())
                for (const { data } of frames.feed(part.value)) {
                    const happening = JSON.parse(data) as Happening;
                    if (happening.type !== 'turn.delta' || happening['offset'] !== 0) continue; // what is said now comes over the one stream
                    this.#piece(happening, true);
                    clearTimeout(timer);
                    timer = setTimeout(() => peeked.abort(), quiet);
                }
        } catch {
            // It is ended as soon as it has told.
        } finally {
            clearTimeout(timer);
            peeked.abort();
            this.#peeked = undefined;
        }
        if (this.spoken.some((one) => one.speech.missed > 0)) this.#peekLater();
    }

    leave(): void {
        this.#peeked?.abort();
        clearTimeout(this.#peekSoon);
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
    // Whoever is not logged in, as the owner of a server of one person, is named.
    open = (message: string) => {
        const own = session.me?.caller;
        return this.#then(api.call(ops.discussion_message, { path: { id: this.id }, body: { message, ...(own && own.kind !== 'user' ? { userId: own.id } : {}) } }));
    };
    interject = (content: string) => this.#then(api.call(ops.discussion_interject, { path: { id: this.id }, body: { content } }));

    async transcript(format: 'markdown' | 'json'): Promise<string> {
        const text = await api.text(address(ops.discussion_transcript.path, { path: { id: this.id }, query: { format } }));
        return format === 'json' ? JSON.stringify(parse(text), null, 2) : text;
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
