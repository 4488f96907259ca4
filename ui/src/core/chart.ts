// Figures over time: the stretches of a range, and a scale that people can read.
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export const ranges = ['day', 'week', 'month'] as const;
export type Range = (typeof ranges)[number];

export interface Stretch {
    since: number;
    until: number;
}

function midnight(at: number, daysBack: number): number {
    const date = new Date(at);
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBack).getTime();
}

/** The parts of a range up to now: 8 of three hours, 7 days, or 10 of three days. Days begin at midnight here. */
export function stretches(range: Range, now: number): Stretch[] {
    if (range === 'day') return Array.from({ length: 8 }, (_, i) => ({ since: now - (8 - i) * 3 * hour, until: now - (7 - i) * 3 * hour }));
    const [count, days] = range === 'week' ? [7, 1] : [10, 3];
    return Array.from({ length: count }, (_, i) => {
        const since = midnight(now, (count - i) * days - 1);
        return { since, until: i === count - 1 ? now : midnight(now, (count - i - 1) * days - 1) };
    });
}

/** The same length of time before a range. */
export const before = ({ since, until }: Stretch): Stretch => ({ since: since - (until - since), until: since });

const steps = [1000, 5000, 15_000, 30_000, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day];

/** From nought to at least `most` in four or five even steps that people use. */
export function scale(most: number): number[] {
    const step = steps.find((one) => one * 5 >= most) ?? Math.ceil(most / 5 / day) * day;
    const count = Math.max(2, Math.ceil(most / step));
    return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** A length of time as a figure and its unit: ["2:14", "min"], ["26", "s"], ["2:10", "h"]. */
export function figure(ms: number): [string, string] {
    const two = (n: number) => String(n).padStart(2, '0');
    const seconds = Math.round(ms / 1000);
    if (seconds < 60) return [String(seconds), 's'];
    if (seconds < 3600) return [`${Math.floor(seconds / 60)}:${two(seconds % 60)}`, 'min'];
    const minutes = Math.round(ms / minute);
    if (minutes < 48 * 60) return [`${Math.floor(minutes / 60)}:${two(minutes % 60)}`, 'h'];
    return [(ms / day).toFixed(1), 'days'];
}

export const spell = (ms: number) => figure(ms).join(' ');

/** A mark of a scale: 30 s, 5 min, 2 h, 3 days. */
export function mark(ms: number): string {
    const [count, unit] = ms >= 2 * day ? [ms / day, 'days'] : ms >= hour ? [ms / hour, 'h'] : ms >= minute ? [ms / minute, 'min'] : [ms / 1000, 's'];
    return ms === 0 ? '0' : `${Math.round(count * 10) / 10} ${unit}`;
}

export interface Point {
    x: number;
    y: number;
}

/** Lines through what is known; where nothing is, a line ends and the next begins. Points alone are dots. */
export function lines(values: Array<number | null>, most: number): { paths: Point[][]; dots: Point[] } {
    const paths: Point[][] = [];
    let run: Point[] = [];
    const last = Math.max(1, values.length - 1);
    for (const [i, value] of [...values, null].entries()) {
        if (value !== null) run.push({ x: i / last, y: 1 - value / most });
        else if (run.length > 0) {
            paths.push(run);
            run = [];
        }
    }
    return { paths: paths.filter((path) => path.length > 1), dots: paths.filter((path) => path.length === 1).map((path) => path[0]!) };
}
