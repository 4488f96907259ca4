// Where people are, in the words of the server: the kind of page, what it shows, and whether somebody looks at it.
import type { Place } from './router.ts';

export type Page = 'inbox' | 'question' | 'approvals' | 'chat' | 'discussions' | 'discussion' | 'jobs' | 'job' | 'projects' | 'project' | 'other';
export interface Spot {
    page: Page;
    subject?: string;
}

const ofOne: Record<string, Page> = { inbox: 'question', q: 'question', discussions: 'discussion', jobs: 'job', projects: 'project' };
const ofMany: readonly string[] = ['inbox', 'approvals', 'chat', 'discussions', 'jobs', 'projects'];

/** What others are told of a place; settings, the audit log and the like are nobody's business. */
export function spotOf({ page, id }: Place): Spot {
    const one = ofOne[page];
    if (id && one) return { page: one, subject: id };
    return { page: !id && ofMany.includes(page) ? (page as Page) : 'other' };
}

const idle = 5 * 60_000;

/** Whether somebody looks at the page: it is seen, and was touched not long ago. */
export const looks = (visible: boolean, touched: number, now: number): boolean => visible && now - touched < idle;

export interface Present {
    id: string;
    name: string;
    state: 'here' | 'away' | 'gone';
    pages: Array<{ page: Page; subject: string | null; state: 'here' | 'away' | 'gone'; since: string }>;
}

/** Those who are here once these have come, gone or turned elsewhere. */
export function changed<P extends Present>(people: readonly P[], those: readonly P[]): P[] {
    const told = new Set(those.map(({ id }) => id));
    return [...people.filter(({ id }) => !told.has(id)), ...those.filter(({ state }) => state !== 'gone')];
}

/** Those who have the page of this one thing open before their eyes, but for oneself. */
export const watching = <P extends Present>(people: readonly P[], subject: string, self: string): P[] =>
    people.filter(({ id, pages }) => id !== self && pages.some((one) => one.subject === subject && one.state === 'here'));
