#include "core/result_tasks.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"

#include <string.h>
#include <strings.h>

#define NOT_INNER ((size_t)-1)

static bool find_title(const struct output *output, size_t self, const char *name, size_t *place)
{
    for (size_t i = 0; i < output->task_count; i++) {
        if (i != self && strcasecmp(output->tasks[i].title, name) == 0) {
            *place = i;
            return true;
        }
    }
    return false;
}

static bool find_place(const struct output *output, const char *name, size_t *place)
{
    int64_t number;

    if (!str_to_int(name, &number) || number < 0)
        return false;
    for (size_t i = 0; i < output->task_count; i++) {
        if (output->tasks[i].place == (uint64_t)number) {
            *place = i;
            return true;
        }
    }
    return false;
}

/* An id of the project first, since it cannot be meant otherwise; then a title, then a place. */
static bool find_dep(struct db *db, struct arena *arena, const struct project *project,
                     const struct output *output, size_t self, size_t which, struct result_plan *plan,
                     struct err *err)
{
    const char *name = output->tasks[self].depends_on[which];
    struct err missing = { 0 };
    struct task task;

    plan->inner[self][which] = NOT_INNER;
    if (uuid_valid(name)) {
        char *id = arena_text(arena, name);

        uuid_lower(id);
        if (task_get(db, arena, project, id, &task, &missing)) {
            plan->deps[self][which] = task.id;
            return true;
        }
        if (missing.code != ERR_NOT_FOUND) {
            *err = missing;
            return false;
        }
    }
    if (!find_title(output, self, name, &plan->inner[self][which]) &&
        !find_place(output, name, &plan->inner[self][which]))
        plan->problem = arena_format(arena,
                                     "Task `%.80s` depends on `%.80s`, which is neither a task of this "
                                     "result nor one of the project: no task was made.",
                                     output->tasks[self].title, name);
    return true;
}

/* Takes whatever has nothing left to wait for, until all are placed or none can be. */
static void put_in_order(struct arena *arena, const struct output *output, struct result_plan *plan)
{
    bool *placed = arena_array(arena, bool, output->task_count);
    size_t count = 0;

    for (bool moved = true; moved && count < output->task_count;) {
        moved = false;
        for (size_t i = 0; i < output->task_count; i++) {
            bool waits = placed[i];

            for (size_t d = 0; !waits && d < output->tasks[i].depends_count; d++)
                waits = plan->inner[i][d] != NOT_INNER && !placed[plan->inner[i][d]];
            if (waits)
                continue;
            plan->order[count++] = i;
            placed[i] = moved = true;
        }
    }
    if (count < output->task_count)
        plan->problem = "The tasks depend on each other in a circle: none was made.";
}

bool result_plan(struct db *db, struct arena *arena, const struct project *project,
                 const struct output *output, struct result_plan *plan, struct err *err)
{
    *plan = (struct result_plan){
        .order = arena_array(arena, size_t, output->task_count),
        .deps = arena_array(arena, const char **, output->task_count),
        .inner = arena_array(arena, size_t *, output->task_count),
    };
    for (size_t i = 0; i < output->task_count; i++) {
        plan->deps[i] = arena_array(arena, const char *, output->tasks[i].depends_count);
        plan->inner[i] = arena_array(arena, size_t, output->tasks[i].depends_count);
        for (size_t d = 0; d < output->tasks[i].depends_count; d++)
            if (!find_dep(db, arena, project, output, i, d, plan, err))
                return false;
    }
    if (!plan->problem)
        put_in_order(arena, output, plan);
    return true;
}

static int64_t fit_priority(const struct output_task *task)
{
    int64_t fallback = 0;

    if (!task->has_priority)
        return str_to_int(TASK_PRIORITY_DEFAULT, &fallback) ? fallback : 0;
    return task->priority < 0 ? 0 : task->priority > TASK_PRIORITY_MAX ? TASK_PRIORITY_MAX : task->priority;
}

bool result_make_tasks(struct db *db, struct arena *arena, const struct project *project, int64_t now_ms,
                       const struct result_plan *plan, struct result *result, struct err *err)
{
    const struct output *output = result->output;

    result->tasks = arena_array(arena, struct task, output->task_count);
    for (size_t n = 0; n < output->task_count; n++) {
        size_t i = plan->order[n];
        const struct output_task *wanted = &output->tasks[i];
        const char **deps = plan->deps[i];

        for (size_t d = 0; d < wanted->depends_count; d++)
            if (plan->inner[i][d] != NOT_INNER)
                deps[d] = result->tasks[plan->inner[i][d]].id;
        result->tasks[i] = (struct task){
            .title = wanted->title,
            .description = wanted->description,
            .status = "open",
            .priority = fit_priority(wanted),
        };
        if (!task_create(db, arena, project, now_ms, deps, wanted->depends_count, &result->tasks[i], err))
            return false;
    }
    result->task_count = output->task_count;
    return true;
}
