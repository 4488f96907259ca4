/*
 * The records are written before the rows go, in the same transaction and under the sealing lock. The guard
 * in the database opens for as long as one statement needs it and is closed again even after a failure, since
 * the connection lives on.
 */
#include "core/log/audit_keep.h"

#include "base/limits.h"
#include "core/log/audit_row.h"

#include <stdio.h>
#include <string.h>

/* The text of a member that has exactly so many characters, copied. */
static bool read_text(const json_t *map, const char *key, char *into, size_t size)
{
    const char *text = json_string_value(json_object_get(map, key));

    if (!text || strlen(text) + 1 != size)
        return false;
    memcpy(into, text, size);
    return true;
}

static bool read_number(const json_t *map, const char *key, int64_t *number)
{
    const json_t *value = json_object_get(map, key);

    *number = json_integer_value(value);
    return json_is_integer(value);
}

static json_t *parse(const char *detail)
{
    struct err ignored = { 0 };
    json_t *map = NULL;

    return detail && json_parse(detail, strlen(detail), &map, &ignored) ? map : NULL;
}

bool audit_purge_record_read(const char *detail, struct audit_purge_record *record)
{
    JSON_AUTO *map = parse(detail);

    return read_number(map, "through", &record->through) &&
           read_text(map, "hash", record->hash, sizeof(record->hash));
}

bool audit_erase_record_read(const char *detail, struct audit_erase_record *record)
{
    JSON_AUTO *map = parse(detail);

    return read_text(map, "erasure", record->erasure, sizeof(record->erasure)) &&
           read_number(map, "rows", &record->rows) &&
           read_text(map, "digest", record->digest, sizeof(record->digest));
}

/* Everything that is committed gets its seal, so that what is changed below has one. */
static bool seal_all(const struct tx *tx)
{
    size_t sealed;

    do {
        if (!audit_seal(tx, &sealed))
            return false;
    } while (sealed == SEAL_BATCH);
    return true;
}

static bool unlock(const struct tx *tx, bool may)
{
    struct db_rows rows;

    return tx_query(tx, SQL_AUDIT_UNLOCK, DB_ARGS(db_int(may)), &rows);
}

/* The chain's rows of this erasure, as they are now. */
static bool digest_chain(const struct tx *tx, const char *erasure, const char *workspace_id, int64_t *count,
                         char hex[static AUDIT_HASH_SIZE])
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);
    BUF_AUTO bytes = { 0 };
    struct db_rows rows = { .count = AUDIT_VERIFY_PAGE };
    crypto_hash_sha256_state digest;
    unsigned char hash[crypto_hash_sha256_BYTES];
    int64_t seq = 0;

    crypto_hash_sha256_init(&digest);
    *count = 0;
    while (rows.count == AUDIT_VERIFY_PAGE) {
        arena_reset(&arena);
        if (!tx_query(
                &own, SQL_ERASE_AUDIT_ROWS,
                DB_ARGS(db_text(erasure), db_text(workspace_id), db_int(seq), db_int(AUDIT_VERIFY_PAGE)),
                &rows))
            return false;
        for (size_t row = 0; row < rows.count; row++) {
            seq = db_cell_int(&rows, row, COL_AUDIT_SEQ);
            audit_digest_erased(&digest, db_cell(&rows, row, AUDIT_COLUMN_PREVIOUS), &rows, row, &bytes);
        }
        *count += (int64_t)rows.count;
    }
    crypto_hash_sha256_final(&digest, hash);
    sodium_bin2hex(hex, AUDIT_HASH_SIZE, hash, sizeof(hash));
    return true;
}

static bool append_erase(const struct tx *tx, const struct audit_entry *by, const char *id,
                         const char *erasure, const char *workspace_id)
{
    struct audit_entry entry = *by;
    char hex[AUDIT_HASH_SIZE];
    int64_t count;

    if (!digest_chain(tx, erasure, workspace_id, &count, hex))
        return false;
    entry.workspace_id = workspace_id;
    entry.operation = AUDIT_ERASE;
    entry.subject = id;
    entry.detail = arena_format(tx->arena, "{\"erasure\":\"%s\",\"rows\":%lld,\"digest\":\"%s\"}", erasure,
                                (long long)count, hex);
    return audit_append(tx, &entry);
}

static bool append_purge(const struct tx *tx, const struct audit_entry *by, const struct db_rows *chains,
                         size_t row)
{
    struct audit_entry entry = *by;

    entry.workspace_id = db_cell(chains, row, COL_AUDIT_CUT_WORKSPACE_ID);
    entry.operation = AUDIT_PURGE;
    entry.detail = arena_format(
        tx->arena, "{\"through\":%s,\"hash\":\"%s\",\"rows\":%s}", db_cell(chains, row, COL_AUDIT_CUT_SEQ),
        db_cell(chains, row, COL_AUDIT_CUT_HASH), db_cell(chains, row, COL_AUDIT_CUT_ROWS_GONE));
    return audit_append(tx, &entry) &&
           tx_exec(tx, SQL_AUDIT_SET_CHECKPOINT,
                   DB_ARGS(db_text(entry.workspace_id), db_int(db_cell_int(chains, row, COL_AUDIT_CUT_SEQ)),
                           db_text(db_cell(chains, row, COL_AUDIT_CUT_HASH))),
                   NULL);
}

/* Erasures that lose some of their rows and keep others: they need a record of those. */
static bool renew_erasures(const struct tx *tx, const struct audit_entry *by, const struct db_rows *split)
{
    for (size_t row = 0; row < split->count; row++)
        if (!append_erase(tx, by, NULL, db_cell(split, row, 0), db_cell(split, row, 1)))
            return false;
    return true;
}

/* The records come first: on SQLite a number is never used twice only because the last row stays. */
static bool purge_through(const struct tx *tx, const struct audit_entry *by, int64_t through, size_t *purged)
{
    struct db_rows chains, split;

    if (!tx_query(tx, SQL_AUDIT_PURGE_CHAINS, DB_ARGS(db_int(through)), &chains) ||
        !tx_query(tx, SQL_AUDIT_PURGE_SPLIT, DB_ARGS(db_int(through)), &split))
        return false;
    for (size_t row = 0; row < chains.count; row++)
        if (!append_purge(tx, by, &chains, row))
            return false;
    if (!unlock(tx, true))
        return false;
    bool gone = tx_exec(tx, SQL_AUDIT_PURGE, DB_ARGS(db_int(through)), purged);
    struct err ignored = { 0 };
    struct tx cleaning = tx_with_err(tx, gone ? tx->err : &ignored);

    return unlock(&cleaning, false) && gone && renew_erasures(tx, by, &split);
}

/* The last row of the beginning that may go, or 0. */
static bool find_end(const struct tx *tx, int64_t before_ms, size_t limit, int64_t *through)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AUDIT_PURGE_RANGE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), &rows))
        return false;
    int64_t end = db_cell(&rows, 0, 0) ? db_cell_int(&rows, 0, 0) - 1 : db_cell_int(&rows, 0, 1);
    int64_t sealed = db_cell_int(&rows, 0, 2), first = db_cell_int(&rows, 0, 3);

    end = end < sealed ? end : sealed;
    *through = end >= first ? end : 0;
    return true;
}

bool audit_purge(const struct tx *tx, const struct audit_entry *by, int64_t before_ms, size_t limit,
                 size_t *purged)
{
    struct db_rows rows;
    int64_t through;

    *purged = 0;
    if (!find_end(tx, before_ms, limit, &through))
        return false;
    if (through == 0)
        return true;
    if (!tx_query(tx, SQL_AUDIT_HOLD, DB_NO_ARGS, &rows) || !seal_all(tx))
        return false;
    /* Another node may have purged while this one waited for the lock. */
    if (!find_end(tx, before_ms, limit, &through))
        return false;
    return through == 0 || (purge_through(tx, by, through, purged) && seal_all(tx));
}

/* One record in each chain that this erasure has touched. */
static bool append_erasures(const struct tx *tx, const struct audit_entry *by, const char *id,
                            const char *erasure)
{
    struct db_rows chains;

    if (!tx_query(tx, SQL_ERASE_AUDIT_CHAINS, DB_ARGS(db_text(erasure)), &chains))
        return false;
    for (size_t i = 0; i < chains.count; i++)
        if (!append_erase(tx, by, id, erasure, db_cell(&chains, i, 0)))
            return false;
    return true;
}

/* Asks of each row of the page what is to become of it, and does that when `erasure` is given. */
static bool erase_page(const struct tx *tx, const struct audit_eraser *eraser, const char *erasure,
                       int64_t *after, struct audit_erase_page *page)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_ERASE_AUDIT_PAGE, DB_ARGS(db_int(*after), db_int(ERASE_AUDIT_BATCH)), &rows))
        return false;
    *page = (struct audit_erase_page){ .more = rows.count == ERASE_AUDIT_BATCH };
    for (size_t i = 0; i < rows.count; i++) {
        struct audit_entry row = {
            .seq = db_cell_int(&rows, i, COL_AUDIT_SEQ),
            .workspace_id = db_cell(&rows, i, COL_AUDIT_WORKSPACE_ID),
            .actor_id = db_cell(&rows, i, COL_AUDIT_ACTOR_ID),
            .actor = db_cell(&rows, i, COL_AUDIT_ACTOR),
            .operation = db_cell(&rows, i, COL_AUDIT_OPERATION),
            .subject = db_cell(&rows, i, COL_AUDIT_SUBJECT),
            .remote = db_cell(&rows, i, COL_AUDIT_REMOTE),
            .detail = db_cell(&rows, i, COL_AUDIT_DETAIL),
            .at_ms = db_cell_int(&rows, i, COL_AUDIT_CREATED_AT),
        };

        *after = row.seq;
        if (!eraser->change(eraser->context, tx->arena, &row))
            continue;
        page->changed++;
        if (erasure && !tx_exec(tx, SQL_ERASE_AUDIT,
                                DB_ARGS(db_int(row.seq), db_text(row.actor), db_text(row.remote),
                                        db_text(row.detail), db_text(erasure)),
                                NULL))
            return false;
    }
    return true;
}

bool audit_erase_look(const struct tx *tx, const struct audit_eraser *eraser, int64_t *after,
                      struct audit_erase_page *page)
{
    return erase_page(tx, eraser, NULL, after, page);
}

static bool hold(const struct tx *tx)
{
    struct db_rows held;

    return tx_query(tx, SQL_AUDIT_HOLD, DB_NO_ARGS, &held) && seal_all(tx);
}

bool audit_erase_begin(const struct tx *tx)
{
    ARENA_AUTO arena = { 0 };
    struct tx own = tx_with_arena(tx, &arena);

    return hold(&own);
}

bool audit_erase(const struct tx *tx, const struct audit_entry *by, const char *id,
                 const struct audit_eraser *eraser, int64_t *after, struct audit_erase_page *page)
{
    const char *erasure = uuid_new(tx->arena);
    struct err ignored = { 0 };

    if (!hold(tx) || !unlock(tx, true))
        return false;
    bool done = erase_page(tx, eraser, erasure, after, page);
    struct tx cleaning = tx_with_err(tx, done ? tx->err : &ignored);

    return unlock(&cleaning, false) && done && append_erasures(tx, by, id, erasure) && seal_all(tx);
}

bool audit_erase_end(const struct tx *tx, const struct audit_entry *by, const char *id)
{
    return hold(tx) && append_erase(tx, by, id, uuid_new(tx->arena), by->workspace_id) && seal_all(tx);
}
