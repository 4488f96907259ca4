/*
 * audit_row.h - how the bytes of an audit row are put together for hashing; for core/log/audit*.c alone.
 *
 * Statements on whole rows return the hashed columns first ({audit}), in the order of the hash, then a hash.
 */
#ifndef CORE_LOG_AUDIT_ROW_H
#define CORE_LOG_AUDIT_ROW_H

#include "base/buf.h"
#include "db/db.h"

#include <sodium.h>

#define AUDIT_HASH_SIZE (crypto_hash_sha256_BYTES * 2 + 1)

/* What stands behind the columns of a row. */
enum {
    AUDIT_COLUMN_HASH =
        COL_AUDIT_END, /* its own, or where rows are sealed: the one that their chain ends with */
    AUDIT_COLUMN_KEY,  /* where rows are sealed: by which they are found */
    AUDIT_COLUMN_ERASURE = AUDIT_COLUMN_KEY, /* where a chain is read: who took a person out of it, or NULL */
    AUDIT_COLUMN_PREVIOUS = AUDIT_COLUMN_KEY, /* where an erasure is read: the hash before */
};

/* A value goes in with its length, so that no two rows have the same bytes; NULL is not the empty text. */
void audit_put_value(struct buf *bytes, const char *value);
/* The row's hash, in hex, from its columns and the hash before it. `bytes` is room that many rows share. */
void audit_row_hash(const char *previous, const struct db_rows *rows, size_t row, struct buf *bytes,
                    char hex[static AUDIT_HASH_SIZE]);
/*
 * A row without its person, for the digest of an erasure: what its hash is, what it follows, and what is left
 * of it.
 */
void audit_digest_erased(crypto_hash_sha256_state *digest, const char *previous, const struct db_rows *rows,
                         size_t row, struct buf *bytes);

#endif
