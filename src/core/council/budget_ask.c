#include "core/council/budget_ask.h"

bool machine_used(struct machine *m, struct allowance *used)
{
    struct db_rows rows;

    /* Its own figures are part of the sum. */
    if (!discussion_save(m->tx, m->d) ||
        !tx_query(m->tx, SQL_DISCUSSION_USED, DB_ARGS(db_text(m->d->root_id)), &rows))
        return false;
    *used = (struct allowance){ .calls = db_cell_int(&rows, 0, 0),
                                .tokens = db_cell_int(&rows, 0, 1),
                                .seconds = (m->tx->now_ms - db_cell_int(&rows, 0, 2)) / 1000 };
    return true;
}

/* One asker at a time, until the transaction ends: else each of many would find the last call. */
static bool look_out(struct machine *m, struct budget_look *look)
{
    struct db_arg root = db_text(m->d->root_id);
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_DISCUSSION_BUDGET_HOLD, DB_ARGS(root), &rows) ||
        !tx_query(m->tx, SQL_DISCUSSION_OUT, DB_ARGS(root, db_text(m->d->id)), &rows))
        return false;
    look->out = db_cell_int(&rows, 0, 0);
    look->own = db_cell_int(&rows, 0, 1);
    return true;
}

static bool look_at_calls(struct machine *m, struct budget_look *look)
{
    struct db_rows rows;

    if (m->options.budget.tokens == 0)
        return true;
    if (!tx_query(m->tx, SQL_DISCUSSION_LARGEST_CALL, DB_ARGS(db_text(m->d->root_id)), &rows))
        return false;
    look->told = db_cell_int(&rows, 0, 0);
    look->one = db_cell_int(&rows, 0, 1);
    return true;
}

bool budget_look(struct machine *m, const struct open_turn *again, struct budget_look *look)
{
    *look = (struct budget_look){ 0 };
    if (!look_out(m, look) || !machine_used(m, &look->used) || !look_at_calls(m, look))
        return false;
    look->out -= again != NULL;
    look->own -= again != NULL;
    return true;
}

bool budget_ask(struct machine *m, const struct open_turn *again, enum budget_left *left)
{
    struct budget_look look;
    int64_t ignored;

    *left = BUDGET_LEFT;
    if (!budget_is_limited(&m->options.budget))
        return true;
    if (!budget_look(m, again, &look))
        return false;
    *left = budget_judge(&m->options.budget, &look, &ignored);
    return true;
}
