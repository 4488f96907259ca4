/*
 * work.h - for which work a program is started, and where that is done.
 *
 * A program that works for a job is told so by its variables, and one that works on a task in the task's
 * folder: each task has one, named by its id, in the one for all (engine/task_folder.h makes them). Which
 * folders it may be started in is the helper's word (programs/programs.h); here is only which one is meant.
 *
 * Thread: any; nothing is kept.
 */
#ifndef TOOLBOX_WORK_H
#define TOOLBOX_WORK_H

#include "base/arena.h"
#include "programs/programs.h"

/* What a program is started for. Each may be NULL. */
struct tool_work {
    const char *job_id, *project_id, *task_id;
};

/* The names of its variables; ends with NULL. They are witan's to give, so no entry has any of them. */
extern const char *const tool_work_variables[];

/* Those of the entry and those of the work behind them, in the arena, as programs_start takes them. */
const char *const *tool_work_environment(struct arena *arena, const struct program *program,
                                         const struct tool_work *work);
/* The folder of a task in the one for all, in the arena. NULL: there is none that is the task's alone. */
const char *tool_work_folder(struct arena *arena, const char *all, const char *task_id);

#endif
