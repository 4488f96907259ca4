/*
 * The figures are columns of the log, so that a sum is one statement, however long the discussion is.
 */
#include "core/council/spent_by.h"

#include "base/limits.h"

bool spent_by_speaker(const struct tx *tx, const char *discussion_id, struct spent_by **list, size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_SPENT_BY_SPEAKER, DB_ARGS(db_text(discussion_id), db_int(LIMIT_SPEAKERS)), &rows))
        return false;
    *list = arena_array(tx->arena, struct spent_by, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*list)[i] = (struct spent_by){
            .agent_id = db_cell(&rows, i, 0),
            .speaker = db_cell(&rows, i, 1),
            .turns = db_cell_int(&rows, i, 2),
            .passes = db_cell_int(&rows, i, 3),
            .spent = { .calls = db_cell_int(&rows, i, 4),
                       .tokens_in = db_cell_int(&rows, i, 5),
                       .tokens_out = db_cell_int(&rows, i, 6),
                       .missing = db_cell_int(&rows, i, 7) },
        };
    return true;
}

bool spent_by_others(const struct tx *tx, const struct discussion *d, const struct spent_then **list,
                     size_t *count)
{
    struct spent_then *others;
    struct db_rows rows;

    if (!tx_query(tx, SQL_SPENT_BY_OTHERS, DB_ARGS(db_text(d->root_id), db_text(d->id)), &rows))
        return false;
    *list = others = arena_array(tx->arena, struct spent_then, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        others[i] = (struct spent_then){
            .at_ms = db_cell_int(&rows, i, 0),
            .spent = { .calls = db_cell_int(&rows, i, 1), .tokens_in = db_cell_int(&rows, i, 2) },
        };
    return true;
}
