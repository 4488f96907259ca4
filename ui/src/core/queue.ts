// Which approvals of the queue are shown, and in which order.
import type { Question } from './api.gen.ts';
import { byDeadline } from './inbox.ts';
import { words } from './markdown.ts';
import { inOrder } from './order.ts';
import { actionOf, origin } from './wording.ts';

export const orders = ['newest', 'oldest', 'agent'] as const;
export type Order = (typeof orders)[number] | '';

export interface Wanted {
    project: string;
    agent: string;
    action: string;
    /** All of these words stand in it, or begin or end in one of its own. */
    text: string;
    /** '': what ends first. */
    sort: Order;
}

/** What the address asks for. An order that there is not is the usual one. */
export function wantedOf(params: URLSearchParams): Wanted {
    const given = (name: string) => params.get(name) ?? '';
    return { project: given('project'), agent: given('agent'), action: given('action'), text: given('text'), sort: orders.find((one) => one === given('sort')) ?? '' };
}

export const narrows = (wanted: Wanted): boolean => Boolean(wanted.project || wanted.agent || wanted.action || wanted.text.trim());

export const deed = (question: Question): string => actionOf(question)?.name ?? '';

const texts = new WeakMap<Question, string>();
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** All that somebody may look for in it: its words, what it would do with all arguments, who asks, and where. */
function textOf(question: Question): string {
    let text = texts.get(question);
    if (text === undefined) texts.set(question, (text = plain([words(question.question), deed(question), JSON.stringify(actionOf(question)?.args ?? ''), question.askedBy, origin(question)].join('\n'))));
    return text;
}

const by: Record<Order, (a: Question, b: Question) => number> = {
    '': byDeadline,
    newest: (a, b) => inOrder(b.createdAt, a.createdAt),
    oldest: (a, b) => inOrder(a.createdAt, b.createdAt),
    agent: (a, b) => inOrder(a.askedBy.toLowerCase(), b.askedBy.toLowerCase()) || byDeadline(a, b),
};

export function sifted(all: Question[], wanted: Wanted): Question[] {
    const sought = plain(wanted.text).split(/\s+/).filter(Boolean);
    return all
        .filter(
            (question) =>
                (!wanted.project || question.projectId === wanted.project) &&
                (!wanted.agent || question.askedBy === wanted.agent) &&
                (!wanted.action || deed(question) === wanted.action) &&
                sought.every((word) => textOf(question).includes(word)),
        )
        .sort(by[wanted.sort]);
}
