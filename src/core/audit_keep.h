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
#ifndef CORE_AUDIT_KEEP_H
#define CORE_AUDIT_KEEP_H

#include "base/uuid.h"
#include "core/audit.h"

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
CHECKED bool audit_purge(struct db *db, struct arena *arena, const struct audit_entry *by, int64_t before_ms,
                         size_t limit, size_t *purged, struct err *err);
/*
 * Takes a person out of every row that they wrote, that is about them, or whose detail fits one of the
 * patterns; says of how many. There is a record in each chain with such rows, and one in by->workspace_id in
 * any case.
 */
CHECKED bool audit_erase(struct db *db, struct arena *arena, const struct audit_entry *by, const char *id,
                         const char *name, const char *like_name, const char *like_id, int64_t *rows,
                         struct err *err);

#endif
