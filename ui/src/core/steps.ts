// The steps of a job, as its reports of progress name them.
import type { Log } from './api.gen.ts';

export interface Step {
    name: string;
    since: string;
}

interface Progress {
    step?: unknown;
}

/** One more report: a step begins when another name is told than before. */
export function step(steps: Step[], progress: unknown, at: string): Step[] {
    const name = (progress as Progress | null)?.step;
    if (typeof name !== 'string' || name === '' || name === steps.at(-1)?.name) return steps;
    return [...steps, { name, since: at }];
}

/** The steps that the lines of a log tell of, from the first to the last. */
export const stepsOf = (lines: Log[]): Step[] => lines.reduce((steps, line) => (line.kind === 'progress' ? step(steps, line.data, line.at) : steps), [] as Step[]);
