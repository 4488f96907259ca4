// What has ended, a page at a time, newest first. The questions themselves stand in their store, where events keep them; here
// is how far back they have been read.
import type { Question } from '../core/api.gen.ts';
import type { End, Filter } from '../core/inbox.ts';
import { Rounds } from '../core/rounds.ts';
import { questions } from './questions.svelte.ts';
import { api, ops, stream } from './server.svelte.ts';

const pageSize = 50;

class EndedQuestions {
    loaded = $state(false);
    failure = $state<unknown>();
    more = $state<string | null>(null);
    busy = $state(false);
    #floor = $state('~'); // the oldest id that has been read; above every id: none yet
    #filter: Filter | undefined;
    #anew = true; // from the newest on; else what comes after the oldest that has been read
    readonly #rounds = new Rounds(() => this.#read());

    constructor() {
        stream.feed(
            () => {},
            () => this.again(),
        );
    }

    /** A page shows these from here on. */
    show(filter: Filter): () => void {
        this.#filter = filter;
        this.loaded = false;
        this.#floor = '~';
        this.again();
        return () => (this.#filter = undefined);
    }

    again(): void {
        this.#anew = true;
        void this.#rounds.want();
    }

    async older(): Promise<void> {
        if (this.more && !this.busy) await this.#rounds.want();
    }

    async #read(): Promise<void> {
        const filter = this.#filter;
        const { loaded } = this;
        const anew = this.#anew;
        this.#anew = false;
        if (!filter) return;
        this.busy = true;
        try {
            // Anew, it is read down to where it had been read to: a list that somebody reads does not become shorter.
            for (let cursor = anew ? undefined : (this.more ?? undefined), deep = false; !deep; ) {
                const page = await this.#page(filter, cursor);
                if (this.#filter !== filter) return; // somebody looks at others by now
                const floor = page.nextCursor ? page.questions.at(-1)!.id : '';
                deep = !anew || !loaded || floor <= this.#floor;
                if (deep) [this.#floor, this.more] = [floor, page.nextCursor];
                cursor = page.nextCursor ?? undefined;
            }
            this.failure = undefined;
            this.loaded = true;
        } catch (why) {
            this.failure = why;
        } finally {
            this.busy = false;
        }
    }

    async #page(filter: Filter, cursor: string | undefined) {
        const query = { status: filter.status as End, type: (filter.type || undefined) as Question['type'] | undefined, projectId: filter.project || undefined, agent: filter.agent || undefined, limit: pageSize, cursor };
        const keep = questions.reads();
        const page = await api.call(ops.question_ended, { query });
        for (const question of page.questions) keep(question);
        return page;
    }

    /** Those of them that are known, down to where has been read. */
    of(status: string): Question[] {
        const found = [...questions.all.values()].filter((question) => question.status === status && question.id >= this.#floor);
        return found.sort((a, b) => (a.id < b.id ? 1 : -1));
    }
}
export const ended = new EndedQuestions();
