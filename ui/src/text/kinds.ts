// What asks people: how each kind is called and drawn. Types of questions are the server's (src/core/questions/question_type.h).
import type { Item, Question } from '../core/api.gen.ts';
import type { IconName } from '../parts/icons.ts';

interface Kind {
    name: string;
    icon: IconName;
    tone?: string;
    /** Its job goes on: nobody waits for the answer. */
    idle?: true;
}

export const questionKinds: Record<Question['type'], Kind> = {
    blocking: { name: 'Blocking', icon: 'block' },
    non_blocking: { name: 'Preference', icon: 'prefer', tone: 'pref', idle: true },
    approval: { name: 'Approval', icon: 'shield' },
    error_recovery: { name: 'Error recovery', icon: 'rescue', tone: 'error' },
};

export const kinds: Record<Item['type'], Kind> = {
    ...questionKinds,
    open_questions: { name: 'Open questions', icon: 'help' },
    prompt: { name: 'Prompt', icon: 'chat' },
    turn: { name: 'Your turn', icon: 'discuss' },
};

/** One that a newer server has and these pages do not is shown by its word. */
export const kindOf = (type: string): Kind => kinds[type as Item['type']] ?? { name: type, icon: 'block' };

/** Value and name of each, for a list to choose from. */
export const namesOf = (all: Record<string, Kind>): Array<[string, string]> => Object.entries(all).map(([type, { name }]) => [type, name]);
