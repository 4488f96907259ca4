// How questions went: the figures of a range, of the range before it, and of each of its parts.
import { before, stretches, type Range, type Stretch } from '../core/chart.ts';
import type { Gives } from '../core/op.ts';
import { learnServerTime, serverNow } from '../core/time.ts';
import { api, ops, stream } from './server.svelte.ts';

export type Report = Gives<typeof ops.analytics_get>;
export interface Part extends Stretch {
    report: Report;
}

const gather = 2000; // figures of a week do not change by the second
const telling = /^(question_(asked|answered|timeout|cancelled)|question|job\.ended|alert)$/;

/** What a report is about: a range of time, and of all or of one project, of all or of one agent. */
export interface Wish {
    range: Range;
    projectId?: string | undefined;
    agent?: string | undefined;
}

class Figures {
    whole = $state<Report>();
    past = $state<Report>();
    parts = $state<Part[]>([]);
    failure = $state<unknown>();
    #wish: Wish | undefined;
    #timer: ReturnType<typeof setTimeout> | undefined;
    #round = 0;
    #timed = false;

    constructor() {
        stream.feed(
            (happening) => {
                if (telling.test(happening.type)) this.#soon();
            },
            () => this.#soon(),
        );
    }

    #soon(): void {
        if (!this.#wish) return;
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            void this.load();
        }, gather);
    }

    /** A page shows these from here on. */
    show(wish: Wish): () => void {
        this.#wish = wish;
        this.parts = [];
        void this.load();
        return () => (this.#wish = undefined);
    }

    #read({ since, until }: Stretch, open = false): Promise<Report> {
        const { projectId, agent } = this.#wish ?? {};
        const query = { since: new Date(since).toISOString(), ...(open ? {} : { until: new Date(until).toISOString() }), ...(projectId ? { projectId } : {}), ...(agent ? { agent } : {}) };
        return api.call(ops.analytics_get, { query });
    }

    async load(): Promise<void> {
        if (!this.#wish) return;
        const round = ++this.#round;
        try {
            if (!this.#timed) learnServerTime((await api.call(ops.analytics_get, {})).until); // days end by the server's clock
            this.#timed = true;
            if (!this.#wish) return;
            const all = stretches(this.#wish.range, serverNow());
            const range = { since: all[0]!.since, until: all.at(-1)!.until };
            const [whole, past, ...reports] = await Promise.all([this.#read(range, true), this.#read(before(range)), ...all.map((one, i) => this.#read(one, i === all.length - 1))]);
            if (round !== this.#round) return; // somebody has chosen another range meanwhile
            this.whole = whole;
            this.past = past;
            this.parts = all.map((one, i) => ({ ...one, report: reports[i]! }));
            this.failure = undefined;
        } catch (why) {
            if (round === this.#round) this.failure = why;
        }
    }
}
export const figures = new Figures();
