/*
 * engine.h - the threads that make time pass: deadlines, numbering, the tailer of the log, discussions, runs.
 *
 * An engine is made before its store, so that the store can poke it with each commit, and started after
 * it. Stopping goes the other way: engine_stop, store_close, engine_free.
 *
 * Thread: engine_poke from any thread at any time; the rest from the thread that starts and stops.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/council.h"
#include "engine/deadlines.h"
#include "engine/orchestrator.h"
#include "engine/runner.h"
#include "engine/sequencer.h"
#include "engine/tailer.h"
#include "llm/local.h"

struct engine;

struct engine *engine_new(void);
void engine_free(struct engine *engine); /* accepts NULL */

/* Before engine_start: where to look for models when config.yaml names none (llm/scout.h). Without it nobody
 * looks. The places outlive the engine. */
void engine_scout(struct engine *engine, const struct local_place *places, size_t count);
/* Before engine_start: the tools that runs may call. It outlives engine_stop. Without it they have the
 * built-in ones. */
struct toolbox;
void engine_tools(struct engine *engine, struct toolbox *toolbox);
/* Before engine_start: what orchestrators have for their tasks. Without it they make no folders and start no
 * commands. What it points to outlives the engine. */
void engine_orchestrate(struct engine *engine, const struct orchestrator_setup *setup);
/* `url` is the store's. With `test_clock` the clock's offset is the one that the store keeps. */
CHECKED bool engine_start(struct engine *engine, struct store *store, const char *url, bool test_clock,
                          struct err *err);
void engine_stop(struct engine *engine);

/* Something was committed. Fits store_options.committed. */
void engine_poke(void *engine);
struct tailer *engine_tailer(struct engine *engine);
struct council *engine_council(struct engine *engine);

/*
 * Returns when nothing is due, the write queue is empty, and every event so far has its number and has
 * been handed to those who listen. False: not within that time. Blocks; not for HTTP threads.
 */
bool engine_settle(struct engine *engine, int timeout_ms);
/* Moves the test clock for all nodes and settles. The new offset is in *offset_ms. */
CHECKED bool engine_move_clock(struct engine *engine, int64_t advance_ms, int64_t *offset_ms,
                               struct err *err);

struct engine_stats {
    struct tailer_stats tailer;
    struct deadlines_stats deadlines;
    struct sequencer_stats sequencer; /* zeros on SQLite */
    struct council_figures council;
    struct runner_figures runner;
    uint64_t listen_reconnects;
};
void engine_stats(struct engine *engine, struct engine_stats *stats);

#endif
