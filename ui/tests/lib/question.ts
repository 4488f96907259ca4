// A question as the server tells of it, with what a test says about it.
import type { Question } from '../../src/core/api.gen.ts';

/** Whoever looks may answer it. */
export const you: Question['you'] = { needed: true, mayAnswer: true, yesCounts: true, mayAssign: true, bar: null, reason: null, snoozedUntil: null };

export function question(fields: Partial<Question> = {}): Question {
    return {
        id: 'q1', jobId: 'j1', workspaceId: 'w1', projectId: null, type: 'approval', question: 'Drop the **tables**?', context: null, status: 'pending', responseType: 'approval', options: null, response: null,
        respondedBy: null, respondedAt: null, timeoutAt: null, defaultResponse: null, metadata: null, createdAt: '2026-03-04T10:00:00Z', outcome: null, parentId: null, action: null, approvedArgs: null, approvals: null,
        lateAnswers: [], assignedTo: null, assignee: null, requiredRole: null, requiredApprovals: 1, allowOther: false, allowDefaultApprove: false, askedBy: 'Scout', requestedBy: null, template: null, draft: null, restartedAs: null, handover: null, requester: null,
        you,
        ...fields,
    };
}

/** The same, ended by its deadline. */
export const timedOut = (fields: Partial<Question> = {}): Question => question({ status: 'timeout', outcome: { source: 'timeout', by: null, at: '2026-03-04T10:40:00Z' }, ...fields });
