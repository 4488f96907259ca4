/*
 * The writes: a discussion is advanced, a turn is begun, a reply is stored. Storing a reply also begins
 * the next turn in the same transaction when that one goes to the same lane and nobody waits for it: one
 * commit for each turn, shared with those of other discussions.
 */
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/council_internal.h"

#include <stdio.h>

/* The phase that a call of this kind is in when it is out. */
static unsigned phase_of_call(enum turn_kind kind)
{
    switch (kind) {
    case TURN_BALLOT: return 1U << PHASE_VOTING;
    case TURN_JUDGE: return 1U << PHASE_JUDGING;
    case TURN_SUMMARY: return 1U << PHASE_SUMMARISING;
    case TURN_TURN: break;
    }
    return 1U << PHASE_CALLING;
}

static void log_lines(const struct drive_step *step)
{
    for (size_t i = 0; i < step->line_count; i++)
        log_line(LOG_INFO, step->lines[i], NULL);
}

/* A discussion that was claimed. */

struct advance_unit {
    struct holder_unit unit; /* first */
    int tries;
    int64_t epoch;
    char discussion_id[UUID_SIZE];
    struct drive_step step;
};

/* Answering is a step of its own, in a transaction of its own. */
static void go_on(struct council *council, const struct drive_step *step, const char *discussion_id,
                  int64_t epoch)
{
    if (step->phase == PHASE_ANSWERING && !step->over && !council->holder.stopping)
        step_advance(council, discussion_id, epoch);
}

static bool run_advance(const struct tx *tx, struct holder_unit *unit)
{
    struct advance_unit *advance = (struct advance_unit *)unit;

    advance->step = (struct drive_step){ 0 };
    if (!drive_advance(tx, unit->holder->node, advance->epoch, advance->discussion_id, &advance->step))
        return false;
    unit->phases = 1U << advance->step.phase;
    return true;
}

static void after_advance(struct holder_unit *unit)
{
    struct advance_unit *advance = (struct advance_unit *)unit;
    struct council *council = council_of(unit->holder);

    if (unit->work.err.code == ERR_NONE) {
        log_lines(&advance->step);
        turns_adopt(council, &advance->step, SIZE_MAX);
        go_on(council, &advance->step, advance->discussion_id, advance->epoch);
    } else if (!unit_was_late(unit) && unit_is_hopeless(unit, advance->tries + 1)) {
        step_fail(council, advance->discussion_id, advance->epoch, &unit->work.err);
    } else if (!unit_was_late(unit) && !council->holder.stopping) {
        log_line(LOG_WARN, "a discussion could not be moved on; trying again", "discussion",
                 advance->discussion_id, "why", unit->work.err.text, NULL);
        unit_again(unit, ++advance->tries);
        return;
    }
    council->moving--;
    unit_free(unit);
}

void step_advance(struct council *council, const char *discussion_id, int64_t epoch)
{
    struct advance_unit *advance = unit_new(&council->holder, sizeof(*advance), run_advance, after_advance);

    council->moving++;
    advance->epoch = epoch;
    snprintf(advance->discussion_id, sizeof(advance->discussion_id), "%s", discussion_id);
    unit_hand_in(&advance->unit);
}

/*
 * A discussion that was stopped. The news may come when it has been taken up again, so they doom nothing by
 * themselves: what the row says decides, and turns of a later claim than the row's stay whoever comes first.
 */

struct check_unit {
    struct holder_unit unit; /* first */
    int64_t wanted_from;
    char discussion_id[UUID_SIZE];
};

static bool run_check(const struct tx *tx, struct holder_unit *unit)
{
    struct check_unit *check = (struct check_unit *)unit;

    return holding_wanted_from(tx, HOLDING_DISCUSSION, unit->holder->node, check->discussion_id,
                               &check->wanted_from);
}

/* Where it cannot be looked up the calls go on, and what comes of them is refused. */
static void after_check(struct holder_unit *unit)
{
    struct check_unit *check = (struct check_unit *)unit;

    if (unit->work.err.code == ERR_NONE)
        turns_doom(council_of(unit->holder), check->discussion_id, check->wanted_from);
    unit_free(unit);
}

void step_check(struct council *council, const char *discussion_id)
{
    if (council->holder.stopping || !lanes_of_group(council->lanes, discussion_id))
        return;
    struct check_unit *check = unit_new(&council->holder, sizeof(*check), run_check, after_check);

    snprintf(check->discussion_id, sizeof(check->discussion_id), "%s", discussion_id);
    unit_hand_in(&check->unit);
}

/* A turn whose time has come, or whose reply is there. */

struct turn_unit {
    struct holder_unit unit; /* first */
    struct turn *turn;
    struct drive_step step;
    bool may_begin_next;   /* the place of this call is free for the next */
    size_t begun;          /* which call of the step was begun as well; SIZE_MAX: none */
    struct turn_call call; /* what to ask */
};

static void begin_again(void *turn)
{
    step_begin(turn);
}

static void finish_again(void *turn)
{
    step_finish(turn);
}

static void say_late(const struct turn *turn, const struct holder_unit *unit)
{
    log_line(LOG_INFO, "a turn came too late and was dropped", "discussion", turn->wanted.ref.discussion_id,
             "turn", turn->wanted.ref.turn_id, "speaker", turn->wanted.speaker, "why", unit->work.err.text,
             NULL);
}

/* What could not be written: too late, never to be, or to be tried again. The turn keeps its place meanwhile.
 */
static void turn_refused(struct turn *turn, const struct holder_unit *unit, void (*again)(void *turn))
{
    struct council *council = turn->council;

    if (unit_was_late(unit) || turn->doomed || council->holder.stopping) {
        if (unit_was_late(unit)) {
            say_late(turn, unit);
            atomic_fetch_add(&council->late, 1);
        }
        turn_drop(turn);
        holder_look(&council->holder);
        return;
    }
    if (unit_is_hopeless(unit, turn->tries + 1)) {
        turn_give_up(turn, &unit->work.err);
        return;
    }
    if (!unit_may_work_later(unit) || turn->tries == 0)
        log_line(LOG_WARN, "a turn could not be stored; trying again", "discussion",
                 turn->wanted.ref.discussion_id, "turn", turn->wanted.ref.turn_id, "why", unit->work.err.text,
                 NULL);
    atomic_fetch_add(&council->holder.repeated, 1);
    holder_after(&council->holder, &turn->timer, again_ms(++turn->tries), again, turn);
}

static bool run_begin(const struct tx *tx, struct holder_unit *unit)
{
    struct turn_unit *begin = (struct turn_unit *)unit;

    begin->call = (struct turn_call){ 0 };
    if (!drive_begin(tx, &begin->turn->wanted.ref, &begin->call))
        return false;
    unit->phases = phase_of_call(begin->turn->wanted.kind);
    return true;
}

static void after_begin(struct holder_unit *unit)
{
    struct turn_unit *begin = (struct turn_unit *)unit;
    struct turn *turn = begin->turn;

    if (unit->work.err.code != ERR_NONE)
        turn_refused(turn, unit, begin_again);
    else if (turn->doomed || turn->council->holder.stopping || !holder_holds(&turn->council->holder))
        turn_drop(turn);
    else
        call_start(turn, &begin->call);
    unit_free(unit);
}

void step_begin(struct turn *turn)
{
    struct turn_unit *begin = unit_new(&turn->council->holder, sizeof(*begin), run_begin, after_begin);

    begin->turn = turn;
    turn->stage = STAGE_BEGINS;
    unit_hand_in(&begin->unit);
}

/* Whether this call goes where the one that has just ended went. */
static bool same_lane(const struct tx *tx, const struct turn *turn, const struct turn_call *call)
{
    struct llm_model model;
    struct err no_model = { 0 };

    if (str_equal(call->model_config, turn->wanted.model_config))
        return true;
    return model_of_config(tx->arena, call->model_config, &model, &no_model) &&
           str_equal(lane_of_model(tx->arena, &model).name, turn->lane.name);
}

static bool begin_next(const struct tx *tx, struct turn_unit *finish)
{
    for (size_t i = 0; i < finish->step.call_count; i++) {
        const struct turn_call *next = &finish->step.calls[i];

        if (next->delay_ms > 0 || !same_lane(tx, finish->turn, next))
            continue;
        finish->begun = i;
        finish->unit.phases |= phase_of_call(next->kind);
        return drive_begin(tx, &next->ref, &finish->call);
    }
    return true;
}

static bool run_finish(const struct tx *tx, struct holder_unit *unit)
{
    struct turn_unit *finish = (struct turn_unit *)unit;
    struct turn *turn = finish->turn;

    finish->step = (struct drive_step){ 0 };
    finish->call = (struct turn_call){ 0 };
    finish->begun = SIZE_MAX;
    if (!drive_finish(tx, &turn->wanted.ref, &turn->answer.reply, &finish->step))
        return false;
    unit->phases = 1U << finish->step.phase;
    return !finish->may_begin_next || begin_next(tx, finish);
}

/* Takes the place of the call that has ended. */
static void start_begun(struct council *council, const struct turn_unit *finish)
{
    struct turn *next = turn_new(council, &finish->step.calls[finish->begun]);

    table_add(&council->turns, &next->item, next->wanted.ref.turn_id);
    lanes_hand_over(council->lanes, &finish->turn->place, &next->place);
    turn_drop(finish->turn);
    call_start(next, &finish->call);
}

static void after_finish(struct holder_unit *unit)
{
    struct turn_unit *finish = (struct turn_unit *)unit;
    struct council *council = council_of(unit->holder);
    struct turn *turn = finish->turn;

    if (unit->work.err.code != ERR_NONE) {
        turn_refused(turn, unit, finish_again);
        unit_free(unit);
        return;
    }
    atomic_fetch_add(&council->stored, 1);
    log_lines(&finish->step);
    go_on(council, &finish->step, turn->wanted.ref.discussion_id, turn->wanted.ref.epoch);
    if (finish->begun != SIZE_MAX && !council->holder.stopping && holder_holds(&council->holder))
        start_begun(council, finish);
    else
        turn_drop(turn);
    turns_adopt(council, &finish->step, finish->begun);
    unit_free(unit);
}

void step_finish(struct turn *turn)
{
    struct turn_unit *finish = unit_new(&turn->council->holder, sizeof(*finish), run_finish, after_finish);

    finish->turn = turn;
    /* What holds up the next turn must not hold up this one. */
    finish->may_begin_next = turn->tries == 0 && !lanes_awaited(turn->council->lanes, &turn->place);
    turn->stage = STAGE_ENDS;
    unit_hand_in(&finish->unit);
}
