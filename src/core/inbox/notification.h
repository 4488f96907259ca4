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
#include "core/caller/tx.h"
#include "core/log/event.h"

/* Why it came. */
enum notification_kind {
    NOTIFICATION_MENTION = 1,
    NOTIFICATION_QUESTION,
    NOTIFICATION_APPROVAL,
    NOTIFICATION_ERROR, /* an agent asks how to go on after one */
    NOTIFICATION_COMPLETED,
    NOTIFICATION_FAILED,
    NOTIFICATION_DECISION,      /* an agent has decided something and says so */
    NOTIFICATION_OPEN_QUESTION, /* a set of questions from an agent's output */
    NOTIFICATION_TOKEN_EXPIRING,
    NOTIFICATION_TURN, /* somebody owes one in a discussion */
    NOTIFICATION_KIND_END,
};
WORDS_OF(notification_kind, notification_kinds);

enum notification_priority { PRIORITY_HIGH = 1, PRIORITY_NORMAL, PRIORITY_LOW, PRIORITY_END };
WORDS_OF(notification_priority, notification_priorities);

/* What it points at. */
enum notification_subject {
    ABOUT_PROMPT = 1,
    ABOUT_CHAT,
    ABOUT_QUESTION,
    ABOUT_JOB,
    ABOUT_TOKEN,
    ABOUT_DECISION,
    ABOUT_SET,
    ABOUT_TURN,
    ABOUT_END,
};
WORDS_OF(notification_subject, notification_subjects);

/* From notification.noun. */
#include "gen/nouns/notification.h"

/* Fills in id and created_ms, stores it and tells of it. */
CHECKED bool notification_add(const struct tx *tx, struct notification *notification);

/*
 * The same for several with one statement; telling of them is the caller's business, with an event for each
 * from notification_added.
 */
CHECKED bool notification_insert(const struct tx *tx, struct notification notifications[], size_t count);
struct event notification_added(struct arena *arena, const struct notification *notification);
/*
 * What these ids of one kind name has ended. Gives an event for each notification that this resolved, which
 * the caller appends.
 */
CHECKED bool notification_resolve(const struct tx *tx, enum notification_subject about,
                                  const char *const ids[], size_t count, struct event **events,
                                  size_t *event_count);

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

struct notification_filter {
    bool unread_only;   /* which also leaves out what is resolved */
    const char *cursor; /* or NULL */
    size_t limit;
};
CHECKED bool notification_list(const struct tx *tx, const char *workspace_id, const struct inbox *inbox,
                               const struct notification_filter *filter, struct notification_page *page);
/* What one is about; 0 and NULL when it is not there. */
CHECKED bool notification_ref(const struct tx *tx, const char *workspace_id, const char *id,
                              enum notification_subject *about, const char **ref_id);
/* How many are not resolved and ask something of their reader, or are not read. */
CHECKED bool notification_pending(const struct tx *tx, const char *workspace_id, const struct inbox *inbox,
                                  int64_t *count);

/* Marks one as read; a second time changes nothing. ERR_NOT_FOUND when it is not this caller's to read. */
CHECKED bool notification_read(const struct tx *tx, const char *id, struct notification *notification);
/* Marks all of an inbox; says how many were unread. A token bound to another agent is ERR_FORBIDDEN. */
CHECKED bool notification_read_all(const struct tx *tx, const char *agent, size_t *count);

#endif
