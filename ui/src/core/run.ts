// A run as its trace tells of it: what the model was told and said, which tools it called, and what was decided and why. Plain
// functions of values; stores/run.svelte.ts reads them, parts/Trace.svelte shows them.
import type { Budget, Run, RunCall, RunEntry as Entry } from './api.gen.ts';
import { isMap, parse } from './exact.ts';
import { thousands } from './order.ts';
import { took } from './time.ts';

export type { Budget, Entry, Run, RunCall };

/** Tools that a run without a task may use in a project, by its id and its name; without one, those that are for all. */
export const toolsFor = <T extends { projects: string[] | null; inTaskFolder: boolean }>(tools: T[], project: string[]): T[] =>
    tools.filter(({ projects, inTaskFolder }) => !inTaskFolder && (projects === null || projects.some((one) => project.includes(one))));

/** The number that somebody typed: undefined for nothing, NaN for what is none above zero. */
export function wished(text: string | number | null | undefined): number | undefined {
    const typed = String(text ?? '').trim();
    if (typed === '') return undefined;
    const number = Number(typed);
    return Number.isFinite(number) && number > 0 ? number : Number.NaN;
}

/** The field of the form that the server's field is about: "budget.steps" is steps; '' for none. */
export function fieldOf(field: string | undefined): string {
    const last = field?.split(/[.[]/).filter(Boolean);
    if (!last || last.length === 0) return '';
    const name = last[0] === 'budget' ? (last[1] ?? 'steps') : last[0]!;
    return name === 'seconds' ? 'minutes' : name;
}

/** What is shown in one place: an entry, or decisions that follow each other, which are folded into one. */
export type Shown = { seq: number; entry: Entry; decisions?: undefined } | { seq: number; entry?: undefined; decisions: Entry[] };

export interface StepShown {
    step: number;
    at: string;
    rows: Shown[];
}

/** What a call returned is shown with the call; by itself only where the call is not here. */
function withoutResults(entries: Entry[]): Entry[] {
    const called = new Set(entries.filter(({ kind }) => kind === 'call').map(({ call }) => call?.id));
    return entries.filter(({ kind, call }) => kind !== 'result' || !called.has(call?.id));
}

/** The entries as they are shown: by step, each call once, decisions folded together. */
export function stepsShown(entries: Entry[]): StepShown[] {
    const steps: StepShown[] = [];
    for (const entry of withoutResults(entries)) {
        let last = steps.at(-1);
        if (!last || last.step !== entry.step) steps.push((last = { step: entry.step, at: entry.at, rows: [] }));
        const before = last.rows.at(-1);
        if (entry.kind !== 'decision') last.rows.push({ seq: entry.seq, entry });
        else if (before?.decisions) before.decisions.push(entry);
        else last.rows.push({ seq: entry.seq, decisions: [entry] });
    }
    return steps;
}

const over = new Set(['done']);

/** The questions that people have answered about calls, by call: a call that they let run names none any more. */
export function questionsOf(entries: Entry[]): Map<string, string> {
    const found = new Map<string, string>();
    for (const { kind, call, data } of entries) if (kind === 'decision' && call && typeof data?.['questionId'] === 'string') found.set(call.id, data['questionId']);
    return found;
}

/** Whether something may still become of a call. */
export const isOpen = (call: RunCall | null | undefined): boolean => call !== null && call !== undefined && !over.has(call.state);

/** Behind which entry everything has to be read again: the last one, or the one before the first call that was not done. */
export function readFrom(entries: Entry[]): number {
    const first = entries.find(({ kind, call }) => kind === 'call' && isOpen(call));
    return first ? first.seq - 1 : (entries.at(-1)?.seq ?? 0);
}

/** What was here and what has come, each entry once, the newer reading of it. */
export function joined(before: Entry[], come: Entry[]): Entry[] {
    if (come.length === 0) return before;
    const first = come[0]!.seq;
    const last = come.at(-1)!.seq;
    const told = new Map(come.filter(({ kind, call }) => kind === 'result' && call).map(({ call }) => [call!.id, call!]));
    const kept = before.filter(({ seq }) => seq < first || seq > last);
    const all = [...kept.filter(({ seq }) => seq < first), ...come, ...kept.filter(({ seq }) => seq > last)];
    return told.size === 0 ? all : all.map((entry) => (entry.kind === 'call' && entry.call && told.has(entry.call.id) ? { ...entry, call: told.get(entry.call.id)! } : entry));
}

/** Arguments as a value: a model writes them as text, which may be no JSON. */
export function given(written: unknown): unknown {
    if (typeof written !== 'string') return written;
    try {
        return parse(written);
    } catch {
        return written;
    }
}

/** From where to where a summary tells what was said. */
export function condensedOf(entry: Entry): { from: number; to: number } | undefined {
    const data = entry.data as { from?: unknown; to?: unknown } | null;
    return typeof data?.from === 'number' && typeof data.to === 'number' ? { from: data.from, to: data.to } : undefined;
}

/** How long a call took, to the tenth of a second where that is much: 340 ms, 1.2 s, 26 s. */
export function brief(ms: number): string {
    if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
    return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : took(ms);
}

/** Tokens as a short figure: 950, 12.3 k, 1.2 M. */
export function tokens(n: number): string {
    if (n < 1000) return String(n);
    if (n < 100_000) return `${(n / 1000).toFixed(1).replace(/\.0$/, '')} k`;
    return n < 1_000_000 ? `${Math.round(n / 1000)} k` : `${(n / 1_000_000).toFixed(1).replace(/\.0$/, '')} M`;
}

/** Money, in whatever the operator's prices are in: 0.0042, 1.27. */
export function money(n: number): string {
    if (n === 0) return '0';
    return Math.abs(n) < 0.1 ? n.toPrecision(2).replace(/\.?0+$/, '') : thousands(Math.round(n * 100) / 100);
}

export type Figure = { what: 'steps' | 'tokens' | 'seconds' | 'money'; used: number; of: number | undefined; said: string; limit: string; missing?: boolean };

/** What is spent, of what: those that are counted, or have a limit. */
export function figures(run: Run, now: number): Figure[] {
    const ran = run.spent.seconds * 1000 + (run.beganAt && !run.endedAt ? Math.max(0, now - Date.parse(run.beganAt)) : 0);
    const used = run.spent.tokensIn + run.spent.tokensOut;
    const { steps, tokens: most, seconds, money: cost } = run.budget;
    const all: Figure[] = [
        { what: 'steps', used: run.step, of: steps ?? undefined, said: thousands(run.step), limit: steps ? thousands(steps) : '' },
        { what: 'tokens', used, of: most ?? undefined, said: tokens(used), limit: most ? tokens(most) : '', missing: run.spent.usageMissing > 0 },
        { what: 'seconds', used: ran / 1000, of: seconds ?? undefined, said: took(ran), limit: seconds ? took(seconds * 1000) : '' },
    ];
    if (cost || run.spent.money) all.push({ what: 'money', used: run.spent.money, of: cost ?? undefined, said: money(run.spent.money), limit: cost ? money(cost) : '' });
    return all;
}

/** The text of a result, where it is a text: `finish` hands in {result: "…"}. */
export function resultText(result: unknown): { text: string; rest: Array<[string, unknown]> } {
    if (typeof result === 'string') return { text: result, rest: [] };
    if (!isMap(result)) return { text: result === null || result === undefined ? '' : JSON.stringify(result, null, 2), rest: [] };
    const { result: text, ...rest } = result as Record<string, unknown>;
    const others = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
    return typeof text === 'string' ? { text, rest: others } : { text: '', rest: Object.entries(result) };
}
