/*
 * outcome.h - what ended a wait: of a prompt, a question, a job, a decision, a set of questions.
 *
 * Thread: any.
 */
#ifndef CORE_LOG_OUTCOME_H
#define CORE_LOG_OUTCOME_H

#include "base/words.h"

enum outcome_source {
    OUTCOME_HUMAN = 1,
    OUTCOME_AGENTS,
    OUTCOME_DEFAULT, /* nobody answered in time, and the default that was given held */
    OUTCOME_TIMEOUT,
    OUTCOME_POLICY, /* the project's settings decided */
    OUTCOME_FORCED, /* somebody ended it before it was full */
    OUTCOME_CANCELLED,
    OUTCOME_END,
};
WORDS_OF(outcome_source, outcome_sources);

#endif
