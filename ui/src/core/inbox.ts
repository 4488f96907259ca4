// Which questions a list shows, in which order, and which may be answered together.
import type { Question } from './api.gen.ts';
import { readJson, writeJson, type Shelf } from './store.ts';
import { due, type Due } from './time.ts';

export interface Filter {
    type: string;
    project: string;
    agent: string;
    due: string;
}

const parts = ['type', 'project', 'agent', 'due'] as const;

/** What the address asks for. */
export function filterOf(params: URLSearchParams): Filter {
    const [type, project, agent, when] = parts.map((name) => params.get(name) ?? '');
    return { type: type!, project: project!, agent: agent!, due: when! };
}

/** The same as an address, '' when everything is wanted. */
export function queryOf(filter: Filter): string {
    const params = new URLSearchParams();
    for (const name of parts) if (filter[name]) params.set(name, filter[name]);
    const text = params.toString();
    return text ? `?${text}` : '';
}

export function fits(question: Question, filter: Filter, now: number): boolean {
    return (
        (!filter.type || question.type === filter.type) &&
        (!filter.project || question.projectId === filter.project) &&
        (!filter.agent || question.askedBy === filter.agent) &&
        (!filter.due || due(question.timeoutAt, now) === filter.due)
    );
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

export type Groups = Array<[Due, Question[]]>;

/** The rows by how soon they end; empty groups are left out. */
export function grouped(questions: Question[], now: number): Groups {
    const all: Record<Due, Question[]> = { soon: [], today: [], later: [], none: [] };
    for (const question of questions) all[due(question.timeoutAt, now)].push(question);
    return (['soon', 'today', 'later', 'none'] as const).map((name): [Due, Question[]] => [name, all[name]]).filter(([, list]) => list.length > 0);
}

/** Whether it can be one of a batch: only a plain yes or no is given to several at once. */
export const batchable = (question: Question): boolean => question.responseType === 'approval' || question.responseType === 'boolean';

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

const quietName = 'witan.quiet';

/** Questions that somebody does not want to be reminded of for a while. Their deadlines run on. */
export class Quiet {
    readonly #shelf: Shelf;

    constructor(shelf: Shelf) {
        this.#shelf = shelf;
    }

    get all(): Record<string, number> {
        return readJson<Record<string, number>>(this.#shelf, quietName, {});
    }

    set(id: string, until: number, now: number): Record<string, number> {
        const all = Object.fromEntries(Object.entries({ ...this.all, [id]: until }).filter(([, end]) => Number(end) > now));
        writeJson(this.#shelf, quietName, Object.keys(all).length > 0 ? all : undefined);
        return all;
    }
}
