/*
 * Each value is preceded by its length, so that no two different rows have the same bytes. This format is
 * published and may never change.
 */
#include "core/log/audit_row.h"

#include <string.h>

void audit_put_value(struct buf *bytes, const char *value)
{
    char digits[24];
    char *at = digits + sizeof(digits);
    size_t len = value ? strlen(value) : 0, rest = len;

    if (!value) {
        buf_add(bytes, "-,", 2);
        return;
    }
    *--at = ':';
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    buf_add(bytes, at, (size_t)(digits + sizeof(digits) - at));
    buf_add(bytes, value, len);
    buf_char(bytes, ',');
}

static void put_row(const char *previous, const struct db_rows *rows, size_t row, struct buf *bytes)
{
    audit_put_value(bytes, previous);
    for (size_t column = 0; column < COL_AUDIT_END; column++)
        audit_put_value(bytes, db_cell(rows, row, column));
}

void audit_row_hash(const char *previous, const struct db_rows *rows, size_t row, struct buf *bytes,
                    char hex[static AUDIT_HASH_SIZE])
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    buf_clear(bytes);
    put_row(previous, rows, row, bytes);
    crypto_hash_sha256(hash, (const unsigned char *)bytes->bytes, bytes->len);
    sodium_bin2hex(hex, AUDIT_HASH_SIZE, hash, sizeof(hash));
}

void audit_digest_erased(crypto_hash_sha256_state *digest, const char *previous, const struct db_rows *rows,
                         size_t row, struct buf *bytes)
{
    buf_clear(bytes);
    audit_put_value(bytes, db_cell(rows, row, AUDIT_COLUMN_HASH));
    put_row(previous, rows, row, bytes);
    crypto_hash_sha256_update(digest, (const unsigned char *)bytes->bytes, bytes->len);
}
