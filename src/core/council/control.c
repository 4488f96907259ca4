/*
 * Each of these locks the discussion, changes rows and, where the course changes, gives it back to whichever
 * node claims it next (discussion_want). Calls that are out are not stopped from here: their epoch is over,
 * so whatever they bring back is dropped.
 */
#include "core/council/control.h"

#include "base/str.h"
#include "base/uuid.h"
#include "core/caller/caller.h"
#include "core/council/agent.h"
#include "core/council/machine.h"
#include "core/council/request.h"
#include "core/council/result.h"
#include "core/council/rules/reply_cut.h"
#include "core/council/tell.h"

#include <stdio.h>
#include <string.h>

static bool ended_already(const struct tx *tx, const struct discussion *d)
{
    err_set(tx->err, ERR_CONFLICT, "Discussion is already %s.", council_status_word(d->status));
    snprintf(tx->err->field, sizeof(tx->err->field), "id");
    return false;
}

static bool busy(const struct tx *tx)
{
    err_set(tx->err, ERR_CONFLICT, "The discussion is working on another message.");
    tx->err->name = "busy";
    return err_hint(tx->err, "Wait for its end, or cut in with /interject.");
}

static bool open_for_change(const struct tx *tx, const char *id, struct discussion *d)
{
    return discussion_lock(tx, id, d) && (!discussion_has_ended(d) || ended_already(tx, d));
}

static bool not_paused(const struct tx *tx, const struct discussion *d)
{
    if (d->status != STATUS_PAUSED)
        return true;
    err_set(tx->err, ERR_CONFLICT, "The discussion is paused.");
    tx->err->name = "paused";
    return err_hint(tx->err, "Resume it first.");
}

/* A person speaks under the name that the order has for people, or else their own. */
static const char *person_name(const struct tx *tx, const struct machine *m, const struct spoken *spoken)
{
    for (size_t i = 0; i < m->seats.count; i++)
        if (m->seats.seats[i].kind == SEAT_PERSON &&
            (!m->seats.list[i].user_id || str_equal(m->seats.list[i].user_id, spoken->user_id)))
            return m->seats.list[i].name;
    return tx->caller->kind == CALLER_USER || !spoken->user_id ? tx->caller->name : spoken->user_id;
}

static bool may_take(const struct participant *p, const struct spoken *spoken)
{
    return !p->user_id || str_equal(p->user_id, spoken->user_id);
}

/* A person's turn of modes rounds and parallel is open as a row. */
static bool find_owed(struct machine *m, const struct spoken *spoken, struct open_turn *turn, bool *found)
{
    struct open_turn *turns;
    size_t count;

    *found = false;
    if (!open_turn_list(m->tx, m->d->id, &turns, &count))
        return false;
    for (size_t i = 0; i < count && !*found; i++)
        if (turns[i].state == TURN_OUTSIDE && turns[i].kind == TURN_TURN && role_is_person(turns[i].role) &&
            (!turns[i].user_id || str_equal(turns[i].user_id, spoken->user_id))) {
            *turn = turns[i];
            *found = true;
        }
    return true;
}

/* In turn where it is theirs, out of turn otherwise. */
static bool log_message(struct machine *m, const struct spoken *spoken)
{
    struct seating seating = participant_seating(m->d, &m->seats);
    struct slot at = { .round = m->d->round, .turn = m->d->turn_index };
    struct open_turn owed = { .id = NULL, .kind = TURN_TURN };
    struct logged logged = { .kind = ROW_MESSAGE,
                             .manner = ENTRY_SAID,
                             .user_id = spoken->user_id ? spoken->user_id : m->tx->caller->id,
                             .speaker = person_name(m->tx, m, spoken),
                             .role = ROLE_OF_PEOPLE,
                             .content = spoken->content,
                             .turn_index = OUT_OF_TURN,
                             .round = m->d->round > m->d->rounds ? m->d->rounds : m->d->round };
    bool found = false;

    if (m->d->mode != MODE_TURNS && !find_owed(m, spoken, &owed, &found))
        return false;
    if (found || (m->d->mode == MODE_TURNS && order_takes_turn(&seating, at) &&
                  may_take(&m->seats.list[at.turn], spoken))) {
        logged.kind = ROW_TURN;
        logged.turn_index = found ? owed.turn_index : at.turn;
        logged.round = found ? owed.round : at.round;
        logged.speaker = m->seats.list[logged.turn_index].name;
        logged.role = m->seats.list[logged.turn_index].role;
        if (!machine_log(m, &owed, &logged))
            return false;
    } else if (!logged_add(m->tx, m->d, &logged)) {
        return false;
    }
    return tell_message(m->tx, m->d, &logged);
}

bool control_message(const struct tx *tx, const char *id, const struct spoken *spoken, struct discussion *d)
{
    struct machine m;

    if (!open_for_change(tx, id, d) || !not_paused(tx, d))
        return false;
    if (discussion_is_busy(d))
        return busy(tx);
    if (!machine_begin(tx, d, &m) || !log_message(&m, spoken))
        return false;
    struct seating seating = participant_seating(d, &m.seats);

    d->iterations = 0;
    discussion_want(d);
    /* Where nobody is left to speak no driver is needed. */
    return order_has_ended(&seating, (struct slot){ d->round, d->turn_index }) ? machine_run(&m, NULL)
                                                                               : discussion_save(tx, d);
}

/* What was said of a turn as far as it came, cut as if that had been all of it; "" when nothing was. */
static const char *said_so_far(const struct machine *m, const struct open_turn *turn)
{
    struct reply_rules rules = request_rules(m, turn);

    if (turn->kind != TURN_TURN || !turn->partial)
        return "";
    return reply_cut(m->tx->arena, &rules, turn->partial, strlen(turn->partial)).text;
}

/* Keeps what is being said as far as it came; who has said nothing yet is asked again afterwards. */
static bool cut_off(struct machine *m, bool keep_silent)
{
    struct open_turn *turns;
    size_t count;

    if (!open_turn_list(m->tx, m->d->id, &turns, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *words = said_so_far(m, &turns[i]);

        if (turns[i].state == TURN_OUTSIDE && keep_silent)
            continue;
        open_turn_count_cut_off(m->d, &turns[i]);
        struct logged logged = open_turn_logged(&turns[i]);

        logged.content = words;
        logged.metadata = arena_format(m->tx->arena, "{\"partial\":true,\"attempts\":%lld}",
                                       (long long)turns[i].spent.calls);
        turns[i].attempt += turns[i].state == TURN_CALLING; /* the next is one more */
        turns[i].state = turns[i].state == TURN_OUTSIDE ? TURN_OUTSIDE : TURN_QUEUED;
        turns[i].partial = NULL;
        if (*words        ? !machine_log(m, &turns[i], &logged)
            : keep_silent ? !open_turn_save(m->tx, &turns[i])
                          : !open_turn_delete(m->tx, &turns[i]))
            return false;
    }
    return true;
}

static bool speaker_of(struct machine *m, const struct spoken *spoken, struct logged *logged)
{
    struct agent agent;

    logged->user_id = spoken->agent ? NULL : spoken->user_id ? spoken->user_id : m->tx->caller->id;
    logged->speaker = spoken->agent ? spoken->agent : person_name(m->tx, m, spoken);
    logged->role = spoken->agent ? "agent" : ROLE_OF_PEOPLE;
    if (!spoken->agent)
        return true;
    if (!agent_find(m->tx, spoken->agent, &agent)) {
        if (m->tx->err->code == ERR_NOT_FOUND)
            err_field(m->tx->err, "by", "There is no agent named %.100s.", spoken->agent);
        return false;
    }
    logged->agent_id = agent.id;
    logged->speaker = agent.name;
    for (size_t i = 0; i < m->seats.count; i++)
        if (str_equal(m->seats.list[i].agent_id, agent.id))
            logged->role = m->seats.list[i].role;
    return true;
}

/* They are all logged at once when the turn is over, so there must not be any number of them. */
static bool has_room(struct machine *m)
{
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_INTERJECTION_COUNT, DB_ARGS(db_text(m->d->id)), &rows))
        return false;
    if (db_cell_int(&rows, 0, 0) < LIMIT_INTERJECTIONS)
        return true;
    err_set(m->tx->err, ERR_CONFLICT, "%d others wait already to be heard after this turn.",
            LIMIT_INTERJECTIONS);
    m->tx->err->name = "too_many_interjections";
    return err_hint(m->tx->err, "Try again when the turn is over, or cut in with when: now.");
}

static bool keep_for_later(struct machine *m, const struct logged *logged)
{
    return has_room(m) &&
           tx_exec(m->tx, SQL_INTERJECTION_INSERT,
                   DB_ARGS(db_text(uuid_new(m->tx->arena)), db_text(m->d->id), db_text(logged->agent_id),
                           db_text(logged->user_id), db_text(logged->speaker), db_text(logged->role),
                           db_text(logged->content), db_int(m->tx->now_ms)),
                   NULL);
}

static bool has_calls(struct machine *m, bool *any)
{
    struct open_turn *turns;
    size_t count;

    *any = false;
    if (!open_turn_list(m->tx, m->d->id, &turns, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        *any = *any || turns[i].state != TURN_OUTSIDE;
    return true;
}

bool control_interject(const struct tx *tx, const char *id, const struct spoken *spoken, bool now,
                       struct discussion *d)
{
    struct logged logged = {
        .kind = ROW_MESSAGE, .manner = ENTRY_SAID, .content = spoken->content, .turn_index = OUT_OF_TURN
    };
    struct machine m;
    bool running;

    if (!open_for_change(tx, id, d) || !machine_begin(tx, d, &m) || !speaker_of(&m, spoken, &logged) ||
        !has_calls(&m, &running))
        return false;
    if (running && !now)
        return keep_for_later(&m, &logged);
    logged.metadata = now ? "{\"interjection\":\"now\"}" : "{\"interjection\":\"after_turn\"}";
    if (running && !cut_off(&m, true))
        return false;
    logged.round = d->round > d->rounds ? d->rounds : d->round;
    if (!logged_add(tx, d, &logged))
        return false;
    if (running && d->status == STATUS_ACTIVE)
        discussion_want(d);
    return discussion_save(tx, d) && tell_interjected(tx, d, &logged);
}

/* Turns that are being spoken are asked for again after a pause; what was saved of them stays for a cancel.
 */
static bool call_back(const struct tx *tx, struct discussion *d)
{
    struct open_turn *turns;
    size_t count;

    if (!open_turn_list(tx, d->id, &turns, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (turns[i].state != TURN_CALLING)
            continue;
        open_turn_count_cut_off(d, &turns[i]);
        turns[i].state = TURN_QUEUED;
        turns[i].attempt++;
        if (!open_turn_save(tx, &turns[i]))
            return false;
    }
    return true;
}

bool control_pause(const struct tx *tx, const char *id, struct discussion *d)
{
    if (!open_for_change(tx, id, d))
        return false;
    if (d->status == STATUS_PAUSED)
        return true;
    d->status = STATUS_PAUSED;
    discussion_rest(d, d->phase);
    return call_back(tx, d) && discussion_save(tx, d) && tell_paused(tx, d);
}

bool control_resume(const struct tx *tx, const char *id, struct discussion *d)
{
    struct machine m;

    if (!open_for_change(tx, id, d) || !machine_begin(tx, d, &m))
        return false;
    if (d->status != STATUS_PAUSED)
        return true;
    d->status = STATUS_ACTIVE;
    if (!tx_exec(tx, SQL_TURN_EXTEND,
                 DB_ARGS(db_text(d->id), db_int(tx->now_ms + open_turn_time_ms()), db_int(tx->now_ms)),
                 NULL) ||
        !tell_resumed(tx, d))
        return false;
    /* One that waited for its first message still does. */
    if (d->mode == MODE_TURNS && d->phase == PHASE_PERSON)
        return discussion_save(tx, d);
    discussion_want(d);
    return discussion_save(tx, d);
}

static bool cancel_one(const struct tx *tx, struct discussion *d)
{
    struct machine m;

    return machine_begin(tx, d, &m) && cut_off(&m, false) &&
           tx_exec(tx, SQL_INTERJECTION_CLEAR, DB_ARGS(db_text(d->id)), NULL) &&
           machine_end(&m, END_CANCELLED);
}

bool control_cancel(const struct tx *tx, const char *id, struct discussion *d)
{
    struct db_rows children;

    if (!open_for_change(tx, id, d) || !cancel_one(tx, d) ||
        !tx_query(tx, SQL_DISCUSSION_CHILDREN_IDS, DB_ARGS(db_text(d->id)), &children))
        return false;
    for (size_t i = 0; i < children.count; i++) {
        struct discussion child;

        if (!control_cancel(tx, db_cell(&children, i, 0), &child))
            return false;
    }
    return true;
}

/* Logs a turn that somebody owes as a pass. */
static bool pass_owed(struct machine *m, const struct open_turn *turn, const char *reason)
{
    struct logged logged = open_turn_logged(turn);

    logged.manner = ENTRY_PASSED;
    logged.content = reason;
    logged.metadata = arena_format(m->tx->arena, "{\"pass\":true,\"reason\":\"%s\"}", reason);
    return machine_log(m, turn, &logged);
}

static bool pass_person(struct machine *m, const char *reason)
{
    const struct participant *p = &m->seats.list[m->d->turn_index];
    struct open_turn turn = { .kind = TURN_TURN,
                              .round = m->d->round,
                              .turn_index = m->d->turn_index,
                              .user_id = p->user_id,
                              .speaker = p->name,
                              .role = p->role };

    return pass_owed(m, &turn, reason);
}

bool control_next(const struct tx *tx, const char *id, struct discussion *d)
{
    const char *reason = "Passed over: the discussion was asked to go on.";
    struct open_turn *turns;
    struct machine m;
    size_t count;

    if (!open_for_change(tx, id, d) || !not_paused(tx, d))
        return false;
    if (discussion_is_busy(d))
        return busy(tx);
    if (!machine_begin(tx, d, &m) || !open_turn_list(tx, d->id, &turns, &count))
        return false;
    struct seating seating = participant_seating(d, &m.seats);

    for (size_t i = 0; i < count; i++)
        if (!pass_owed(&m, &turns[i], reason))
            return false;
    if (count == 0 && d->mode == MODE_TURNS &&
        order_takes_turn(&seating, (struct slot){ d->round, d->turn_index }) && !pass_person(&m, reason))
        return false;
    d->iterations = 0;
    discussion_want(d);
    return discussion_save(tx, d);
}

/* How many rounds there were when a round was judged is part of that judgement: a replay must find it again.
 */
static bool remember_rounds(const struct tx *tx, struct discussion *d, int add)
{
    const char *before = result_recall(tx, d, "added");
    int64_t seq;

    if (!logged_last_seq(tx, d->id, &seq))
        return false;
    result_remember(tx, d, "added",
                    before ? arena_format(tx->arena, "%.*s,[%lld,%d]]", (int)strlen(before) - 1, before,
                                          (long long)seq, add)
                           : arena_format(tx->arena, "[[%lld,%d]]", (long long)seq, add));
    return true;
}

bool control_add_rounds(const struct tx *tx, const char *id, int add, struct discussion *d)
{
    if (!open_for_change(tx, id, d))
        return false;
    if (d->ending != END_NONE)
        return err_set(tx->err, ERR_CONFLICT, "The discussion is about to end.");
    if (d->rounds + add > LIMIT_ROUNDS)
        return err_field(tx->err, "add", "A discussion has at most %d rounds.", LIMIT_ROUNDS);
    d->rounds += add;
    return remember_rounds(tx, d, add) && discussion_save(tx, d);
}

static bool skip_gone(const struct tx *tx, const char *turn_id, const char *discussion_id)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(tx, &err);
    struct open_turn turn;
    struct discussion d;
    struct machine m;
    bool running;

    if (!discussion_lock_any(tx, discussion_id, &d) || !machine_begin(tx, &d, &m))
        return false;
    if (!open_turn_get(&quiet, turn_id, &turn))
        return err.code == ERR_NOT_FOUND || (*tx->err = err, false);
    open_turn_count_cut_off(&d, &turn);
    struct logged logged = open_turn_logged(&turn);
    const char *words = said_so_far(&m, &turn);
    bool said = *words;

    logged.manner = said ? ENTRY_SAID : ENTRY_SKIPPED;
    logged.content = words;
    logged.metadata = said ? "{\"partial\":true,\"reason\":\"The agent is gone.\"}"
                           : "{\"skipped\":true,\"reason\":\"The agent is gone.\"}";
    if ((!said && turn.kind == TURN_TURN && !machine_rule(&m, ruling_of_skip(tx->arena, &logged))) ||
        !machine_log(&m, &turn, &logged) || !has_calls(&m, &running))
        return false;
    if (d.status == STATUS_ACTIVE && !running)
        discussion_want(&d);
    return discussion_save(tx, &d);
}

bool control_agent_gone(const struct tx *tx, const char *agent_id)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TURN_OF_AGENT, DB_ARGS(db_text(agent_id)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!skip_gone(tx, db_cell(&rows, i, 0), db_cell(&rows, i, 1)))
            return false;
    return true;
}
