/*
 * audit_row.h - how the bytes of an audit row are put together for hashing; for core/log/audit*.c alone.
 *
 * Statements on whole rows return the twelve hashed columns first, in the order of the hash, then the hash.
 */
#ifndef CORE_LOG_AUDIT_ROW_H
#define CORE_LOG_AUDIT_ROW_H

#include "base/buf.h"
#include "db/db.h"

#include <sodium.h>

#define AUDIT_HASHED_COLUMNS 12 /* from seq to created_at */
#define AUDIT_COLUMN_HASH    12
#define AUDIT_HASH_SIZE      (crypto_hash_sha256_BYTES * 2 + 1)

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
