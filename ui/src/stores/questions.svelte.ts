// The questions: those that wait, and those that were looked at. Fed by events; loaded anew when some were lost.
import { SvelteMap } from 'svelte/reactivity';
import { Refused } from '../core/api.ts';
import type { Question } from '../core/api.gen.ts';
import { Gather } from '../core/gather.ts';
import { byDeadline, decidable } from '../core/inbox.ts';
import type { EventFamily, Happening } from '../core/live.ts';
import { Newest } from '../core/newest.ts';
import { Rounds } from '../core/rounds.ts';
import { learnServerTime, serverNow } from '../core/time.ts';
import { ticker } from './app.svelte.ts';
import { api, ops, session, stream } from './server.svelte.ts';
import { kindOf } from '../text/kinds.ts';

const fewEnough = 8; // as many are asked for one by one; more come with the list
const gather = 60;

class Questions {
    readonly all = new SvelteMap<string, Question>();
    loaded = $state(false);
    failure = $state<unknown>();
    readonly open = $derived([...this.all.values()].filter((question) => question.status === 'pending').sort(byDeadline));
    /** What a yes or a no ends. An approval that is answered in words or by a choice is a question like others. */
    readonly approvals = $derived(this.open.filter(decidable));
    /** What an agent stands still for. */
    readonly blocking = $derived(this.open.filter((question) => !kindOf(question.type).idle));
    readonly #byJob = $derived(new Map([...this.all.values()].map((question) => [question.jobId, question])));
    readonly #wanted = new Gather<string>(gather, (ids) => {
        if (ids.length > fewEnough && ids.some((id) => !this.all.has(id))) {
            for (const id of ids) this.#fresh.delete(id); // so many at once open nothing
            void this.load();
        } else for (const id of ids) void this.#look(id);
    });
    readonly #newest = new Newest<string>();
    readonly #rounds = new Rounds(() => this.#load());
    readonly #fresh = new Set<string>(); // asked just now, and not looked at yet
    /** Told of each question that has just been asked. */
    onasked: (question: Question) => void = () => {};

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => void this.load(),
        );
    }

    /** Loads all that is open. */
    load(): Promise<void> {
        return this.#rounds.want();
    }

    async #load(): Promise<void> {
        const workspaceId = session.me?.workspace.id;
        if (!workspaceId) return;
        const found = new Set<string>();
        const keep = this.reads();
        try {
            await api.pages(
                ops.question_pending,
                { query: { workspaceId, sort: 'deadline', limit: 200 } },
                (page) => {
                    if (learnServerTime(page.serverTime)) ticker.look();
                    for (const question of page.questions) {
                        found.add(question.id);
                        keep(question);
                    }
                },
            );
        } catch (why) {
            this.failure = why;
            return;
        }
        // What was open here and is not any more has ended meanwhile.
        for (const question of this.all.values()) if (question.status === 'pending' && !found.has(question.id)) this.#wanted.add(question.id);
        this.failure = undefined;
        this.loaded = true;
    }

    /** A read begins: what it brings is kept, unless a later one was quicker. One that says what it said before is not drawn anew. */
    reads(): (question: Question) => void {
        const newest = this.#newest.begin();
        return (question) => {
            const known = this.all.get(question.id);
            if (newest(question.id) && JSON.stringify(known) !== JSON.stringify(question)) this.all.set(question.id, question);
        };
    }

    // Something has ended it; a reply from before must not open it again.
    #change(known: Question, changes: Partial<Question>): void {
        this.#newest.told(known.id);
        this.all.set(known.id, { ...known, ...changes });
    }

    /** One question, whether it is open or not; undefined when it is not there. */
    async fetch(id: string): Promise<Question | undefined> {
        const keep = this.reads();
        try {
            const { question } = await api.call(ops.question_get, { path: { id } });
            keep(question);
            return question;
        } catch (why) {
            if (!(why instanceof Refused) || (why.status !== 404 && why.status !== 400 && why.status !== 422)) throw why;
            this.all.delete(id);
            return undefined;
        }
    }

    /** One that was told of elsewhere; what is known already may be newer. */
    learn(question: Question): void {
        if (!this.all.has(question.id)) this.all.set(question.id, question);
    }

    async #look(id: string): Promise<void> {
        const fresh = this.#fresh.delete(id);
        const question = await this.fetch(id).catch(() => undefined);
        if (fresh && question?.status === 'pending') this.onasked(question);
    }

    #hear(happening: Happening): void {
        if (!happening.type.startsWith('question_' satisfies EventFamily)) return;
        const id = String(happening['questionId']);
        const known = this.all.get(id);
        if (happening.type === 'question_draft' && known) {
            this.all.set(id, { ...known, draft: { by: String(happening['by'] ?? ''), at: happening.at } });
            return;
        }
        if (happening.type === 'question_answered' && known)
            this.#change(known, {
                status: 'answered',
                response: happening['response'] as Question['response'],
                outcome: happening['outcome'] as Question['outcome'],
            });
        if (happening.type === 'question_cancelled' && known) this.#change(known, { status: 'cancelled' });
        // What is given to somebody is to them as if it had just been asked.
        if (happening.type === 'question_asked' || happening.type === 'question_assigned') this.#fresh.add(id);
        this.#wanted.add(id);
    }

    /** It has just been answered here; the rest is told by an event. */
    settle(id: string): void {
        const known = this.all.get(id);
        if (known?.status === 'pending') this.#change(known, { status: 'answered' });
    }

    /** An answer was refused, and with what: if it has ended, that says how. Who came by a link is not told otherwise. */
    lost(id: string, { status, winner }: Record<string, unknown>): void {
        const known = this.all.get(id);
        const won = winner as (NonNullable<Question['outcome']> & Pick<Question, 'response'>) | undefined;
        if (known?.status === 'pending' && won) this.#change(known, { status: status as Question['status'], outcome: won, response: won.response });
    }

    /** The question that a job was made for. */
    of(jobId: string): Question | undefined {
        return this.#byJob.get(jobId);
    }

    left(question: { timeoutAt: string | null }, here?: number): number {
        return question.timeoutAt ? Date.parse(question.timeoutAt) - serverNow(here) : Infinity;
    }
}
export const questions = new Questions();
