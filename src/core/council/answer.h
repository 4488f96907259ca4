/*
 * answer.h - a discussion answers what was put to it.
 *
 * Its result is posted as a reply to the prompt or the question, under the council's name and marked as such,
 * with whoever disagreed. It is never a person's answer: a question that only people can answer cannot be
 * put to a council at all (answer_may_be_put).
 */
#ifndef CORE_COUNCIL_ANSWER_H
#define CORE_COUNCIL_ANSWER_H

#include "core/council/machine.h"

/* Whether this may be put to a council by this caller, and of which project it is. 4xx with the field `ref`.
 */
CHECKED bool answer_may_be_put(const struct tx *tx, enum council_ref kind, const char *id,
                               const char **project_id);
/* The result in plain words (rules/conclusion.h). */
CHECKED bool answer_summary(struct machine *machine, const char **text);
CHECKED bool answer_post(struct machine *machine);

#endif
