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
CHECKED bool notice_list(const struct tx *tx, const struct project *project, const char *cursor, size_t limit,
                         struct open_question **notices, size_t *count);
CHECKED bool notice_get(const struct tx *tx, const struct project *project, const char *id,
                        struct open_question *notice);
/* As open_question_resolve. An approval is given by `approved` alone; everything else is a no. */
CHECKED bool notice_resolve(const struct tx *tx, const struct project *project, const char *id,
                            const struct open_question_reply *reply, struct open_question *notice);
/* Dismisses all that is open, approvals too; says how many. */
CHECKED bool notice_clear(const struct tx *tx, const struct project *project, size_t *count);

#endif
