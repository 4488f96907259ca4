/*
 * task_row.h - reads a task from a row: what task*.c share and nobody else needs.
 */
#ifndef CORE_TASK_ROW_H
#define CORE_TASK_ROW_H

#include "core/task.h"

/* The row's columns are those of task_get, which every statement on whole tasks returns. */
void task_from_row(const struct db_rows *rows, size_t row, struct task *task);

#endif
