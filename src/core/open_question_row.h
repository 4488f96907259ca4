/*
 * open_question_row.h - what open_question*.c share and nobody else needs.
 */
#ifndef CORE_OPEN_QUESTION_ROW_H
#define CORE_OPEN_QUESTION_ROW_H

#include "core/open_question.h"

/* notification.added, notification.updated or notification.resolved, with the whole set. */
CHECKED bool open_question_tell(struct db *db, struct arena *arena, const struct open_question *set,
                                const char *type, const char *title, const char *body, int64_t now_ms,
                                struct err *err);

#endif
