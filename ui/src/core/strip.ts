// A job's time as one line: when it was at work, and when it waited for people.
import type { Question } from './api.gen.ts';
import { kindOf } from '../text/kinds.ts';

export interface Stretch {
    waits: boolean;
    since: number;
    until: number;
}

/** From beginning to end, without gaps; waits that overlap are one. What nobody waits for is no wait. */
export function strip(since: number, until: number, questions: Question[]): Stretch[] {
    const waits = questions
        .filter((question) => !kindOf(question.type).idle)
        .map((question) => ({ since: Math.max(since, Date.parse(question.createdAt)), until: Math.min(until, question.outcome ? Date.parse(question.outcome.at) : until) }))
        .filter((wait) => wait.until > wait.since)
        .sort((a, b) => a.since - b.since);
    const all: Stretch[] = [];
    let at = since;
    for (const wait of waits) {
        if (wait.until <= at) continue;
        if (wait.since > at) all.push({ waits: false, since: at, until: wait.since });
        const last = all.at(-1);
        if (last?.waits && wait.since <= at) last.until = wait.until;
        else all.push({ waits: true, since: Math.max(at, wait.since), until: wait.until });
        at = wait.until;
    }
    if (at < until) all.push({ waits: false, since: at, until });
    return all;
}

export const waited = (all: Stretch[]): number => all.filter((one) => one.waits).reduce((sum, one) => sum + one.until - one.since, 0);
