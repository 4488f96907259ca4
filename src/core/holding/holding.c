/*
 * What nouns have in common who hold rows. A kind is no more than its statements, so a dead node is buried
 * once, for all kinds, by whoever looks first.
 */
#include "core/holding/holding.h"

#include "base/str.h"

static const struct {
    enum sql_id wanting, take, held, ours, release, free;
    const char *late;
} kinds[] = {
#define X(kind, statements, late) \
    [kind] = { SQL_##statements##_WANTING, \
               SQL_##statements##_TAKE, \
               SQL_##statements##_HELD, \
               SQL_##statements##_OURS, \
               SQL_##statements##_RELEASE, \
               SQL_##statements##_FREE, \
               late },
    HOLDING_KINDS(X)
#undef X
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool release(const struct tx *tx, struct db_arg node)
{
    for (size_t i = 0; i < KINDS; i++)
        if (!tx_exec(tx, kinds[i].release, DB_ARGS(node), NULL))
            return false;
    return true;
}

bool holding_node_renew(const struct tx *tx, const char *node, int64_t until_ms)
{
    return tx_exec(tx, SQL_NODE_RENEW, DB_ARGS(db_text(node), db_int(tx->now_ms), db_int(until_ms)), NULL);
}

bool holding_node_leave(const struct tx *tx, const char *node)
{
    return release(tx, db_text(node)) && tx_exec(tx, SQL_NODE_DELETE, DB_ARGS(db_text(node)), NULL);
}

bool holding_node_clear(const struct tx *tx)
{
    for (size_t i = 0; i < KINDS; i++)
        if (!tx_exec(tx, kinds[i].free, DB_NO_ARGS, NULL))
            return false;
    return tx_exec(tx, SQL_NODE_CLEAR, DB_NO_ARGS, NULL);
}

/*
 * What dead nodes held is free. The node's own row goes first, and only if it is still dead then: one that
 * renews at this moment keeps its row and what it holds, or waits for us and writes both anew.
 */
static bool bury_dead(const struct tx *tx)
{
    struct db_rows dead;

    if (!tx_query(tx, SQL_NODE_DEAD, DB_ARGS(db_int(tx->now_ms)), &dead))
        return false;
    for (size_t i = 0; i < dead.count; i++) {
        struct db_arg node = db_text(db_cell(&dead, i, 0));
        size_t buried;

        if (!tx_exec(tx, SQL_NODE_BURY, DB_ARGS(node, db_int(tx->now_ms)), &buried) ||
            (buried > 0 && !release(tx, node)))
            return false;
    }
    return true;
}

bool holding_claim(const struct tx *tx, enum holding_kind kind, const char *node, size_t limit,
                   struct held_row **list, size_t *count)
{
    struct db_rows rows;

    if (!bury_dead(tx) || !tx_query(tx, kinds[kind].wanting, DB_ARGS(db_int((int64_t)limit)), &rows))
        return false;
    *list = arena_array(tx->arena, struct held_row, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        const char *id = db_cell(&rows, i, 0);

        if (!tx_exec(tx, kinds[kind].take, DB_ARGS(db_text(id), db_text(node)), NULL))
            return false;
        (*list)[i] = (struct held_row){ .id = id, .epoch = db_cell_int(&rows, i, 1) + 1 };
    }
    return true;
}

bool holding_ours(const struct tx *tx, enum holding_kind kind, const char *node, struct held_row **list,
                  size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, kinds[kind].ours, DB_ARGS(db_text(node)), &rows))
        return false;
    *list = arena_array(tx->arena, struct held_row, rows.count);
    *count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*list)[i] = (struct held_row){ .id = db_cell(&rows, i, 0), .epoch = db_cell_int(&rows, i, 1) };
    return true;
}

bool holding_wanted_from(const struct tx *tx, enum holding_kind kind, const char *node, const char *id,
                         int64_t *epoch)
{
    struct db_rows rows;

    if (!tx_query(tx, kinds[kind].held, DB_ARGS(db_text(id)), &rows))
        return false;
    if (rows.count == 0)
        *epoch = INT64_MAX;
    else
        *epoch = db_cell_int(&rows, 0, 1) + !str_equal(db_cell(&rows, 0, 0), node);
    return true;
}

static bool late(const struct tx *tx, enum holding_kind kind)
{
    err_set(tx->err, ERR_CONFLICT, "%s", kinds[kind].late);
    tx->err->name = HOLDING_FENCED;
    return false;
}

bool holding_fence(const struct tx *tx, enum holding_kind kind, const struct holding_as *row,
                   const struct holding_as *as)
{
    return (str_equal(row->node, as->node) && row->epoch == as->epoch) || late(tx, kind);
}

bool holding_wrote(const struct tx *tx, enum holding_kind kind, size_t changed)
{
    return changed > 0 || late(tx, kind);
}

bool holding_gone(const struct tx *tx)
{
    if (tx->err->code == ERR_NOT_FOUND)
        tx->err->name = HOLDING_GONE;
    return false;
}

bool holding_is_late(const struct err *err)
{
    return str_equal(err->name, HOLDING_FENCED) || str_equal(err->name, HOLDING_GONE);
}

bool holding_is_hopeless(const struct err *err)
{
    switch (err->code) {
    case ERR_UNAVAILABLE:
    case ERR_OUTCOME_UNKNOWN:
    case ERR_RATE_LIMITED:
    case ERR_DUE:
    case ERR_RETRY: return false;
    default: return true;
    }
}

bool holding_alone(const struct tx *tx, enum lock_number lock, bool *alone)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_HOLDING_ALONE, DB_ARGS(db_int(lock)), &rows))
        return false;
    *alone = db_cell_int(&rows, 0, 0) == 1;
    return true;
}

bool holding_end_idle(const struct tx *tx, enum lock_number one, enum lock_number other, int64_t idle_ms,
                      size_t *ended)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_HOLDING_END_IDLE, DB_ARGS(db_int(one), db_int(other), db_int(idle_ms)), &rows))
        return false;
    *ended = (size_t)db_cell_int(&rows, 0, 0);
    return true;
}
