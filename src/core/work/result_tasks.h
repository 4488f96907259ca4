/*
 * result_tasks.h - makes the tasks that a result lists. Internal to result*.c.
 */
#ifndef CORE_WORK_RESULT_TASKS_H
#define CORE_WORK_RESULT_TASKS_H

#include "core/caller/tx.h"
#include "core/work/result.h"

/*
 * Puts the tasks in an order in which each comes after those it depends on. `problem` says why there is none
 * (a name nobody knows, a circle), and is NULL when there is one.
 */
struct result_plan {
    size_t *order;
    const char ***deps; /* for each task: ids, or NULL where `inner` names one of the same result */
    size_t **inner;
    const char *problem;
};

CHECKED bool result_plan(const struct tx *tx, const struct project *project, const struct output *output,
                         struct result_plan *plan);
CHECKED bool result_make_tasks(const struct tx *tx, const struct project *project,
                               const struct result_plan *plan, struct result *result);

#endif
