// The answer that somebody is about to give to one question, wherever its form is shown.
import { tick } from 'svelte';
import type { Question } from '../core/api.gen.ts';
import { parse } from '../core/exact.ts';
import { graceMs } from '../core/keymap.ts';
import { actionOf } from '../core/wording.ts';
import { t } from '../text/en.ts';
import { drafts, toasts } from './app.svelte.ts';
import { answers, type Given } from './answers.svelte.ts';
import { questions } from './questions.svelte.ts';
import { api, ops } from './server.svelte.ts';
import { shown } from './shown.svelte.ts';

export const other = '\u0000other';
const tellEvery = 20_000;

export class Reply {
    readonly question: Question;
    readonly proposed: string;
    /** The question as it is by now. */
    readonly now: Question = $derived.by(() => questions.all.get(this.question.id) ?? this.question);
    /** All that it is about was on screen, to its end: only then is a yes taken. */
    readonly shown: boolean = $derived(shown.has(this.now));
    choice = $state('');
    text = $state('');
    note = $state('');
    args = $state('');
    editing = $state(false);
    rejecting = $state(false);
    missing = $state(false);
    field: HTMLElement | undefined; // where words of one's own go
    argsField: HTMLElement | undefined;
    unfold: (() => void) | undefined; // where what is long is folded
    #told = 0;
    #led = -Infinity; // when a yes last came too early
    #followed = ''; // the arguments of another approver that are known here

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
        this.follow(question);
    }

    /** Another approver has changed the arguments: what is approved now is those, and they are shown as a change. */
    follow({ approvedArgs, status }: Question): void {
        const text = approvedArgs === null || status !== 'pending' ? '' : JSON.stringify(approvedArgs, null, 2);
        if (text === this.#followed) return;
        if (text && (!this.changed || this.args === this.#followed)) {
            this.args = text;
            this.editing = true;
        }
        this.#followed = text;
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
            parse(this.args);
            return true;
        } catch {
            return false;
        }
    }

    get changed(): boolean {
        return this.editing && this.args !== this.proposed;
    }

    /** Whether an answer would be taken: that changes while one looks, when somebody assigns it. Keys and buttons ask here. */
    get mayAnswer(): boolean {
        return this.now.you.mayAnswer;
    }

    /** Whether a yes would count. Who has approved and now changes the arguments approves something else. */
    get mayApprove(): boolean {
        return this.now.you.yesCounts || (this.now.you.bar === 'approved' && this.changed);
    }

    /** What stands in the way of the answer, or of a yes; '': nothing. */
    get bar(): string {
        return this.mayApprove ? '' : (this.now.you.reason ?? '');
    }

    #note(): { text?: string } {
        return this.note.trim() ? { text: this.note.trim() } : {};
    }

    // A yes to what was not on screen to its end leads on towards it. Who holds a key down to get there has not decided by that.
    #early(): boolean {
        const early = !this.shown || performance.now() - this.#led < graceMs;
        if (!early) return false;
        this.#led = performance.now();
        toasts.say(this.shown ? t.keys.early : t.question.notShown, 'alert');
        if (!this.shown) {
            this.unfold?.();
            void tick().then(() => shown.lead(this.question.id));
        }
        return true;
    }

    decide(value: boolean, quick = false): void {
        if (value ? !this.mayApprove : !this.mayAnswer) return;
        if (value && this.#early()) return;
        // Who wants it as it was proposed after all says so: nothing is what others have made of it meanwhile.
        const back = this.proposed !== '' && this.now.approvedArgs !== null && this.now.approvedArgs !== undefined;
        const args = value && (this.changed || back) ? { args: parse(this.changed ? this.args : this.proposed) } : {};
        answers.give(this.question, { type: this.question.responseType, value, ...this.#note(), ...args }, { quick });
        this.rejecting = false;
    }

    /** Leads to where words of one's own go, as soon as that is there. */
    write(): void {
        void tick().then(() => this.field?.focus());
    }

    edit(): void {
        this.editing = true;
        void tick().then(() => this.argsField?.focus());
    }

    get approvable(): boolean {
        return this.mayApprove && (!this.changed || this.argsGood);
    }

    approve(quick = false): void {
        if (this.approvable) this.decide(true, quick);
    }

    /** True when there is one of that number; after the last comes what is said in words of one's own. */
    choose(index: number): boolean {
        const { options, allowOther } = this.question;
        const option = options?.[index];
        if (!option && !(allowOther && index === (options?.length ?? 0))) return false;
        this.choice = option ? (option.id ?? String(option.value)) : other;
        this.typed();
        return true;
    }

    /** Nothing is missing from it. */
    get whole(): boolean {
        return this.#given() !== undefined;
    }

    /** Sends a choice or a text; says what is missing otherwise. */
    send(quick = false): void {
        if (!this.mayAnswer) return;
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
