/*
 * Runs in hand. A run is in hand while its model is asked, its tools run, or something of it is being stored;
 * one that waits for others, or has ended, is forgotten. One that is not wanted any more is doomed: what is
 * out is closed, and it goes when the last of it has come back. Only then does a later claim of the same run
 * begin, so that there are never two calls of one model for it.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "engine/runner_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUE_LOOK_MS 1000 /* how late it may be noticed that the clock was set */

static struct held_run *held_of_item(struct table_item *item)
{
    return (struct held_run *)(void *)((char *)item - offsetof(struct held_run, item));
}

struct held_run *held_find(struct runner *runner, const char *job_id)
{
    struct table_item *item = table_find(&runner->runs, job_id);

    return item ? held_of_item(item) : NULL;
}

static struct held_run *held_new(struct runner *runner, const char *job_id, int64_t epoch)
{
    struct held_run *held = memory_take(sizeof(*held));

    memset(held, 0, sizeof(*held));
    held->runner = runner;
    held->epoch = epoch;
    held->last_word = &held->words;
    snprintf(held->job_id, sizeof(held->job_id), "%s", job_id);
    table_add(&runner->runs, &held->item, held->job_id);
    atomic_store(&runner->in_hand, runner->runs.count);
    return held;
}

static void held_free(struct held_run *held)
{
    struct runner *runner = held->runner;

    timers_stop(&runner->holder.timers, &held->due);
    timers_stop(&runner->holder.timers, &held->again);
    table_remove(&runner->runs, &held->item);
    atomic_store(&runner->in_hand, runner->runs.count);
    talk_done(&held->talk);
    arena_done(&held->answer_arena);
    free(held);
    if (runner->full)
        holder_look(&runner->holder);
}

static void held_begin(struct runner *runner, const char *job_id, int64_t epoch)
{
    struct held_run *held = held_new(runner, job_id, epoch);

    held->look = true;
    held_move(held);
}

void held_claimed(struct runner *runner, const char *job_id, int64_t epoch)
{
    struct held_run *known = held_find(runner, job_id);

    if (!known) {
        held_begin(runner, job_id, epoch);
        return;
    }
    if (known->epoch == epoch) {
        /* What it had out is lost, and only under another claim that is asked about. */
        if (known->doomed)
            held_let_go(known);
        return;
    }
    known->next_epoch = epoch;
    held_doom(known, true);
    held_release(known);
}

bool held_release(struct held_run *held)
{
    struct runner *runner = held->runner;
    int64_t epoch = held->next_epoch;
    char job_id[UUID_SIZE];

    if (!held->doomed || held->storing || held->stage != ASK_NOT || held->calls)
        return false;
    strcpy(job_id, held->job_id);
    held_free(held);
    if (epoch > 0 && !runner->holder.stopping)
        held_begin(runner, job_id, epoch);
    return true;
}

/* A unit that is under way may have words of a call in it, which it frees itself. */
static void drop_words(struct held_run *held)
{
    for (struct held_word *word = held->words, *next; word; word = next) {
        next = word->next;
        held_word_free(word);
    }
    held->words = NULL;
    held->last_word = &held->words;
}

void held_doom(struct held_run *held, bool lost)
{
    held->doomed = true;
    held->lost |= lost;
    timers_stop(&held->runner->holder.timers, &held->due);
    ask_drop(held);
    drop_words(held);
    held_calls_drop(held, held->lost);
}

/* Letting go. */

struct letting_go {
    struct holder_unit unit; /* first */
    char job_id[UUID_SIZE];
    int64_t epoch;
    int tries;
};

static bool let_go(const struct tx *tx, struct holder_unit *unit)
{
    const struct letting_go *letting = (const struct letting_go *)unit;

    return run_let_go(
        tx,
        &(struct run_ref){ .job_id = letting->job_id, .node = unit->holder->node, .epoch = letting->epoch });
}

/* What a node that stops has is let go of with it. */
static void has_let_go(struct holder_unit *unit)
{
    struct letting_go *letting = (struct letting_go *)unit;

    if (unit_may_work_later(unit) && !unit->holder->stopping) {
        unit_again(unit, ++letting->tries);
        return;
    }
    holder_look(unit->holder);
    unit_free(unit);
}

void held_let_go(const struct held_run *held)
{
    struct letting_go *letting = unit_new(&held->runner->holder, sizeof(*letting), let_go, has_let_go);

    strcpy(letting->job_id, held->job_id);
    letting->epoch = held->epoch;
    unit_hand_in(&letting->unit);
}

/* Its time. */

static void set_due(struct held_run *held);

static void look_at_time(void *user)
{
    struct held_run *held = user;

    if (held->doomed || held->due_ms == 0)
        return;
    if (clock_now_ms() >= held->due_ms) {
        held->due_ms = 0; /* the step that follows says when to look again, if at all */
        held->look = true;
        held_move(held);
    } else {
        set_due(held);
    }
}

/* The clock of rows can be set, that of timers cannot: it is looked at now and then. */
static void set_due(struct held_run *held)
{
    int64_t left = held->due_ms - clock_now_ms();

    holder_after(&held->runner->holder, &held->due,
                 left < 0             ? 0
                 : left > DUE_LOOK_MS ? DUE_LOOK_MS
                                      : left,
                 look_at_time, held);
}

void held_follow(struct held_run *held, const struct run_step *step, size_t begun)
{
    for (size_t i = 0; i < step->line_count; i++)
        log_line(LOG_INFO, step->lines[i], NULL);
    for (size_t i = 0; i < step->unwanted_count; i++)
        held_call_unwanted(held, step->unwanted[i]);
    if (step->over)
        held_doom(held, true);
    if (held->doomed)
        return;
    if (step->due_ms > 0) {
        held->due_ms = step->due_ms;
        set_due(held);
    }
    for (size_t i = 0; i < step->call_count; i++)
        held_call_adopt(held, &step->calls[i], i < begun);
    if (step->ask)
        ask_wanted(held, step);
}

/* Gathered first: the table changes while runs go. */
void held_each(struct runner *runner, void (*does)(struct held_run *held))
{
    ARENA_AUTO arena = { 0 };
    struct held_run **all = arena_array(&arena, struct held_run *, runner->runs.count);
    size_t count = 0;

    for (size_t i = 0; i < runner->runs.room; i++)
        for (struct table_item *item = runner->runs.slots[i]; item; item = item->next)
            all[count++] = held_of_item(item);
    for (size_t i = 0; i < count; i++)
        does(all[i]);
}
