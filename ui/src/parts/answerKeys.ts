// The keys that answer a question, wherever it is shown.
import type { Keys } from '../core/keymap.ts';
import { answers } from '../stores/answers.svelte.ts';
import { keymap } from '../stores/app.svelte.ts';
import { other, type Reply } from '../stores/reply.svelte.ts';

interface Where {
    inside?: () => unknown;
    /** Whether its time can be extended here. */
    extend?: boolean;
    /** Characters that mean something on the page even where others begin a text. */
    stays?: () => string;
}

/**
 * Adds them and gives back how to take them away. `here`: the reply that is on screen; no key answers for who may not, for who has
 * just answered, or for who is asked why not: a reason may go on where its field has lost the focus.
 */
export function answerKeys(here: () => Reply | undefined, { inside, extend = true, stays = () => '' }: Where = {}): () => void {
    const now = () => {
        const reply = here();
        return reply?.mayAnswer && !reply.rejecting && !answers.held[reply.question.id] ? reply : undefined;
    };
    const of = (...types: string[]) => {
        const reply = now();
        return reply && types.includes(reply.question.responseType) ? reply : undefined;
    };
    const decides = (holds: (reply: Reply) => unknown, act: (reply: Reply) => void) => ({
        decides: () => {
            const reply = now();
            return reply && holds(reply) ? reply.question.id : undefined;
        },
        act: () => {
            act(now()!);
            return true;
        },
    });
    const does = (reply: Reply | undefined, act: (reply: Reply) => void) => {
        if (reply) act(reply);
        return reply !== undefined;
    };
    const sends = (reply: Reply) => ['choice', 'text'].includes(reply.question.responseType);

    const ways: Keys = {
        r: () => does(of('approval'), (reply) => (reply.rejecting = true)),
        e: () => does(now()?.proposed ? now() : undefined, (reply) => reply.edit()),
        Enter: () => does(now(), (reply) => reply.write()),
        ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => [String(n), () => choose(of('choice'), n - 1)])),
    };
    const choose = (reply: Reply | undefined, index: number) => {
        if (!reply?.choose(index)) return false;
        if (reply.choice === other) reply.write();
        return true;
    };
    const decisions: Keys = {
        a: decides(() => of('approval', 'boolean')?.approvable, (reply) => reply.approve(true)),
        r: decides(() => of('boolean'), (reply) => reply.decide(false, true)),
        Enter: decides((reply) => of('choice') && reply.whole, (reply) => reply.send(true)),
        'Mod+Enter': decides(sends, (reply) => reply.send()),
        '+': decides((reply) => extend && reply.question.timeoutAt, (reply) => void answers.extend(reply.question)),
    };
    // A text begins with whatever is typed, except what still moves about and takes back.
    const takes = (character: string) => {
        const field = of('text')?.field;
        if (!field || `+${stays()}`.includes(character) || (character === 'z' && Object.values(answers.held).includes('undo'))) return false;
        field.focus();
        return true;
    };
    const belongs = inside ? { inside } : {};
    const off = [keymap.add(ways, { ...belongs, takes }), keymap.add(decisions, belongs)];
    return () => off.forEach((undo) => undo());
}
