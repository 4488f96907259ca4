#include "core/reports/figures.h"

bool figures_waiting(struct db *db, struct arena *arena, bool *waiting, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_FIGURES_WAITING, DB_NO_ARGS, &rows, err))
        return false;
    *waiting = db_cell_int(&rows, 0, 0) != 0;
    return true;
}

static bool fold_sqlite(struct db *db, struct arena *arena, size_t limit, size_t *folded, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_FIGURES_UPTO, DB_ARGS(db_int((int64_t)limit)), &rows, err))
        return false;
    struct db_arg upto = db_int(db_cell_int(&rows, 0, 0));

    return db_exec(db, arena, SQL_FIGURES_ADD, DB_ARGS(upto), NULL, err) &&
           db_exec(db, arena, SQL_TALLIES_ADD, DB_ARGS(upto), NULL, err) &&
           db_exec(db, arena, SQL_FIGURES_ADDED, DB_ARGS(upto), folded, err);
}

static bool fold_postgres(struct db *db, struct arena *arena, size_t limit, size_t *folded, struct err *err)
{
    struct db_rows rows;

    *folded = 0;
    if (!db_query(db, arena, SQL_FIGURES_CLAIM, DB_NO_ARGS, &rows, err))
        return false;
    if (!db_cell_bool(&rows, 0, 0))
        return true;
    if (!db_query(db, arena, SQL_FIGURES_FOLD, DB_ARGS(db_int((int64_t)limit)), &rows, err))
        return false;
    *folded = (size_t)db_cell_int(&rows, 0, 0);
    return true;
}

bool figures_fold(struct db *db, struct arena *arena, size_t limit, size_t *folded, struct err *err)
{
    size_t count = 0;
    bool ok = db->engine == DB_SQLITE ? fold_sqlite(db, arena, limit, &count, err)
                                      : fold_postgres(db, arena, limit, &count, err);

    if (!ok || (count > 0 && (!db_exec(db, arena, SQL_FIGURES_DROP_NONE, DB_NO_ARGS, NULL, err) ||
                              !db_exec(db, arena, SQL_TALLIES_DROP_NONE, DB_NO_ARGS, NULL, err))))
        return false;
    *folded = count;
    return true;
}
