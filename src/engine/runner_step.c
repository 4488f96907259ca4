/*
 * The writes. All that has come of a run since it was last stored goes into one unit of work, one deed after
 * the other: what tools ask, a model's reply, the results of tools, a look at what follows. Where there is
 * room the calls that a reply wants are begun in the same transaction, so that a step with a tool takes two
 * commits, which it shares with those of other runs.
 *
 * What is refused for what is stored gets smaller with each few tries, as the council's: a reply or a result
 * as it came, that it could not be stored, the end of its run as failed. A deed that came too late because
 * its call is not wanted any more is left out; one that came too late because the run is another's ends it
 * here.
 *
 * A step that says that the run is over has let go of its row, in the transaction that is still open: what
 * stands behind it in the unit is not done, and goes with the run. Nothing is lost by that. A run that waits
 * has no call out (its step would say that tools are to be run), what the log told of it is counted in its
 * row as news, and a run that has ended has closed what was out.
 */
#include "base/limits.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/runner_internal.h"

#include <stdio.h>
#include <string.h>

#define DEEDS        16 /* in one transaction */
#define BEGIN_BEHIND 4  /* calls that are begun right behind the reply that wants them */

enum run_deed_kind { DEED_WORD, DEED_REPLY, DEED_END, DEED_ANSWERS, DEED_ADVANCE, DEED_BEGIN, DEED_FAIL };

struct run_deed {
    enum run_deed_kind kind;
    struct held_call *call;
    struct held_word *word;
    struct run_step step;
};

struct run_unit {
    struct holder_unit unit; /* first */
    struct held_run *held;
    struct run_deed deeds[DEEDS];
    size_t count;
    size_t at;               /* which of them is being done, or was refused, or was the last */
    size_t done;             /* how many of them: fewer than all where the run is over before */
    size_t may_begin, begun; /* calls of the reply: room that was kept, and used */
    struct run_answered *answered;
    size_t answered_count;
};

/* In the store. */

static bool take_reply(const struct tx *tx, struct run_unit *all, const struct run_ref *ref,
                       struct run_deed *deed)
{
    const struct held_run *held = all->held;
    struct run_reply reply = {
        .result = &held->answer,
        .model = held->no_model.code == ERR_NONE ? held->model.model : NULL,
        .provider = held->no_model.code == ERR_NONE ? model_provider_name(held->model.provider) : NULL,
        .priced = held->no_model.code == ERR_NONE ? &held->model : NULL,
        .kind = *held->kind ? held->kind : NULL,
        .turn = held->turn,
    };

    if (!run_take_reply(tx, ref, &reply, &deed->step))
        return false;
    for (all->begun = 0; all->begun < all->may_begin && all->begun < deed->step.call_count; all->begun++)
        if (!run_call_begin(tx, ref, deed->step.calls[all->begun].call_id, false))
            return false;
    return true;
}

static bool take_word(const struct tx *tx, const struct run_ref *ref, const struct held_word *word)
{
    if (word->asked.id)
        return run_call_ask(tx, ref, word->call->call_id, &word->asked);
    return run_call_progress(tx, ref, word->call->call_id, word->done, word->total, word->words);
}

static bool do_deed(const struct tx *tx, struct run_unit *all, struct run_deed *deed)
{
    struct held_run *held = all->held;
    struct run_ref ref = { .job_id = held->job_id,
                           .node = held->runner->holder.node,
                           .epoch = held->epoch,
                           .tools = held->talk.edition };

    deed->step = (struct run_step){ 0 };
    switch (deed->kind) {
    case DEED_WORD: return take_word(tx, &ref, deed->word);
    case DEED_REPLY: return take_reply(tx, all, &ref, deed);
    case DEED_END: return run_call_end(tx, &ref, deed->call->call_id, &deed->call->result, &deed->step);
    case DEED_ANSWERS: return run_call_answers(tx, &ref, &all->answered, &all->answered_count);
    case DEED_ADVANCE: return run_advance(tx, &ref, &deed->step);
    case DEED_BEGIN: return run_call_begin(tx, &ref, deed->call->call_id, deed->call->in_doubt);
    case DEED_FAIL: return run_fail(tx, &ref, held->reason);
    }
    return true;
}

/* What the deed's commit enters. */
static unsigned phases_of(const struct run_unit *all, const struct run_deed *deed)
{
    switch (deed->kind) {
    case DEED_WORD:
    case DEED_ANSWERS: return 0;
    case DEED_BEGIN: return 1U << RUN_CALLING;
    case DEED_FAIL: return 1U << RUN_ENDED;
    case DEED_REPLY:
    case DEED_END:
    case DEED_ADVANCE: break;
    }
    return 1U << deed->step.phase | (all->begun > 0 ? 1U << RUN_CALLING : 0);
}

static bool run_deeds(const struct tx *tx, struct holder_unit *unit)
{
    struct run_unit *all = (struct run_unit *)unit;

    all->begun = all->answered_count = all->done = 0;
    do {
        struct run_deed *deed = &all->deeds[all->at = all->done];

        if (!do_deed(tx, all, deed))
            return false;
        unit->phases |= phases_of(all, deed);
        all->done++;
        if (deed->step.over)
            break;
    } while (all->done < all->count);
    return true;
}

/* After it was stored. */

/* Its answer may have come before this: what the log told until now was of a question that nobody here knew.
 */
static void word_stored(struct held_word *word)
{
    struct held_call *call = word->call;

    if (!word->asked.id || call->unwanted || call->held->doomed) {
        held_word_free(word);
        return;
    }
    call->held->runner->calls_asking += call->asked == NULL;
    word->next = call->asked;
    call->asked = word;
    call->held->answers = true;
}

static void call_begun(struct held_call *call)
{
    struct runner *runner = call->held->runner;

    if (call->unwanted || call->held->doomed || runner->holder.stopping || !holder_holds(&runner->holder))
        held_call_free(call);
    else
        held_call_begin(call);
}

static void deed_stored(struct run_unit *all, struct run_deed *deed)
{
    struct held_run *held = all->held;
    struct runner *runner = held->runner;

    switch (deed->kind) {
    case DEED_WORD: word_stored(deed->word); break;
    case DEED_BEGIN: call_begun(deed->call); break;
    case DEED_ANSWERS: held_calls_answered(held, all->answered, all->answered_count); break;
    case DEED_END: held_call_free(deed->call); break;
    case DEED_ADVANCE: break;
    case DEED_REPLY:
        atomic_fetch_add(&runner->steps, 1);
        if (held->stage == ASK_BACK)
            held->stage = ASK_NOT;
        break;
    case DEED_FAIL:
        log_line(LOG_WARN, "a run could not be moved on and has failed", "job", held->job_id, "why",
                 held->reason, NULL);
        atomic_fetch_add(&runner->failed, 1);
        held_doom(held, true);
        return;
    }
    bool goes_on = !runner->holder.stopping && holder_holds(&runner->holder);

    if (!goes_on)
        held_doom(held, held->lost);
    held_follow(held, &deed->step, deed->kind == DEED_REPLY && goes_on ? all->begun : 0);
}

static void fail(struct held_run *held, const struct err *why)
{
    held->failing = true;
    held->tries = 0;
    snprintf(held->reason, sizeof(held->reason), "%s", err_for_callers(why));
}

static void move_again(void *held)
{
    held_move(held);
}

/* A step after which nothing is to be done and which does not say that it is over: looked at again, and not
 * for ever. */
static void mind_idleness(struct held_run *held)
{
    struct err why = { 0 };

    if (held->doomed || held->calls || held->stage != ASK_NOT || held->failing || held->look || held->words) {
        held->idle = 0;
        return;
    }
    held->look = true;
    if (++held->idle > HOLDER_TRIES) {
        err_set(&why, ERR_CONFLICT, "Nothing follows from what is stored of this run.");
        fail(held, &why);
    } else if (held->idle > 1) {
        holder_after(&held->runner->holder, &held->again, again_ms(held->idle), move_again, held);
    }
}

/* As it was before it was handed in. */
static void put_back(struct held_run *held, struct run_deed *deed)
{
    switch (deed->kind) {
    case DEED_WORD:
        deed->word->next = held->words;
        if (!held->words)
            held->last_word = &deed->word->next;
        held->words = deed->word;
        break;
    case DEED_END: deed->call->stage = HELD_BACK; break;
    case DEED_BEGIN:
        deed->call->stage = HELD_LINE;
        held->runner->calls_out--;
        break;
    case DEED_ANSWERS: held->answers = true; break;
    case DEED_ADVANCE: held->look = true; break;
    case DEED_REPLY:
    case DEED_FAIL: break;
    }
}

/* From one of its deeds on. */
static void put_back_from(struct run_unit *all, size_t from)
{
    for (size_t i = all->count; i-- > from;)
        if (all->deeds[i].kind != DEED_WORD || all->deeds[i].word)
            put_back(all->held, &all->deeds[i]);
}

/* What stands behind the end of its run goes with that. */
static void all_stored(struct run_unit *all)
{
    struct held_run *held = all->held;

    held->tries = 0;
    put_back_from(all, all->done);
    for (size_t i = 0; i < all->done; i++)
        deed_stored(all, &all->deeds[i]);
    mind_idleness(held);
}

/* After it was refused. */

/* Its question cannot be asked, so that it is not waited for; and nobody has said no to it. */
static void word_refused(struct held_word *word)
{
    struct held_call *call = word->call;

    if (word->asked.id && call->stage == HELD_OUT)
        toolbox_answer(call->held->runner->toolbox, call->call, word->asked.id, TOOL_CANCEL, NULL);
    held_word_free(word);
}

static bool is_of_one_call(const struct run_deed *deed)
{
    return deed->kind == DEED_WORD || deed->kind == DEED_BEGIN || deed->kind == DEED_END;
}

static void refused_for_good(struct held_run *held, struct run_deed *deed, const struct err *why)
{
    held->tries = 0;
    if (deed->kind == DEED_FAIL) {
        log_line(LOG_ERROR, "a run can be neither moved on nor ended; it is left as it is", "job",
                 held->job_id, "why", why->text, NULL);
        held_doom(held, true);
    } else if (deed->kind == DEED_WORD) {
        log_line(LOG_WARN, "what a tool asks could not be passed on", "job", held->job_id, "why", why->text,
                 NULL);
        word_refused(deed->word);
        deed->word = NULL;
    } else if (deed->kind == DEED_REPLY && !held->answer_given_up) {
        ask_give_up(held, why);
    } else if (deed->kind == DEED_END && !deed->call->given_up) {
        held_call_give_up(deed->call, why);
    } else {
        fail(held, why);
    }
}

static void came_too_late(struct run_unit *all, struct run_deed *deed)
{
    struct held_run *held = all->held;
    bool of_one = str_equal(all->unit.work.err.name, HOLDING_GONE) && is_of_one_call(deed);

    atomic_fetch_add(&held->runner->late, 1);
    log_line(LOG_INFO,
             of_one ? "a call of a run is not wanted any more" : "a run is not this node's any more", "job",
             held->job_id, "why", all->unit.work.err.text, NULL);
    if (of_one && deed->kind == DEED_WORD) {
        word_refused(deed->word);
        deed->word = NULL;
    }
    put_back_from(all, 0);
    if (!of_one) {
        held_let_go(held);
        held_doom(held, true);
        return;
    }
    /* Only now: until it was put back, it was counted among those that are out. */
    if (deed->kind != DEED_WORD)
        held_call_free(deed->call);
    held->look = true;
}

/* The connection was lost in the commit, so that nobody knows how that went; all of it is handed in again,
 * and what is stored is not done twice. What people have answered was theirs before: the tool may have it
 * now, and would not be told by a second reading. */
static void mind_the_doubt(struct run_unit *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->deeds[i].kind == DEED_BEGIN)
            all->deeds[i].call->in_doubt = true;
    held_calls_answered(all->held, all->answered, all->answered_count);
}

static void all_refused(struct run_unit *all)
{
    struct held_run *held = all->held;
    struct holder *holder = &held->runner->holder;
    struct run_deed *deed = &all->deeds[all->at];

    if (all->unit.work.err.code == ERR_OUTCOME_UNKNOWN)
        mind_the_doubt(all);
    if (unit_was_late(&all->unit)) {
        came_too_late(all, deed);
    } else if (held->doomed || holder->stopping) {
        put_back_from(all, 0);
        held_doom(held, true);
    } else if (unit_is_hopeless(&all->unit, held->tries + 1)) {
        refused_for_good(held, deed, &all->unit.work.err);
        put_back_from(all, 0);
    } else {
        if (!unit_may_work_later(&all->unit) || held->tries == 0)
            log_line(LOG_WARN, "a run could not be moved on; trying again", "job", held->job_id, "why",
                     all->unit.work.err.text, NULL);
        put_back_from(all, 0);
        atomic_fetch_add(&holder->repeated, 1);
        holder_after(holder, &held->again, again_ms(++held->tries), move_again, held);
    }
}

static void after_deeds(struct holder_unit *unit)
{
    struct run_unit *all = (struct run_unit *)unit;
    struct held_run *held = all->held;

    held->storing = false;
    held->runner->calls_out -= all->may_begin;
    held->runner->calls_kept -= all->may_begin;
    if (unit->work.err.code == ERR_NONE)
        all_stored(all);
    else
        all_refused(all);
    unit_free(unit);
    held_move(held);
}

/* Handing it in. */

static struct run_deed *add(struct run_unit *all, enum run_deed_kind kind)
{
    struct run_deed *deed = &all->deeds[all->count++];

    deed->kind = kind;
    return deed;
}

/* One that waits for an answer does nothing meanwhile: else those that do would keep all others out. */
static size_t room_for_calls(const struct held_run *held)
{
    size_t out = 0, all = held->runner->calls_out - held->runner->calls_asking;

    for (const struct held_call *call = held->calls; call; call = call->next)
        out += call->stage != HELD_LINE && !call->asked;
    if (out >= RUN_CALLS_AT_ONCE || all >= RUNNER_CALLS)
        return 0;
    return RUN_CALLS_AT_ONCE - out < RUNNER_CALLS - all ? RUN_CALLS_AT_ONCE - out : RUNNER_CALLS - all;
}

static void add_words(struct run_unit *all)
{
    struct held_run *held = all->held;

    while (held->words && all->count < DEEDS / 2) {
        struct held_word *word = held->words;

        held->words = word->next;
        add(all, DEED_WORD)->word = word;
    }
    if (!held->words)
        held->last_word = &held->words;
}

/* The room is kept until it is known how many there are. */
static void add_reply(struct run_unit *all)
{
    size_t room = room_for_calls(all->held);

    add(all, DEED_REPLY);
    all->may_begin = room < BEGIN_BEHIND ? room : BEGIN_BEHIND;
    all->held->runner->calls_out += all->may_begin;
    all->held->runner->calls_kept += all->may_begin;
}

static void add_ends(struct run_unit *all)
{
    for (struct held_call *call = all->held->calls; call && all->count < DEEDS - 2; call = call->next)
        if (call->stage == HELD_BACK) {
            call->stage = HELD_ENDS;
            add(all, DEED_END)->call = call;
        }
}

static void add_begins(struct run_unit *all)
{
    struct held_run *held = all->held;
    size_t room = room_for_calls(held);

    for (struct held_call *call = held->calls; call && all->count < DEEDS; call = call->next) {
        if (call->stage != HELD_LINE)
            continue;
        if (room == 0) {
            held->runner->crowded = true;
            return;
        }
        call->stage = HELD_BEGINS;
        held->runner->calls_out++;
        room--;
        add(all, DEED_BEGIN)->call = call;
    }
}

static void gather(struct run_unit *all)
{
    struct held_run *held = all->held;

    if (held->failing) {
        add(all, DEED_FAIL);
        return;
    }
    if (held->doomed) {
        add_ends(all);
        return;
    }
    /* Before a tool's next question: its call's row has room for one. */
    if (held->answers)
        add(all, DEED_ANSWERS);
    add_words(all);
    if (held->stage == ASK_BACK)
        add_reply(all);
    add_ends(all);
    if (held->look)
        add(all, DEED_ADVANCE);
    held->answers = held->look = false;
    add_begins(all);
}

static bool has_calls_at(const struct held_run *held, enum call_stage stage)
{
    for (const struct held_call *call = held->calls; call; call = call->next)
        if (call->stage == stage)
            return true;
    return false;
}

static bool has_deeds(const struct held_run *held)
{
    if (held->doomed)
        return !held->lost && has_calls_at(held, HELD_BACK);
    return held->failing || held->words || held->stage == ASK_BACK || held->answers || held->look ||
           has_calls_at(held, HELD_BACK) || has_calls_at(held, HELD_LINE);
}

void held_move(struct held_run *held)
{
    if (held->storing)
        return;
    held_calls_sweep(held);
    if (held_release(held) || (timer_is_set(&held->again) && !held->doomed) || !has_deeds(held))
        return;
    struct run_unit *all = unit_new(&held->runner->holder, sizeof(*all), run_deeds, after_deeds);

    all->held = held;
    gather(all);
    if (all->count == 0) {
        unit_free(&all->unit);
        return;
    }
    held->storing = true;
    unit_hand_in(&all->unit);
}
