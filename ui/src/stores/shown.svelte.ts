// What was on screen to its end. Nobody says yes to what they have not been shown: a yes is taken only for a question whose end has been
// seen in this tab as it stands now. parts/End.svelte looks, and stands behind all that is decided about, wherever that is shown.
import { SvelteMap } from 'svelte/reactivity';
import type { Question } from '../core/api.gen.ts';
import { decidable } from '../core/inbox.ts';
import { session } from './server.svelte.ts';

const texts = new WeakMap<Question, string>();

/** All that a yes is given to. It may change while one looks: another approver changes the arguments. */
function meant(question: Question): string {
    let text = texts.get(question);
    if (text === undefined) texts.set(question, (text = JSON.stringify([question.question, question.action, question.approvedArgs])));
    return text;
}

class Shown {
    readonly #seen = new SvelteMap<string, string>();
    readonly #ends = new Map<string, HTMLElement>();

    #key(question: Question): string {
        return `${session.owner} ${question.id}`;
    }

    /** Its end is on screen. */
    saw(question: Question): void {
        this.#seen.set(this.#key(question), meant(question));
    }

    /** Whether a yes may be given to it. */
    has(question: Question): boolean {
        return !decidable(question) || this.#seen.get(this.#key(question)) === meant(question);
    }

    /** Whether it was seen before as something else: it has changed under whoever looks. */
    changed(question: Question): boolean {
        return this.#seen.has(this.#key(question)) && !this.has(question);
    }

    /** Where the end of a question is; gives back how to forget it. */
    ends(id: string, end: HTMLElement): () => void {
        this.#ends.set(id, end);
        return () => {
            if (this.#ends.get(id) === end) this.#ends.delete(id);
        };
    }

    /** Scrolls on by a screen, towards the end. Whoever is there already by the keyboard goes on from there. */
    lead(id: string): void {
        const end = this.#ends.get(id);
        const pane = end && scroller(end);
        if (!pane) return;
        const far = end.getBoundingClientRect().bottom - (pane === document.scrollingElement ? innerHeight : pane.getBoundingClientRect().bottom);
        pane.scrollBy({ top: Math.min(pane.clientHeight * 0.8, Math.max(far, 0) + pane.clientHeight * 0.3) });
    }

    focus(id: string): void {
        this.#ends.get(id)?.focus({ preventScroll: true });
    }
}

function scroller(element: HTMLElement): Element {
    for (let at = element.parentElement; at; at = at.parentElement)
        if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
    return document.scrollingElement ?? document.documentElement;
}

export const shown = new Shown();
