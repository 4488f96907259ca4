/*
 * run.h - a job that witan runs itself: an agent on a model in a loop of tools.
 *
 * A run belongs to a job of kind "agent" and has its id. It has a conversation, which is a log that only ever
 * grows (run entries: what the model was told and said, what tools returned, what was decided and why), tool
 * calls, each a row with a state of its own, and a budget. Everything is stored after each step, so that a
 * run can wait for days and go on with the very call that asked.
 *
 * What follows from what is decided by core/runs/rules, from values alone; a replay asks the same functions.
 */
#ifndef CORE_RUNS_RUN_H
#define CORE_RUNS_RUN_H

#include "base/json.h"
#include "core/caller/tx.h"
#include "core/runs/rules/loop.h"

/* The members of runs, their entries and their calls: run.noun, run_entry.noun, run_call.noun. */
#include "gen/nouns/run.h"
#include "gen/nouns/run_call.h"
#include "gen/nouns/run_entry.h"

/* What the doors need (src/ops/run_ops.c), with the members of the nouns as the trace shows them. */

struct job;

/* What somebody asks for beside the job's own members. 0: as the settings say. */
struct run_wish {
    int64_t steps, tokens, ms, money; /* at most so many; money in millionths */
    bool recover;
    const char *const *tools; /* only these beside the built-in ones; ends with NULL. NULL: all it may have */
};

/*
 * Makes the job and its run from what job_create takes (kind is JOB_KIND_AGENT, agent its name) and the wish.
 * ERR_INVALID with the field: no agent, an unknown or external one, one without a model ("agent"); an amount
 * of money where nobody knows what the model costs ("budget.money"); a tool that is not there or not for this
 * project or caller ("tools").
 */
CHECKED bool run_create(const struct tx *tx, struct job *job, const struct run_wish *wish);
/* A job that question_restart has made of one that witan ran itself becomes a run, too, with the late answer;
 * nothing happens with any other. */
CHECKED bool run_restart(const struct tx *tx, const struct job *job);
/* By its id, whoever calls: for the machine. ERR_NOT_FOUND when witan does not run it. */
CHECKED bool run_load(const struct tx *tx, const char *job_id, struct run *run);
/* ERR_NOT_FOUND, also for a job that witan does not run; the job's walls hold (job_get). */
CHECKED bool run_get(const struct tx *tx, const char *job_id, struct run *run);

struct run_entry_filter {
    bool newest;  /* newest first */
    int64_t from; /* the entry behind which, in that order, they begin; 0: at the first */
    size_t limit;
};
/* Entries of a run's log, and beside them the calls that those of kind call and result are about: (*calls)[i]
 * belongs to (*entries)[i], or is NULL. */
CHECKED bool run_entries(const struct tx *tx, const char *job_id, const struct run_entry_filter *filter,
                         struct run_entry **entries, const struct run_call ***calls, size_t *count);

/* What it may take, and what it has taken: {steps, tokens, seconds, money}. */
void run_write_budget(const struct run *run, const char *key, struct json_out *out);
void run_write_spent(const struct run *run, const char *key, struct json_out *out);

/* Every decision of the loop made again from the log; calls no model and no tool. */
struct run_difference {
    int64_t seq;
    const char *stored, *recomputed; /* in words */
};
struct run_replay {
    int64_t steps, decisions;
    const struct run_difference *differences;
    size_t difference_count;
};
CHECKED bool run_replay(const struct tx *tx, const char *job_id, struct run_replay *replay);

#endif
