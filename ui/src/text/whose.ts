// The sentences about whose a question is and when, which nobody needs before changing that.
import { t as base } from './en.ts';

export const t = {
    ...base,
    whose: {
        close: 'Close',
        title: 'Who should answer this?',
        whom: 'For whom',
        nobody: 'Whoever may answer it',
        none: 'Nobody else may answer this question alone.',
        now: (who: string) => `For ${who} so far.`,
        find: 'Find a name',
        note: 'What they should know (optional)',
        go: 'Assign',
        back: 'Give back',
        roles: { owner: 'Owner', admin: 'Admin', member: 'Member' },
        given: (who: string) => `It is for ${who} now.`,
        givenBack: 'It is for whoever may answer it now.',
        later: 'Remind me later',
        runsOn: (at: string) => `For you alone. The deadline, ${at}, runs on; five minutes before it, it is back.`,
        staysOpen: 'For you alone. It stays open for everybody.',
        ten: 'In 10 minutes',
        hour: 'In an hour',
        four: 'In 4 hours',
        morning: 'Tomorrow at 9',
        snoozed: (at: string, deadline: string) => `Snoozed for you until ${at}. ${deadline ? `The deadline, ${deadline}, runs on.` : 'It stays open.'}`,
    },
};
