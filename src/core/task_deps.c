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

/* A walk that does not come to an end proves nothing, and what is not proven is not let in. */
static bool check_circle(struct db *db, struct arena *arena, const struct task *task, const char *dep,
                         struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_TASK_DEPS_REACH,
                  DB_ARGS(db_text(dep), db_text(task->id), db_int(DEPENDENCY_WALK)), &rows, err))
        return false;
    if (db_cell_int(&rows, 0, 1) > 0) {
        err_field(err, "depends_on", "This would be a circle: %s already depends on this task.", dep);
        err->name = "circle";
        return false;
    }
    return db_cell_int(&rows, 0, 0) < DEPENDENCY_WALK ||
           err_field(err, "depends_on", "%s depends on too many tasks to rule out a circle.", dep);
}

static bool add(struct db *db, struct arena *arena, const struct project *project, const struct task *task,
                const char *dep, bool is_new, struct err *err)
{
    size_t added;

    if (strcmp(dep, task->id) == 0) {
        err_field(err, "depends_on", "This would be a circle: a task cannot depend on itself.");
        err->name = "circle";
        return false;
    }
    /* Nothing can depend yet on a task that this transaction made. */
    if (!is_new && !check_circle(db, arena, task, dep, err))
        return false;
    if (!db_exec(db, arena, SQL_TASK_DEPS_INSERT,
                 DB_ARGS(db_text(task->id), db_text(dep), db_text(project->id)), &added, err))
        return false;
    return added > 0 || err_field(err, "depends_on", "There is no task %s in this project.", dep);
}

static bool add_missing(struct db *db, struct arena *arena, const struct project *project,
                        const struct task *task, const json_t *had, const char *const *deps, size_t count,
                        struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        bool there = is_among(deps, i, deps[i]);

        for (size_t j = 0; !there && j < json_array_size(had); j++)
            there = str_equal(json_string_value(json_array_get(had, j)), deps[i]);
        if (!there && !add(db, arena, project, task, deps[i], had == NULL, err))
            return false;
    }
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
