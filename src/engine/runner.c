/*
 * The runner as a holder of runs (holder.h): what it claims and drops, what it hears of the log, and its part
 * of a round, which asks whatever models the lanes allow.
 */
#include "engine/runner.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/str.h"
#include "engine/runner_internal.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_MS       20    /* between two looks for what was heard of: most of that is about other jobs */
#define TOOLS_MS      10000 /* for MCP servers to list their tools, before any run is claimed */
#define TOOLS_LOOK_MS 50

static void look_now(void *user)
{
    struct runner *runner = user;

    runner->looked_ms = clock_ticks_ms();
    holder_look(&runner->holder);
}

/* Claiming. */

/* For tests, which may take any time: with WITAN_TEST=1, WITAN_TEST_TOOLS_MS is waited instead. */
static int64_t tools_ms(void)
{
    const char *test = getenv("WITAN_TEST"), *ms = getenv("WITAN_TEST_TOOLS_MS");

    return ms && str_equal(test, "1") ? strtoll(ms, NULL, 10) : TOOLS_MS;
}

/* A run that begins with the server would be told of no tool of an MCP server, were those not waited for. */
static bool waits_for_tools(struct runner *runner)
{
    if (clock_ticks_ms() >= runner->tools_by_ms || tools_are_settled())
        return false;
    if (!timer_is_set(&runner->look))
        holder_after(&runner->holder, &runner->look, TOOLS_LOOK_MS, look_now, runner);
    return true;
}

static size_t room(struct holder *holder)
{
    struct runner *runner = runner_of(holder);
    size_t count = runner->runs.count;

    runner->full = count >= RUNNER_HELD;
    if (!settings()->runner_drive || runner->full || waits_for_tools(runner))
        return 0;
    return RUNNER_HELD - count < RUNNER_CLAIM ? RUNNER_HELD - count : RUNNER_CLAIM;
}

static bool claim(const struct tx *tx, struct holder_unit *unit, size_t limit, struct held_row **list,
                  size_t *count)
{
    if (!run_claim(tx, unit->holder->node, limit, list, count))
        return false;
    if (*count > 0)
        unit->phases = 1U << RUN_OPENING;
    return true;
}

static bool ours(const struct tx *tx, const char *node, struct held_row **list, size_t *count)
{
    return holding_ours(tx, HOLDING_RUN, node, list, count);
}

static void claimed(struct holder *holder, const struct held_row *row)
{
    held_claimed(runner_of(holder), row->id, row->epoch);
}

static size_t in_hand(const struct holder *holder)
{
    return ((const struct runner *)(const void *)holder)->runs.count;
}

/* What has come back by now is still stored when the server stops, and not when the lease has lapsed. */
static void drop_one(struct held_run *held)
{
    held_doom(held, !held->runner->holder.stopping || !holder_holds(&held->runner->holder));
    held_move(held);
}

static void tell_figures(struct runner *runner)
{
    atomic_store(&runner->in_hand, runner->runs.count);
    atomic_store(&runner->calls, runner->calls_out - runner->calls_kept);
}

static void drop_all(struct holder *holder)
{
    held_each(runner_of(holder), drop_one);
    tell_figures(runner_of(holder));
}

/* News from the log. */

struct run_news {
    struct mail mail; /* first */
    struct runner *runner;
    char job_id[UUID_SIZE];
};

static void look_soon(struct runner *runner)
{
    int64_t after = runner->looked_ms + LOOK_MS - clock_ticks_ms();

    if (!timer_is_set(&runner->look))
        holder_after(&runner->holder, &runner->look, after > 0 ? after : 0, look_now, runner);
}

static void heard_of_something(struct mail *mail)
{
    struct runner *runner = (struct runner *)(void *)((char *)mail - offsetof(struct runner, news));

    atomic_store(&runner->news_told, false);
    look_soon(runner);
}

static bool has_asked(const struct held_run *held)
{
    for (const struct held_call *call = held->calls; call; call = call->next)
        if (call->asked)
            return true;
    return false;
}

static void heard_of_job(struct mail *mail)
{
    struct run_news *news = (struct run_news *)mail;
    struct held_run *held = held_find(news->runner, news->job_id);

    if (held && !held->doomed) {
        held->look = true;
        held->answers |= has_asked(held);
        held_move(held);
    } else {
        look_soon(news->runner);
    }
    free(news);
}

/* Which events may mean something for a run that is in hand (OF_JOB), or that there is one to be claimed. */
enum { ANYWHERE = 1, OF_JOB };

static const unsigned char run_heeds[EVENT_TYPE_END] = {
    [EVENT_JOB_CREATED] = ANYWHERE,        [EVENT_PROMPT_ENDED] = ANYWHERE,
    [EVENT_DISCUSSION_ENDED] = ANYWHERE,   [EVENT_JOB_ENDED] = OF_JOB,
    [EVENT_QUESTION_ANSWERED] = OF_JOB,    [EVENT_QUESTION_APPROVAL] = OF_JOB,
    [EVENT_QUESTION_TIMEOUT] = OF_JOB,     [EVENT_QUESTION_CANCELLED] = OF_JOB,
    [EVENT_QUESTION_LATE_ANSWER] = OF_JOB,
};

static void hear_one(struct runner *runner, const struct notice *notice)
{
    unsigned how = run_heeds[notice->type];

    if (!how)
        return;
    if (how == OF_JOB && atomic_load(&runner->in_hand) > 0 && notice->job_id &&
        strlen(notice->job_id) < UUID_SIZE) {
        struct run_news *news = memory_take(sizeof(*news));

        *news = (struct run_news){ .runner = runner };
        strcpy(news->job_id, notice->job_id);
        holder_post(&runner->holder, &news->mail, heard_of_job);
    } else if (!atomic_exchange(&runner->news_told, true)) {
        holder_post(&runner->holder, &runner->news, heard_of_something);
    }
}

static void hear(void *user, struct notice *const notices[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        hear_one(user, notices[i]);
}

/* The thread. */

static void ask_next(struct runner *runner)
{
    struct lane_place *next;

    while (holder_holds(&runner->holder) && (next = lanes_take(runner->lanes, &runner->client)))
        ask_start((struct held_run *)(void *)next);
}

static void heard_room(struct mail *mail)
{
    struct runner *runner = (struct runner *)(void *)((char *)mail - offsetof(struct runner, room));

    atomic_store(&runner->room_told, false);
}

static void tell_room(void *user)
{
    struct runner *runner = user;

    if (!atomic_exchange(&runner->room_told, true))
        holder_post(&runner->holder, &runner->room, heard_room);
}

static int64_t next_ms(const struct holder *holder)
{
    (void)holder;
    return INT64_MAX;
}

static void work(struct holder *holder)
{
    struct runner *runner = runner_of(holder);

    if (runner->crowded && runner->calls_out - runner->calls_asking < RUNNER_CALLS) {
        runner->crowded = false;
        held_each(runner, held_move);
    }
    ask_next(runner);
    tell_figures(runner);
}

static const struct holder_calls runner_calls = {
    .rows = "runs",
    .lapse = "the lease on runs ran out; what they have out is closed",
    .room = room,
    .claim = claim,
    .ours = ours,
    .claimed = claimed,
    .in_hand = in_hand,
    .drop = drop_all,
    .work = work,
    .next_ms = next_ms,
    .phases = run_phases,
};

/* Starting and stopping. */

static void runner_free(struct runner *runner)
{
    holder_done(&runner->holder);
    table_done(&runner->runs);
    free(runner);
}

static struct runner *runner_new(struct tailer *tailer, struct llm *llm, struct toolbox *toolbox)
{
    struct runner *runner = memory_take(sizeof(*runner));

    memset(runner, 0, sizeof(*runner));
    holder_init(&runner->holder);
    runner->tools_by_ms = clock_ticks_ms() + tools_ms();
    runner->tailer = tailer;
    runner->llm = llm;
    runner->toolbox = toolbox;
    runner->lanes = llm_lanes(llm);
    runner->client = (struct lane_client){ .wake = tell_room, .user = runner };
    return runner;
}

struct runner *runner_open(struct store *store, struct tailer *tailer, struct llm *llm,
                           struct toolbox *toolbox, struct err *err)
{
    struct runner *runner = runner_new(tailer, llm, toolbox);

    tailer_subscribe(tailer, hear, runner);
    if (holder_open(&runner->holder, store, &runner_calls, err))
        return runner;
    tailer_unsubscribe(tailer, runner);
    runner_free(runner);
    return NULL;
}

void runner_close(struct runner *runner)
{
    if (!runner)
        return;
    tailer_unsubscribe(runner->tailer, runner);
    holder_close(&runner->holder);
    runner_free(runner);
}

void runner_figures(struct runner *runner, struct runner_figures *figures)
{
    *figures = (struct runner_figures){
        .steps = atomic_load(&runner->steps),
        .claimed = atomic_load(&runner->holder.claimed),
        .late = atomic_load(&runner->late),
        .repeated = atomic_load(&runner->holder.repeated),
        .failed = atomic_load(&runner->failed),
        .runs = atomic_load(&runner->in_hand),
        .calls = atomic_load(&runner->calls),
    };
    for (size_t i = 0; i < LLM_KIND_COUNT; i++)
        figures->failures[i] = atomic_load(&runner->failures[i]);
    for (size_t i = 0; i < TOOL_END_COUNT; i++)
        figures->ends[i] = atomic_load(&runner->ends[i]);
}
