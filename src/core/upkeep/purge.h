/*
 * purge.h - letting go of what has been kept for long enough.
 *
 * Each kind has a setting that says for how long it is kept; the engine applies it in small batches, and
 * `witan purge` when somebody asks. What still waits for something is never taken: open jobs' lines, unread
 * notifications, keys under which something open was asked, discussions that go on or that others were forked
 * from.
 *
 * Thread: within a writing transaction of the connection, one batch each.
 */
#ifndef CORE_UPKEEP_PURGE_H
#define CORE_UPKEEP_PURGE_H

#include "core/caller/tx.h"
#include "core/log/audit.h"

enum purge_kind {
    PURGE_EVENTS,
    PURGE_LOGS,
    PURGE_NOTIFICATIONS,
    PURGE_DISCUSSIONS,
    PURGE_IDEMPOTENCY,
    PURGE_AUDIT,
    PURGE_KINDS
};

/* "events", "logs", ... and what they are, for people. */
const char *purge_name(enum purge_kind kind);
const char *purge_what(enum purge_kind kind);
bool purge_parse(const char *name, enum purge_kind *kind);
/* How long the settings keep them; 0: for ever. */
int64_t purge_keep_ms(enum purge_kind kind);

/* How many rows are older than `before_ms` and may go. */
CHECKED bool purge_count(const struct tx *tx, enum purge_kind kind, int64_t before_ms, int64_t *count);
/*
 * Takes away some of the oldest, about `limit`; 0 when nothing is left to do. `by` is who does it, for the
 * records in the audit log that purging that one leaves.
 */
CHECKED bool purge_batch(const struct tx *tx, enum purge_kind kind, const struct audit_entry *by,
                         int64_t before_ms, size_t limit, size_t *purged);
/* How many of a kind such a batch takes at most: when it took that many, there may be more. */
size_t purge_most(enum purge_kind kind, size_t limit);

#endif
