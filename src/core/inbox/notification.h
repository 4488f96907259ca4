/*
 * notification.h - inboxes of agents and people.
 *
 * A notification is for an agent (by folded name), for a user, or for the people of the workspace at large:
 * then it is one row for all of them, or for those with certain roles, and each reads it for themselves. It
 * points at its subject and is resolved together with it, everywhere at once; being read is the reader's own
 * business. Adding, reading and resolving are told as events.
 */
#ifndef CORE_INBOX_NOTIFICATION_H
#define CORE_INBOX_NOTIFICATION_H

#include "base/json.h"
#include "core/caller/caller.h"
#include "core/log/event.h"
#include "db/db.h"

struct notification {
    const char *id, *workspace_id;
    const char *project_id;          /* or NULL */
    const char *user_id, *agent_key; /* one of them, or neither */
    const char *kind, *priority;
    const char *title, *body;
    const char *ref_type, *ref_id;
    unsigned roles;                           /* at large: for these; 0: ROLES_PEOPLE */
    int64_t created_ms, read_ms, resolved_ms; /* 0: not */
};

/* Fills in id and created_ms, stores it and tells of it. */
CHECKED bool notification_add(struct db *db, struct arena *arena, int64_t now_ms,
                              struct notification *notification, struct err *err);

/*
 * The same for several with one statement; telling of them is the caller's business, with an event for each
 * from notification_added.
 */
CHECKED bool notification_insert(struct db *db, struct arena *arena, int64_t now_ms,
                                 struct notification notifications[], size_t count, struct err *err);
struct event notification_added(struct arena *arena, const struct notification *notification);
/*
 * What these ids of one kind name has ended. Gives an event for each notification that this resolved, which
 * the caller appends.
 */
CHECKED bool notification_resolve(struct db *db, struct arena *arena, int64_t now_ms, const char *ref_type,
                                  const char *const ids[], size_t count, struct event **events,
                                  size_t *event_count, struct err *err);

struct inbox {
    const char *reader;
    const char *person; /* who also reads what is for the people at large, or NULL */
    unsigned role;
    const char *project_id; /* the only project whose notifications are in it, or NULL: all */
};

/* Whose inbox is meant: the named agent's, or else the caller's own. */
struct inbox notification_inbox(struct arena *arena, const struct caller *caller, const char *agent);

struct notification_page {
    struct notification *items; /* newest first */
    size_t count;
    const char *next_cursor; /* or NULL */
};

/* `unread_only` also leaves out what is resolved. */
CHECKED bool notification_list(struct db *db, struct arena *arena, const char *workspace_id,
                               const struct inbox *inbox, bool unread_only, const char *cursor, size_t limit,
                               struct notification_page *page, struct err *err);
/* What one is about; NULL when it is not there. */
CHECKED bool notification_ref(struct db *db, struct arena *arena, const char *workspace_id, const char *id,
                              const char **ref_type, const char **ref_id, struct err *err);
/* How many are neither read nor resolved. */
CHECKED bool notification_pending(struct db *db, struct arena *arena, const char *workspace_id,
                                  const struct inbox *inbox, int64_t *count, struct err *err);

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
