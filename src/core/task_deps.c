#include "base/limits.h"
#include "base/str.h"
#include "core/task.h"

#include <string.h>

static bool is_among(const char *const *deps, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(deps[i], id) == 0)
            return true;
    return false;
}

struct reach {
    int64_t walked;
    bool circle; /* the task itself was met */
};

static bool walk(struct db *db, struct arena *arena, const struct task *task, const char *const *deps,
                 size_t count, struct reach *reach, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_TASK_DEPS_REACH,
                  DB_ARGS(db_text(json_texts(arena, deps, count)), db_text(task->id), db_int(DEPENDENCY_WALK),
                          db_text(task->project_id)),
                  &rows, err))
        return false;
    *reach = (struct reach){ .walked = db_cell_int(&rows, 0, 0), .circle = db_cell_int(&rows, 0, 1) > 0 };
    return true;
}

/* The walk says that one of them closes the circle; which one is found by halves. */
static bool refuse_circle(struct db *db, struct arena *arena, const struct task *task,
                          const char *const *deps, size_t count, struct err *err)
{
    struct reach reach;

    while (count > 1) {
        size_t half = count / 2;

        if (!walk(db, arena, task, deps, half, &reach, err))
            return false;
        deps += reach.circle ? 0 : half;
        count = reach.circle ? half : count - half;
    }
    err_field(err, "depends_on", "This would be a circle: %s already depends on this task.", deps[0]);
    err->name = "circle";
    return false;
}

/* A walk that does not come to an end proves nothing, and what is not proven is not let in. */
static bool check_circle(struct db *db, struct arena *arena, const struct task *task, const char *const *deps,
                         size_t count, struct err *err)
{
    struct reach reach;

    if (!walk(db, arena, task, deps, count, &reach, err))
        return false;
    if (reach.circle)
        return refuse_circle(db, arena, task, deps, count, err);
    if (reach.walked < DEPENDENCY_WALK)
        return true;
    if (count == 1)
        err_field(err, "depends_on", "%s depends on too many tasks to rule out a circle.", deps[0]);
    else
        err_field(err, "depends_on", "These tasks depend on too many others to rule out a circle.");
    return err_hint(err,
                    "Up to %d can be looked at: name tasks with fewer before them, or make a new task that "
                    "depends on these, on which nothing can depend yet.",
                    DEPENDENCY_WALK);
}

static bool add(struct db *db, struct arena *arena, const struct project *project, const struct task *task,
                const char *dep, struct err *err)
{
    size_t added;

    if (!db_exec(db, arena, SQL_TASK_DEPS_INSERT,
                 DB_ARGS(db_text(task->id), db_text(dep), db_text(project->id)), &added, err))
        return false;
    return added > 0 || err_field(err, "depends_on", "There is no task %s in this project.", dep);
}

/* Those that the task does not depend on yet, each once. */
static size_t find_missing(const json_t *had, const char *const *deps, size_t count, const char **missing)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        bool there = is_among(missing, found, deps[i]);

        for (size_t j = 0; !there && j < json_array_size(had); j++)
            there = str_equal(json_string_value(json_array_get(had, j)), deps[i]);
        if (!there)
            missing[found++] = deps[i];
    }
    return found;
}

static bool add_missing(struct db *db, struct arena *arena, const struct project *project,
                        const struct task *task, const json_t *had, const char *const *deps, size_t count,
                        struct err *err)
{
    const char **missing = arena_array(arena, const char *, count);
    size_t found = find_missing(had, deps, count, missing);

    if (is_among(missing, found, task->id)) {
        err_field(err, "depends_on", "This would be a circle: a task cannot depend on itself.");
        err->name = "circle";
        return false;
    }
    /* Nothing can depend yet on a task that this transaction made. */
    if (had && found > 0 && !check_circle(db, arena, task, missing, found, err))
        return false;
    for (size_t i = 0; i < found; i++)
        if (!add(db, arena, project, task, missing[i], err))
            return false;
    return true;
}

bool task_set_deps(struct db *db, struct arena *arena, const struct project *project, const struct task *task,
                   const char *const *deps, size_t dep_count, struct err *err)
{
    JSON_AUTO *had = NULL;

    if (task->depends_on && !json_parse(task->depends_on, strlen(task->depends_on), &had, err))
        return false;
    for (size_t i = 0; i < json_array_size(had); i++) {
        const char *id = json_string_value(json_array_get(had, i));

        if (!is_among(deps, dep_count, id) &&
            !db_exec(db, arena, SQL_TASK_DEPS_DELETE, DB_ARGS(db_text(task->id), db_text(id)), NULL, err))
            return false;
    }
    return add_missing(db, arena, project, task, had, deps, dep_count, err);
}
