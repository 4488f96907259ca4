#include "toolbox/work.h"

#include "base/uuid.h"

#define WORK_VARIABLES 3

const char *const tool_work_variables[] = { "WITAN_JOB_ID", "WITAN_PROJECT_ID", "WITAN_TASK_ID", NULL };

const char *const *tool_work_environment(struct arena *arena, const struct program *program,
                                         const struct tool_work *work)
{
    const char *const values[WORK_VARIABLES] = { work->job_id, work->project_id, work->task_id };
    size_t own = 0, at = 0;

    while (program->environment && program->environment[own])
        own++;
    const char **list = arena_array(arena, const char *, own + WORK_VARIABLES + 1);

    for (; at < own; at++)
        list[at] = program->environment[at];
    for (size_t i = 0; i < WORK_VARIABLES; i++)
        if (values[i])
            list[at++] = arena_format(arena, "%s=%s", tool_work_variables[i], values[i]);
    list[at] = NULL;
    return list;
}

/* The helper starts nothing outside of the folder for all; a name that is no id could mean all of it. */
const char *tool_work_folder(struct arena *arena, const char *all, const char *task_id)
{
    return all && task_id && uuid_valid(task_id) ? arena_format(arena, "%s/%s", all, task_id) : NULL;
}
