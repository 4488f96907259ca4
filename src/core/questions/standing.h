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

struct standing {
    struct answer_rights rights;
    const char *reason; /* what stands in the way, in a sentence; or NULL */
    int64_t snoozed_ms; /* until when; 0: not */
    bool needed;        /* somebody waits for it, their answer would count, and it is not snoozed */
};

/* Those of the caller to each of these questions, which are of one workspace. */
CHECKED bool standing_of(const struct tx *tx, const struct question questions[], size_t count,
                         struct standing **standings);
void standing_write(const struct standing *standing, const char *key, struct json_out *out);

#endif
