/*
 * orchestrate_parts.h - what the two halves of orchestrate.h share: taking (orchestrate_take.c) and working
 * on what was taken (orchestrate.c). Internal to them.
 */
#ifndef CORE_RUNS_ORCHESTRATE_PARTS_H
#define CORE_RUNS_ORCHESTRATE_PARTS_H

#include "core/caller/caller.h"
#include "core/runs/orchestrate.h"

/* It calls as the server itself, in one project: nobody whom a rule could take for a person. */
struct orchestrator_call {
    struct tx tx;
    struct caller caller;
    struct project project;
};
CHECKED bool orchestrator_call_for(const struct tx *tx, const char *workspace_id, const char *project_id,
                                   struct orchestrator_call *as);

/* Whether the task is still the coder's: people may have taken it away, closed it or given it to another.
 * One that waits for answers about it, with the coder's name on it, goes back to the coder. */
bool orchestrator_is_coders(const struct task *task);
/* What became of one that is not, in a sentence. */
const char *orchestrator_how_it_went(struct arena *arena, const struct task *task);

struct coder_ending {
    enum job_status status;
    const char *error;  /* or NULL */
    const char *result; /* a JSON text, or NULL */
};
/* Ends a job in which a coder works, whatever it or others have asked in there: the server ends what it
 * began, where an agent (job_update, job_cancel) may end no question of somebody else's. A job that has
 * ended, or is gone, stays as it is. */
CHECKED bool orchestrator_end_job(const struct orchestrator_call *as, const char *job_id,
                                  const struct coder_ending *how);
/* The same for one that nobody wants any more; its program or its run is ended by whoever holds that, who
 * hears of it. Until then the take stays, and has its room. */
CHECKED bool orchestrator_cancel_job(const struct orchestrator_call *as, const char *job_id, const char *why);

#endif
