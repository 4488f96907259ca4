/*
 * runner.h - runs agents: asks their models, calls the tools that they want, and hands back what comes of it.
 *
 * What a model is told, what follows from its reply and which tools may be called is decided in core
 * (core/runs/run_drive.h) and kept in rows. This is the part that keeps calls in flight: it claims runs that
 * want to be moved on (holder.h), puts them in line for their models (llm/lanes.h), starts tools
 * (toolbox/toolbox.h) once the store says that they run, passes on what tools ask people, and stores each
 * result in one transaction, which says what follows. The conversation of a run in hand is kept as a cache,
 * so that a step reads no more than what is new.
 *
 * A run that waits for people, the squad or a discussion is not in hand: it costs its rows and nothing else.
 * What is kept here alone can be lost. A model that was being asked is asked again by whoever claims the run
 * next; a tool that was running is never started again by itself.
 *
 * One thread decides about all of it (holder.h). Models and tools call back on threads of their own, which
 * copy what came and send it as mail.
 *
 * Thread: runner_figures from any; the rest from the one that starts and stops.
 */
#ifndef ENGINE_RUNNER_H
#define ENGINE_RUNNER_H

#include "db/store.h"
#include "engine/council.h"
#include "engine/tailer.h"
#include "llm/llm.h"
#include "toolbox/toolbox.h"

#define TOOL_END_COUNT (TOOL_BROKE_OFF + 1)

struct runner;

/* `toolbox` may be NULL: then no tool leaves the process. It outlives the runner. */
struct runner *runner_open(struct store *store, struct tailer *tailer, struct llm *llm,
                           struct toolbox *toolbox, struct err *err);
/* Closes what is out, waits for the last of it, and lets go of all. Accepts NULL. */
void runner_close(struct runner *runner);

struct runner_figures {
    uint64_t steps, claimed; /* stored replies of models; runs taken on */
    uint64_t late, repeated,
        failed; /* writes that came too late; tried again; runs ended for what is stored */
    uint64_t failures[LLM_KIND_COUNT]; /* by enum llm_kind */
    uint64_t ends[TOOL_END_COUNT];     /* of tools, by enum tool_end */
    size_t runs, calls;                /* in hand; calls of tools that are out */
};
void runner_figures(struct runner *runner, struct runner_figures *figures);

#endif
