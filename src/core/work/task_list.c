/*
 * A statement for each filter that has an index of its own. The list of what is ready is ordered by priority,
 * so its cursor is a task and the list goes on from where that one stands now.
 */
#include "core/identity/workspace.h"
#include "core/work/task.h"
#include "core/work/task_row.h"

#include <stdlib.h>
#include <string.h>

/* Each filter has the index that serves it; the rest is checked row by row. */
static bool query(const struct tx *tx, const struct project *project, const struct task_filter *filter,
                  struct db_rows *rows)
{
    struct db_arg below = db_text(filter->cursor ? filter->cursor : ID_ABOVE_ALL);
    struct db_arg limit = db_int((int64_t)filter->limit), session = db_text(filter->session_id);

    if (filter->assignee)
        return tx_query(tx, SQL_TASK_LIST_ASSIGNEE,
                        DB_ARGS(db_text(project->id), db_text(filter->assignee), below, limit, session,
                                db_text(task_status_word(filter->status))),
                        rows);
    if (filter->status)
        return tx_query(
            tx, SQL_TASK_LIST_STATUS,
            DB_ARGS(db_text(project->id), db_text(task_status_word(filter->status)), below, limit, session),
            rows);
    return tx_query(tx, SQL_TASK_LIST,
                    DB_ARGS(db_text(project->workspace_id), db_text(project->id), below, limit, session),
                    rows);
}

bool task_list(const struct tx *tx, const struct project *project, const struct task_filter *filter,
               struct task **tasks, size_t *count)
{
    struct db_rows rows;

    if (!query(tx, project, filter, &rows))
        return false;
    *count = rows.count;
    return task_from_rows(tx, &rows, rows.count, tasks);
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct task *)a)->id, ((const struct task *)b)->id);
}

bool task_labels(const struct tx *tx, const struct project *project, const char *const *ids, size_t count,
                 struct task **tasks, size_t *found)
{
    struct db_rows rows = { 0 };

    if (count > 0 &&
        !tx_query(tx, SQL_TASK_LABEL_MANY,
                  DB_ARGS(db_text(json_texts(tx->arena, ids, count)), db_text(project->id)), &rows))
        return false;
    *tasks = arena_array(tx->arena, struct task, rows.count);
    *found = rows.count;
    for (size_t i = 0; i < rows.count; i++)
        if (!task_label_from_row(&rows, i, &(*tasks)[i], tx->err))
            return false;
    qsort(*tasks, rows.count, sizeof(**tasks), by_id);
    return true;
}

bool task_ready(const struct tx *tx, const struct project *project, const char *cursor, size_t limit,
                struct task **tasks, size_t *count)
{
    struct task after = { .id = "", .priority = -1 };
    struct db_rows rows;

    /* The list goes on from where that task stands; one that is gone has no place any more. */
    if (cursor && !task_get(tx, project, cursor, &after)) {
        if (tx->err->code == ERR_NOT_FOUND)
            err_field(tx->err, "cursor", "The task that the page before ended with is gone: start again.");
        return false;
    }
    if (!tx_query(tx, SQL_TASK_READY,
                  DB_ARGS(db_text(project->id), db_int(after.priority), db_int(after.created_ms),
                          db_text(after.id), db_int((int64_t)limit)),
                  &rows))
        return false;
    *count = rows.count;
    return task_from_rows(tx, &rows, rows.count, tasks);
}
