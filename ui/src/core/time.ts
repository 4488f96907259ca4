// Times as people say them. The clock is the server's: this machine's, moved by what the server's differs. Dates are written
// here and not by Intl: its first use holds a page up for longer than a whole list takes to draw (see order.ts).
let offset = 0; // the server's time minus ours, in milliseconds

/** Tells whether the clock moved. A reply is under way for a while, so a little less or more is no news. */
export function learnServerTime(serverTime: string, here = Date.now()): boolean {
    const there = Date.parse(serverTime);
    if (!Number.isFinite(there) || Math.abs(there - here - offset) < 250) return false;
    offset = there - here;
    return true;
}

export function serverNow(here = Date.now()): number {
    return here + offset;
}

export type Level = 'calm' | 'soon' | 'last' | 'over';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How pressing a deadline is. */
export function level(leftMs: number): Level {
    if (leftMs <= 0) return 'over';
    if (leftMs < minute) return 'last';
    return leftMs < 5 * minute ? 'soon' : 'calm';
}

const two = (n: number) => String(n).padStart(2, '0');

/** Time left as a short figure: 3:41, 48 min, 2 h 10 min, 3 days. */
export function left(ms: number): string {
    const rest = Math.max(0, ms);
    if (rest < 30 * minute) {
        const seconds = Math.ceil(rest / second);
        return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
    }
    const minutes = Math.round(rest / minute);
    if (minutes < 60) return `${minutes} min`;
    if (rest < day) {
        const odd = minutes % 60;
        return odd === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${odd} min`;
    }
    const days = Math.round(rest / day);
    return days === 1 ? '1 day' : `${days} days`;
}

/** How long ago: just now, 3 min ago, 2 h ago, 3 days ago, then the date. */
export function ago(then: number, now: number): string {
    const past = Math.max(0, now - then);
    if (past < 10 * second) return 'just now';
    if (past < minute) return `${Math.floor(past / second)} s ago`;
    if (past < hour) return `${Math.floor(past / minute)} min ago`;
    if (past < day) return `${Math.floor(past / hour)} h ago`;
    if (past < 7 * day) return past < 2 * day ? 'yesterday' : `${Math.floor(past / day)} days ago`;
    return date(then);
}

/** How long something took: 26 s, 6 min, 2 h 10 min. */
export function took(ms: number): string {
    if (ms < minute) return `${Math.max(0, Math.round(ms / second))} s`;
    return ms < hour ? `${Math.round(ms / minute)} min` : left(ms);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The day of the week: Fri. */
export const weekday = (at: number): string => weekdays[new Date(at).getDay()]!;

/** A day of this year: Jan 2. */
export function dayOf(at: number): string {
    const day = new Date(at);
    return `${months[day.getMonth()]} ${day.getDate()}`;
}

/** A day of any year: Jan 2, 2026. */
export const date = (at: number): string => `${dayOf(at)}, ${new Date(at).getFullYear()}`;

/** The time of day: 12:05. */
export function timeOf(at: number): string {
    const time = new Date(at);
    return `${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** The same to the second: 12:05:09. */
export const secondOf = (at: number): string => `${timeOf(at)}:${two(new Date(at).getSeconds())}`;

/** The time of day; with the date when it is not today. */
export function clock(at: number, now: number): string {
    const same = new Date(at).toDateString() === new Date(now).toDateString();
    return same ? timeOf(at) : `${dayOf(at)}, ${timeOf(at)}`;
}

/** The whole of it, for those who want to know exactly. */
export const exact = (at: number): string => `${date(at)}, ${secondOf(at)}`;

export type Due = 'soon' | 'today' | 'later' | 'none';

/** In which group of a list a deadline stands. */
export function due(timeoutAt: string | null, now: number): Due {
    if (!timeoutAt) return 'none';
    const rest = Date.parse(timeoutAt) - now;
    if (rest < 5 * minute) return 'soon';
    return rest < day ? 'today' : 'later';
}

/** When a countdown is spoken: at five minutes, at one minute, and at the end; '' otherwise. */
export function spoken(before: number, now: number): string {
    for (const [mark, words] of [
        [0, 'Time is up'],
        [minute, 'One minute left'],
        [5 * minute, 'Five minutes left'],
    ] as const)
        if (before > mark && now <= mark) return words;
    return '';
}
