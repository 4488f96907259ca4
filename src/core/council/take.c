/*
 * The discussion is locked before its turn is looked for, so that a turn can be taken once, and an answer and
 * its deadline cannot both be logged. A late one is told so (ERR_DUE), and the timer logs it as a pass.
 */
#include "core/council/take.h"

#include "base/str.h"
#include "core/caller/caller.h"
#include "core/chat/chat.h"
#include "core/council/machine.h"
#include "core/council/rules/pass.h"

static bool is_theirs(const struct tx *tx, const struct open_turn *turn, const struct taken *taken)
{
    const char *user_id = taken->user_id ? taken->user_id : tx->caller->id;

    if (turn->state != TURN_OUTSIDE)
        return false;
    if (taken->agent_name)
        return turn->agent_id && str_same_name(turn->speaker, taken->agent_name);
    return role_is_person(turn->role) && (!turn->user_id || str_equal(turn->user_id, user_id));
}

static bool find(struct machine *m, const struct taken *taken, struct open_turn *turn)
{
    struct open_turn *turns;
    size_t count;

    if (!open_turn_list(m->tx, m->d->id, &turns, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (is_theirs(m->tx, &turns[i], taken)) {
            *turn = turns[i];
            return true;
        }
    /* Where it rests until a person speaks, what they say is a message, and there is no turn to take. */
    if (!taken->agent_name && m->d->phase == PHASE_PERSON) {
        err_set(m->tx->err, ERR_CONFLICT, "It waits for a person's message; there is no turn to take.");
        m->tx->err->name = "not_your_turn";
        return err_hint(m->tx->err, "`witan call discussion_message id=%s message=\"...\"` sends one.",
                        m->d->id);
    }
    err_set(m->tx->err, ERR_CONFLICT, "It is not the turn of %s.",
            taken->agent_name ? taken->agent_name : "a person");
    m->tx->err->name = "not_your_turn";
    return err_hint(m->tx->err, "GET /api/turns lists the turns that wait; /interject cuts in.");
}

static const char *pass_metadata(const struct tx *tx, const struct pass *pass)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    pass_members(pass, &out);
    json_map_end(&out);
    return arena_copy(tx->arena, text.bytes, text.len);
}

static void fill(const struct tx *tx, const struct taken *taken, struct logged *logged)
{
    struct pass pass = taken->content ? pass_of_text(tx->arena, taken->content)
                                      : (struct pass){ PASS_MARK, taken->reason ? taken->reason : "" };

    logged->content = pass.kind == PASS_NOT ? taken->content : pass.reason;
    logged->manner = pass.kind == PASS_NOT ? ENTRY_SAID : ENTRY_PASSED;
    logged->metadata = pass.kind == PASS_NOT ? "{\"outside\":true}" : pass_metadata(tx, &pass);
}

/*
 * Once nobody is asked any more, somebody has to decide what follows; where calls are out their end does, and
 * after a pause its end.
 */
static bool go_on(struct machine *m)
{
    struct open_turn *turns;
    size_t count;

    if (!open_turn_list(m->tx, m->d->id, &turns, &count))
        return false;
    if (count == 0 && m->d->status == STATUS_ACTIVE)
        discussion_want(m->d);
    return discussion_save(m->tx, m->d);
}

bool take_turn(const struct tx *tx, const char *id, const struct taken *taken, struct discussion *d,
               struct logged *logged)
{
    struct open_turn turn = { .id = NULL };
    struct machine m;

    if (!taken->agent_name && !caller_is_person(tx->caller))
        return err_set(tx->err, ERR_FORBIDDEN, "An agent names itself: agent_name.");
    if (taken->agent_name ? !chat_may_speak(tx->caller, taken->agent_name, false, tx->err)
                          : !caller_may_speak_for(tx, taken->user_id))
        return false;
    if (taken->content && !chat_check_text("content", taken->content, tx->err))
        return false;
    if (!discussion_lock(tx, id, d))
        return false;
    if (discussion_has_ended(d))
        return err_set(tx->err, ERR_CONFLICT, "Discussion is already %s.", council_status_word(d->status));
    if (!machine_begin(tx, d, &m) || !find(&m, taken, &turn))
        return false;
    /* A pause uses up nobody's time, and no timer ends a turn in it. */
    if (d->status == STATUS_ACTIVE && turn.due_ms < tx->now_ms)
        return err_set(tx->err, ERR_DUE, "The time of this turn is up.");
    *logged = open_turn_logged(&turn);
    fill(tx, taken, logged);
    if (!taken->agent_name)
        logged->user_id = taken->user_id ? taken->user_id : tx->caller->id;
    return machine_log(&m, &turn, logged) && go_on(&m);
}

/*
 * On PostgreSQL the row of a turn is as it was when the statement that found it began, however long its
 * discussion was held by others: whoever had that meanwhile may have taken the turn, or moved its deadline.
 */
static bool is_still_due(const struct tx *tx, const char *turn_id, struct open_turn *turn, bool *due)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(tx, &err);

    *due = false;
    if (!open_turn_get(&quiet, turn_id, turn))
        return err.code == ERR_NOT_FOUND || (*tx->err = err, false);
    *due = turn->due_ms > 0 && turn->due_ms < tx->now_ms;
    return true;
}

static bool pass_late(const struct tx *tx, const char *turn_id, const char *discussion_id, bool *passed)
{
    const struct pass late = { PASS_LATE, "The turn was not taken in time." };
    struct open_turn turn;
    struct discussion d;
    struct machine m;

    *passed = false;
    if (!discussion_lock_any(tx, discussion_id, &d) || !is_still_due(tx, turn_id, &turn, passed))
        return false;
    if (!*passed)
        return true;
    if (!machine_begin(tx, &d, &m))
        return false;
    struct logged logged = open_turn_logged(&turn);

    logged.manner = ENTRY_PASSED;
    logged.content = late.reason;
    logged.metadata = pass_metadata(tx, &late);
    return machine_log(&m, &turn, &logged) && go_on(&m);
}

bool take_sweep(const struct tx *tx, size_t limit, size_t *ended)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TURN_DUE, DB_ARGS(db_int(tx->now_ms), db_int((int64_t)limit)), &rows))
        return false;
    *ended = 0;
    for (size_t i = 0; i < rows.count; i++) {
        bool passed;

        if (!pass_late(tx, db_cell(&rows, i, 0), db_cell(&rows, i, 1), &passed))
            return false;
        *ended += passed;
    }
    return true;
}

bool take_next_due(const struct tx *tx, int64_t *due_ms)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TURN_NEXT_DUE, DB_NO_ARGS, &rows))
        return false;
    *due_ms = rows.count > 0 ? db_cell_int(&rows, 0, 0) : 0;
    return true;
}
