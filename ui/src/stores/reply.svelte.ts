// The answer that somebody is about to give to one question, wherever its form is shown.
import type { Question } from '../core/api.gen.ts';
import { actionOf } from '../core/wording.ts';
import { drafts } from './app.svelte.ts';
import { answers, type Given } from './answers.svelte.ts';
import { api, ops } from './server.svelte.ts';

export const other = '\u0000other';
const tellEvery = 20_000;

export class Reply {
    readonly question: Question;
    readonly proposed: string;
    choice = $state('');
    text = $state('');
    note = $state('');
    args = $state('');
    editing = $state(false);
    rejecting = $state(false);
    missing = $state(false);
    #told = 0;

    constructor(question: Question) {
        this.question = question;
        const action = actionOf(question);
        this.proposed = action?.args === undefined ? '' : JSON.stringify(action.args, null, 2);
        const draft = drafts.read(question.id);
        this.choice = draft.choice ?? '';
        this.text = draft.text ?? '';
        this.note = draft.note ?? '';
        this.args = draft.args ?? this.proposed;
        this.editing = draft.args !== undefined && draft.args !== this.proposed;
    }

    /** Keeps what was typed, and lets others see that somebody types. */
    typed(): void {
        this.missing = false;
        const draft = { choice: this.choice, text: this.text, note: this.note, ...(this.args === this.proposed ? {} : { args: this.args }) };
        drafts.write(this.question.id, draft);
        if (Date.now() - this.#told < tellEvery || this.question.status !== 'pending') return;
        this.#told = Date.now();
        void api.call(ops.question_draft, { path: { id: this.question.id } }).catch(() => {});
    }

    get argsGood(): boolean {
        try {
            JSON.parse(this.args);
            return true;
        } catch {
            return false;
        }
    }

    get changed(): boolean {
        return this.editing && this.args !== this.proposed;
    }

    #note(): { text?: string } {
        return this.note.trim() ? { text: this.note.trim() } : {};
    }

    decide(value: boolean, quick = false): void {
        const args = value && this.changed ? { args: JSON.parse(this.args) as unknown } : {};
        answers.give(this.question, { type: this.question.responseType, value, ...this.#note(), ...args }, { quick });
        this.rejecting = false;
    }

    approve(quick = false): void {
        if (!this.changed || this.argsGood) this.decide(true, quick);
    }

    choose(index: number): void {
        const option = this.question.options?.[index];
        if (!option) return;
        this.choice = option.id ?? String(option.value);
        this.typed();
    }

    /** Sends a choice or a text; says what is missing otherwise. */
    send(quick = false): void {
        const given = this.#given();
        this.missing = !given;
        if (given) answers.give(this.question, given, { quick });
    }

    #given(): Given | undefined {
        const { responseType } = this.question;
        if (responseType === 'text') return this.text.trim() ? { type: 'text', value: this.text.trim() } : undefined;
        if (this.choice === other) return this.text.trim() ? { type: 'choice', value: null, text: this.text.trim() } : undefined;
        const option = this.question.options?.find((one) => (one.id ?? String(one.value)) === this.choice);
        return option ? { type: 'choice', value: option.value ?? option.id, ...this.#note() } : undefined;
    }
}
