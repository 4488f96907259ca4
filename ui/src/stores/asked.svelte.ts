// What agents of projects have asked in what they handed in: their tasks stand still until somebody answers.
import type { Item } from '../core/api.gen.ts';
import { learnServerTime } from '../core/time.ts';
import { api, ops, stream } from './server.svelte.ts';

const gather = 120;

class Asked {
    /** The open sets of questions, of all projects. */
    list = $state.raw<Item[]>([]);
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor() {
        stream.feed(
            (happening) => {
                if (happening.type.startsWith('notification.') && happening['kind'] === 'open_question') this.#soon();
            },
            () => this.#soon(),
        );
    }

    #soon(): void {
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            void this.load();
        }, gather);
    }

    async load(): Promise<void> {
        const reply = await api.call(ops.inbox_list, { query: { type: 'open_questions', limit: 200 } }).catch(() => undefined);
        if (!reply) return; // what is known stays; the next event tries again
        learnServerTime(reply.serverTime);
        this.list = reply.items;
    }
}
export const asked = new Asked();
