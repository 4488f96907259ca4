/*
 * rerun.h - a run's decisions made again from its log.
 *
 * Entries are taken one after the other. What the log itself says (replies, calls, results, tokens) is
 * counted anew; what only the moment could know (the time used, the money, what a tool was, what people
 * answered) stands in the entries' data. Each decision is then made by the functions that made it first
 * (loop.h), and what comes out differently is told. Nothing is called.
 *
 * Thread: any; a replay belongs to one.
 */
#ifndef CORE_RUNS_RULES_RERUN_H
#define CORE_RUNS_RULES_RERUN_H

#include "core/runs/rules/loop.h"

struct rerun_entry {
    int64_t seq;
    enum run_entry_kind kind;
    const char *text, *data; /* or NULL; data is JSON text */
    const char *call_id;     /* or NULL */
    int64_t tokens;          /* in and out */
};

/* A decision that comes out differently, in words. */
struct rerun_difference {
    int64_t seq;
    const char *stored, *recomputed;
};

struct rerun;

struct rerun_setup {
    struct run_budget budget;
    bool recover;
    int64_t mistakes_most;
};

/* Lives in the arena, as everything that it tells. */
struct rerun *rerun_begin(struct arena *arena, const struct rerun_setup *setup);
void rerun_take(struct rerun *rerun, const struct rerun_entry *entry);

struct rerun_result {
    int64_t steps, decisions;
    const struct rerun_difference *differences;
    size_t count; /* of those that are told; there may be more */
};
#define RERUN_DIFFERENCES 100
struct rerun_result rerun_end(const struct rerun *rerun);

#endif
