// Answers that were not taken, whoever gave them wherever: a question's by the outbox, others by the form they were given in.
// Each stands on every page until it has been put away (parts/Refused.svelte), and is spoken once.
import { Refused, sentence } from '../core/api.ts';
import { uuid } from '../core/plain.ts';
import { Refusals, type Refusal } from '../core/refusals.ts';
import { t } from '../text/en.ts';
import { drafts, kept, speech } from './app.svelte.ts';
import { questions } from './questions.svelte.ts';
import { session } from './server.svelte.ts';

type Told = Omit<Refusal, 'id' | 'at' | 'why' | 'code'>;

/** No change of the words would mend it, nor would waiting; the form is often gone before anybody could read it there. */
const isFinal = (why: unknown) => why instanceof Refused && ([403, 404, 409, 410].includes(why.status) || (why.status === 400 && !why.field));

class RefusedAnswers {
    readonly #kept = new Refusals(kept);
    #changed = $state(0);
    readonly list: Refusal[] = $derived.by(() => (void this.#changed, this.#kept.of(session.owner)));

    constructor() {
        addEventListener('storage', ({ key }) => (key === null || key.startsWith(Refusals.key(''))) && this.#look());
        document.addEventListener('visibilitychange', () => this.speak());
    }

    #look(): void {
        this.#changed++;
        this.speak();
    }

    /** Of several tabs the one that is looked at speaks; it may not be the one that sent the answer. */
    speak(): void {
        if (document.visibilityState !== 'visible') return;
        const owner = session.owner;
        const untold = this.#kept.of(owner).filter((one) => !one.told);
        if (untold.length === 0) return;
        for (const { id } of untold) this.#kept.change(owner, id, { told: true });
        speech.say(untold.map((one) => `${t.refused.title(one.what, one.code)} ${one.why}`).join(' '));
        this.#changed++;
    }

    add(refusal: Omit<Refusal, 'at'>, owner = session.owner): void {
        this.#kept.add(owner, { ...refusal, at: Date.now() });
        this.#look();
    }

    of(questionId: string): Refusal | undefined {
        return this.list.find((one) => one.questionId === questionId);
    }

    /**
     * An answer that was given in a form came to nothing. True: a card says so. What is wrong with the words is for the form to
     * say, as long as it is there.
     */
    tell(why: unknown, told: Told, form: Element | null | undefined): boolean {
        if (form?.isConnected && !isFinal(why)) return false;
        this.add({ ...told, id: uuid(), why: sentence(why), code: why instanceof Refused ? why.code : 'away' });
        return true;
    }

    /** It has been read. What was typed for a question that is over is not needed any more. */
    putAway(refusal: Refusal): void {
        const { questionId = '' } = refusal;
        const question = questions.all.get(questionId);
        if (question && question.status !== 'pending') drafts.forget(questionId);
        this.#drop((one) => one.id === refusal.id);
    }

    /** It is answered once more: what became of the answer before does not matter any longer. */
    anew(questionId: string): void {
        this.#drop((one) => one.questionId === questionId);
    }

    /** Their owner has left. */
    left(): void {
        this.#drop(() => true);
    }

    #drop(which: (refusal: Refusal) => boolean): void {
        this.#kept.drop(session.owner, which);
        this.#changed++;
    }
}
export const refusals = new RefusedAnswers();
