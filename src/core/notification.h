/*
 * notification.h - inboxes of agents and people.
 *
 * A notification has one reader: an agent (by folded name), a user, or the people of the workspace at large
 * where there are no users. It points at its subject and is resolved together with it; being read is the
 * reader's own business. Adding one and reading one are told as events.
 */
#ifndef CORE_NOTIFICATION_H
#define CORE_NOTIFICATION_H

#include "base/json.h"
#include "core/caller.h"
#include "db/db.h"

struct notification {
    const char *id, *workspace_id;
    const char *project_id;          /* or NULL */
    const char *user_id, *agent_key; /* one of them, or neither */
    const char *kind, *priority;
    const char *title, *body;
    const char *ref_type, *ref_id;
    int64_t created_ms, read_ms, resolved_ms; /* 0: not */
};

/* Fills in id and created_ms, stores it and tells of it. */
CHECKED bool notification_add(struct db *db, struct arena *arena, int64_t now_ms,
                              struct notification *notification, struct err *err);

/* Whose inbox is meant: the named agent's, or else the caller's own. */
const char *notification_reader(struct arena *arena, const struct caller *caller, const char *agent);

struct notification_page {
    struct notification *items; /* newest first */
    size_t count;
    const char *next_cursor; /* or NULL */
};

CHECKED bool notification_list(struct db *db, struct arena *arena, const char *workspace_id,
                               const char *reader, bool unread_only, const char *cursor, size_t limit,
                               struct notification_page *page, struct err *err);
/* How many are neither read nor resolved. */
CHECKED bool notification_pending(struct db *db, struct arena *arena, const char *workspace_id,
                                  const char *reader, int64_t *count, struct err *err);

/* Marks one as read; a second time changes nothing. ERR_NOT_FOUND when it is not this caller's to read. */
CHECKED bool notification_read(struct db *db, struct arena *arena, const struct caller *caller,
                               const char *id, int64_t now_ms, struct notification *notification,
                               struct err *err);
/* Marks all of an inbox; says how many were unread. A token bound to another agent is ERR_FORBIDDEN. */
CHECKED bool notification_read_all(struct db *db, struct arena *arena, const struct caller *caller,
                                   const char *agent, int64_t now_ms, size_t *count, struct err *err);

/* key NULL: inside a list. */
void notification_write(const struct notification *notification, const char *key, struct json_out *out);

#endif
