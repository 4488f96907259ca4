/*
 * A task is written whole and read back, since triggers keep its count of open dependencies and its list.
 * Events tell the row as it is afterwards, never the struct that was sent.
 */
#include "core/work/task.h"

#include "core/work/task_row.h"

const char *const task_statuses[] = { "open", "in_progress", "blocked", "closed", NULL };
WORDS_FIT(task_statuses, TASK_STATUS_END);

bool task_from_row(const struct db_rows *rows, size_t row, struct task *task, struct err *err)
{
    const char *strange = NULL;

    *task = (struct task){
        .id = db_cell(rows, row, COL_TASK_ID),
        .workspace_id = db_cell(rows, row, COL_TASK_WORKSPACE_ID),
        .project_id = db_cell(rows, row, COL_TASK_PROJECT_ID),
        .title = db_cell(rows, row, COL_TASK_TITLE),
        .description = db_cell(rows, row, COL_TASK_DESCRIPTION),
        .status = db_cell_word(rows, row, COL_TASK_STATUS, task_statuses, &strange),
        .priority = db_cell_int(rows, row, COL_TASK_PRIORITY),
        .assignee = db_cell(rows, row, COL_TASK_ASSIGNEE),
        .block_reason = db_cell(rows, row, COL_TASK_BLOCK_REASON),
        .session_id = db_cell(rows, row, COL_TASK_SESSION_ID),
        .result = db_cell(rows, row, COL_TASK_RESULT),
        .problems = db_cell(rows, row, COL_TASK_PROBLEMS),
        .open_deps = db_cell_int(rows, row, COL_TASK_OPEN_DEPS),
        .created_ms = db_cell_int(rows, row, COL_TASK_CREATED_AT),
        .updated_ms = db_cell_int(rows, row, COL_TASK_UPDATED_AT),
        .depends_on = db_cell(rows, row, COL_TASK_DEPENDS_ON),
        .own_block = db_cell(rows, row, COL_TASK_OWN_BLOCK),
    };
    return db_words_known(strange, err);
}

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

static void write_members(const struct task *task, struct json_out *out)
{
    json_text(out, "id", task->id);
    json_text(out, "project_id", task->project_id);
    json_text(out, "title", task->title);
    json_text(out, "description", task->description);
    json_text(out, "status", task_status_word(task->status));
    json_int(out, "priority", task->priority);
    json_text(out, "assignee", task->assignee);
    json_text(out, "block_reason", task->block_reason);
    json_raw(out, "depends_on", task->depends_on);
    json_text(out, "session_id", task->session_id);
    json_raw(out, "result", task->result);
    json_raw(out, "problems", task->problems);
    json_time(out, "created_at", task->created_ms);
    json_time(out, "updated_at", task->updated_ms ? task->updated_ms : task->created_ms);
}

void task_write(const struct task *task, const char *key, struct json_out *out)
{
    json_map(out, key);
    write_members(task, out);
    json_map_end(out);
}

struct event task_event(struct arena *arena, const char *type, const struct task *task, int64_t now_ms)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "projectId", task->project_id);
    json_text(&out, "taskId", task->id);
    write_members(task, &out);
    json_map_end(&out);
    return (struct event){ .workspace_id = task->workspace_id,
                           .type = type,
                           .project_id = task->project_id,
                           .subject = task->id,
                           .data = arena_copy(arena, text.bytes, text.len),
                           .at_ms = now_ms };
}

static bool tell(const struct tx *tx, const char *type, const struct task *task)
{
    struct event event = task_event(tx->arena, type, task, tx->now_ms);

    return event_append(tx, &event);
}

bool task_tell(const struct tx *tx, const struct task *task)
{
    return tell(tx, "task.updated", task);
}

bool task_save(const struct tx *tx, const struct project *project, struct task *task)
{
    return tx_exec(tx, SQL_TASK_SAVE,
                   DB_ARGS(db_text(task->id), db_text(project->id), db_text(task->title),
                           db_text(task->description), db_text(task_status_word(task->status)),
                           db_int(task->priority), db_text(task->assignee), db_text(task->block_reason),
                           db_text(task->session_id), db_text(task->result), db_text(task->problems),
                           db_int(tx->now_ms), db_text(task->own_block)),
                   NULL) &&
           task_get(tx, project, task->id, task) && task_tell(tx, task);
}

bool task_delete(const struct tx *tx, const struct project *project, const char *id)
{
    struct task task;

    return task_lock(tx, project, id, &task) &&
           tx_exec(tx, SQL_TASK_DELETE, DB_ARGS(db_text(id), db_text(project->id)), NULL) &&
           tell(tx, "task.deleted", &task);
}
