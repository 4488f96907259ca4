/*
 * When the store refuses a step for what is stored, it would refuse it again. So what is tried gets smaller,
 * each a few times: a turn as it was spoken, the turn as a pass with the reason, the end of its discussion as
 * failed, that end by the discussion's own row alone. If not even that can be written, the discussion is left
 * as it is, in this node's hand and with nothing of it under way, until the next start.
 */
#include "base/limits.h"
#include "base/log.h"
#include "engine/council_internal.h"

#include <stdio.h>

struct fail_unit {
    struct holder_unit unit; /* first */
    int tries;
    bool plainly;
    int64_t epoch;
    char discussion_id[UUID_SIZE];
    char reason[sizeof(((struct err *)NULL)->text)];
};

static bool run_fail(const struct tx *tx, struct holder_unit *unit)
{
    const struct fail_unit *fail = (const struct fail_unit *)unit;

    unit->phases = 1U << PHASE_ENDED;
    return drive_fail(tx, &(struct drive_failure){ .discussion_id = fail->discussion_id,
                                                   .node = unit->holder->node,
                                                   .epoch = fail->epoch,
                                                   .reason = fail->reason,
                                                   .plainly = fail->plainly });
}

static void say_failed(const struct fail_unit *fail)
{
    log_line(LOG_WARN, "a discussion could not be moved on and has failed", "discussion", fail->discussion_id,
             "why", fail->reason, NULL);
}

static void after_fail(struct holder_unit *unit)
{
    struct fail_unit *fail = (struct fail_unit *)unit;
    struct council *council = council_of(unit->holder);
    bool hopeless = unit_is_hopeless(unit, fail->tries + 1);

    if (unit->work.err.code == ERR_NONE) {
        say_failed(fail);
        atomic_fetch_add(&council->failed, 1);
    } else if (!unit_was_late(unit) && !council->holder.stopping && !(hopeless && fail->plainly)) {
        fail->tries = hopeless ? 0 : fail->tries + 1;
        fail->plainly = fail->plainly || hopeless;
        unit_again(unit, fail->tries);
        return;
    } else if (hopeless) {
        log_line(LOG_ERROR, "a discussion can be neither moved on nor ended; it is left as it is",
                 "discussion", fail->discussion_id, "why", unit->work.err.text, NULL);
    }
    council->moving--;
    unit_free(unit);
}

void step_fail(struct council *council, const char *discussion_id, int64_t epoch, const struct err *why)
{
    struct fail_unit *fail = unit_new(&council->holder, sizeof(*fail), run_fail, after_fail);

    council->moving++;
    fail->epoch = epoch;
    snprintf(fail->discussion_id, sizeof(fail->discussion_id), "%s", discussion_id);
    snprintf(fail->reason, sizeof(fail->reason), "%s", err_for_callers(why));
    unit_hand_in(&fail->unit);
}

/* A call that was made stays counted, whatever became of its reply. */
static void make_pass(struct turn *turn, const struct err *why)
{
    struct turn_reply *reply = &turn->answer.reply;

    reply->text = "";
    reply->failed = reply->permanent = true;
    reply->unasked = turn->stage == STAGE_BEGINS;
    reply->error = arena_text(&turn->answer.arena, err_for_callers(why));
}

void turn_give_up(struct turn *turn, const struct err *why)
{
    struct council *council = turn->council;

    log_line(LOG_WARN, turn->given_up ? "a turn could not be passed either" : "a turn is given up: passed",
             "discussion", turn->wanted.ref.discussion_id, "turn", turn->wanted.ref.turn_id, "why", why->text,
             NULL);
    if (turn->given_up) {
        step_fail(council, turn->wanted.ref.discussion_id, turn->wanted.ref.epoch, why);
        turn_drop(turn);
        return;
    }
    turn->given_up = true;
    turn->tries = 0;
    atomic_fetch_add(&council->given_up, 1);
    make_pass(turn, why);
    step_finish(turn);
}
