// What the command palette finds: actions by their words, things by the server's search.

/** As the server folds words: small, without accents. */
export function fold(text: string): string {
    return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

const words = (text: string) => fold(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** Whether each word that was typed begins a word of the label. */
export function fits(label: string, typed: string): boolean {
    const among = words(label);
    return words(typed).every((word) => among.some((one) => one.startsWith(word)));
}

/** Whether there is anything to look for. */
export const asks = (typed: string): boolean => words(typed).length > 0;

export interface Hit {
    kind: string;
    id: string;
    projectId: string | null;
}

/** The page of a thing, if there is one. */
export function pathOf(hit: Hit): string | undefined {
    const id = encodeURIComponent(hit.id);
    switch (hit.kind) {
        case 'question':
            return `/inbox/${id}`;
        case 'job':
            return `/jobs/${id}`;
        case 'discussion':
            return `/discussions/${id}`;
        case 'project':
            return `/projects/${id}`;
        case 'task':
            return hit.projectId ? `/projects/${encodeURIComponent(hit.projectId)}` : undefined;
        case 'agent':
            return '/settings/agents';
        default:
            return undefined;
    }
}

/** Asks while somebody types: a moment after the last key, and only the last question's answer counts. */
export class Lookup<T> {
    readonly #ask: (typed: string, signal: AbortSignal) => Promise<T>;
    readonly #take: (found: T | undefined, why?: unknown) => void;
    readonly #pause: number;
    #timer: ReturnType<typeof setTimeout> | undefined;
    #under: AbortController | undefined;

    constructor(ask: (typed: string, signal: AbortSignal) => Promise<T>, take: (found: T | undefined, why?: unknown) => void, pause = 120) {
        this.#ask = ask;
        this.#take = take;
        this.#pause = pause;
    }

    /** Nothing to look for clears what was found. */
    type(typed: string): void {
        this.stop();
        if (!asks(typed)) this.#take(undefined);
        else this.#timer = setTimeout(() => void this.#run(typed), this.#pause);
    }

    stop(): void {
        clearTimeout(this.#timer);
        this.#under?.abort();
        this.#under = undefined;
    }

    async #run(typed: string): Promise<void> {
        const under = (this.#under = new AbortController());
        try {
            const found = await this.#ask(typed, under.signal);
            if (this.#under === under) this.#take(found);
        } catch (why) {
            if (this.#under === under) this.#take(undefined, why);
        }
    }
}
