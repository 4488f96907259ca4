/*
 * Taking what is ready, and calling off what is not the coder's any more. The limit of parallel ones is held
 * by counting rows: a take stays until what works on its task has ended, whatever has become of the task.
 */
#include "core/runs/orchestrate_parts.h"

#include "base/limits.h"
#include "base/uuid.h"
#include "core/log/audit.h"

static bool note_taken(const struct orchestrator_call *as, const struct task *task)
{
    return audit_append(&as->tx, &(struct audit_entry){ .workspace_id = task->workspace_id,
                                                        .actor_kind = "system",
                                                        .actor_id = "system",
                                                        .actor = ORCHESTRATOR_NAME,
                                                        .operation = OP_TASK_CLAIM,
                                                        .subject = task->id,
                                                        .door = "engine",
                                                        .detail = "{\"agent\":\"" CODER_NAME "\"}",
                                                        .at_ms = as->tx.now_ms });
}

bool orchestrate_is_out(const struct tx *tx, const char *task_id, bool *out)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TAKE_OF_TASK, DB_ARGS(db_text(task_id)), &rows))
        return false;
    *out = rows.count > 0;
    return true;
}

static bool take_one(const struct orchestrator_call *as, const char *task_id)
{
    struct db_arg row[CODER_TAKE_INSERT_WIDTH];
    struct coder_take take = { .id = uuid_new(as->tx.arena),
                               .workspace_id = as->project.workspace_id,
                               .project_id = as->project.id,
                               .task_id = task_id,
                               .coder = as->project.orchestrator.coder,
                               .state = TAKE_QUEUED,
                               .created_ms = as->tx.now_ms };
    struct err refused = { 0 };
    struct tx quiet = tx_with_err(&as->tx, &refused);
    struct task task;
    bool out;

    /* It was opened again while what was begun for it is still being ended. */
    if (!orchestrate_is_out(&as->tx, task_id, &out))
        return false;
    if (out)
        return true;
    /* Somebody was quicker, or has made it wait since. */
    if (!task_claim(&quiet, &as->project, task_id, CODER_NAME, &task)) {
        *as->tx.err = refused;
        return refused.code == ERR_CONFLICT || refused.code == ERR_NOT_FOUND;
    }
    coder_take_put_insert(&take, row);
    return tx_exec(&as->tx, SQL_TAKE_INSERT, CODER_TAKE_INSERT_WIDTH, row, NULL) && note_taken(as, &task);
}

static bool take_in(const struct tx *tx, const char *project_id, const char *workspace_id, int64_t room)
{
    struct orchestrator_call as;
    struct task *tasks;
    size_t count;

    if (!orchestrator_call_for(tx, workspace_id, project_id, &as) ||
        !task_ready(&as.tx, &as.project, NULL, (size_t)(room < LIMIT_PARALLEL ? room : LIMIT_PARALLEL),
                    &tasks, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!take_one(&as, tasks[i].id))
            return false;
    return true;
}

/* A command whose task was deleted has no row any more that counts. It is ended at once, and has its room for
 * as long as a node may take to hear of it and to make it end. */
static bool find_room(const struct tx *tx, struct db_rows *rows)
{
    return tx_query(
        tx, SQL_TAKE_ROOM,
        DB_ARGS(db_int(ORCHESTRATED_AT_ONCE), db_int(tx->now_ms - HOLDING_LEASE_MS), db_text(JOB_KIND_CODER)),
        rows);
}

/* One node at a time, so that two do not fill the same room. The other finds what is left the next time. */
static bool take_ready(const struct tx *tx)
{
    struct db_rows rows;
    bool alone;

    if (!find_room(tx, &rows))
        return false;
    if (rows.count == 0)
        return true;
    if (!holding_alone(tx, LOCK_ORCHESTRATE, &alone) || !alone)
        return !alone;
    /* Read again: whoever had the lock may have filled it meanwhile. */
    if (!find_room(tx, &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!take_in(tx, db_cell(&rows, i, 0), db_cell(&rows, i, 1), db_cell_int(&rows, i, 2)))
            return false;
    return true;
}

static bool call_off(const struct tx *tx, const struct coder_take *take)
{
    struct orchestrator_call as;
    struct task task;

    return orchestrator_call_for(tx, take->workspace_id, take->project_id, &as) &&
           task_get(&as.tx, &as.project, take->task_id, &task) &&
           (orchestrator_is_coders(&task) ||
            orchestrator_cancel_job(&as, take->job_id, orchestrator_how_it_went(tx->arena, &task)));
}

/* Nobody wants what is done for a task that is not the coder's any more. */
static bool call_off_astray(const struct tx *tx)
{
    struct coder_take *takes;
    struct db_rows rows;

    if (!tx_query(tx, SQL_TAKE_ASTRAY,
                  DB_ARGS(db_text(CODER_NAME), db_text(BLOCKED_BY_QUESTION), db_int(LIMIT_PARALLEL)),
                  &rows) ||
        !coder_take_from_rows(tx, &rows, rows.count, &takes))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!call_off(tx, &takes[i]))
            return false;
    return true;
}

/* The take of a command is locked first, as by all that move one; that of a run is the runner's, which has
 * its job first. So is one without a job: who begins it at this moment has given it one when it can be read.
 */
bool orchestrate_let_go(const struct tx *tx, const struct project *project, const char *task_id)
{
    struct orchestrator_call as;
    struct coder_take *takes;
    struct db_rows rows;

    if (!tx_query(tx, SQL_TAKE_LOCK_ALL,
                  DB_ARGS(db_text(project->id), db_text(task_id), db_text(project_coder_word(CODER_COMMAND))),
                  &rows) ||
        !tx_query(tx, SQL_TAKE_WITH_JOB, DB_ARGS(db_text(project->id), db_text(task_id)), &rows) ||
        !coder_take_from_rows(tx, &rows, rows.count, &takes) ||
        !orchestrator_call_for(tx, project->workspace_id, project->id, &as))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        if (!orchestrator_cancel_job(&as, takes[i].job_id,
                                     task_id
                                         ? "The task was deleted while its coder worked on it."
                                         : "The project was deleted while a coder worked on a task of it."))
            return false;
    return true;
}

bool orchestrate_claim(const struct tx *tx, const char *node, size_t limit, struct held_row **list,
                       size_t *count)
{
    return call_off_astray(tx) && take_ready(tx) && tx_exec(tx, SQL_TAKE_LEFT, DB_NO_ARGS, NULL) &&
           holding_claim(tx, HOLDING_TAKE, node, limit, list, count);
}

bool orchestrate_list(const struct tx *tx, const struct project *project, struct coder_take **takes,
                      size_t *count)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_TAKE_LIST, DB_ARGS(db_text(project->id), db_int(LIMIT_PARALLEL)), &rows))
        return false;
    *count = rows.count;
    return coder_take_from_rows(tx, &rows, rows.count, takes);
}
