#include "core/audit.h"

#include "base/limits.h"
#include "base/str.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#define HASHED_COLUMNS 12 /* from seq to created_at, as every statement on whole rows returns them */
#define COLUMN_HASH    12 /* a row's own hash; where rows are sealed, the one its chain ends with */
#define COLUMN_KEY     13
#define HASH_SIZE      (crypto_hash_sha256_BYTES * 2 + 1)

bool audit_append(struct db *db, struct arena *arena, const struct audit_entry *entry, struct err *err)
{
    return db_exec(db, arena, SQL_AUDIT_INSERT,
                   DB_ARGS(db_text(entry->workspace_id), db_text(entry->actor_kind), db_text(entry->actor_id),
                           db_text(entry->actor), db_text(entry->operation), db_text(entry->subject),
                           db_text(entry->door), db_text(entry->remote), db_text(entry->request_id),
                           db_text(entry->detail ? entry->detail : "{}"), db_int(entry->at_ms)),
                   NULL, err);
}

/* A value goes in with its length, so that no two rows have the same bytes; NULL is not the empty text. */
static void put_value(struct buf *bytes, const char *value)
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

/* `bytes` is room that the rows of one walk share. */
static void row_hash(const char *previous, const struct db_rows *rows, size_t row, struct buf *bytes,
                     char hex[static HASH_SIZE])
{
    unsigned char hash[crypto_hash_sha256_BYTES];

    buf_clear(bytes);
    put_value(bytes, previous);
    for (size_t column = 0; column < HASHED_COLUMNS; column++)
        put_value(bytes, db_cell(rows, row, column));
    crypto_hash_sha256(hash, (const unsigned char *)bytes->bytes, bytes->len);
    sodium_bin2hex(hex, HASH_SIZE, hash, sizeof(hash));
}

/* Where a workspace's chain ends while a batch is being sealed. */
struct chain {
    const char *workspace_id;
    int64_t seq;
    char hash[HASH_SIZE];
};

struct chains {
    struct chain *items;
    size_t count;
};

/* Rows of one workspace mostly come together, so the search starts with the chain met last. */
static struct chain *chain_of(struct chains *chains, const char *workspace_id, const char *stored_hash)
{
    struct chain *chain;

    for (size_t i = chains->count; i > 0; i--)
        if (strcmp(chains->items[i - 1].workspace_id, workspace_id) == 0)
            return &chains->items[i - 1];
    chain = &chains->items[chains->count++];
    chain->workspace_id = workspace_id;
    snprintf(chain->hash, sizeof(chain->hash), "%s", stored_hash ? stored_hash : "");
    return chain;
}

#define SEAL_WIDTH 3

static bool store_seals(struct db *db, struct arena *arena, const struct db_arg rows[], size_t count,
                        const struct chains *chains, struct err *err)
{
    struct db_arg *heads = arena_array(arena, struct db_arg, chains->count * SEAL_WIDTH), *head = heads;
    size_t changed;

    if (!db_exec_rows(db, arena, SQL_AUDIT_SEAL_ROW, SQL_AUDIT_SEAL_ROWS, SEAL_WIDTH, rows, count, &changed,
                      err))
        return false;
    if (changed != count)
        return err_set(err, ERR_INTERNAL, "Audit rows changed while they were being sealed.");
    for (size_t i = 0; i < chains->count; i++) {
        *head++ = db_text(chains->items[i].workspace_id);
        *head++ = db_int(chains->items[i].seq);
        *head++ = db_text(chains->items[i].hash);
    }
    return db_exec_rows(db, arena, SQL_AUDIT_SEAL_HEAD, SQL_AUDIT_SEAL_HEADS, SEAL_WIDTH, heads,
                        chains->count, NULL, err);
}

static bool seal_rows(struct db *db, struct arena *arena, const struct db_rows *rows, struct err *err)
{
    struct chains chains = { .items = arena_array(arena, struct chain, rows->count) };
    struct db_arg *seals = arena_array(arena, struct db_arg, rows->count * SEAL_WIDTH), *seal = seals;
    BUF_AUTO bytes = { 0 };

    for (size_t row = 0; row < rows->count; row++) {
        struct chain *chain = chain_of(&chains, db_cell(rows, row, 1), db_cell(rows, row, COLUMN_HASH));
        char hash[HASH_SIZE];

        row_hash(chain->hash, rows, row, &bytes, hash);
        memcpy(chain->hash, hash, sizeof(hash));
        chain->seq = db_cell_int(rows, row, 0);
        *seal++ = db_int(db_cell_int(rows, row, COLUMN_KEY));
        *seal++ = db_int(chain->seq);
        *seal++ = db_text(arena_text(arena, hash));
    }
    return store_seals(db, arena, seals, rows->count, &chains, err);
}

bool audit_seal(struct db *db, struct arena *arena, size_t *sealed, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_AUDIT_SEAL_CLAIM, DB_NO_ARGS, &rows, err))
        return false;
    if (!db_cell_bool(&rows, 0, 0)) {
        *sealed = 0;
        return true;
    }
    if (!db_query(db, arena, SQL_AUDIT_UNSEALED, DB_ARGS(db_int(SEAL_BATCH)), &rows, err))
        return false;
    if (rows.count > 0 && !seal_rows(db, arena, &rows, err))
        return false;
    *sealed = rows.count;
    return true;
}

struct head {
    bool there;
    int64_t seq;
    char hash[HASH_SIZE];
};

static bool read_head(struct db *db, const char *workspace_id, struct head *head, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct db_rows rows;

    if (!db_query(db, &arena, SQL_AUDIT_HEAD, DB_ARGS(db_text(workspace_id)), &rows, err))
        return false;
    *head = (struct head){ .there = rows.count > 0 };
    if (head->there) {
        head->seq = db_cell_int(&rows, 0, 0);
        snprintf(head->hash, sizeof(head->hash), "%s", db_cell(&rows, 0, 1));
    }
    return true;
}

/* Rows that say they are sealed, in a chain that nobody sealed. */
static bool find_headless(struct db *db, const char *workspace_id, int64_t *broken_at, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct db_rows rows;

    if (!db_query(db, &arena, SQL_AUDIT_HEADLESS, DB_ARGS(db_text(workspace_id)), &rows, err))
        return false;
    *broken_at = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    return true;
}

/* Walks the rows up to the head. A row that was changed or taken out breaks the hash of what follows. */
static bool walk_chain(struct db *db, const char *workspace_id, const struct head *head, int64_t *count,
                       int64_t *broken_at, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO bytes = { 0 };
    struct db_rows rows = { .count = AUDIT_VERIFY_PAGE };
    char previous[HASH_SIZE] = "";
    int64_t seq = 0;

    *broken_at = 0;
    while (rows.count == AUDIT_VERIFY_PAGE) {
        arena_reset(&arena);
        if (!db_query(
                db, &arena, SQL_AUDIT_CHAIN,
                DB_ARGS(db_text(workspace_id), db_int(seq), db_int(head->seq), db_int(AUDIT_VERIFY_PAGE)),
                &rows, err))
            return false;
        for (size_t row = 0; row < rows.count; row++) {
            char hash[HASH_SIZE];

            seq = db_cell_int(&rows, row, 0);
            row_hash(previous, &rows, row, &bytes, hash);
            if (!str_equal(hash, db_cell(&rows, row, COLUMN_HASH))) {
                *broken_at = seq;
                return true;
            }
            memcpy(previous, hash, sizeof(hash));
            (*count)++;
        }
    }
    /* Rows cut off at the end leave a chain that fits, but not one that ends where the head says. */
    if (seq != head->seq || strcmp(previous, head->hash) != 0)
        *broken_at = head->seq;
    return true;
}

static bool verify_chain(struct db *db, struct arena *arena, const char *workspace_id,
                         struct audit_verdict *verdict, struct err *err)
{
    struct head head;
    int64_t broken_at = 0;

    if (!read_head(db, workspace_id, &head, err))
        return false;
    if (!(head.there ? walk_chain(db, workspace_id, &head, &verdict->rows, &broken_at, err)
                     : find_headless(db, workspace_id, &broken_at, err)))
        return false;
    if (broken_at && verdict->whole) {
        verdict->whole = false;
        verdict->broken_at = broken_at;
        verdict->broken_in = arena_text(arena, workspace_id);
    }
    return true;
}

/* The chain that follows in the order of ids; "" when there is none. */
static bool next_chain(struct db *db, char workspace_id[static LIMIT_REF + 1], struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct db_rows rows;
    const char *by_row, *by_head;

    if (!db_query(db, &arena, SQL_AUDIT_NEXT_CHAIN, DB_ARGS(db_text(workspace_id)), &rows, err))
        return false;
    by_row = db_cell(&rows, 0, 0);
    by_head = db_cell(&rows, 0, 1);
    if (!by_row || (by_head && strcmp(by_head, by_row) < 0))
        by_row = by_head;
    snprintf(workspace_id, LIMIT_REF + 1, "%s", by_row ? by_row : "");
    return true;
}

/* Numbers have no gaps: a chain that was taken out whole, head and all, leaves some. */
static bool verify_numbers(struct db *db, struct audit_verdict *verdict, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct db_rows rows;

    if (!db_query(db, &arena, SQL_AUDIT_EXTENT, DB_NO_ARGS, &rows, err))
        return false;
    verdict->unsealed = db_cell_int(&rows, 0, 0);
    if (!verdict->whole || db_cell_int(&rows, 0, 1) == verdict->rows)
        return true;
    if (!db_query(db, &arena, SQL_AUDIT_FIRST_GAP, DB_NO_ARGS, &rows, err))
        return false;
    verdict->whole = false;
    verdict->broken_at = db_cell_int(&rows, 0, 0);
    return true;
}

bool audit_verify(struct db *db, struct arena *arena, struct audit_verdict *verdict, struct err *err)
{
    struct audit_verdict found = { .whole = true };
    char workspace_id[LIMIT_REF + 1] = "";

    if (!next_chain(db, workspace_id, err))
        return false;
    while (workspace_id[0]) {
        if (!verify_chain(db, arena, workspace_id, &found, err) || !next_chain(db, workspace_id, err))
            return false;
    }
    if (!verify_numbers(db, &found, err))
        return false;
    *verdict = found;
    return true;
}

static void read_entries(struct arena *arena, const struct db_rows *rows, struct audit_entry **entries,
                         size_t *count)
{
    *entries = arena_array(arena, struct audit_entry, rows->count);
    *count = rows->count;
    for (size_t row = 0; row < rows->count; row++)
        (*entries)[row] = (struct audit_entry){
            .seq = db_cell_int(rows, row, 0),
            .workspace_id = db_cell(rows, row, 1),
            .actor_kind = db_cell(rows, row, 2),
            .actor_id = db_cell(rows, row, 3),
            .actor = db_cell(rows, row, 4),
            .operation = db_cell(rows, row, 5),
            .subject = db_cell(rows, row, 6),
            .door = db_cell(rows, row, 7),
            .remote = db_cell(rows, row, 8),
            .request_id = db_cell(rows, row, 9),
            .detail = db_cell(rows, row, 10),
            .at_ms = db_cell_int(rows, row, 11),
            .hash = db_cell(rows, row, COLUMN_HASH),
        };
}

bool audit_list(struct db *db, struct arena *arena, const char *workspace_id,
                const struct audit_filter *filter, struct audit_entry **entries, size_t *count,
                struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_AUDIT_LIST,
                  DB_ARGS(db_text(workspace_id), db_int(filter->cursor ? filter->cursor : INT64_MAX),
                          db_text(filter->actor), db_text(filter->operation), db_text(filter->subject),
                          db_int(filter->after_ms), db_int(filter->before_ms ? filter->before_ms : INT64_MAX),
                          db_int((int64_t)filter->limit)),
                  &rows, err))
        return false;
    read_entries(arena, &rows, entries, count);
    return true;
}

bool audit_read(struct db *db, struct arena *arena, const char *workspace_id, int64_t after, size_t limit,
                struct audit_entry **entries, size_t *count, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_AUDIT_CHAIN,
                  DB_ARGS(db_text(workspace_id), db_int(after), db_int(INT64_MAX), db_int((int64_t)limit)),
                  &rows, err))
        return false;
    read_entries(arena, &rows, entries, count);
    return true;
}
