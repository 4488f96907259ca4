// What a question says about itself, in words: its answer, its ends, its parts.
import type { DefaultResponse, Item, Question, Response } from './api.gen.ts';
import { isExact } from './exact.ts';
import type { Entry } from './inbox.ts';
import { words } from './markdown.ts';
import { t } from '../text/en.ts';
import { kindOf } from '../text/kinds.ts';

/** The words of an answer: an option's label, Approved, Yes, or the text itself. */
export function answerText(question: Question, response: Response | DefaultResponse | null | undefined): string {
    if (!response) return t.verdict.nothing;
    const value = response.value;
    if (question.responseType === 'approval') return value === true ? t.verdict.approved : t.verdict.rejected;
    if (typeof value === 'boolean' && question.responseType === 'boolean') return value ? t.verdict.yes : t.verdict.no;
    const option = question.options?.find((one) => one.value === value || one.id === value);
    if (option) return option.label ?? String(option.value);
    if (value === null || value === undefined || value === '') return response.text ?? t.verdict.nothing;
    return typeof value === 'string' ? value : JSON.stringify(value);
}

export const asker = (question: Question): string => t.by(question.askedBy);

export interface Ends {
    yes: { label: string; text: string };
    no?: { label: string; text: string };
    late: { text: string };
}

function lateText(question: Question): string {
    if (kindOf(question.type).idle)
        return question.defaultResponse
            ? t.question.wentOn(asker(question), answerText(question, question.defaultResponse))
            : t.question.wentOnWithout(asker(question));
    if (!question.timeoutAt) return t.question.staysOpen;
    if (question.defaultResponse) return t.question.countsAs(answerText(question, question.defaultResponse));
    return question.responseType === 'approval' ? t.question.countsAsNo : t.question.jobStops;
}

/** What happens on each way out. */
export function ends(question: Question): Ends {
    const who = asker(question);
    const late = { text: lateText(question) };
    if (question.responseType === 'approval') {
        const missing = (question.approvals?.need ?? 1) - (question.approvals?.have ?? 0) - 1;
        const name = actionOf(question)?.name;
        const text = missing > 0 ? t.question.needsMore(missing) : name ? t.question.runs(who, name) : t.question.goesAhead(who);
        return {
            yes: { label: t.question.approveEnd, text },
            no: { label: t.question.rejectEnd, text: t.question.nothingRuns(who) },
            late,
        };
    }
    if (question.responseType === 'boolean')
        return {
            yes: { label: t.question.yesEnd, text: t.question.goesOnWithIt(who) },
            no: { label: t.question.noEnd, text: t.question.toldNo(who) },
            late,
        };
    return { yes: { label: t.question.answerEnd, text: t.question.goesOnWithIt(who) }, late };
}

export interface Action {
    name: string;
    args: unknown;
    /** What else its asker put into it: it is approved with the rest. */
    more: Array<[string, unknown]>;
}

/** What an approval is for, when it has the shape that we know. */
export function actionOf(question: Question): Action | undefined {
    const action = question.action as Record<string, unknown> | null;
    if (!action || typeof action['name'] !== 'string') return undefined;
    return { name: action['name'], args: action['args'], more: Object.entries(action).filter(([name]) => name !== 'name' && name !== 'args') };
}

const mostTitle = 4000;

/** The first paragraph is the title; the rest is read below it. What begins with a list, a table or code has none, nor has half a book. */
export function split(text: string): { title: string; rest: string } {
    const clean = text.trim();
    const end = clean.search(/\n\s*\n|\n(?=[-*#>`\d])/);
    const first = end < 0 ? clean : clean.slice(0, end);
    if (first.length <= mostTitle && !/^(```|~~~|[-*+] |> |\|)/.test(first)) return { title: first.replace(/^#+\s*/, ''), rest: end < 0 ? '' : clean.slice(end).trim() };
    return { title: '', rest: clean };
}

/** The question in one line: its title without signs. */
export function headline(question: Question): string {
    const { title, rest } = split(question.question);
    return words(title || rest) || kindOf(question.type).name;
}

/** A set is named by its first question, a prompt by its words, a turn by the topic. */
export function itemHeadline(item: Item): string {
    const text = words(item.text) || kindOf(item.type).name;
    return item.questions > 1 ? t.inbox.andMore(text, item.questions - 1) : text;
}

/** For whom it is, where that is not plain: "for Ana", "needs an admin", "your own request"; '' for whoever may answer. */
export function forWhom({ assignedTo, assignee, requiredRole, you }: Entry, me: string | undefined): string {
    if (assignedTo) return t.inbox.forWhom(assignedTo === me ? t.inbox.yourself : assignee ? t.by(assignee) : t.inbox.somebody);
    if (you.bar === 'role' && requiredRole) return t.inbox.needsRole(requiredRole);
    return you.bar && you.bar in t.inbox.bars ? t.inbox.bars[you.bar as keyof typeof t.inbox.bars] : '';
}

/** What became of a question that has ended, in one line. */
export function endText(question: Question): string {
    const said = answerText(question, question.response);
    if (question.status === 'timeout') return question.defaultResponse ? t.ended.timeoutWith(answerText(question, question.defaultResponse)) : t.ended.timeout;
    if (question.status === 'cancelled') return t.ended.cancelled;
    return question.outcome?.source === 'default' ? t.ended.byDefault(said) : t.ended.answered(t.by(question.outcome?.by ?? question.respondedBy ?? ''), said);
}

const told = new Set(['errorDetails', 'suggestedOptions', 'projectName', 'currentStep', 'jobType']);

/** Where it comes from, in one line: project, step. */
export function origin(question: Question): string {
    const context = (question.context ?? {}) as Record<string, unknown>;
    const parts = [context['projectName'], context['jobType'], context['currentStep']];
    return parts
        .filter((part) => typeof part === 'string' || typeof part === 'number' || isExact(part))
        .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
        .join(', ');
}

/** What else the asker told about it. */
export function facts(question: Question): Array<[string, unknown]> {
    const rest = Object.entries((question.context ?? {}) as Record<string, unknown>).filter(([name, value]) => !told.has(name) && value !== null);
    return rest;
}

/** "currentStep" and "current_step" as a person would write them. */
export function label(name: string): string {
    const spaced = name.replace(/[_-]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
    return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}

const hues = ['violet', 'teal', 'pink', 'amber', 'slate'];
const given: Record<string, string> = { divergent: 'blue', convergent: 'green', critical: 'red' };

/** Each agent keeps its hue and shape. */
export function hue(name: string): string {
    let sum = 0;
    for (const letter of name.toLowerCase()) sum = (sum * 31 + letter.codePointAt(0)!) >>> 0;
    return given[name.toLowerCase()] ?? hues[sum % hues.length]!;
}

export interface DiffLine {
    is: 'same' | 'del' | 'add';
    text: string;
}

/** Lines that went and came, by the longest common run of lines. */
export function diff(before: string, after: string): DiffLine[] {
    const a = before.split('\n');
    const b = after.split('\n');
    if (a.length * b.length > 250_000) return [...a.map((text): DiffLine => ({ is: 'del', text })), ...b.map((text): DiffLine => ({ is: 'add', text }))];
    const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
        for (let j = b.length - 1; j >= 0; j--) best[i]![j] = a[i] === b[j] ? best[i + 1]![j + 1]! + 1 : Math.max(best[i + 1]![j]!, best[i]![j + 1]!);
    const out: DiffLine[] = [];
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
        if (i < a.length && j < b.length && a[i] === b[j]) out.push({ is: 'same', text: a[(i++, j++, i - 1)]! });
        else if (i < a.length && (j >= b.length || best[i + 1]![j]! >= best[i]![j + 1]!)) out.push({ is: 'del', text: a[i++]! });
        else out.push({ is: 'add', text: b[j++]! });
    }
    return out;
}
