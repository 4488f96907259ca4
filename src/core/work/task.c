/*
 * A task is written whole and read back, since triggers keep its count of open dependencies and its list.
 * Events tell the row as it is afterwards, never the struct that was sent.
 */
#include "core/work/task.h"

#include "base/str.h"
#include "core/caller/caller.h"
#include "core/work/task_row.h"

const char *const task_statuses[] = { "open", "in_progress", "blocked", "closed", NULL };
WORDS_FIT(task_statuses, TASK_STATUS_END);

bool task_get(const struct tx *tx, const struct project *project, const char *id, struct task *task)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TASK_GET, DB_ARGS(db_text(id), db_text(project->id)), &rows))
        return false;
    if (rows.count == 0)
        return err_set(tx->err, ERR_NOT_FOUND, "There is no task with that id in this project.");
    return task_from_row(&rows, 0, task, tx->err);
}

bool task_lock(const struct tx *tx, const struct project *project, const char *id, struct task *task)
{
    return tx_exec(tx, SQL_TASK_LOCK, DB_ARGS(db_text(id), db_text(project->id)), NULL) &&
           task_get(tx, project, id, task);
}

struct event task_event(struct arena *arena, enum event_type type, const struct task *task, int64_t now_ms)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "projectId", task->project_id);
    json_text(&out, "taskId", task->id);
    task_write_members(task, &out);
    json_map_end(&out);
    return (struct event){ .workspace_id = task->workspace_id,
                           .type = type,
                           .project_id = task->project_id,
                           .subject = task->id,
                           .data = arena_copy(arena, text.bytes, text.len),
                           .at_ms = now_ms };
}

static bool tell(const struct tx *tx, enum event_type type, const struct task *task)
{
    struct event event = task_event(tx->arena, type, task, tx->now_ms);

    return event_append(tx, &event);
}

bool task_tell(const struct tx *tx, const struct task *task)
{
    return tell(tx, EVENT_TASK_UPDATED, task);
}

const char *task_taker_id(const struct tx *tx, const char *assignee)
{
    struct actor taker = tx->caller ? actor_of(tx->caller) : ACTOR_SYSTEM;

    return assignee && taker.name && str_equal(str_fold(tx->arena, assignee), str_fold(tx->arena, taker.name))
               ? taker.id
               : NULL;
}

bool task_save(const struct tx *tx, const struct project *project, struct task *task)
{
    struct db_arg row[TASK_UPDATE_WIDTH];

    task->updated_ms = tx->now_ms;
    if (!task->assignee)
        task->assignee_id = NULL;
    task_put_update(task, row);
    return tx_exec(tx, SQL_TASK_SAVE, TASK_UPDATE_WIDTH, row, NULL) &&
           task_get(tx, project, task->id, task) && task_tell(tx, task);
}

bool task_delete(const struct tx *tx, const struct project *project, const char *id)
{
    struct task task;

    return task_lock(tx, project, id, &task) &&
           tx_exec(tx, SQL_TASK_DELETE, DB_ARGS(db_text(id), db_text(project->id)), NULL) &&
           tell(tx, EVENT_TASK_DELETED, &task);
}
