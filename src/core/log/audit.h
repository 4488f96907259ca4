/*
 * audit.h - who did what to which row when, from where.
 *
 * Append-only and hash-chained, one chain for each workspace. Operations append rows without a hash;
 * audit_seal gives them their hash (and on PostgreSQL their number) in order: on SQLite before each commit
 * of the writer, on PostgreSQL by whichever node comes first. Rows that a database trigger appended are
 * sealed the same way.
 *
 * A row's hash is the SHA-256, in hex, of the hash before it in its chain ("" for the first) followed by its
 * columns seq, workspace_id, actor_kind, actor_id, actor, operation, subject, door, remote, request_id,
 * detail and created_at as the database prints them. Each value is written `LENGTH:BYTES,` and a NULL `-,`
 * so that anybody can check an export with a few lines of their own.
 *
 * Two things change the past, and both leave a sealed row in every chain that they touch, without which the
 * log does not verify. Purging takes away the beginning of the log: the chain then goes on from its
 * checkpoint, the last row that is gone, which an audit_purge row names. Erasing takes a person out of rows:
 * these keep their hash, and a user_erase row holds a digest of what is left of them (audit_keep.h).
 */
#ifndef CORE_LOG_AUDIT_H
#define CORE_LOG_AUDIT_H

#include "base/json.h"
#include "core/caller/caller.h"
#include "core/caller/tx.h"

struct audit_entry {
    int64_t seq;
    const char *workspace_id;
    const char *actor_kind, *actor_id, *actor;
    const char *operation, *subject;
    const char *door, *remote, *request_id;
    const char *detail; /* a JSON object's text */
    int64_t at_ms;
    const char *hash; /* NULL until sealed */
};

CHECKED bool audit_append(const struct tx *tx, const struct audit_entry *entry);
CHECKED bool audit_waiting(const struct tx *tx, bool *waiting);
/*
 * Seals what is not sealed yet, up to SEAL_BATCH rows, and says how many. On PostgreSQL the hashes are
 * computed outside of any transaction and stored by one statement: none, if another node was quicker.
 */
CHECKED bool audit_seal(const struct tx *tx, size_t *sealed);

struct audit_verdict {
    int64_t rows;
    int64_t unsealed;
    bool whole;
    int64_t purged;    /* rows at the beginning that were let go, with a checkpoint */
    int64_t erased;    /* rows without their person, with an erase record */
    int64_t broken_at; /* the first row that does not fit or is missing; whole says whether there is one */
    const char *broken_in; /* its workspace; NULL when a whole chain is gone */
};
/* Walks every chain in pages, in bounded memory. Within one read transaction, or nothing else may seal. */
CHECKED bool audit_verify(const struct tx *tx, struct audit_verdict *verdict);

struct audit_filter {
    const char *actor, *operation, *subject; /* or NULL */
    int64_t after_ms, before_ms;             /* or 0 */
    int64_t cursor;                          /* rows below this number; 0: from the newest */
    size_t limit;
};
CHECKED bool audit_list(const struct tx *tx, const char *workspace_id, const struct audit_filter *filter,
                        struct audit_entry **entries, size_t *count);
/* Oldest first, after a number: for exports. */
CHECKED bool audit_read(const struct tx *tx, const char *workspace_id, int64_t after, size_t limit,
                        struct audit_entry **entries, size_t *count);

#endif
