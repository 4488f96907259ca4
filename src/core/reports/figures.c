/*
 * On SQLite the writer is alone, so folding is three plain statements up to a number. On PostgreSQL one node
 * claims the work and a function in the database does it in one go, since rows must not be added twice by two
 * nodes.
 */
#include "core/reports/figures.h"

#include "core/holding/holding.h"

bool figures_waiting(const struct tx *tx, bool *waiting)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_FIGURES_WAITING, DB_NO_ARGS, &rows))
        return false;
    *waiting = db_cell_int(&rows, 0, 0) != 0;
    return true;
}

static bool fold_sqlite(const struct tx *tx, size_t limit, size_t *folded)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_FIGURES_UPTO, DB_ARGS(db_int((int64_t)limit)), &rows))
        return false;
    struct db_arg upto = db_int(db_cell_int(&rows, 0, 0));

    return tx_exec(tx, SQL_FIGURES_ADD, DB_ARGS(upto), NULL) &&
           tx_exec(tx, SQL_TALLIES_ADD, DB_ARGS(upto), NULL) &&
           tx_exec(tx, SQL_FIGURES_ADDED, DB_ARGS(upto), folded);
}

static bool fold_postgres(const struct tx *tx, size_t limit, size_t *folded)
{
    struct db_rows rows;
    bool alone;

    *folded = 0;
    if (!holding_alone(tx, LOCK_FIGURES, &alone))
        return false;
    if (!alone)
        return true;
    if (!tx_query(tx, SQL_FIGURES_FOLD, DB_ARGS(db_int((int64_t)limit)), &rows))
        return false;
    *folded = (size_t)db_cell_int(&rows, 0, 0);
    return true;
}

bool figures_fold(const struct tx *tx, size_t limit, size_t *folded)
{
    size_t count = 0;
    bool ok = tx->db->engine == DB_SQLITE ? fold_sqlite(tx, limit, &count) : fold_postgres(tx, limit, &count);

    if (!ok || (count > 0 && (!tx_exec(tx, SQL_FIGURES_DROP_NONE, DB_NO_ARGS, NULL) ||
                              !tx_exec(tx, SQL_TALLIES_DROP_NONE, DB_NO_ARGS, NULL))))
        return false;
    *folded = count;
    return true;
}
