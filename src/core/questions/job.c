/*
 * A job is read with a flag that says whether one of its questions is overdue. Readers that meet it say
 * ERR_DUE, and the dispatcher has deadlines applied and reads again: a list never shows a job that waits for
 * something that has ended.
 */
#include "core/questions/job.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/identity/workspace.h"
#include "core/log/cursor.h"
#include "core/questions/docket.h"
#include "core/questions/question_row.h"

#define LIST_NAME "jobs"

const char *const job_statuses[] = { "pending",   "running", "waiting_for_input", "waiting_for_approval",
                                     "completed", "failed",  "cancelled",         NULL };
WORDS_FIT(job_statuses, JOB_STATUS_END);
const char *const requester_kinds[] = { "user", "agent", "token", "local", "link", NULL };
WORDS_FIT(requester_kinds, REQUESTER_END);

bool job_status_is_open(enum job_status status)
{
    return status != JOB_COMPLETED && status != JOB_FAILED && status != JOB_CANCELLED;
}

bool job_is_open(const struct job *job)
{
    return job_status_is_open(job->status);
}

bool job_is_waiting(const struct job *job)
{
    return job->status == JOB_WAITING_FOR_INPUT || job->status == JOB_WAITING_FOR_APPROVAL;
}

bool job_not_found(struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "There is no job with that id.");
}

bool job_may_drive(const struct caller *caller, const struct job *job, struct err *err)
{
    return !job->agent || caller_may_speak_as(caller, job->agent, err);
}

/* Whether a deadline has passed stands behind the columns. */
enum { OVERDUE = COL_JOB_END };
_Static_assert((int)COL_JOB_BRIEF_END == (int)COL_JOB_END, "both lists have the same places");

bool job_from_row(const struct db_rows *rows, size_t row, struct job *job, struct err *err)
{
    const char *strange = NULL;

    *job = (struct job){
        .id = db_cell(rows, row, COL_JOB_ID),
        .workspace_id = db_cell(rows, row, COL_JOB_WORKSPACE_ID),
        .project_id = db_cell(rows, row, COL_JOB_PROJECT_ID),
        .task_id = db_cell(rows, row, COL_JOB_TASK_ID),
        .kind = db_cell(rows, row, COL_JOB_KIND),
        .agent = db_cell(rows, row, COL_JOB_AGENT),
        .status = db_cell_word(rows, row, COL_JOB_STATUS, job_statuses, &strange),
        .progress = db_cell(rows, row, COL_JOB_PROGRESS),
        .input = db_cell(rows, row, COL_JOB_INPUT),
        .result = db_cell(rows, row, COL_JOB_RESULT),
        .error = db_cell(rows, row, COL_JOB_ERROR),
        .created_ms = db_cell_int(rows, row, COL_JOB_CREATED_AT),
        .ended_ms = db_cell_int(rows, row, COL_JOB_ENDED_AT),
        .requested_kind = db_cell_word(rows, row, COL_JOB_REQUESTED_KIND, requester_kinds, &strange),
        .requested_by = db_cell(rows, row, COL_JOB_REQUESTED_BY),
        .requested_name = db_cell(rows, row, COL_JOB_REQUESTED_NAME),
        .lone = db_cell_bool(rows, row, COL_JOB_LONE),
        .restart_of = db_cell(rows, row, COL_JOB_RESTART_OF),
        .restart_answer = db_cell(rows, row, COL_JOB_RESTART_ANSWER),
        .outcome_source = db_cell_word(rows, row, COL_JOB_OUTCOME_SOURCE, outcome_sources, &strange),
        .outcome_by = db_cell(rows, row, COL_JOB_OUTCOME_BY),
        .log_lines = db_cell_int(rows, row, COL_JOB_LOG_LINES),
        .overdue = db_cell_bool(rows, row, OVERDUE),
    };
    return db_words_known(strange, err);
}

static bool is_due(struct err *err)
{
    return err_set(err, ERR_DUE, "The time of a question of this job is up.");
}

bool job_get(const struct tx *tx, const char *id, struct job *job)
{
    struct db_rows rows;
    struct job found;

    if (!tx_query(tx, SQL_JOB_GET,
                  DB_ARGS(db_text(id), db_text(tx->caller->workspace_id),
                          db_text(clock_text(tx->arena, tx->now_ms))),
                  &rows))
        return false;
    if (rows.count == 0)
        return job_not_found(tx->err);
    if (!job_from_row(&rows, 0, &found, tx->err))
        return false;
    if (!caller_sees_project(tx->caller, found.project_id))
        return job_not_found(tx->err);
    if (found.overdue)
        return is_due(tx->err);
    *job = found;
    return true;
}

/* Making one */

/* A task brings its project along; a token that is bound to a project works there and nowhere else. */
static bool find_places(const struct tx *tx, struct job *job)
{
    struct db_rows rows;

    if (!job->project_id)
        job->project_id = tx->caller->project_id;
    if (!job->project_id && !job->task_id)
        return true;
    if (!caller_sees_project(tx->caller, job->project_id))
        return err_field(tx->err, "projectId", "This token is bound to another project.");
    if (!tx_query(tx, SQL_JOB_PLACES,
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(job->project_id), db_text(job->task_id)),
                  &rows))
        return false;
    if (job->project_id && db_cell_int(&rows, 0, 0) == 0)
        return err_field(tx->err, "projectId", "projectId names no project of this workspace.");
    if (job->task_id && db_cell_int(&rows, 0, 1) == 0)
        return err_field(tx->err, "taskId", "taskId names no task of this workspace.");
    if (!job->project_id)
        job->project_id = db_cell(&rows, 0, 2);
    else if (job->task_id && !str_equal(job->project_id, db_cell(&rows, 0, 2)))
        return err_field(tx->err, "taskId", "This task belongs to another project.");
    return true;
}

static enum requester_kind kind_of_person(const struct caller *caller)
{
    switch (caller->kind) {
    case CALLER_USER: return REQUESTER_USER;
    case CALLER_TOKEN: return REQUESTER_TOKEN;
    case CALLER_LOCAL: return REQUESTER_LOCAL;
    case CALLER_LINK: return REQUESTER_LINK;
    case CALLER_NOBODY: break;
    }
    return 0;
}

/* Whom to tell when it is done: a user, an agent by name, or the people at large. */
static void note_requester(const struct caller *caller, struct job *job)
{
    job->requested_name = caller_title(caller);
    job->requested_by = caller->id;
    if (caller->kind == CALLER_USER)
        job->requested_kind = REQUESTER_USER;
    else if (caller->agent_name) {
        job->requested_kind = REQUESTER_AGENT;
        job->requested_by = caller->agent_name;
    } else if (caller_is_person(caller))
        job->requested_kind = kind_of_person(caller);
}

bool job_begin(const struct tx *tx, struct job *job)
{
    if (!job->agent)
        job->agent = tx->caller->agent_name;
    if (!job_may_drive(tx->caller, job, tx->err) || !find_places(tx, job))
        return false;
    job->id = uuid_new(tx->arena);
    job->workspace_id = tx->caller->workspace_id;
    job->created_ms = tx->now_ms;
    note_requester(tx->caller, job);
    return true;
}

bool job_insert(const struct tx *tx, const struct job *job)
{
    return tx_exec(tx, SQL_JOB_INSERT,
                   DB_ARGS(db_text(job->id), db_text(job->workspace_id), db_text(job->project_id),
                           db_text(job->task_id), db_text(job->kind), db_text(job->agent),
                           db_text(job_status_word(job->status)), db_text(job->input),
                           db_int(job->created_ms), db_text(requester_kind_word(job->requested_kind)),
                           db_text(job->requested_by), db_text(job->requested_name), db_bool(job->lone),
                           db_text(job->restart_of), db_text(job->restart_answer), db_int(job->log_lines)),
                   NULL);
}

bool job_create(const struct tx *tx, struct job *job)
{
    struct docket docket;

    if (!job_begin(tx, job) || !job_insert(tx, job))
        return false;
    docket_of_new(tx, &docket, job);
    return docket_close(&docket);
}

/* Lists */

/* By what leaves the fewest to pass over: few jobs are open, and many have ended in the same way. */
static enum sql_id list_statement(const struct job_filter *filter)
{
    if (filter->task_id)
        return SQL_JOB_LIST_TASK;
    if (filter->status && job_status_is_open(filter->status))
        return SQL_JOB_LIST_STATUS;
    if (filter->agent)
        return SQL_JOB_LIST_AGENT;
    if (filter->project_id)
        return SQL_JOB_LIST_PROJECT;
    return filter->status ? SQL_JOB_LIST_STATUS : SQL_JOB_LIST;
}

bool job_list(const struct tx *tx, const struct job_filter *filter, struct job_page *page)
{
    struct job_filter wanted = *filter;
    struct job_page found = { 0 };
    struct cursor from;
    struct db_rows rows;

    if (!wanted.project_id)
        wanted.project_id = tx->caller->project_id;
    if (!caller_sees_project(tx->caller, wanted.project_id)) {
        *page = found;
        return true;
    }
    if (!cursor_read(LIST_NAME, filter->cursor, &from, tx->err) ||
        !tx_query(tx, list_statement(&wanted),
                  DB_ARGS(db_text(tx->caller->workspace_id), db_text(from.id),
                          db_int((int64_t)filter->limit + 1), db_text(clock_text(tx->arena, tx->now_ms)),
                          db_text(job_status_word(wanted.status)), db_text(wanted.agent),
                          db_text(wanted.kind), db_text(wanted.project_id), db_text(wanted.task_id)),
                  &rows))
        return false;
    found.count = rows.count < filter->limit ? rows.count : filter->limit;
    found.jobs = arena_array(tx->arena, struct job, found.count);
    for (size_t i = 0; i < found.count; i++) {
        if (!job_from_row(&rows, i, &found.jobs[i], tx->err))
            return false;
        if (found.jobs[i].overdue)
            return is_due(tx->err);
    }
    if (rows.count > found.count) {
        const struct job *last = &found.jobs[found.count - 1];

        found.next_cursor =
            cursor_after(tx->arena, LIST_NAME, 0, clock_text(tx->arena, last->created_ms), last->id);
    }
    *page = found;
    return true;
}

/* As clients see it */

static void write_outcome(const struct job *job, struct json_out *out)
{
    if (!job->outcome_source) {
        json_none(out, "outcome");
        return;
    }
    json_map(out, "outcome");
    json_text(out, "source", outcome_source_word(job->outcome_source));
    json_text(out, "by", job->outcome_by);
    json_time(out, "at", job->ended_ms);
    json_map_end(out);
}

void job_write_members(const struct job *job, struct json_out *out)
{
    json_text(out, "id", job->id);
    json_text(out, "workspaceId", job->workspace_id);
    json_text(out, "kind", job->kind);
    json_text(out, "agent", job->agent);
    json_text(out, "projectId", job->project_id);
    json_text(out, "taskId", job->task_id);
    json_text(out, "status", job_status_word(job->status));
    json_raw(out, "progress", job->progress);
    json_raw(out, "input", job->input);
    json_raw(out, "result", job->result);
    json_text(out, "error", job->error);
    json_text(out, "requestedBy", job->requested_name);
    json_text(out, "restartOf", job->restart_of);
    json_raw(out, "answer", job->restart_answer);
    json_time(out, "createdAt", job->created_ms);
    if (job->ended_ms)
        json_time(out, "endedAt", job->ended_ms);
    else
        json_none(out, "endedAt");
    write_outcome(job, out);
}
