// The squad chat: what was said, and the prompts with their replies.
import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import type { Chat, Prompt } from '../core/api.gen.ts';
import { Gather } from '../core/gather.ts';
import type { EventFamily, Happening } from '../core/live.ts';
import { Newest } from '../core/newest.ts';
import type { Gives } from '../core/op.ts';
import { inOrder } from '../core/order.ts';
import { keyOf } from '../core/reading.ts';
import { api, ops, session, stream } from './server.svelte.ts';

const gather = 120;
const breath = 30;
const few = 40;
const bridge = 5; // pages that are read to join what was here before

function byTime(a: Chat, b: Chat): number {
    const [one, other] = [keyOf(a), keyOf(b)];
    return one < other ? -1 : one > other ? 1 : 0;
}

export interface Thread {
    prompt: Prompt;
    replies: Chat[];
}

class SquadChat {
    /** Oldest first, without replies: those stand in their prompt's thread. */
    messages = $state.raw<Chat[]>([]);
    readonly threads = new SvelteMap<string, Thread>();
    readonly open = $derived([...this.threads.values()].filter(({ prompt }) => isOpen(prompt)).sort((a, b) => inOrder(a.prompt.timeout_at, b.prompt.timeout_at)));
    loaded = $state(false);
    failure = $state<unknown>();
    more = $state<string | null>(null);
    #agents = $state.raw<string[]>([]);
    /** Whom somebody may want to call: those who have spoken, the latest first, then the agents that are known. */
    readonly names = $derived.by(() => {
        const last = new Map<string, string>();
        for (const { is_human, message_type, agent_name, created_at } of [...this.messages, ...[...this.threads.values()].flatMap(({ replies }) => replies)])
            if (!is_human && message_type !== 'system' && created_at > (last.get(agent_name) ?? '')) last.set(agent_name, created_at);
        return [...new Set([...[...last.keys()].sort((a, b) => inOrder(last.get(b)!, last.get(a)!)), ...this.#agents])];
    });
    /** Whether all is here that was there when the page was opened: what comes from then on is new. */
    current = $state(false);
    readonly #ids = new Set<string>();
    readonly #prompts = new Map<string, string>(); // of messages that belong to one
    readonly #newest = new Newest<string>();
    readonly #looks = new Map<string, Promise<void>>(); // prompts that are being read for the first time
    #shown = false;
    #shows = 0;
    // Another program may have written thousands at once.
    readonly #heard = new Gather<Chat>(breath, (those) => this.#add(those));
    readonly #wanted = new Gather<string>(gather, (ids) => {
        for (const id of ids) void this.look(id).catch(() => {});
    });

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => this.#reload(),
        );
    }

    // Much was missed: also a prompt may have ended, which the list does not show.
    #reload(): void {
        if (!this.#shown) return;
        for (const { prompt } of this.open) this.#wanted.add(prompt.id);
        void this.load();
    }

    #hear(happening: Happening): void {
        if (!this.#shown) return;
        if (happening.type === 'chat.message') this.#heard.add(happening as unknown as Chat);
        else if (happening.type === 'prompt.created') void this.need(String(happening['promptId'])).catch(() => {});
        else if (happening.type.startsWith('prompt.' satisfies EventFamily)) this.#wanted.add(String(happening['promptId']));
    }

    // A prompt is read once, and again when a reply to it comes that is not known; how it was resolved is told by its own event.
    // `read`: the prompts of these were read after them, and a reply that they do not show is no news.
    #add(those: Chat[], read = false): void {
        const fresh = those.filter((one) => !this.#ids.has(one.id));
        for (const { id, discussion_prompt_id: of, message_type } of those) {
            const thread = of ? this.threads.get(of) : undefined;
            if (of && !thread) void this.need(of).catch(() => {});
            else if (!read && of && message_type === 'discussion_response' && !this.#ids.has(id) && !thread?.replies.some((reply) => reply.id === id)) this.#wanted.add(of);
            this.#ids.add(id);
            if (of) this.#prompts.set(id, of);
        }
        const rows = fresh.filter((one) => one.message_type === 'discussion_prompt' || !one.discussion_prompt_id);
        if (rows.length > 0) this.messages = [...this.messages, ...rows].sort(byTime);
    }

    /** What shows a prompt or a message: a row by itself, or the prompt that it belongs to; none: it is not here. */
    shownBy(id: string): string | undefined {
        const of = this.#prompts.get(id) ?? id;
        return this.messages.some((one) => one.id === of || one.discussion_prompt_id === of) ? of : undefined;
    }

    /** Reads a prompt that is not here yet, or is being read. */
    need(id: string): Promise<void> {
        if (this.threads.has(id)) return Promise.resolve();
        let look = this.#looks.get(id);
        if (!look) {
            look = this.look(id).finally(() => this.#looks.delete(id));
            this.#looks.set(id, look);
        }
        return look;
    }

    async look(id: string): Promise<void> {
        const newest = this.#newest.begin();
        const { prompt, responses } = await api.call(ops.prompt_get, { path: { id } });
        if (newest(id)) this.threads.set(id, { prompt, replies: responses });
    }

    /** The page shows it from here on. What came since it was last shown is read first, and what is open then may have ended. */
    show(): () => void {
        this.#shown = true;
        this.#shows++;
        untrack(() => {
            for (const { prompt } of this.open) this.#wanted.add(prompt.id);
        });
        void this.load();
        void api
            .call(ops.agent_list, { query: { limit: 200 } })
            .then(({ agents }) => (this.#agents = agents.map(({ name }) => name)))
            .catch(() => {});
        return () => {
            this.#shown = this.current = false;
        };
    }

    async load(): Promise<void> {
        const of = this.#shows;
        try {
            const page = await api.call(ops.chat_list, { query: { limit: 100 } });
            const before = this.loaded && this.messages.length > 0;
            if (!this.loaded) await this.#threads(page.messages);
            const joins = !before || page.nextCursor === null || page.messages.some((one) => this.#ids.has(one.id));
            if (joins) this.#add(page.messages, !before);
            else await this.#bridge(page);
            if (!this.#placed) this.more = page.nextCursor;
            this.#placed = true;
            // Very long messages make short pages.
            for (let i = 0; i < 5 && !this.loaded && this.more && this.messages.length < few; i++) await this.older();
            this.loaded = true;
            this.current = this.#shown && of === this.#shows;
            this.failure = undefined;
        } catch (why) {
            this.failure = why;
        }
    }
    // It may be loaded once more while it is being loaded: the first to come says where the older ones begin.
    #placed = false;

    // More was said meanwhile than one page holds. What lies between is read, or, when it is very much, what was here before is let go
    // of: there must be no gap that nobody sees.
    async #bridge(page: Gives<typeof ops.chat_list>): Promise<void> {
        const between = [...page.messages];
        let next = page.nextCursor;
        for (let i = 0; i < bridge && next; i++) {
            const older: Gives<typeof ops.chat_list> = await api.call(ops.chat_list, { query: { limit: 100, cursor: next } });
            between.push(...older.messages);
            next = older.nextCursor;
            if (older.messages.some((one) => this.#ids.has(one.id))) return this.#add(between);
        }
        this.#ids.clear();
        this.messages = [];
        this.more = next;
        this.#add(between);
    }

    // The prompts of the last messages, so that these stand where they stay.
    async #threads(those: Chat[]): Promise<void> {
        const ids = new Set(those.slice(0, few).flatMap((one) => one.discussion_prompt_id ?? []));
        await Promise.all([...ids].map((id) => this.need(id).catch(() => {})));
    }

    async older(): Promise<void> {
        const from = this.more;
        if (!from) return;
        const page = await api.call(ops.chat_list, { query: { limit: 100, cursor: from } });
        this.#add(page.messages);
        if (this.more === from) this.more = page.nextCursor;
    }

    async say(message: string): Promise<void> {
        const { message: said } = await api.call(ops.chat_post, { body: { agent_name: session.name, is_human: true, message } });
        this.#add([said]);
    }

    async ask(message: string, required: number, minutes: number): Promise<void> {
        const { prompt, chat } = await api.call(ops.prompt_create, { body: { requester_agent: session.name, prompt_message: message, required_responses: required, timeout_minutes: minutes } });
        if (!this.threads.has(prompt.id)) this.threads.set(prompt.id, { prompt, replies: [] }); // an event may have been quicker
        this.#add([chat]);
    }

    async reply(id: string, message: string): Promise<void> {
        await api.call(ops.prompt_respond, { path: { id }, body: { agent_name: session.name, is_human: true, message } });
        await this.look(id);
    }

    async close(id: string, action: 'resolve' | 'cancel'): Promise<void> {
        await api.call(ops.prompt_close, { path: { id }, body: { action } });
        await this.look(id);
    }
}
export const chat = new SquadChat();

export const isOpen = (prompt: Prompt): boolean => prompt.status === 'pending' || prompt.status === 'collecting';
