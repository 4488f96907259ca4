// What needs whoever looks, on every page: the one list, and the one number, of the bar, the title, the badge, the rail and the
// inbox's heading.
import { byDeadline, decidable, isQuestion, needsYou, snoozed, type Entry } from '../core/inbox.ts';
import { serverNow } from '../core/time.ts';
import { answers } from './answers.svelte.ts';
import { ticker } from './app.svelte.ts';
import { asked } from './asked.svelte.ts';
import { questions } from './questions.svelte.ts';

/** The server's time, to be asked for only by what depends on it. */
export const now = (): number => serverNow(ticker.now);

class Needs {
    /** The most urgent first; not what has just been answered, nor what has an answer that waits for the server. */
    readonly all = $derived<Entry[]>([...questions.open, ...asked.all].filter((entry) => needsYou(entry, now) && answers.held[entry.id] === undefined && !answers.isKept(entry.id)).sort(byDeadline));
    readonly count = $derived(this.all.length);
    readonly approvals = $derived(this.all.filter((entry) => isQuestion(entry) && decidable(entry)).length);
    /** What is snoozed, and until when. */
    readonly asleep = $derived(new Map(questions.open.flatMap((question) => {
        const until = snoozed(question, now);
        return until ? [[question.id, until] as const] : [];
    })));
    /** Told of each whose time has come again by itself. */
    onwake: (id: string) => void = () => {};
    #before: ReadonlyMap<string, number> = new Map();

    /** Looks for those that have woken since the last time. */
    look(): void {
        for (const [id, until] of this.#before) if (until <= now() && !this.asleep.has(id)) this.onwake(id);
        this.#before = this.asleep;
    }
}
export const needs = new Needs();
