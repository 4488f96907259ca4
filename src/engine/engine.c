/*
 * Commits poke, pokes are remembered, and every thread also looks by itself now and then: so a lost poke
 * costs a second, never an event. engine_settle follows the same way a change takes (deadlines, words,
 * writes, numbers, the tailer) and waits at each station, which is what lets tests move the clock and then
 * simply look.
 */
#include "engine/engine.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/settings.h"
#include "db/pglisten.h"
#include "engine/comings.h"
#include "engine/folding.h"
#include "engine/holder.h"
#include "engine/indexing.h"
#include "llm/scout.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LISTEN_WAIT_MS  60000
#define SETTLE_POLL_US  500
#define CLOCK_SETTLE_MS 120000 /* only tests move the clock; theirs may be a busy machine */
#define OFFSET_MOST_MS  (INT64_C(100) * 366 * 86400000)

struct engine {
    struct store *store;
    struct tailer *tailer;
    struct deadlines *deadlines;
    struct folding *folding;
    struct indexing *indexing;
    struct comings *comings;
    struct net *net;                  /* what goes out, to models */
    const struct local_place *places; /* where models are looked for */
    size_t place_count;
    struct scout *scout;
    struct llm *llm;
    struct council *council;
    struct toolbox *toolbox; /* or NULL */
    struct orchestrator_setup orchestrating;
    struct orchestrator *orchestrator;
    struct runner *runner;
    struct sequencer *sequencer; /* PostgreSQL only, like the listener */
    struct pg_listener *listener;
    pthread_t listening;
    atomic_bool started, stopping;
};

struct engine *engine_new(void)
{
    struct engine *engine = calloc(1, sizeof(*engine));

    if (!engine)
        abort();
    return engine;
}

void engine_free(struct engine *engine)
{
    if (!engine)
        return;
    sequencer_close(engine->sequencer);
    tailer_close(engine->tailer);
    pg_listener_free(engine->listener);
    free(engine);
}

static void new_numbers(void *user)
{
    struct engine *engine = user;

    tailer_poke(engine->tailer);
}

static void *run_listener(void *user)
{
    struct engine *engine = user;

    while (!atomic_load(&engine->stopping)) {
        if (!pg_listener_wait(engine->listener, LISTEN_WAIT_MS))
            continue;
        sequencer_poke(engine->sequencer);
        tailer_poke(engine->tailer);
    }
    return NULL;
}

void engine_scout(struct engine *engine, const struct local_place *places, size_t count)
{
    engine->places = places;
    engine->place_count = count;
}

void engine_tools(struct engine *engine, struct toolbox *toolbox)
{
    engine->toolbox = toolbox;
}

void engine_orchestrate(struct engine *engine, const struct orchestrator_setup *setup)
{
    engine->orchestrating = *setup;
}

static void say_model(const struct llm_model *model)
{
    if (model)
        log_line(LOG_INFO, "found a model; it speaks for agents that name none", "provider",
                 model_provider_name(model->provider), "model", model->model, "url", model->base_url, NULL);
    else
        log_line(LOG_WARN, "the model that was found is gone", NULL);
}

/* Whoever asks models. */
static bool start_asking(struct engine *engine, struct err *err)
{
    if (!holders_begin(engine->store, err) || !net_open(&engine->net, err))
        return false;
    /* Before discussions go on that have no other model to go on with. */
    if (engine->place_count > 0 && settings()->council_drive && models()->count == 0)
        engine->scout = scout_open(engine->net, engine->places, engine->place_count, say_model);
    engine->llm = llm_open(engine->net);
    engine->council = council_open(engine->store, engine->tailer, engine->llm, err);
    if (!engine->council)
        return false;
    engine->runner = runner_open(engine->store, engine->tailer, engine->llm, engine->toolbox, err);
    if (!engine->runner)
        return false;
    engine->orchestrator = orchestrator_open(engine->store, engine->tailer, &engine->orchestrating, err);
    return engine->orchestrator != NULL;
}

static void stop_asking(struct engine *engine)
{
    orchestrator_close(engine->orchestrator);
    engine->orchestrator = NULL;
    runner_close(engine->runner);
    engine->runner = NULL;
    council_close(engine->council);
    engine->council = NULL;
    if (!engine->net)
        return;
    llm_close(engine->llm);
    scout_close(engine->scout);
    net_close(engine->net);
    engine->net = NULL;
}

bool engine_start(struct engine *engine, struct store *store, const char *url, bool test_clock,
                  struct err *err)
{
    engine->store = store;
    engine->tailer = tailer_open(store, err);
    if (!engine->tailer)
        return false;
    if (store_engine(store) == DB_POSTGRES) {
        engine->sequencer = sequencer_open(url, new_numbers, engine);
        engine->listener = pg_listener_new(url, "witan_events");
        if (pthread_create(&engine->listening, NULL, run_listener, engine) != 0)
            abort();
    }
    atomic_store(&engine->started, true);
    engine->deadlines = deadlines_open(store, test_clock, err);
    if (!engine->deadlines) {
        engine_stop(engine);
        return false;
    }
    engine->folding = folding_open(store);
    engine->indexing = indexing_open(store);
    engine->comings = comings_open(store, engine->tailer);
    if (!start_asking(engine, err)) {
        engine_stop(engine);
        return false;
    }
    return true;
}

/* The memory of the tailer and the sequencer stays: commits that the store makes while it closes poke them.
 */
void engine_stop(struct engine *engine)
{
    if (!atomic_load(&engine->started) || atomic_exchange(&engine->stopping, true))
        return;
    stop_asking(engine);
    comings_close(engine->comings);
    indexing_close(engine->indexing);
    folding_close(engine->folding);
    deadlines_close(engine->deadlines);
    engine->deadlines = NULL;
    if (engine->listener) {
        pg_listener_interrupt(engine->listener);
        pthread_join(engine->listening, NULL);
    }
    tailer_stop(engine->tailer);
}

void engine_poke(void *user)
{
    struct engine *engine = user;

    if (!atomic_load(&engine->started))
        return;
    if (engine->sequencer)
        sequencer_poke(engine->sequencer);
    else
        tailer_poke(engine->tailer);
}

struct tailer *engine_tailer(struct engine *engine)
{
    return engine->tailer;
}

struct council *engine_council(struct engine *engine)
{
    return engine->council;
}

static bool run_nothing(struct db *db, struct work *work)
{
    (void)db;
    (void)work;
    return true;
}

/* A unit that is handed in now is done after everything that was queued before it. */
static bool drain_writes(struct engine *engine, int64_t until_ms)
{
    struct work barrier = { .run = run_nothing };
    struct store_stats stats;

    if (!store_write_wait(engine->store, &barrier))
        return false;
    for (;;) {
        store_stats(engine->store, &stats);
        if (stats.write_queue == 0)
            return true;
        if (clock_ticks_ms() >= until_ms)
            return false;
        nanosleep(&(struct timespec){ .tv_nsec = SETTLE_POLL_US * 1000 }, NULL);
    }
}

struct last_work {
    struct work work;
    struct arena arena;
    int64_t seq;
};

static bool run_last(struct db *db, struct work *work)
{
    struct last_work *last = (struct last_work *)work;
    struct tx tx = tx_of(db, &last->arena, clock_now_ms(), &work->err);

    arena_reset(&last->arena);
    return event_last(&tx, &last->seq);
}

static bool read_last(struct engine *engine, int64_t *seq)
{
    struct last_work last = { .work = { .run = run_last } };
    bool done = store_read_wait(engine->store, &last.work);

    *seq = last.seq;
    arena_done(&last.arena);
    return done;
}

static int left_ms(int64_t until_ms)
{
    int64_t left = until_ms - clock_ticks_ms();

    return left > 0 ? (int)left : 0;
}

bool engine_settle(struct engine *engine, int timeout_ms)
{
    int64_t until = clock_ticks_ms() + timeout_ms, seq = 0;

    if (!deadlines_settle(engine->deadlines, left_ms(until)) ||
        !indexing_settle(engine->indexing, left_ms(until)) || !drain_writes(engine, until))
        return false;
    if (engine->sequencer && !sequencer_settle(engine->sequencer, left_ms(until)))
        return false;
    return read_last(engine, &seq) && tailer_settle(engine->tailer, seq, left_ms(until));
}

struct clock_work {
    struct work work;
    struct arena arena;
    int64_t advance_ms, offset_ms;
};

static bool run_move_clock(struct db *db, struct work *work)
{
    struct clock_work *move = (struct clock_work *)work;
    struct db_rows rows;

    arena_reset(&move->arena);
    if (!db_query(db, &move->arena, SQL_FACT_ADD,
                  DB_ARGS(db_text("clock_offset_ms"),
                          db_text(arena_format(&move->arena, "%lld", (long long)move->advance_ms))),
                  &rows, &work->err))
        return false;
    move->offset_ms = db_cell_int(&rows, 0, 0);
    if (move->offset_ms > OFFSET_MOST_MS || move->offset_ms < -OFFSET_MOST_MS)
        return err_field(&work->err, "advance_ms", "The test clock moves a hundred years at most.");
    return true;
}

bool engine_move_clock(struct engine *engine, int64_t advance_ms, int64_t *offset_ms, struct err *err)
{
    struct clock_work move = { .work = { .run = run_move_clock }, .advance_ms = advance_ms };
    bool moved = store_write_wait(engine->store, &move.work);

    arena_done(&move.arena);
    if (!moved) {
        *err = move.work.err;
        return false;
    }
    clock_set_offset_ms(move.offset_ms);
    *offset_ms = move.offset_ms;
    if (!engine_settle(engine, CLOCK_SETTLE_MS))
        return err_set(err, ERR_UNAVAILABLE,
                       "The clock has moved, but what is due has not all happened yet.");
    return true;
}

void engine_stats(struct engine *engine, struct engine_stats *stats)
{
    *stats = (struct engine_stats){ 0 };
    tailer_stats(engine->tailer, &stats->tailer);
    deadlines_stats(engine->deadlines, &stats->deadlines);
    if (engine->sequencer)
        sequencer_stats(engine->sequencer, &stats->sequencer);
    council_figures(engine->council, &stats->council);
    runner_figures(engine->runner, &stats->runner);
    if (engine->listener)
        stats->listen_reconnects = pg_listener_reconnects(engine->listener);
}
