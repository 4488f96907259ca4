/*
 * event.h - the one ordered log of what happened.
 *
 * Every change appends its events in its own transaction. Readers (streams, waits, later webhooks and
 * mail) only ever read this log, each with its own cursor, so that all of them agree. On SQLite a row has
 * its number at once; on PostgreSQL rows are numbered after their commit by event_number, one node at a
 * time, so that a reader never steps over a number still in flight.
 */
#ifndef CORE_LOG_EVENT_H
#define CORE_LOG_EVENT_H

#include "base/json.h"
#include "core/caller/tx.h"
#include "core/log/event_type.h"

struct event {
    int64_t seq;
    const char *workspace_id;
    enum event_type type;
    const char *type_text; /* of a row that was read: as it stands there; NULL: the word of `type` */
    const char *project_id, *job_id, *discussion_id; /* or NULL: what streams filter by */
    const char *subject; /* the id of what it is about, or NULL: what waits listen for */
    const char *data;    /* a JSON object's text: the members beside type, at and workspaceId */
    int64_t at_ms;
    const char *audience; /* whom it is for (audience.h), or NULL: all who may read */
};

CHECKED bool event_append(const struct tx *tx, const struct event *event);
/* The same for several, in their order, with one statement. */
CHECKED bool event_append_many(const struct tx *tx, const struct event events[], size_t count);

/*
 * That something was made, changed or removed: `event` says where and what (type, subject, audience), and its
 * id under the name `member` is all that is told, so that whoever shows it looks again.
 */
CHECKED bool event_changed(const struct tx *tx, const struct event *event, const char *member);

/* Numbered events after `after`, oldest first, at most `limit`. */
CHECKED bool event_read(const struct tx *tx, int64_t after, size_t limit, struct event **events,
                        size_t *count);
CHECKED bool event_last(const struct tx *tx, int64_t *seq);
/* The oldest number still kept: a reader that comes back with an older one has missed something. */
CHECKED bool event_first(const struct tx *tx, int64_t *seq);

/*
 * PostgreSQL: numbers up to SEAL_BATCH committed rows and says how many, or that another session is at it.
 * Outside of a transaction, so that a node which is stopped in the middle holds nothing.
 */
CHECKED bool event_number(const struct tx *tx, size_t *numbered, bool *busy);
/* Forgets events older than `before_ms`, at most `limit` of them, never the newest. */
CHECKED bool event_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned);

/* The type as it is stored and told, one that is unknown here as well. */
const char *event_type_text(const struct event *event);
/* The event as clients see it: {"type":...,"at":...,"workspaceId":...,<data's members>}. */
void event_write(const struct event *event, struct buf *into);

#endif
