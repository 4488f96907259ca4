/*
 * The last resort of a driver: a discussion that can never be moved on, for what is stored of it or beside
 * it, is ended as failed with the reason, so that nobody waits for it and no node tries for ever.
 *
 * Ended as any other where that can be written: its task gets its result, its parent its last words. Else
 * plainly, by its own rows alone, with nothing read that could be as strange as what kept it from going on.
 */
#include "core/council/drive_internal.h"

#include "core/council/machine.h"
#include "core/council/result.h"
#include "core/council/tell.h"

static const char *failure_text(const struct tx *tx, const char *reason)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "reason", reason);
    json_map_end(&out);
    return arena_copy(tx->arena, text.bytes, text.len);
}

/* Whoever owes a turn does not owe it any more. */
static bool drop_turns(const struct tx *tx, struct discussion *d)
{
    struct open_turn *turns;
    size_t count;

    if (!open_turn_list(tx, d->id, &turns, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        open_turn_count_cut_off(d, &turns[i]);
        if (!open_turn_delete(tx, &turns[i]))
            return false;
    }
    return tx_exec(tx, SQL_INTERJECTION_CLEAR, DB_ARGS(db_text(d->id)), NULL);
}

static bool fail_whole(const struct tx *tx, const struct drive_failure *failure, struct discussion *d)
{
    struct machine m;

    if (!machine_begin(tx, d, &m) || !drop_turns(tx, d))
        return false;
    result_remember(tx, d, RESULT_FAILURE, failure_text(tx, failure->reason));
    return machine_end(&m, END_FAILED);
}

/* Told only where the row can be read; whoever waits for the end finds it in the row. */
static bool tell_if_readable(const struct tx *tx, const char *id)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(tx, &err);
    struct discussion d;

    if (!discussion_lock_any(&quiet, id, &d))
        return err.code == ERR_INTERNAL && !err.raw ? true : (*tx->err = err, false);
    return tell_ended(tx, &d);
}

static bool fail_plainly(const struct tx *tx, const struct drive_failure *failure)
{
    struct db_arg id = db_text(failure->discussion_id);
    BUF_AUTO result = { 0 };
    size_t changed;

    buf_init(&result, 0);
    buf_format(&result, "{\"%s\":%s}", RESULT_FAILURE, failure_text(tx, failure->reason));
    if (!tx_exec(tx, SQL_DISCUSSION_FAIL,
                 DB_ARGS(id, db_text(failure->node), db_int(failure->epoch), db_text(result.bytes),
                         db_int(tx->now_ms)),
                 &changed))
        return false;
    return holding_wrote(tx, HOLDING_DISCUSSION, changed) &&
           tx_exec(tx, SQL_TURN_DELETE_ALL, DB_ARGS(id), NULL) &&
           tx_exec(tx, SQL_INTERJECTION_CLEAR, DB_ARGS(id), NULL) &&
           tx_exec(tx, SQL_DISCUSSION_FAIL_PARENT, DB_ARGS(id, db_int(tx->now_ms)), NULL) &&
           tell_if_readable(tx, failure->discussion_id);
}

bool drive_fail(const struct tx *tx, const struct drive_failure *failure)
{
    struct discussion d;

    if (failure->plainly)
        return fail_plainly(tx, failure);
    return drive_enter(tx, failure, &d) && fail_whole(tx, failure, &d);
}
