/*
 * standing.h - what questions are to whoever looks at them: may they answer, would it count, why not, is it
 * snoozed; and so whether it needs them.
 *
 * "Needs you" is said here and nowhere else, for questions and for everything else that waits (waiting.h).
 * All that is needed is read once for a whole page.
 */
#ifndef CORE_QUESTIONS_STANDING_H
#define CORE_QUESTIONS_STANDING_H

#include "core/questions/answer_rights.h"
#include "core/questions/question.h"

/* From standing.noun. */
#include "gen/nouns/standing.h"

/* Those of the caller to each of these questions, which are of one workspace. */
CHECKED bool standing_of(const struct tx *tx, const struct question questions[], size_t count,
                         struct standing **standings);

#endif
