// What waits for people and is no question of its own: open questions of projects, whose tasks stand still; prompts that
// mention whoever looks; turns that people owe discussions.
import type { Item } from '../core/api.gen.ts';
import { byDeadline } from '../core/inbox.ts';
import type { EventFamily, Happening } from '../core/live.ts';
import { Rounds } from '../core/rounds.ts';
import { learnServerTime } from '../core/time.ts';
import { api, ops, stream } from './server.svelte.ts';

const gather = 120;
const kinds = ['open_questions', 'prompt', 'turn'] as const;
type Kind = (typeof kinds)[number];

class Asked {
    #lists = $state.raw<Record<Kind, Item[]>>({ open_questions: [], prompt: [], turn: [] });
    /** Whether all kinds have been asked for. */
    tried = $state(false);
    /** All of it, what ends first first. */
    readonly all = $derived(kinds.flatMap((kind) => this.#lists[kind]).sort(byDeadline));
    /** The open sets of questions, of all projects. */
    readonly list = $derived(this.#lists.open_questions);
    readonly #rounds = { open_questions: this.#round('open_questions'), prompt: this.#round('prompt'), turn: this.#round('turn') };
    #wanted = new Set<Kind>();
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => kinds.forEach((kind) => this.#soon(kind)),
            () => void this.#look([...kinds]), // the list waits for it
        );
    }

    #hear(happening: Happening): void {
        const { type } = happening;
        if (type.startsWith('notification.' satisfies EventFamily) && happening['kind'] === 'open_question') this.#soon('open_questions');
        else if (type === 'prompt.created') String(happening['prompt_message']).includes('@') && this.#soon('prompt');
        else if (type === 'prompt.responded' || type === 'prompt.ended') this.#may('prompt', ({ id }) => id === happening['promptId']) && this.#soon('prompt');
        else if (type === 'turn.waiting') this.#soon('turn');
        else if (type === 'turn.finished' || type.startsWith('discussion.' satisfies EventFamily)) this.#turned(String(happening['discussionId']), type);
    }

    /** A discussion that is paused owes nobody a turn until it goes on. */
    #turned(id: string, type: Happening['type']): void {
        if (type === 'discussion.resumed' || this.#may('turn', (item) => item.discussionId === id)) this.#soon('turn');
    }

    // It is among those that are listed here, or may be among those that are on their way.
    #may(kind: Kind, it: (item: Item) => boolean): boolean {
        return this.#rounds[kind].busy || this.#lists[kind].some(it);
    }

    #soon(kind: Kind): void {
        this.#wanted.add(kind);
        this.#timer ??= setTimeout(() => {
            this.#timer = undefined;
            const wanted = [...this.#wanted];
            this.#wanted.clear();
            void this.#look(wanted);
        }, gather);
    }

    async #look(wanted: Kind[]): Promise<void> {
        await Promise.all(wanted.map((one) => this.#rounds[one].want()));
        if (wanted.length === kinds.length) this.tried = true;
    }

    #round(kind: Kind): Rounds {
        return new Rounds(() => this.#load(kind));
    }

    async #load(kind: Kind): Promise<void> {
        const reply = await api.call(ops.inbox_list, { query: { type: kind, limit: 200 } }).catch(() => undefined);
        if (!reply) return; // what is known stays; the next event tries again
        learnServerTime(reply.serverTime);
        this.#lists = { ...this.#lists, [kind]: reply.items };
    }

    of(id: string): Item | undefined {
        return this.all.find((item) => item.id === id);
    }
}
export const asked = new Asked();
