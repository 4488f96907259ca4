// Answers on their way. Every answer goes through the outbox, so that one that is given just before the page is
// closed or the network goes is sent all the same, and once.
import { Refused, sentence } from '../core/api.ts';
import type { Question } from '../core/api.gen.ts';
import { Outbox, type Parcel, type Sent } from '../core/outbox.ts';
import { locks, uuid } from '../core/plain.ts';
import { clock, serverNow } from '../core/time.ts';
import { answerText } from '../core/wording.ts';
import { t } from '../text/en.ts';
import { drafts, keymap, kept, ticker, toasts } from './app.svelte.ts';
import { questions } from './questions.svelte.ts';
import { api, ops, session, stream } from './server.svelte.ts';

const undoMs = 4000;
const noUndoUnder = 60_000;

export type Given = { type: Question['responseType']; value: unknown; text?: string; args?: unknown };

/** What was not taken: somebody was faster, or time had run out. */
export interface Conflict {
    why: string;
    mine: string;
    late: boolean;
}

class Answers {
    waiting = $state<Parcel[]>([]);
    /** Questions whose answer waits for its undo, or is under way. */
    held = $state<Record<string, 'undo' | 'sending'>>({});
    conflicts = $state<Record<string, Conflict>>({});
    done = $state<Record<string, { text: string; at: number; counted?: boolean }>>({});
    #undo: (() => void) | undefined;
    #flushNow: (() => void) | undefined;
    readonly #outbox: Outbox;
    #flushes = 0;

    constructor() {
        this.#outbox = new Outbox(kept, (parcel) => this.#send(parcel));
        this.#outbox.onchange = () => this.#look();
        this.#outbox.onsent = (sent) => this.#sent(sent);
        addEventListener('storage', () => this.#look());
        addEventListener('online', () => this.flush());
        addEventListener('pagehide', () => this.#flushNow?.());
        keymap.add({ z: () => this.#undo?.() });
    }

    #look(): void {
        this.waiting = this.#outbox.waiting.filter((parcel) => parcel.by === session.owner);
    }

    /** How many wait, whosever they are: who is here is not known while the server is away. */
    all(): number {
        return this.#outbox.waiting.length;
    }

    /** Somebody logs out: nothing of theirs stays in this browser. */
    left(): void {
        this.#outbox.forget(session.owner);
        drafts.clear();
    }

    isKept(id: string): Parcel | undefined {
        return this.held[id] ? undefined : this.waiting.find((parcel) => parcel.questionId === id);
    }

    /** Gives an answer. By one key it can be taken back for a moment, unless little time is left. */
    give(question: Question, response: Given, { quick = false } = {}): void {
        const label = answerText(question, response);
        const parcel: Parcel = { key: uuid(), by: session.owner, questionId: question.id, response, label, at: Date.now() };
        delete this.conflicts[question.id];
        this.#flushNow?.();
        if (quick && questions.left(question) > noUndoUnder) this.#hold(parcel);
        else this.#post(parcel);
    }

    #hold(parcel: Parcel): void {
        const until = Date.now() + undoMs;
        this.held[parcel.questionId] = 'undo';
        const toast = toasts.add({ text: parcel.label, icon: 'check', until, undo: () => this.#undo?.() });
        const over = () => {
            clearTimeout(timer);
            toasts.drop(toast);
            this.#undo = this.#flushNow = undefined;
        };
        const timer = setTimeout(() => this.#flushNow?.(), undoMs);
        this.#flushNow = () => {
            over();
            this.#post(parcel);
        };
        this.#undo = () => {
            over();
            delete this.held[parcel.questionId];
            toasts.say(t.toast.undone);
        };
    }

    #post(parcel: Parcel): void {
        this.held[parcel.questionId] = 'sending';
        this.#outbox.add(parcel);
        this.flush();
    }

    flush(): void {
        this.#look();
        if (this.waiting.length === 0) return;
        const by = session.owner;
        // One tab at a time; a second would only send the same once more.
        this.#flushes++;
        void locks().request('witan-outbox', () => this.#outbox.flush(by)).then(() => {
            if (--this.#flushes > 0) return; // what was given meanwhile is still to be sent
            for (const id of Object.keys(this.held)) if (this.held[id] === 'sending') delete this.held[id];
        });
    }

    async #send(parcel: Parcel): Promise<void> {
        const said = await api.call(
            ops.question_answer,
            { path: { id: parcel.questionId }, body: { response: parcel.response as Given } },
            { key: parcel.key },
        );
        const counted = said.approvals !== undefined && said.approvals.have < said.approvals.need;
        this.done[parcel.questionId] = { text: parcel.label, at: Date.now(), counted };
        if (!counted) questions.settle(parcel.questionId);
    }

    #sent(sent: Sent): void {
        const { parcel } = sent;
        delete this.held[parcel.questionId];
        if (sent.outcome === 'sent') {
            drafts.forget(parcel.questionId);
            toasts.say(t.toast.sent(parcel.label));
        } else {
            this.lose(parcel.questionId, { why: sentence(sent.why), mine: mineOf(parcel), late: sent.why.code === 'timed_out' || sent.why.code.includes('late') });
        }
        void questions.fetch(parcel.questionId).catch(() => {});
    }

    /** An answer was not taken: why, and the words of whoever gave it, until they have seen enough of them. */
    lose(id: string, conflict: Conflict): void {
        this.conflicts[id] = conflict;
    }

    forget(id: string): void {
        delete this.conflicts[id];
        drafts.forget(id);
    }

    takeBack(key: string): void {
        this.#outbox.remove(key);
    }

    async extend(question: Question, minutes = 15): Promise<void> {
        try {
            const { timeoutAt } = await api.call(ops.question_extend, { path: { id: question.id }, body: { minutes } });
            if (timeoutAt) toasts.say(t.toast.extended(clock(Date.parse(timeoutAt), serverNow(ticker.now))), 'clock');
            await questions.fetch(question.id);
        } catch (why) {
            toasts.say(why instanceof Refused ? sentence(why) : t.failed.away, 'alert');
        }
    }

    async cancel(question: Question): Promise<void> {
        try {
            await api.call(ops.question_cancel, { path: { id: question.id }, body: {} });
            await questions.fetch(question.id);
        } catch (why) {
            toasts.say(sentence(why), 'alert');
        }
    }
}

function mineOf(parcel: Parcel): string {
    const said = parcel.response.text;
    return said && said !== parcel.label ? `${parcel.label}: “${said}”` : parcel.label;
}

export const answers = new Answers();

stream.feed(
    () => {},
    () => answers.flush(),
);
