/*
 * project_inbox.h - what the people of a project have to settle, in one list.
 *
 * Sets of open questions and decisions that wait for approval look alike here and are settled alike. An
 * approval is shown as a set of one question, under the id of that question; it stays one row, the question's
 * own, whichever way it is answered.
 */
#ifndef CORE_WORK_PROJECT_INBOX_H
#define CORE_WORK_PROJECT_INBOX_H

#include "core/caller/tx.h"
#include "core/work/question_set.h"

/* The open ones, newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool project_inbox_list(const struct tx *tx, const struct project *project, const char *cursor,
                                size_t limit, struct question_set **notices, size_t *count);
CHECKED bool project_inbox_get(const struct tx *tx, const struct project *project, const char *id,
                               struct question_set *notice);
/* As question_set_resolve. An approval is given by `approved` alone; everything else is a no. */
CHECKED bool project_inbox_resolve(const struct tx *tx, const struct project *project, const char *id,
                                   const struct question_set_reply *reply, struct question_set *notice);
/* Dismisses all that is open, approvals too; says how many. */
CHECKED bool project_inbox_clear(const struct tx *tx, const struct project *project, size_t *count);

#endif
