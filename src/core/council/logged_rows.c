/*
 * The number of a row is given by the statement that inserts it, under the lock of the discussion, so numbers
 * have no gaps and no twins.
 */
#include "core/council/logged_rows.h"

#include "base/uuid.h"

static bool from_row(const struct db_rows *rows, size_t row, struct logged *logged, struct err *err)
{
    const char *strange = NULL;

    *logged = (struct logged){
        .id = db_cell(rows, row, COL_LOGGED_ID),
        .seq = db_cell_int(rows, row, COL_LOGGED_SEQ),
        .kind = db_cell_word(rows, row, COL_LOGGED_KIND, row_kinds, &strange),
        .manner = db_cell_word(rows, row, COL_LOGGED_MANNER, entry_kinds, &strange),
        .agent_id = db_cell(rows, row, COL_LOGGED_AGENT_ID),
        .user_id = db_cell(rows, row, COL_LOGGED_USER_ID),
        .speaker = db_cell(rows, row, COL_LOGGED_SPEAKER),
        .role = db_cell(rows, row, COL_LOGGED_ROLE),
        .content = db_cell(rows, row, COL_LOGGED_CONTENT),
        .turn_index = (int)db_cell_int(rows, row, COL_LOGGED_TURN_INDEX),
        .round = (int)db_cell_int(rows, row, COL_LOGGED_ROUND_NUMBER),
        .metadata = db_cell(rows, row, COL_LOGGED_METADATA),
        .created_ms = db_cell_int(rows, row, COL_LOGGED_CREATED_AT),
        .spent = { .calls = db_cell_int(rows, row, COL_LOGGED_CALLS),
                   .tokens_in = db_cell_int(rows, row, COL_LOGGED_TOKENS_IN),
                   .tokens_out = db_cell_int(rows, row, COL_LOGGED_TOKENS_OUT),
                   .missing = db_cell_int(rows, row, COL_LOGGED_USAGE_MISSING) },
    };
    return db_words_known(strange, err);
}

static bool take_rows(const struct tx *tx, const struct db_rows *rows, struct logged **list, size_t *count)
{
    *list = arena_array(tx->arena, struct logged, rows->count);
    *count = rows->count;
    for (size_t row = 0; row < rows->count; row++)
        if (!from_row(rows, row, &(*list)[row], tx->err))
            return false;
    return true;
}

bool logged_add(const struct tx *tx, const struct discussion *discussion, struct logged *logged)
{
    struct db_rows rows;

    logged->id = uuid_new(tx->arena);
    logged->created_ms = tx->now_ms;
    if (!logged->metadata)
        logged->metadata = "{}";
    if (!tx_query(tx, SQL_LOGGED_INSERT,
                  DB_ARGS(db_text(logged->id), db_text(discussion->workspace_id), db_text(discussion->id),
                          db_text(discussion->project_id), db_text(row_kind_word(logged->kind)),
                          db_text(entry_kind_word(logged->manner)), db_text(logged->agent_id),
                          db_text(logged->user_id), db_text(logged->speaker), db_text(logged->role),
                          db_text(logged->content), db_int(logged->turn_index), db_int(logged->round),
                          db_text(logged->metadata), db_int(logged->created_ms), db_int(logged->spent.calls),
                          db_int(logged->spent.tokens_in), db_int(logged->spent.tokens_out),
                          db_int(logged->spent.missing)),
                  &rows))
        return false;
    logged->seq = db_cell_int(&rows, 0, 0);
    return true;
}

bool logged_all(const struct tx *tx, const char *discussion_id, int64_t after, struct logged **list,
                size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_ALL, DB_ARGS(db_text(discussion_id), db_int(after), db_int(LIMIT_ENTRIES)),
                  &rows))
        return false;
    return take_rows(tx, &rows, list, count);
}

bool logged_shown(const struct tx *tx, const char *discussion_id, const char *after_id, size_t most,
                  struct logged **list, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_SHOWN,
                  DB_ARGS(db_text(discussion_id), db_text(after_id ? after_id : ""), db_int((int64_t)most)),
                  &rows))
        return false;
    return take_rows(tx, &rows, list, count);
}

bool logged_counts(const struct tx *tx, const char *discussion_id, struct speaker_count **counts,
                   size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_COUNTS, DB_ARGS(db_text(discussion_id), db_int(LIMIT_SPEAKERS)), &rows))
        return false;
    *counts = arena_array(tx->arena, struct speaker_count, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        (*counts)[row] = (struct speaker_count){ .name = db_cell(&rows, row, 0),
                                                 .count = (size_t)db_cell_int(&rows, row, 1) };
    return true;
}

bool logged_last(const struct tx *tx, const char *discussion_id, size_t most, struct logged **list,
                 size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_LAST, DB_ARGS(db_text(discussion_id), db_int((int64_t)most)), &rows))
        return false;
    *list = arena_array(tx->arena, struct logged, rows.count);
    *count = rows.count;
    for (size_t row = 0; row < rows.count; row++)
        if (!from_row(&rows, row, &(*list)[rows.count - 1 - row], tx->err))
            return false;
    return true;
}

bool logged_round(const struct tx *tx, const char *discussion_id, enum row_kind kind, int round,
                  struct logged **list, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_ROUND,
                  DB_ARGS(db_text(discussion_id), db_text(row_kind_word(kind)), db_int(round)), &rows))
        return false;
    return take_rows(tx, &rows, list, count);
}

bool logged_last_seq(const struct tx *tx, const char *discussion_id, int64_t *seq)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_LOGGED_LAST_SEQ, DB_ARGS(db_text(discussion_id)), &rows))
        return false;
    *seq = db_cell_int(&rows, 0, 0);
    return true;
}
