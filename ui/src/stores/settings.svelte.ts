// What the settings show: each is one list, loaded while a page shows it, and again when an event says that it has changed.
import type { Agent, EventType, Template, Token, Wording } from '../core/api.gen.ts';
import { Gather } from '../core/gather.ts';
import type { Gives } from '../core/op.ts';
import { inOrder } from '../core/order.ts';
import { Rounds } from '../core/rounds.ts';
import { all as everyProject } from './projects.svelte.ts';
import { api, ops, session, stream } from './server.svelte.ts';

const gather = 120;

export class Listed<T> {
    all = $state.raw<T>();
    failure = $state.raw<unknown>();
    readonly #fetch: () => Promise<T>;
    readonly #soon = new Gather<string>(gather, () => void this.load());
    readonly #rounds = new Rounds(() => this.#load());
    #shown = 0;

    constructor(fetch: () => Promise<T>, ...types: EventType[]) {
        this.#fetch = fetch;
        stream.feed(
            ({ type }) => {
                if (this.#shown > 0 && types.includes(type)) this.#soon.add(type);
            },
            () => this.#shown > 0 && void this.load(),
        );
    }

    /** A page shows it from here on. */
    show(): () => void {
        this.#shown++;
        void this.load();
        return () => this.#shown--;
    }

    /** Done when it shows what there is by now. */
    load(): Promise<void> {
        return this.#rounds.want();
    }

    async #load(): Promise<void> {
        try {
            this.all = await this.#fetch();
            this.failure = undefined;
        } catch (why) {
            this.failure = why;
        }
    }
}

export type User = Gives<typeof ops.user_list>['users'][number];
export type Models = Gives<typeof ops.model_list>;
export type Workspace = Gives<typeof ops.workspace_get>;

async function everyUser(): Promise<User[]> {
    const users: User[] = [];
    await api.pages(ops.user_list, { query: { limit: 200 } }, (page) => users.push(...page.users));
    return users;
}

async function everyToken(): Promise<Token[]> {
    const tokens: Token[] = [];
    await api.pages(ops.token_list, { query: { limit: 200 } }, (page) => tokens.push(...page.tokens));
    const over = (token: Token) => (token.revokedAt ? 1 : 0);
    return tokens.sort((a, b) => over(a) - over(b) || inOrder(b.createdAt, a.createdAt));
}

async function everyAgent(): Promise<{ agents: Agent[]; models: Models }> {
    const agents: Agent[] = [];
    await api.pages(ops.agent_list, { query: { limit: 200 } }, (page) => agents.push(...page.agents));
    return { agents, models: await api.call(ops.model_list, {}) };
}

async function everyTemplate(): Promise<Template[]> {
    const templates: Template[] = [];
    await api.pages(ops.template_list, { query: { limit: 200 } }, (page) => templates.push(...page.templates));
    return templates;
}

const everyWording = async (): Promise<Wording[]> => (await api.call(ops.wording_list, {})).wordings;

export const people = new Listed(everyUser, 'user.changed');
export const tokens = new Listed(everyToken, 'token.changed');
export const agents = new Listed(everyAgent, 'agent.changed');
export const templates = new Listed(everyTemplate, 'template.changed');
export const wordings = new Listed(everyWording);
export const levels = new Listed(everyProject);
export const workspace = new Listed<Workspace>(() => api.call(ops.workspace_get, { path: { id: session.me?.workspace.id ?? '' } }), 'workspace.changed');
