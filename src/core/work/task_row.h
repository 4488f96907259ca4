/*
 * task_row.h - how a task is read from a row, told of and given its first dependencies: what task*.c share
 * and nobody else needs.
 */
#ifndef CORE_WORK_TASK_ROW_H
#define CORE_WORK_TASK_ROW_H

#include "core/caller/tx.h"
#include "core/log/event.h"
#include "core/work/task.h"

/* The row's columns are those of task_get, which every statement on whole tasks returns. */
CHECKED bool task_from_row(const struct db_rows *rows, size_t row, struct task *task, struct err *err);
/* Its data lives in the arena. */
struct event task_event(struct arena *arena, const char *type, const struct task *task, int64_t now_ms);
/* Of tasks that this transaction made: nothing can depend on them but what stands among them. */
CHECKED bool task_add_first_deps(const struct tx *tx, const struct project *project,
                                 const struct task_draft *drafts, size_t count);

#endif
