// What a list shows of what waits, in which order, and which questions may be answered together.
import type { Item, Question } from './api.gen.ts';
import { readJson, writeJson, type Shelf } from './store.ts';
import { due, type Due } from './time.ts';
import { kindOf } from '../text/kinds.ts';

/** What waits for people: a question; or a set of open questions, a prompt or a turn, which are answered where they belong. */
export type Entry = Question | Item;

export const isQuestion = (entry: Entry): entry is Question => 'responseType' in entry;

/** How a question can have ended. What has not is open, and needs no word. */
export const ends = ['answered', 'timeout', 'cancelled'] as const;
export type End = (typeof ends)[number];
export const isEnd = (word: string): word is End => (ends as readonly string[]).includes(word);

export interface Filter {
    status: string;
    type: string;
    project: string;
    agent: string;
    due: string;
}

const parts = ['status', 'type', 'project', 'agent', 'due'] as const;

/** What the address asks for. A status that there is not means what is open. */
export function filterOf(params: URLSearchParams): Filter {
    const [status, type, project, agent, when] = parts.map((name) => params.get(name) ?? '');
    return { status: isEnd(status!) ? status : '', type: type!, project: project!, agent: agent!, due: when! };
}

/** The same as an address, '' when everything is wanted. */
export function queryOf(filter: Filter): string {
    const params = new URLSearchParams();
    for (const name of parts) if (filter[name]) params.set(name, filter[name]);
    const text = params.toString();
    return text ? `?${text}` : '';
}

/** Whether it is of the kind that is wanted; deadlines mean nothing once something has ended. */
export function fits(entry: Entry, filter: Filter, now: number): boolean {
    const from = isQuestion(entry) ? entry.askedBy : (entry.agent ?? '');
    return (
        (!filter.type || entry.type === filter.type) &&
        (!filter.project || entry.projectId === filter.project) &&
        (!filter.agent || from === filter.agent) &&
        (!filter.due || filter.status !== '' || due(entry.timeoutAt, now) === filter.due)
    );
}

/** What ends first; then what has no deadline, the oldest first. */
export function byDeadline(a: Entry, b: Entry): number {
    const [one, other] = [(a.timeoutAt ?? '9999') + a.createdAt, (b.timeoutAt ?? '9999') + b.createdAt];
    return one < other ? -1 : one > other ? 1 : 0;
}

/** Where something that is no question is answered. */
export function placeOf(item: Item): string {
    if (item.type === 'turn') return `/discussions/${item.discussionId}`;
    return item.type === 'prompt' ? `/chat?prompt=${item.id}` : `/projects/${item.projectId}?set=${item.id}`;
}

/**
 * The order in which rows stand. While somebody reads further down or points at a row, nothing may move under them: what
 * is new waits, counted, unless it stands below everything else. What has gone goes.
 */
export function arrange(shown: string[], wanted: string[], still: boolean): { order: string[]; fresh: number } {
    if (!still || shown.length === 0) return { order: wanted, fresh: 0 };
    const there = new Set(wanted);
    const before = new Set(shown);
    const kept = shown.filter((id) => there.has(id));
    if (kept.length === 0) return { order: wanted, fresh: 0 };
    const last = wanted.findLastIndex((id) => before.has(id));
    const below = wanted.slice(last + 1);
    return { order: [...kept, ...below], fresh: wanted.length - kept.length - below.length };
}

/** By how soon things end. What has no deadline either holds something up or lets its asker go on. */
export type Group = Due | 'held';
export type Groups = Array<[Group, Entry[]]>;

/** The rows by how soon they end; empty groups are left out. */
export function grouped(entries: Entry[], now: number): Groups {
    const all: Record<Group, Entry[]> = { soon: [], today: [], later: [], held: [], none: [] };
    for (const entry of entries) {
        const when = due(entry.timeoutAt, now);
        all[when === 'none' && !kindOf(entry.type).idle ? 'held' : when].push(entry);
    }
    return (['soon', 'today', 'later', 'held', 'none'] as const).map((name): [Group, Entry[]] => [name, all[name]]).filter(([, list]) => list.length > 0);
}

/** Until when whoever looks does not want to be reminded of it; undefined: they do. The time is asked for only where it matters. */
export function snoozed({ you }: Entry, now: () => number): number | undefined {
    const until = you.snoozedUntil ? Date.parse(you.snoozedUntil) : 0;
    return until > 0 && until > now() ? until : undefined;
}

/**
 * Whether it needs whoever looks: somebody waits for it, an answer of theirs would have an effect, and they have not snoozed it.
 * The server's rule (src/core/questions/standing.c), looked at again whenever a snooze may be over.
 */
export function needsYou(entry: Entry, now: () => number): boolean {
    const waits = isQuestion(entry) ? entry.status === 'pending' && !kindOf(entry.type).idle : true;
    return waits && entry.you.yesCounts && !snoozed(entry, now);
}

/** Whether it can be one of a batch: only a plain yes or no is given to several at once, and by who may. */
export const batchable = (question: Question): boolean => (question.responseType === 'approval' || question.responseType === 'boolean') && question.you.yesCounts;

/** Whether it is an approval that a plain yes or no ends. */
export const decidable = (question: Question): boolean => question.responseType === 'approval' || (question.type === 'approval' && question.responseType === 'boolean');

/** The kind of a batch; undefined when it holds several kinds, or nothing. */
export function batchKind(questions: Question[]): 'approval' | 'boolean' | undefined {
    const kinds = new Set(questions.map((question) => question.responseType));
    const [kind] = kinds;
    return kinds.size === 1 && (kind === 'approval' || kind === 'boolean') ? kind : undefined;
}

export interface View {
    name: string;
    query: string;
}

const shelfName = 'witan.views';
const mostViews = 30;

/** Filters that somebody has given a name, in this browser. */
export class Views {
    readonly #shelf: Shelf;

    constructor(shelf: Shelf) {
        this.#shelf = shelf;
    }

    get all(): View[] {
        const found = readJson<unknown>(this.#shelf, shelfName, []);
        return Array.isArray(found) ? found.filter((one): one is View => typeof one?.name === 'string' && typeof one?.query === 'string') : [];
    }

    /** A second view of the same name takes the place of the first. */
    keep(name: string, query: string): View[] {
        const all = [...this.all.filter((one) => one.name !== name), { name, query }].slice(-mostViews);
        writeJson(this.#shelf, shelfName, all);
        return all;
    }

    drop(name: string): View[] {
        const all = this.all.filter((one) => one.name !== name);
        writeJson(this.#shelf, shelfName, all.length > 0 ? all : undefined);
        return all;
    }
}
