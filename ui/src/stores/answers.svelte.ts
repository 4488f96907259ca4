// Answers on their way. Every answer goes through the outbox, so that one that is given just before the page is
// closed or the network goes is sent all the same, and once.
import { tick } from 'svelte';
import { Refused, sentence } from '../core/api.ts';
import type { EventType, Question } from '../core/api.gen.ts';
import type { Happening } from '../core/live.ts';
import type { Gives } from '../core/op.ts';
import { Outbox, type Parcel, type Sent } from '../core/outbox.ts';
import { locks, uuid } from '../core/plain.ts';
import { clock, serverNow } from '../core/time.ts';
import { answerText, headline } from '../core/wording.ts';
import { t } from '../text/en.ts';
import { drafts, keymap, kept, ticker, toasts, where } from './app.svelte.ts';
import { questions } from './questions.svelte.ts';
import { refusals } from './refusals.svelte.ts';
import { api, ops, session, stream } from './server.svelte.ts';
import { shown } from './shown.svelte.ts';
import { everywhere } from './still.svelte.ts';

const undoMs = 4000;
const noUndoUnder = 60_000;
const ending: EventType[] = ['question_answered', 'question_cancelled', 'question_timeout'];
const sendMs = 3000; // how long whoever logs out waits for what is under way

export type Given = { type: Question['responseType']; value: unknown; text?: string; args?: unknown };

type Reply = Gives<typeof ops.question_answer>;

class Answers {
    waiting = $state<Parcel[]>([]);
    /** Questions whose answer waits for its undo, or is under way. */
    held = $state<Record<string, 'undo' | 'sending'>>({});
    done = $state<Record<string, { text: string; at: number; counted?: boolean }>>({});
    #undo: (() => void) | undefined;
    #flushNow: (() => void) | undefined;
    #holds = ''; // the question whose answer waits for its undo
    readonly #outbox: Outbox<Reply>;
    #flushes = 0;

    constructor() {
        this.#outbox = new Outbox(kept, (parcel) => this.#send(parcel));
        this.#outbox.onchange = () => this.#look();
        this.#outbox.onsent = (sent) => this.#sent(sent);
        addEventListener('storage', () => this.#look());
        addEventListener('online', () => void this.flush());
        addEventListener('pagehide', () => this.#flushNow?.());
        keymap.add({
            z: () => {
                const undo = this.#undo;
                undo?.();
                return undo !== undefined;
            },
        });
    }

    #look(): void {
        this.waiting = this.#outbox.waiting.filter((parcel) => parcel.by === session.owner);
    }

    /** How many wait, whosever they are: who is here is not known while the server is away. */
    all(): number {
        return this.#outbox.waiting.length;
    }

    /** Somebody logs out: what they have given is sent, and nothing of theirs stays. False: not yet, they have to be told something. */
    async left(): Promise<boolean> {
        const told = refusals.list.length;
        this.#flushNow?.();
        await Promise.race([this.flush(), new Promise((over) => setTimeout(over, sendMs))]);
        if (refusals.list.length > told) return false;
        this.#outbox.forget(session.owner);
        refusals.left();
        drafts.clear();
        return true;
    }

    isKept(id: string): Parcel | undefined {
        return this.held[id] ? undefined : this.waiting.find((parcel) => parcel.questionId === id);
    }

    /** Gives an answer. By one key it can be taken back for a moment, unless little time is left. */
    give(question: Question, response: Given, { quick = false } = {}): void {
        if (!keymap.allows(question.id)) throw new Error('a key answers only what it has said it decides');
        if (this.held[question.id]) return; // once: a second one could only be refused
        const now = questions.all.get(question.id) ?? question;
        if (!now.you.mayAnswer) return toasts.say(now.you.reason ?? '', 'alert'); // no page offers it
        // Wherever it was pressed: what has not been shown to its end is not approved.
        if (response.value === true && !shown.has(now)) return toasts.say(t.question.notShown, 'alert');
        const label = answerText(question, response);
        const late = now.status !== 'pending';
        const parcel: Parcel = { key: uuid(), by: session.owner, questionId: question.id, response, label, title: headline(question), late, at: Date.now() };
        refusals.anew(question.id);
        everywhere.stir();
        this.#flushNow?.();
        if (quick && !late && questions.left(question) > noUndoUnder) this.#hold(parcel);
        else this.#post(parcel);
    }

    #hold(parcel: Parcel): void {
        ticker.look(); // or the first figure is that of up to a second ago
        const until = ticker.now + undoMs;
        this.held[parcel.questionId] = 'undo';
        this.#holds = parcel.questionId;
        const toast = toasts.add({ text: parcel.label, icon: 'check', until, undo: () => this.#undo?.() });
        const over = () => {
            clearTimeout(timer);
            toasts.drop(toast);
            this.#undo = this.#flushNow = undefined;
            this.#holds = '';
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
            void tick().then(() => back(parcel.questionId));
        };
    }

    #post(parcel: Parcel): void {
        this.held[parcel.questionId] = 'sending';
        this.#outbox.add(parcel);
        void this.flush();
    }

    async flush(): Promise<void> {
        this.#look();
        if (this.waiting.length === 0) return;
        const by = session.owner;
        // One tab at a time; a second would only send the same once more.
        this.#flushes++;
        await locks().request('witan-outbox', () => this.#outbox.flush(by));
        if (--this.#flushes > 0) return; // what was given meanwhile is still to be sent
        for (const id of Object.keys(this.held)) if (this.held[id] === 'sending') delete this.held[id];
    }

    hear(happening: Happening): void {
        const { type } = happening;
        const id = String(happening['questionId']);
        // Something has ended what an answer is being held for: it is not taken any more, and who gave it hears so at once.
        if (id === this.#holds && ending.includes(type)) this.#flushNow?.();
        if (type === 'question_approval') this.#recount(id, happening);
    }

    // Whoever approves with other arguments approves something else: those who had approved before do not count any more.
    #recount(id: string, { by, approvals }: Happening): void {
        const question = questions.all.get(id);
        if (!question || by === session.name || (approvals as { have?: number }).have !== 1) return;
        if (!question.approvals?.by.some((one) => one.id === session.me?.caller.id)) return;
        this.lost(question, { type: question.responseType, value: true }, t.refused.recount(t.by(String(by))), 'recount');
    }

    #send({ questionId, response, key }: Parcel): Promise<Reply> {
        return api.call(ops.question_answer, { path: { id: questionId }, body: { response: response as Given } }, { key });
    }

    #sent(sent: Sent<Reply>): void {
        const { parcel } = sent;
        delete this.held[parcel.questionId];
        if (sent.outcome === 'refused') this.#refused(parcel, sent.why);
        else this.#taken(parcel, sent.said);
        void questions.fetch(parcel.questionId).catch(() => {});
    }

    #taken(parcel: Parcel, { approvals }: Reply): void {
        if (approvals?.counted === false) {
            this.#lose(parcel, { why: approvals.why ?? '', code: 'uncounted' });
            return;
        }
        const counted = approvals !== undefined && approvals.have < approvals.need;
        this.done[parcel.questionId] = { text: parcel.label, at: Date.now(), counted };
        if (!counted) questions.settle(parcel.questionId);
        drafts.forget(parcel.questionId);
        toasts.say(counted ? t.toast.counted(parcel.label, approvals.have, approvals.need) : t.toast.sent(parcel.label));
    }

    #refused(parcel: Parcel, why: Refused): void {
        questions.lost(parcel.questionId, why.said);
        const kept = why.said['kept'] === true;
        // Who knew that it was late wanted it to be kept.
        if (parcel.late && kept) {
            drafts.forget(parcel.questionId);
            toasts.say(t.toast.keptLate, 'clock');
        } else this.#lose(parcel, { why: reasons[why.code]?.(kept) ?? sentence(why), code: why.code, kept });
    }

    #lose(parcel: Parcel, more: { why: string; code: string; kept?: boolean }): void {
        const { key: id, questionId, title, response } = parcel;
        const question = questions.all.get(questionId);
        refusals.add({ id, questionId, response, what: title ?? (question ? headline(question) : t.question.one), href: `/inbox/${questionId}`, mine: mineOf(parcel), ...more }, parcel.by);
    }

    /** Several were answered at once, and this one was not taken, or does not count. */
    lost(question: Question, response: Given, why: string, code: string): void {
        const { id: questionId } = question;
        this.#lose({ key: uuid(), by: session.owner, questionId, response, label: answerText(question, response), title: headline(question), at: Date.now() }, { why: reasons[code]?.(true) ?? why, code, kept: code === 'late' });
        void questions.fetch(questionId).catch(() => {});
    }

    /** Starts a job anew with the late answer that it is kept with. */
    async restart(id: string): Promise<void> {
        // Whether or not it was started now: somebody else may have been first.
        const { jobId } = await api.call(ops.question_restart, { path: { id } }).finally(() => void questions.fetch(id).catch(() => {}));
        refusals.anew(id);
        toasts.say(t.question.restarted);
        where.go(`/jobs/${jobId}`);
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

// Where the server's hint is for programs.
const reasons: Record<string, (kept: boolean) => string> = {
    late: (kept) => (kept ? t.refused.late : t.refused.lateFull),
    args_changed: () => t.refused.argsChanged,
};

// Whoever takes an answer back goes on with that question, and not with the one that had taken its place.
function back(id: string): void {
    if (where.place.page === 'inbox') where.go(`/inbox/${id}${where.query}`, { replace: true });
    document.getElementById(`approval-${id}`)?.focus();
}

function mineOf(parcel: Parcel): string {
    const { text, args } = parcel.response;
    const said = text && text !== parcel.label ? `${parcel.label}: “${text}”` : parcel.label;
    return args === undefined ? said : `${said} ${JSON.stringify(args)}`;
}

export const answers = new Answers();

stream.feed(
    (happening) => answers.hear(happening),
    () => void answers.flush(),
    () => void answers.flush(),
);
