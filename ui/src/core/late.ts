// Answers to what its deadline has ended: they are kept with the question and change nothing by themselves.
import type { LateAnswer, Question } from './api.gen.ts';

export const endedByDeadline = ({ outcome }: Question): boolean => outcome?.source === 'timeout' || outcome?.source === 'default';

/** Whether whoever looks can still say something that matters: a job is restarted once. */
export const takesLate = (question: Question): boolean => endedByDeadline(question) && !question.restartedAs && question.you?.mayAnswer !== false;

/** The late answer that its job would be restarted with. A yes that would not have been enough in time is not enough late. */
export function settling(question: Question): LateAnswer | undefined {
    const counts = ({ response, respondedBy }: LateAnswer) =>
        response.value !== true || (question.requiredApprovals <= 1 && (question.type !== 'approval' || respondedBy === 'local' || respondedBy !== question.requestedBy));
    return question.lateAnswers.find(counts);
}
