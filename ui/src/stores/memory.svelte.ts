// Reading without the server: what was loaded here, until when it was true, and for whom. Nothing of it is ever shown as live.
import type { Item, Question } from '../core/api.gen.ts';
import { byDeadline } from '../core/inbox.ts';
import { forget, owners } from '../core/forget.ts';
import { Memory, type Remembered } from '../core/memory.ts';
import { asked } from './asked.svelte.ts';
import { where } from './app.svelte.ts';
import { questions } from './questions.svelte.ts';
import { api, session, stream, type Me } from './server.svelte.ts';

const soon = 2000; // many changes are kept together
const often = 30_000; // so exactly is known until when it was live
const most = { open: 200, ended: 30, others: 100, letters: 64_000 };
const [ofSession, ofInbox] = ['/offline/session', '/offline/inbox'];

// What people read. Not what they manage: people, tokens, settings and records of the server stay on the server. Nor who one is,
// which only the server can say.
const readable = /^\/api\/(questions|inbox|jobs|chat|discussions?|turns|projects|notifications|decisions|agents)\b/;

// What a page is about. What stands beside it (names, counts, where it comes from) does not make it older.
const about: Record<string, RegExp> = { chat: /^\/api\/(chat|discussion)\b/, discussions: /^\/api\/(discussions|turns)\b/, jobs: /^\/api\/jobs\b/, projects: /^\/api\/projects\b/, notifications: /^\/api\/notifications(\?|$)/ };

interface Visit {
    me: Me;
    asked: string; // the workspace that was asked for
}
interface Inbox {
    questions: Question[];
    items: Item[];
}

// Keeping

let memory: Memory | undefined;

function inbox(): Inbox {
    const short = (thing: object) => JSON.stringify(thing).length <= most.letters;
    const all = [...questions.all.values()].filter(short);
    const open = all.filter(({ status }) => status === 'pending').sort(byDeadline).slice(0, most.open);
    const ended = all.filter(({ status }) => status !== 'pending').slice(-most.ended);
    return { questions: [...open, ...ended], items: asked.all.filter(short).slice(0, most.others) };
}

const keepVisit = (me: Me) => memory?.keep(ofSession, { me, asked: api.workspace ?? '' } satisfies Visit);

/** Keeps what is loaded from here on, and what was since the page came; ends with the session. */
export function remember(): () => void {
    if (!('caches' in globalThis)) {
        api.tell(undefined); // over plain http a browser keeps nothing, and opens no page without a network
        return () => {};
    }
    return $effect.root(() => {
        $effect(() => {
            const { me, owner } = session;
            if (session.is !== 'in' || session.asOf !== undefined || !me) return;
            const [id] = owner.split('@');
            void forget((other) => other.split('@')[0] === id); // of whoever was here before
            memory = new Memory(owner);
            void memory.prune().catch(() => {});
            void keepVisit(me);
            api.tell((address, said) => readable.test(address) && void memory?.keep(address, said));
            const timer = setInterval(() => stream.open && void keepVisit(me), often);
            return () => {
                clearInterval(timer);
                api.tell(undefined);
                memory = undefined;
            };
        });
        let later: ReturnType<typeof setTimeout> | undefined;
        $effect(() => {
            if (session.is !== 'in' || session.asOf !== undefined || !questions.loaded || !asked.tried) return;
            void [...questions.all.values()];
            void asked.all;
            later ??= setTimeout(() => {
                later = undefined;
                if (!memory || session.is !== 'in') return;
                void memory.keep(ofInbox, inbox());
                if (session.me && stream.open) void keepVisit(session.me);
            }, soon);
        });
    });
}

// Reading

/** Who was here last, and until when; from here on, what was loaded answers for the server. */
export async function recall(): Promise<{ me: Me; at: number } | undefined> {
    let best: { kept: Memory; visit: Visit; at: number } | undefined;
    for (const owner of await owners()) {
        const kept = new Memory(owner);
        const found = await kept.recall(ofSession);
        const visit = found?.said as Visit | undefined;
        if (visit && visit.asked === (api.workspace ?? '') && found!.at > (best?.at ?? 0)) best = { kept, visit, at: found!.at };
    }
    if (!best) return undefined;
    const { kept, visit, at } = best;
    const known = ((await kept.recall(ofInbox))?.said ?? undefined) as Inbox | undefined;
    let [path, oldest] = [where.path, at];
    api.recall = async (address) => {
        if (session.asOf === undefined) return undefined;
        const found = (known && ofKnown(known, address, at)) ?? (await kept.recall(address));
        if (!found) return undefined;
        if (where.path !== path) [path, oldest] = [where.path, at];
        if (about[where.place.page]?.test(address)) oldest = Math.min(oldest, found.at);
        session.asOf = oldest;
        return found.said;
    };
    return { me: visit.me, at };
}

// The inbox as it stood at the last moment, which is newer than when it was listed.
function ofKnown(known: Inbox, address: string, at: number): Remembered | undefined {
    const url = new URL(address, location.origin);
    const serverTime = new Date().toISOString(); // nobody can say how this machine's clock differs
    if (url.pathname === '/api/questions/pending') return { at, said: { questions: known.questions.filter(({ status }) => status === 'pending'), nextCursor: null, serverTime } };
    if (url.pathname === '/api/inbox') return { at, said: { items: known.items.filter(({ type }) => type === url.searchParams.get('type')), nextCursor: null, serverTime } };
    const question = known.questions.find(({ id }) => url.pathname === `/api/questions/${id}`);
    return question && { at, said: { question } };
}
