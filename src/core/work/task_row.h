/*
 * task_row.h - how a task is told of and given its first dependencies: what task*.c share
 * and nobody else needs.
 */
#ifndef CORE_WORK_TASK_ROW_H
#define CORE_WORK_TASK_ROW_H

#include "core/caller/tx.h"
#include "core/log/event.h"
#include "core/work/task.h"

/* The id of whoever calls, if it is their own name; NULL: they name somebody else. */
const char *task_taker_id(const struct tx *tx, const char *assignee);
/* Its data lives in the arena. */
struct event task_event(struct arena *arena, enum event_type type, const struct task *task, int64_t now_ms);
/* Of tasks that this transaction made: nothing can depend on them but what stands among them. */
CHECKED bool task_add_first_deps(const struct tx *tx, const struct project *project,
                                 const struct task_draft *drafts, size_t count);

#endif
