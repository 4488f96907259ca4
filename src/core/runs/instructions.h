/*
 * instructions.h - what the model of a run is told first.
 *
 * Put together once, when the run is made, and stored with it: what the agent is, how the loop works, how
 * much it may decide by itself in the project, and what people have answered before. A run that waits for
 * days goes on with the words that it began with.
 */
#ifndef CORE_RUNS_INSTRUCTIONS_H
#define CORE_RUNS_INSTRUCTIONS_H

#include "core/council/agent.h"
#include "core/questions/job.h"
#include "core/runs/run.h"

/* `job` as it was made, with its project and task. */
CHECKED bool run_instructions(const struct tx *tx, const struct agent *agent, const struct job *job,
                              const char **text);
/* The task, as the model is told it: a text as it is, any other value as JSON, which task of the project that
 * is and which of its tools work in the task's folder, and the brief of what it is about (run_agents.h).
 * `data` says where in the text people speak: {said: [{as, of, by, at, bytes}]}; NULL: nowhere. */
CHECKED bool run_input(const struct tx *tx, const struct run *run, const struct job *job, const char **text,
                       const char **data);

#endif
