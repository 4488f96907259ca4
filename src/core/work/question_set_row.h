/*
 * question_set_row.h - what question_set*.c share and nobody else needs.
 */
#ifndef CORE_WORK_QUESTION_SET_ROW_H
#define CORE_WORK_QUESTION_SET_ROW_H

#include "core/caller/tx.h"
#include "core/log/event_type.h"
#include "core/work/question_set.h"

/* notification.added, notification.updated or notification.resolved, with the whole set. */
CHECKED bool question_set_tell(const struct tx *tx, const struct question_set *set, enum event_type type,
                               const char *title, const char *body);

#endif
