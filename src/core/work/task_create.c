/*
 * Many at once in three statements: the rows, their dependencies, the read back. New ids sort in the order
 * they are given, which is how rows and drafts find each other again.
 */
#include "base/uuid.h"
#include "core/log/event.h"
#include "core/work/task_row.h"

static bool insert(const struct tx *tx, const struct task_draft *drafts, size_t count)
{
    struct db_arg *rows = arena_array(tx->arena, struct db_arg, count * TASK_INSERT_WIDTH);

    for (size_t i = 0; i < count; i++)
        task_put_insert(&drafts[i].task, &rows[i * TASK_INSERT_WIDTH]);
    return db_exec_rows(tx->db, tx->arena, SQL_TASK_INSERT, SQL_TASK_INSERT_MANY, TASK_INSERT_WIDTH, rows,
                        count, NULL, tx->err);
}

/* As they now are, with what the triggers made of them. */
static bool read_back(const struct tx *tx, const struct project *project, struct task_draft *drafts,
                      size_t count)
{
    const char **ids = arena_array(tx->arena, const char *, count);
    struct db_rows rows;

    if (count == 1)
        return task_get(tx, project, drafts[0].task.id, &drafts[0].task);
    for (size_t i = 0; i < count; i++)
        ids[i] = drafts[i].task.id;
    if (!tx_query(tx, SQL_TASK_GET_MANY,
                  DB_ARGS(db_text(json_texts(tx->arena, ids, count)), db_text(project->id)), &rows))
        return false;
    /* New ids are given in the order in which they sort, as the rows are. */
    if (rows.count != count)
        return err_set(tx->err, ERR_INTERNAL, "Tasks that were just made are gone.");
    for (size_t i = 0; i < count; i++)
        if (!task_from_row(&rows, i, &drafts[i].task, tx->err))
            return false;
    return true;
}

static bool tell_all(const struct tx *tx, const struct task_draft *drafts, size_t count)
{
    struct event *events = arena_array(tx->arena, struct event, count);

    for (size_t i = 0; i < count; i++)
        events[i] = task_event(tx->arena, EVENT_TASK_UPDATED, &drafts[i].task, tx->now_ms);
    return event_append_many(tx, events, count);
}

bool task_create_many(const struct tx *tx, const struct project *project, struct task_draft *drafts,
                      size_t count)
{
    if (count == 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        struct task *task = &drafts[i].task;

        task->workspace_id = project->workspace_id;
        task->project_id = project->id;
        task->created_ms = task->updated_ms = tx->now_ms;
        task->assignee_id = task_taker_id(tx, task->assignee);
        if (!task->problems)
            task->problems = "[]";
    }
    return insert(tx, drafts, count) && task_add_first_deps(tx, project, drafts, count) &&
           read_back(tx, project, drafts, count) && tell_all(tx, drafts, count);
}

bool task_create(const struct tx *tx, const struct project *project, const char *const *deps,
                 size_t dep_count, struct task *task)
{
    struct task_draft draft = { .task = *task, .deps = deps, .dep_count = dep_count };

    draft.task.id = uuid_new(tx->arena);
    if (!task_create_many(tx, project, &draft, 1))
        return false;
    *task = draft.task;
    return true;
}
