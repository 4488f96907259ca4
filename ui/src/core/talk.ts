// What a discussion looks like: its rounds, who has spoken in them, what is being said, and how a vote went.
import type { Discussion, Entry } from './api.gen.ts';
import { hue } from './wording.ts';

/** A turn that is being spoken. */
export interface Spoken {
    turnId: string;
    speaker: string;
    kind: string;
    round: number;
}

export type Mark = 'said' | 'passed' | 'now' | 'todo';

export interface Round<S extends Spoken = Spoken> {
    number: number;
    entries: Entry[];
    spoken: S[];
    marks: Array<{ speaker: string; mark: Mark }>;
    said: number;
    passed: number;
}

/** Whether what is said is one of the contributions; how somebody votes, and how that is judged, is none. */
export const isAloud = ({ kind }: Pick<Spoken, 'kind'>): boolean => kind !== 'ballot' && kind !== 'judge';

/**
 * Who speaks, each once. What is said comes at once, the word that a turn has ended with the log, which may be behind: somebody may
 * begin anew here before they have come to an end.
 */
export const speakersOf = (spoken: Spoken[]): string[] => [...new Set(spoken.filter(isAloud).map(({ speaker }) => speaker))];

export const isPass = (entry: Entry): boolean => entry.metadata['pass'] === true || entry.metadata['skipped'] === true;

function marksOf(entries: Entry[], spoken: Spoken[], order: string[]): Round['marks'] {
    const turns = entries.filter((entry) => entry.turnIndex >= 0);
    return order.map((speaker) => {
        const theirs = turns.filter((entry) => entry.speaker === speaker);
        if (spoken.some((one) => one.speaker === speaker)) return { speaker, mark: 'now' };
        if (theirs.length === 0) return { speaker, mark: 'todo' };
        return { speaker, mark: theirs.every(isPass) ? 'passed' : 'said' };
    });
}

/** The rounds of a discussion, from the first to the last that there will be. */
export function rounds<S extends Spoken>(discussion: Discussion, entries: Entry[], spoken: S[], order: string[]): Array<Round<S>> {
    const ended = discussion.endedAt !== null;
    const reached = Math.max(1, discussion.round, ...entries.map((entry) => entry.roundNumber));
    const last = ended || discussion.mode === 'turns' ? reached : Math.max(reached, discussion.rounds);
    return Array.from({ length: last }, (_, i) => {
        const number = i + 1;
        const these = entries.filter((entry) => Math.max(1, entry.roundNumber) === number);
        const now = spoken.filter((one) => one.round === number && isAloud(one));
        const passed = these.filter(isPass).length;
        return { number, entries: these, spoken: now, marks: marksOf(these, now, order), said: these.length - passed, passed };
    });
}

const free = ['violet', 'teal', 'pink', 'amber', 'slate'];

/** A hue for each speaker, no two alike as long as there are enough. */
export function lanes(order: string[]): Record<string, string> {
    const given: Record<string, string> = {};
    const taken = new Set<string>();
    for (const name of order) {
        const own = hue(name);
        const got = taken.has(own) ? (free.find((one) => !taken.has(one)) ?? own) : own;
        given[name] = got;
        taken.add(got);
    }
    return given;
}

export interface Vote {
    rule: string;
    winner: string | null;
    tie: boolean;
    agreed: boolean;
    tally: Array<{ choice: string; points: number; share: number; won: boolean }>;
    dissent: Array<{ voter: string; choice: string; confidence: number | null }>;
}

/** The vote in a discussion's result, if there was one. */
export function voteOf(result: Record<string, unknown> | undefined): Vote | undefined {
    const vote = result?.['vote'] as (Omit<Vote, 'tally'> & { tally: Record<string, number> }) | undefined | null;
    if (!vote || typeof vote.tally !== 'object') return undefined;
    const all = Object.values(vote.tally).reduce((sum, points) => sum + points, 0);
    const tally = Object.entries(vote.tally)
        .map(([choice, points]) => ({ choice, points, share: all > 0 ? points / all : 0, won: choice === vote.winner }))
        .sort((a, b) => b.points - a.points);
    return { rule: vote.rule, winner: vote.winner, tie: vote.tie, agreed: vote.agreed, tally, dissent: vote.dissent ?? [] };
}

/** What happened at one moment: one entry, or, where all speak at once, one of each. */
export interface Moment {
    round: number;
    entries: Entry[];
}

/** A discussion as a sequence of moments. */
export function moments(mode: Discussion['mode'], entries: Entry[]): Moment[] {
    const all: Moment[] = [];
    for (const entry of entries) {
        const round = Math.max(1, entry.roundNumber);
        const last = all.at(-1);
        const together = mode === 'parallel' && entry.turnIndex >= 0 && last?.round === round && last.entries.every((other) => other.turnIndex >= 0 && other.speaker !== entry.speaker);
        if (together) last!.entries.push(entry);
        else all.push({ round, entries: [entry] });
    }
    return all;
}

/** How many words were said. */
export const wordsIn = (text: string): number => text.split(/\s+/).filter(Boolean).length;
