// The squad chat: what was said, and the prompts with their replies.
import { SvelteMap } from 'svelte/reactivity';
import type { Chat, Prompt } from '../core/api.gen.ts';
import { Gather } from '../core/gather.ts';
import type { Happening } from '../core/live.ts';
import { Newest } from '../core/newest.ts';
import { inOrder } from '../core/order.ts';
import { api, ops, session, stream } from './server.svelte.ts';

const gather = 120;
const breath = 30;
const few = 40;

function byTime(a: Chat, b: Chat): number {
    const [one, other] = [a.created_at + a.id, b.created_at + b.id];
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
    readonly names = $derived([...new Set([...this.messages.filter((one) => !one.is_human && one.message_type !== 'system').map((one) => one.agent_name).reverse(), ...this.#agents])]);
    readonly #ids = new Set<string>();
    readonly #newest = new Newest<string>();
    #shown = false;
    #began = false;
    // Another program may have written thousands at once.
    readonly #heard = new Gather<Chat>(breath, (those) => this.#add(those));
    readonly #wanted = new Gather<string>(gather, (ids) => {
        for (const id of ids) void this.look(id).catch(() => {});
    });

    constructor() {
        stream.feed(
            (happening) => this.#hear(happening),
            () => this.#shown && void this.load(),
        );
    }

    #hear(happening: Happening): void {
        if (!this.#shown) return;
        if (happening.type === 'chat.message') this.#heard.add(happening as unknown as Chat);
        if (happening.type.startsWith('prompt.')) this.#wanted.add(String(happening['promptId']));
    }

    #add(those: Chat[]): void {
        for (const one of those) if (one.discussion_prompt_id) this.#wanted.add(one.discussion_prompt_id);
        const known = this.#ids;
        const fresh = those.filter((one) => !known.has(one.id) && (one.message_type === 'discussion_prompt' || !one.discussion_prompt_id));
        if (fresh.length === 0) return;
        for (const one of fresh) known.add(one.id);
        this.messages = [...this.messages, ...fresh].sort(byTime);
    }

    async look(id: string): Promise<void> {
        const newest = this.#newest.begin();
        const { prompt, responses } = await api.call(ops.prompt_get, { path: { id } });
        if (newest(id)) this.threads.set(id, { prompt, replies: responses });
    }

    /** The page shows it from here on. */
    show(): () => void {
        this.#shown = true;
        void this.load();
        void api
            .call(ops.agent_list, { query: { limit: 200 } })
            .then(({ agents }) => (this.#agents = agents.map(({ name }) => name)))
            .catch(() => {});
        return () => (this.#shown = false);
    }

    async load(): Promise<void> {
        try {
            const page = await api.call(ops.chat_list, { query: { limit: 100 } });
            if (!this.loaded) await this.#threads(page.messages);
            this.#add(page.messages);
            // It may be loaded once more while it is being loaded: the first to come says where the older ones begin.
            if (!this.#began) this.more = page.nextCursor;
            this.#began = true;
            // Very long messages make short pages.
            for (let i = 0; i < 5 && !this.loaded && this.more && this.messages.length < few; i++) await this.older();
            this.loaded = true;
            this.failure = undefined;
        } catch (why) {
            this.failure = why;
        }
    }

    // The prompts of the last messages, so that these stand where they stay.
    async #threads(those: Chat[]): Promise<void> {
        const ids = new Set(those.slice(0, few).flatMap((one) => one.discussion_prompt_id ?? []));
        await Promise.all([...ids].map((id) => this.look(id).catch(() => {})));
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
