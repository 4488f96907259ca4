/*
 * A circle is looked for by a walk in the database that is bounded; one that does not reach its end proves
 * nothing and is refused. Tasks that are just being made are not walked from, since nothing can depend on
 * them yet.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/work/task_row.h"

#include <string.h>

#define LINK_WIDTH 3

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

static bool walk(const struct tx *tx, const struct task *task, const char *const *deps, size_t count,
                 struct reach *reach)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TASK_DEPS_REACH,
                  DB_ARGS(db_text(json_texts(tx->arena, deps, count)), db_text(task->id),
                          db_int(DEPENDENCY_WALK), db_text(task->project_id)),
                  &rows))
        return false;
    *reach = (struct reach){ .walked = db_cell_int(&rows, 0, 0), .circle = db_cell_int(&rows, 0, 1) > 0 };
    return true;
}

/* The walk says that one of them closes the circle; which one is found by halves. */
static bool refuse_circle(const struct tx *tx, const struct task *task, const char *const *deps, size_t count)
{
    struct reach reach;

    while (count > 1) {
        size_t half = count / 2;

        if (!walk(tx, task, deps, half, &reach))
            return false;
        deps += reach.circle ? 0 : half;
        count = reach.circle ? half : count - half;
    }
    err_field(tx->err, "depends_on", "This would be a circle: %s already depends on this task.", deps[0]);
    tx->err->name = "circle";
    return false;
}

/* A walk that does not come to an end proves nothing, and what is not proven is not let in. */
static bool check_circle(const struct tx *tx, const struct task *task, const char *const *deps, size_t count)
{
    struct reach reach;

    if (!walk(tx, task, deps, count, &reach))
        return false;
    if (reach.circle)
        return refuse_circle(tx, task, deps, count);
    if (reach.walked < DEPENDENCY_WALK)
        return true;
    if (count == 1)
        err_field(tx->err, "depends_on", "%s depends on too many tasks to rule out a circle.", deps[0]);
    else
        err_field(tx->err, "depends_on", "These tasks depend on too many others to rule out a circle.");
    return err_hint(
        tx->err,
        "Up to %d can be looked at: name tasks with fewer before them, or make a new task that depends on these, on which nothing can depend yet.",
        DEPENDENCY_WALK);
}

bool task_known(const struct tx *tx, const struct project *project, const char *const *ids, size_t count,
                const char ***known, size_t *known_count)
{
    struct db_rows rows = { 0 };

    if (count > 0 &&
        !tx_query(tx, SQL_TASK_KNOWN,
                  DB_ARGS(db_text(json_texts(tx->arena, ids, count)), db_text(project->id)), &rows))
        return false;
    *known = arena_array(tx->arena, const char *, rows.count);
    *known_count = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        (*known)[i] = db_cell(&rows, i, 0);
    return true;
}

/* Rows of a task and what it depends on, on their way into the store. */
struct links {
    struct db_arg *rows;
    size_t count;
};

static void add_link(struct links *links, const struct project *project, const char *task_id, const char *dep)
{
    struct db_arg *row = &links->rows[links->count++ * LINK_WIDTH];

    row[0] = db_text(task_id);
    row[1] = db_text(dep);
    row[2] = db_text(project->id);
}

static bool refuse_unknown(const struct tx *tx, const struct project *project, const struct links *links)
{
    const char **ids = arena_array(tx->arena, const char *, links->count), **known;
    size_t known_count;

    for (size_t i = 0; i < links->count; i++)
        ids[i] = links->rows[i * LINK_WIDTH + 1].text;
    if (!task_known(tx, project, ids, links->count, &known, &known_count))
        return false;
    for (size_t i = 0; i < links->count; i++)
        if (!is_among(known, known_count, ids[i]))
            return err_field(tx->err, "depends_on", "There is no task %s in this project.", ids[i]);
    return err_set(tx->err, ERR_RETRY, "A task was changed by somebody else at the same time.");
}

static bool store_links(const struct tx *tx, const struct project *project, const struct links *links)
{
    size_t added;

    if (!db_exec_rows(tx->db, tx->arena, SQL_TASK_DEPS_INSERT, SQL_TASK_DEPS_INSERT_MANY, LINK_WIDTH,
                      links->rows, links->count, &added, tx->err))
        return false;
    return added == links->count || refuse_unknown(tx, project, links);
}

bool task_add_first_deps(const struct tx *tx, const struct project *project, const struct task_draft *drafts,
                         size_t count)
{
    struct links links = { 0 };
    size_t room = 0;

    for (size_t i = 0; i < count; i++)
        room += drafts[i].dep_count;
    links.rows = arena_array(tx->arena, struct db_arg, room * LINK_WIDTH);
    for (size_t i = 0; i < count; i++)
        for (size_t d = 0; d < drafts[i].dep_count; d++)
            if (!is_among(drafts[i].deps, d, drafts[i].deps[d]))
                add_link(&links, project, drafts[i].task.id, drafts[i].deps[d]);
    return store_links(tx, project, &links);
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

static bool add_missing(const struct tx *tx, const struct project *project, const struct task *task,
                        const json_t *had, const char *const *deps, size_t count)
{
    const char **missing = arena_array(tx->arena, const char *, count);
    size_t found = find_missing(had, deps, count, missing);

    if (is_among(missing, found, task->id)) {
        err_field(tx->err, "depends_on", "This would be a circle: a task cannot depend on itself.");
        tx->err->name = "circle";
        return false;
    }
    if (found > 0 && !check_circle(tx, task, missing, found))
        return false;
    struct links links = { .rows = arena_array(tx->arena, struct db_arg, found * LINK_WIDTH) };

    for (size_t i = 0; i < found; i++)
        add_link(&links, project, task->id, missing[i]);
    return store_links(tx, project, &links);
}

static bool remove_others(const struct tx *tx, const struct task *task, const json_t *had,
                          const char *const *deps, size_t count)
{
    struct db_arg *rows = arena_array(tx->arena, struct db_arg, json_array_size(had) * 2);
    size_t gone = 0;

    for (size_t i = 0; i < json_array_size(had); i++) {
        const char *id = json_string_value(json_array_get(had, i));

        if (is_among(deps, count, id))
            continue;
        rows[gone * 2] = db_text(task->id);
        rows[gone++ * 2 + 1] = db_text(id);
    }
    return db_exec_rows(tx->db, tx->arena, SQL_TASK_DEPS_DELETE, SQL_TASK_DEPS_DELETE_MANY, 2, rows, gone,
                        NULL, tx->err);
}

bool task_set_deps(const struct tx *tx, const struct project *project, const struct task *task,
                   const char *const *deps, size_t dep_count)
{
    JSON_AUTO *had = NULL;

    return json_parse(task->depends_on, strlen(task->depends_on), &had, tx->err) &&
           remove_others(tx, task, had, deps, dep_count) &&
           add_missing(tx, project, task, had, deps, dep_count);
}
