/*
 * question_set_row.h - what question_set*.c share and nobody else needs.
 */
#ifndef CORE_WORK_QUESTION_SET_ROW_H
#define CORE_WORK_QUESTION_SET_ROW_H

#include "core/caller/tx.h"
#include "core/work/question_set.h"

/* notification.added, notification.updated or notification.resolved, with the whole set. */
CHECKED bool open_question_tell(const struct tx *tx, const struct open_question *set, const char *type,
                                const char *title, const char *body);

#endif
