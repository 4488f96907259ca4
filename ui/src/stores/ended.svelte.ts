// What has ended, a page at a time, newest first. The questions themselves stand in their store, where events keep them; here
// is how far back they have been read.
import type { Question } from '../core/api.gen.ts';
import { queryOf, type End, type Filter } from '../core/inbox.ts';
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

    constructor() {
        stream.feed(
            () => {},
            () => this.#filter && void this.#read(this.#filter),
        );
    }

    /** A page shows these from here on. */
    show(filter: Filter): () => void {
        this.#filter = filter;
        this.loaded = false;
        this.#floor = '~';
        void this.#read(filter);
        return () => (this.#filter = undefined);
    }

    again(): void {
        if (this.#filter) void this.#read(this.#filter);
    }

    async older(): Promise<void> {
        if (this.#filter && this.more && !this.busy) await this.#read(this.#filter, this.more);
    }

    async #read(filter: Filter, cursor?: string): Promise<void> {
        const query = { status: filter.status as End, type: (filter.type || undefined) as Question['type'] | undefined, projectId: filter.project || undefined, agent: filter.agent || undefined, limit: pageSize, cursor };
        this.busy = true;
        try {
            const page = await api.call(ops.question_ended, { query });
            if (!this.#filter || queryOf(this.#filter) !== queryOf(filter)) return; // somebody looks at others by now
            for (const question of page.questions) questions.all.set(question.id, question);
            this.#floor = page.nextCursor ? page.questions.at(-1)!.id : '';
            this.more = page.nextCursor;
            this.failure = undefined;
            this.loaded = true;
        } catch (why) {
            this.failure = why;
        } finally {
            this.busy = false;
        }
    }

    /** Those of them that are known, down to where has been read. */
    of(status: string): Question[] {
        const found = [...questions.all.values()].filter((question) => question.status === status && question.id >= this.#floor);
        return found.sort((a, b) => (a.id < b.id ? 1 : -1));
    }
}
export const ended = new EndedQuestions();
