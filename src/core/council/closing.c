/*
 * What comes before an end: the vote, a summary where somebody waits for one, the reply to what was asked;
 * and the end itself, which its task, its parent and everybody who listens hear of.
 */
#include "base/str.h"
#include "core/caller/caller.h"
#include "core/council/answer.h"
#include "core/council/budget_ask.h"
#include "core/council/machine.h"
#include "core/council/result.h"
#include "core/council/rules/voting.h"
#include "core/council/tell.h"
#include "core/work/task.h"

bool machine_ask_ballots(struct machine *m, int round, bool *asked)
{
    struct discussion at = *m->d;
    struct seating seating = participant_seating(m->d, &m->seats);
    struct open_turn turn;
    struct logs ballots;
    enum budget_left left = BUDGET_LEFT;

    at.round = round;
    *asked = false;
    if (!logged_round(m->tx, m->d->id, ROW_BALLOT, round, &ballots.rows, &ballots.count))
        return false;
    for (size_t seat = 0; seat < m->seats.count; seat++) {
        if (!voting_lacks(&seating, &ballots, seat))
            continue;
        if (m->seats.seats[seat].kind == SEAT_MODEL && !budget_ask(m, NULL, &left))
            return false;
        if (left == BUDGET_SPENT)
            break;
        if (m->seats.seats[seat].kind == SEAT_MODEL && left == BUDGET_LATER)
            continue;
        if (!open_turn_add(m->tx, &at, TURN_BALLOT, &m->seats, (int)seat, &turn))
            return false;
        *asked = true;
    }
    return true;
}

bool machine_count(struct machine *m, int round, struct vote_result *result)
{
    struct seating seating = participant_seating(m->d, &m->seats);
    const char *vote;
    struct logs ballots;
    bool ruled;
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (!logged_round(m->tx, m->d->id, ROW_BALLOT, round, &ballots.rows, &ballots.count) ||
        !voting_count(m->tx->arena, &seating, &m->options, &ballots, result, m->tx->err) ||
        !machine_has_ruled(m, RULING_VOTE, round, &ruled))
        return false;
    if (ruled)
        return true;
    buf_init(&text, 0);
    json_begin(&out, &text);
    vote_write(result, NULL, &out);
    vote = arena_copy(m->tx->arena, text.bytes, text.len);
    result_remember(m->tx, m->d, "vote", vote);
    return tell_vote(m->tx, m->d, round, vote) &&
           machine_rule(m, ruling_of_vote(m->tx->arena, round, result));
}

/* Once it is counted nobody is asked again, whatever holds up the end between the two. */
static bool vote(struct machine *m, int round, bool *asked)
{
    struct vote_result result;
    bool ruled;

    if (m->options.choice_count == 0 || m->d->ending == END_AGREEMENT)
        return true;
    if (!machine_has_ruled(m, RULING_VOTE, round, &ruled))
        return false;
    return ruled || (machine_ask_ballots(m, round, asked) && (*asked || machine_count(m, round, &result)));
}

bool machine_close(struct machine *m, bool *asked)
{
    int round = discussion_last_round(m->d);
    const struct logged *summary;

    if (end_is_natural(m->d->ending)) {
        if (!vote(m, round, asked))
            return false;
        if (*asked)
            return true;
        if (m->d->parent_id || m->d->ref_kind != REF_NONE) {
            if (!machine_ask_once(m, TURN_SUMMARY, round, asked, &summary))
                return false;
            if (*asked)
                return true;
        }
    }
    if (m->d->ref_kind != REF_NONE && m->d->ending != END_FAILED && m->d->phase != PHASE_ANSWERING) {
        m->d->phase = PHASE_ANSWERING;
        return true;
    }
    return (m->d->phase != PHASE_ANSWERING || answer_post(m)) && machine_end(m, m->d->ending);
}

/* A task that is gone keeps no result, and holds no end up. */
static bool keep_on_task(struct machine *m)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(m->tx, &err);
    struct project project = { .id = m->d->project_id, .workspace_id = m->d->workspace_id };
    struct logs log;
    struct task task;

    if (!m->d->task_id || !m->d->project_id)
        return true;
    if (!logged_all(m->tx, m->d->id, 0, &log.rows, &log.count))
        return false;
    if (!task_lock(&quiet, &project, m->d->task_id, &task))
        return err.code == ERR_NOT_FOUND || (*m->tx->err = err, false);
    task.result = result_text(m->tx, m->d, &log);
    return task_save(m->tx, &project, &task);
}

/*
 * Only the summary crosses over to the discussion that this one was split off from, which then goes on. One
 * that is gone, or that another program has not written yet, holds no end up.
 */
static bool tell_parent(struct machine *m)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(m->tx, &err);
    struct discussion parent;
    const char *summary;
    struct logged logged = {
        .kind = ROW_MESSAGE, .manner = ENTRY_SAID, .role = "council", .turn_index = OUT_OF_TURN
    };

    if (!m->d->parent_id)
        return true;
    if (!discussion_lock_any(&quiet, m->d->parent_id, &parent))
        return err.code == ERR_NOT_FOUND || (*m->tx->err = err, false);
    if (!answer_summary(m, &summary))
        return false;
    if (discussion_has_ended(&parent))
        return true;
    logged.speaker =
        arena_format(m->tx->arena, "Council on %s", str_beginning(m->tx->arena, m->d->topic, 60));
    logged.content = summary;
    logged.round = parent.round;
    logged.metadata = arena_format(m->tx->arena, "{\"discussionId\":\"%s\"}", m->d->id);
    if (!logged_add(m->tx, &parent, &logged) || !tell_message(m->tx, &parent, &logged))
        return false;
    if (parent.phase == PHASE_DELEGATING && parent.status == STATUS_ACTIVE)
        discussion_want(&parent);
    return discussion_save(m->tx, &parent);
}

static const char *source_of(enum council_end reason)
{
    return reason == END_CANCELLED ? "cancelled" : end_is_natural(reason) ? "agents" : "policy";
}

bool machine_end(struct machine *m, enum council_end reason)
{
    struct discussion *d = m->d;
    bool fine = reason != END_CANCELLED && reason != END_FAILED;

    d->status = fine ? STATUS_COMPLETED : reason == END_CANCELLED ? STATUS_CANCELLED : STATUS_FAILED;
    d->end_reason = reason;
    d->ending = END_NONE;
    d->ended_ms = m->tx->now_ms;
    d->outcome_source = source_of(reason);
    d->outcome_by = m->tx->caller ? m->tx->caller->name : ACTOR_SYSTEM.name;
    d->outcome_by_id = tx_actor_id(m->tx);
    discussion_rest(d, PHASE_ENDED);
    if (fine && d->mode != MODE_TURNS)
        machine_line(m, arena_format(m->tx->arena, "[Worker] Task %s completed successfully after %d rounds",
                                     d->task_id ? d->task_id : d->id, discussion_last_round(d)));
    return discussion_save(m->tx, d) && keep_on_task(m) && tell_parent(m) && tell_ended(m->tx, d);
}
