/*
 * orchestrate.h - a project's orchestrator: takes tasks that are ready and has a coder work on them.
 *
 * It is off unless people switch it on (project.h), and has at most so many tasks out as they say. A task
 * that is out is claimed for the agent `coder` and has a take, a row as long as that lasts: queued until the
 * task's folder is there with its config.json, then coding. The coder is a run of the agent `coder`
 * (run_agents.h), which hands in its own result, or the operator's command, whose output is read as one
 * (output/output.h).
 *
 * A take ends with the task closed or with people asked; nothing is ever silently run again. A result with
 * open questions blocks the task as any does, and the answers make it ready, so that it is taken up again. A
 * coder that failed without asking, whose result could not be read, that was cancelled, or that was running
 * when its node died becomes a question about the task, too.
 *
 * People may close, delete or take away a task while it is out. Then its job is cancelled, its program or run
 * is ended, and what that hands in all the same is kept in the job and changes nothing. Until its program has
 * ended a take has its room.
 *
 * A take is held by one node (core/holding, HOLDING_TAKE) while its folder is made and while a command runs.
 * A run is held by the runner; its take only waits for the job to end.
 */
#ifndef CORE_RUNS_ORCHESTRATE_H
#define CORE_RUNS_ORCHESTRATE_H

#include "core/holding/holding.h"
#include "core/questions/job.h"
#include "core/work/result.h"

#define ORCHESTRATOR_NAME "Orchestrator"
#define CODER_NAME        "coder"
#define JOB_KIND_CODER    "coder" /* what jobs are in which the operator's command works on a task */

enum take_state { TAKE_QUEUED = 1, TAKE_CODING, TAKE_END };
WORDS_OF(take_state, take_states);

/* Its members: coder_take.noun. */
#include "gen/nouns/coder_take.h"

/* As whom a node writes to a take. */
struct take_ref {
    const char *take_id, *node;
    int64_t epoch;
};

/* What is to be done next about a take. */
struct take_step {
    bool over; /* nothing, by this node */

    /* Its folder is to be made: a name in the one for all, and what config.json holds. */
    bool prepare;
    bool command; /* the operator's command is to work on it */
    const char *task_id, *project_id;
    const char *config;

    /* The command is to be started. */
    bool start;
    const char *job_id;
    const char *prompt; /* for its standard input */
};

/* Takes what is ready where there is room, and claims what wants something done. */
CHECKED bool orchestrate_claim(const struct tx *tx, const char *node, size_t limit, struct held_row **list,
                               size_t *count);
/* What there is to do about a take that was just claimed. One that was coding is asked about. */
CHECKED bool orchestrate_open(const struct tx *tx, const struct take_ref *ref, struct take_step *step);
/* Its folder is there. Makes the job. */
CHECKED bool orchestrate_begin(const struct tx *tx, const struct take_ref *ref, struct take_step *step);
/* Whether the job of a command has ended already, as when somebody cancelled it while it was being started.
 */
CHECKED bool orchestrate_job_is_over(const struct tx *tx, const char *job_id, bool *over);

/* How a command has ended. */
struct take_end {
    const struct output *output; /* what was read of it */
    const char *broke; /* why it did not end by itself as one that succeeded: then only its questions
                          count; or NULL */
    const char *how;   /* a sentence for the job's log */
    const char *printed, *errors; /* the last of each, for the log; "" where there is nothing */
};
CHECKED bool orchestrate_end(const struct tx *tx, const struct take_ref *ref, const struct take_end *end);
/* It cannot be worked on: people are asked, with the reason. */
CHECKED bool orchestrate_give_up(const struct tx *tx, const struct take_ref *ref, const char *reason);

/* Before a task, or with NULL a project, is deleted: what works on it is ended, and its job is cancelled. The
 * takes go with the tasks. */
CHECKED bool orchestrate_let_go(const struct tx *tx, const struct project *project, const char *task_id);

/* Whether the orchestrator has given this task out. */
CHECKED bool orchestrate_is_out(const struct tx *tx, const char *task_id, bool *out);
/* Before a run hands in its result: whether its take is still wanted. If not, the take is over, and
 * `why_not_wanted` says in words that the task was taken away; else it is NULL. */
CHECKED bool orchestrate_wants(const struct tx *tx, const struct project *project, const struct job *job,
                               const char **why_not_wanted);
/* A run of the coder has handed in its result: its take is over, and what the result leaves open is asked. */
CHECKED bool orchestrate_handed_in(const struct tx *tx, const struct project *project, const struct job *job,
                                   struct result *result);

/* What a project has out, the oldest first. At most LIMIT_PARALLEL. */
CHECKED bool orchestrate_list(const struct tx *tx, const struct project *project, struct coder_take **takes,
                              size_t *count);

#endif
