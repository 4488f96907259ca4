/*
 * Sealing is a second step after the insert, in the order of the numbers. SQLite does it within the commit of
 * the batch. On PostgreSQL many nodes may try at once: rows are read and hashed without a lock, and the one
 * statement that stores the hashes changes nothing if anybody has sealed since.
 */
#include "core/log/audit.h"

#include "base/limits.h"
#include "core/log/audit_row.h"

#include <stdio.h>
#include <string.h>

bool audit_append(const struct tx *tx, const struct audit_entry *entry)
{
    return tx_exec(tx, SQL_AUDIT_INSERT,
                   DB_ARGS(db_text(entry->workspace_id), db_text(entry->actor_kind), db_text(entry->actor_id),
                           db_text(entry->actor), db_text(entry->operation), db_text(entry->subject),
                           db_text(entry->door), db_text(entry->remote), db_text(entry->request_id),
                           db_text(entry->detail ? entry->detail : "{}"), db_int(entry->at_ms)),
                   NULL);
}

/* Where a workspace's chain ends while a batch is being sealed. */
struct chain {
    const char *workspace_id;
    int64_t seq;
    char hash[AUDIT_HASH_SIZE];
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

/* In the writer's own transaction. */
static bool store_in_batch(const struct tx *tx, const struct db_arg rows[], size_t count,
                           const struct db_arg heads[], size_t head_count)
{
    for (size_t i = 0; i < count; i++) {
        size_t changed;

        if (!tx_exec(tx, SQL_AUDIT_SEAL_ROW, SEAL_WIDTH, &rows[i * SEAL_WIDTH], &changed))
            return false;
        if (changed != 1)
            return err_set(tx->err, ERR_INTERNAL, "Audit rows changed while they were being sealed.");
    }
    for (size_t i = 0; i < head_count; i++)
        if (!tx_exec(tx, SQL_AUDIT_SEAL_HEAD, SEAL_WIDTH, &heads[i * SEAL_WIDTH], NULL))
            return false;
    return true;
}

/* In one statement, which changes nothing if anybody has sealed since the rows were read; *stored says that.
 */
static bool store_at_once(const struct tx *tx, const struct db_arg rows[], size_t count,
                          const struct db_arg heads[], size_t head_count, bool *stored)
{
    struct db_rows reply;
    int64_t behind = rows[1].number - 1; /* the first row's number follows the last one sealed */

    if (!tx_query(tx, SQL_AUDIT_SEAL_ALL,
                  DB_ARGS(db_text(db_list(tx->arena, SEAL_WIDTH, rows, count)),
                          db_text(db_list(tx->arena, SEAL_WIDTH, heads, head_count)), db_int(behind)),
                  &reply))
        return false;
    *stored = db_cell_int(&reply, 0, 0) >= 0;
    return true;
}

static bool store_seals(const struct tx *tx, const struct db_arg rows[], size_t count,
                        const struct chains *chains, bool *stored)
{
    struct db_arg *heads = arena_array(tx->arena, struct db_arg, chains->count * SEAL_WIDTH), *head = heads;

    for (size_t i = 0; i < chains->count; i++) {
        *head++ = db_text(chains->items[i].workspace_id);
        *head++ = db_int(chains->items[i].seq);
        *head++ = db_text(chains->items[i].hash);
    }
    if (tx->db->engine == DB_POSTGRES)
        return store_at_once(tx, rows, count, heads, chains->count, stored);
    *stored = true;
    return store_in_batch(tx, rows, count, heads, chains->count);
}

static bool seal_rows(const struct tx *tx, const struct db_rows *rows, bool *stored)
{
    struct chains chains = { .items = arena_array(tx->arena, struct chain, rows->count) };
    struct db_arg *seals = arena_array(tx->arena, struct db_arg, rows->count * SEAL_WIDTH), *seal = seals;
    BUF_AUTO bytes = { 0 };

    for (size_t row = 0; row < rows->count; row++) {
        struct chain *chain = chain_of(&chains, db_cell(rows, row, COL_AUDIT_WORKSPACE_ID),
                                       db_cell(rows, row, AUDIT_COLUMN_HASH));
        char hash[AUDIT_HASH_SIZE];

        audit_row_hash(chain->hash, rows, row, &bytes, hash);
        memcpy(chain->hash, hash, sizeof(hash));
        chain->seq = db_cell_int(rows, row, COL_AUDIT_SEQ);
        *seal++ = db_int(db_cell_int(rows, row, AUDIT_COLUMN_KEY));
        *seal++ = db_int(chain->seq);
        *seal++ = db_text(arena_text(tx->arena, hash));
    }
    return store_seals(tx, seals, rows->count, &chains, stored);
}

bool audit_waiting(const struct tx *tx, bool *waiting)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AUDIT_WAITING, DB_NO_ARGS, &rows))
        return false;
    *waiting = db_cell_bool(&rows, 0, 0);
    return true;
}

bool audit_seal(const struct tx *tx, size_t *sealed)
{
    struct db_rows rows;
    bool waiting, stored = true;

    *sealed = 0;
    if (!audit_waiting(tx, &waiting))
        return false;
    if (!waiting)
        return true;
    if (!tx_query(tx, SQL_AUDIT_UNSEALED, DB_ARGS(db_int(SEAL_BATCH)), &rows))
        return false;
    if (rows.count > 0 && !seal_rows(tx, &rows, &stored))
        return false;
    *sealed = stored ? rows.count : 0;
    return true;
}

static void read_entries(struct arena *arena, const struct db_rows *rows, struct audit_entry **entries,
                         size_t *count)
{
    *entries = arena_array(arena, struct audit_entry, rows->count);
    *count = rows->count;
    for (size_t row = 0; row < rows->count; row++)
        (*entries)[row] = (struct audit_entry){
            .seq = db_cell_int(rows, row, COL_AUDIT_SEQ),
            .workspace_id = db_cell(rows, row, COL_AUDIT_WORKSPACE_ID),
            .actor_kind = db_cell(rows, row, COL_AUDIT_ACTOR_KIND),
            .actor_id = db_cell(rows, row, COL_AUDIT_ACTOR_ID),
            .actor = db_cell(rows, row, COL_AUDIT_ACTOR),
            .operation = db_cell(rows, row, COL_AUDIT_OPERATION),
            .subject = db_cell(rows, row, COL_AUDIT_SUBJECT),
            .door = db_cell(rows, row, COL_AUDIT_DOOR),
            .remote = db_cell(rows, row, COL_AUDIT_REMOTE),
            .request_id = db_cell(rows, row, COL_AUDIT_REQUEST_ID),
            .detail = db_cell(rows, row, COL_AUDIT_DETAIL),
            .at_ms = db_cell_int(rows, row, COL_AUDIT_CREATED_AT),
            .hash = db_cell(rows, row, AUDIT_COLUMN_HASH),
        };
}

bool audit_list(const struct tx *tx, const char *workspace_id, const struct audit_filter *filter,
                struct audit_entry **entries, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AUDIT_LIST,
                  DB_ARGS(db_text(workspace_id), db_int(filter->cursor ? filter->cursor : INT64_MAX),
                          db_text(filter->actor), db_text(filter->operation), db_text(filter->subject),
                          db_int(filter->after_ms), db_int(filter->before_ms ? filter->before_ms : INT64_MAX),
                          db_int((int64_t)filter->limit)),
                  &rows))
        return false;
    read_entries(tx->arena, &rows, entries, count);
    return true;
}

bool audit_read(const struct tx *tx, const char *workspace_id, int64_t after, size_t limit,
                struct audit_entry **entries, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_AUDIT_CHAIN,
                  DB_ARGS(db_text(workspace_id), db_int(after), db_int(INT64_MAX), db_int((int64_t)limit)),
                  &rows))
        return false;
    read_entries(tx->arena, &rows, entries, count);
    return true;
}
