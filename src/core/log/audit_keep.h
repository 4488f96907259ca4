/*
 * audit_keep.h - the two ways in which the audit log's past may change, and the records that they leave.
 *
 * Both hold the sealing lock for the rest of the transaction, seal everything first (on PostgreSQL; SQLite
 * seals with the commit), and end with a row in each chain that they touched. Verifying wants that row: the
 * last audit_purge row of a chain must name its checkpoint, and every row that says it lost its person must
 * be part of a digest in a user_erase row that follows it.
 *
 * Thread: within a writing transaction of the connection.
 */
#ifndef CORE_LOG_AUDIT_KEEP_H
#define CORE_LOG_AUDIT_KEEP_H

#include "base/uuid.h"
#include "core/caller/tx.h"
#include "core/log/audit.h"

#define AUDIT_PURGE "audit_purge" /* the operations of the two records */
#define AUDIT_ERASE "user_erase"

struct audit_purge_record {
    int64_t through; /* the last row of this chain that is gone */
    char hash[65];
};
struct audit_erase_record {
    char erasure[UUID_SIZE];
    int64_t rows;
    char digest[65];
};
/* From the detail of a row; false when it is none. */
bool audit_purge_record_read(const char *detail, struct audit_purge_record *record);
bool audit_erase_record_read(const char *detail, struct audit_erase_record *record);

/*
 * Takes away the rows before the first that is not older than `before_ms`, at most `limit` of them. `by` says
 * who: its actor and door are those of the records.
 */
CHECKED bool audit_purge(const struct tx *tx, const struct audit_entry *by, int64_t before_ms, size_t limit,
                         size_t *purged);
/*
 * Which rows lose a person, and what is left of them: `change` is given each row (seq, workspace_id,
 * actor_id, actor, operation, subject, remote, detail and at_ms are set), may change actor, remote and
 * detail, and says whether it did.
 */
struct audit_eraser {
    bool (*change)(void *context, struct arena *arena, struct audit_entry *row);
    void *context;
};
struct audit_erase_page {
    int64_t changed; /* rows */
    bool more;       /* there may be others behind it */
};
/* Seals what there is: only rows that are sealed are changed. */
CHECKED bool audit_erase_begin(const struct tx *tx);
/* What audit_erase would change in the next page; needs no writing transaction. */
CHECKED bool audit_erase_look(const struct tx *tx, const struct audit_eraser *eraser, int64_t *after,
                              struct audit_erase_page *page);
/*
 * Takes a person out of one page of the log, the ERASE_AUDIT_BATCH rows behind the number *after, which moves
 * on. Each page is an erasure of its own with a record in every chain that it changed, so that the log
 * verifies after each of them.
 */
CHECKED bool audit_erase(const struct tx *tx, const struct audit_entry *by, const char *id,
                         const struct audit_eraser *eraser, int64_t *after, struct audit_erase_page *page);
/* The last record, in by->workspace_id: says that it was done, even if no row had to change. */
CHECKED bool audit_erase_end(const struct tx *tx, const struct audit_entry *by, const char *id);

#endif
