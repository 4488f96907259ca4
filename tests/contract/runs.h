/*
 * runs.h - runs whose models and tools are played by the tests: what a holder does, with replies from hand.
 */
#ifndef TESTS_CONTRACT_RUNS_H
#define TESTS_CONTRACT_RUNS_H

#include "contract.h"
#include "core/runs/run_drive.h"

struct playing {
    struct t *t;
    const char *job;
    struct run_ref ref;
    struct run_step step; /* the last */
    struct err err;       /* of the last that was refused */
};

/* A run of the agent Ada, which is made; claimed by a node and advanced once. */
void play_run(struct t *t, struct playing *p, const struct run_wish *wish);
/* The same in a project. */
void play_run_in(struct t *t, struct playing *p, const struct run_wish *wish, const char *project_id);
/* Only made: its job's id. */
const char *run_made(struct t *t, const struct run_wish *wish, const char *project_id, struct err *err);
/* A node takes it, if it wants to be moved, and advances it. False: it does not want to. */
bool run_again(struct playing *p, const char *node);
bool run_wants(struct playing *p);
void run_moves_on(struct playing *p); /* run_advance under the same claim */

/* The model calls tools: pairs of a name and the arguments, ends with NULL. */
void model_calls(struct playing *p, ...);
/* It calls report_progress, and its provider says that the reply took so many tokens. */
void model_takes(struct playing *p, int64_t in, int64_t out);
void model_says(struct playing *p, const char *text);
void model_fails(struct playing *p, const char *words);
/* A reply as it is. */
bool model_replies(struct playing *p, const struct llm_result *result, const char *kind,
                   const struct llm_model *priced);
/* The tool of the step's call at this place begins, and ends so. */
void tool_begins(struct playing *p, const char *call_id);
void tool_ends(struct playing *p, const char *call_id, enum tool_end end, const char *text);
void tool_runs(struct playing *p, const char *text); /* the only one that is to be run: both */

/* The last message of this role that the model was told with the last step; fails where there is none. */
const char *told(const struct playing *p, const char *role);
/* A text of the job's last call of this name: a column of run_calls. */
const char *call_column(struct playing *p, const char *name, const char *column);
const char *job_column(struct playing *p, const char *column);
/* The id of the newest open question of the job, or NULL. */
const char *open_question(struct playing *p);
struct run_replay replay_of_run(struct playing *p);
/* Every decision is made again from the log, and comes out the same; returns how many there were. */
int64_t check_replay(struct playing *p);
/* Tools there are from now on. */
void use_tools(const struct tool *tools, size_t count);

#endif
