// Whose a question is, and when they want to be reminded of it. Loaded when somebody wants to change that.
import { sentence } from '../core/api.ts';
import type { Question } from '../core/api.gen.ts';
import { clock, serverNow } from '../core/time.ts';
import { t } from '../text/whose.ts';
import { ticker, toasts } from './app.svelte.ts';
import { questions } from './questions.svelte.ts';
import { api, ops } from './server.svelte.ts';

const at = (time: string) => clock(Date.parse(time), serverNow(ticker.now));

/** For ten minutes, unless it is said for how long: by a key. */
export async function snooze(question: Question, minutes = 10): Promise<void> {
    try {
        const { snoozedUntil } = await api.call(ops.question_snooze, { path: { id: question.id }, body: { minutes } });
        if (snoozedUntil) toasts.say(t.whose.snoozed(at(snoozedUntil), question.timeoutAt ? at(question.timeoutAt) : ''), 'clock', 7000);
        await questions.fetch(question.id);
    } catch (why) {
        toasts.say(sentence(why), 'alert');
    }
}

export async function wake(question: Question): Promise<void> {
    try {
        await api.call(ops.question_wake, { path: { id: question.id } });
        await questions.fetch(question.id);
    } catch (why) {
        toasts.say(sentence(why), 'alert');
    }
}

/** To a person, by id; '': back to all who may answer. Whoever sends it is told what was wrong. */
export async function assign(question: Question, to: string, note: string): Promise<void> {
    const said = note ? { note } : {};
    const keep = questions.reads();
    const reply = to
        ? await api.call(ops.question_assign, { path: { id: question.id }, body: { to, ...said } })
        : await api.call(ops.question_unassign, { path: { id: question.id }, body: said });
    keep(reply.question);
    toasts.say(to ? t.whose.given(reply.question.assignee ?? '') : t.whose.givenBack);
}
