/*
 * cursor.h - where a page of a list ended.
 *
 * Lists are ordered by time and id, newest first, and go on from the last row shown, never by counting, so
 * that rows added meanwhile neither repeat nor hide others. A cursor is opaque to callers: it holds the
 * place and a checksum over it and the list's name; one that was changed, cut or comes from another list is
 * refused.
 */
#ifndef CORE_LOG_CURSOR_H
#define CORE_LOG_CURSOR_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/uuid.h"

struct cursor {
    int group; /* for lists that come in parts, one after the other; 0 is the first */
    char created_at[CLOCK_TEXT_SIZE];
    char id[UUID_SIZE];
};

/* A cursor of NULL is the start of the list: a place before everything. Otherwise ERR_INVALID. */
CHECKED bool cursor_read(const char *list, const char *text, struct cursor *cursor, struct err *err);
void cursor_start(int group, struct cursor *cursor);
/* The cursor after a row; NULL when its time or id is not one of ours. */
const char *cursor_after(struct arena *arena, const char *list, int group, const char *created_at,
                         const char *id);

#endif
