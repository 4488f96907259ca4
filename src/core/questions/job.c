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
#include "core/search/search.h"

#include <string.h>

const char *const job_statuses[] = { "pending",   "running", "waiting_for_input", "waiting_for_approval",
                                     "completed", "failed",  "cancelled",         NULL };
WORDS_FIT(job_statuses, JOB_STATUS_END);
const char *const requester_kinds[] = { "user", "agent", "token", "local", "link", NULL };
WORDS_FIT(requester_kinds, REQUESTER_END);
const char *const job_orders[] = { "newest", "oldest", NULL };
WORDS_FIT(job_orders, JOB_ORDER_END);

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

/* A list's statements: one for each order. */
struct list_sql {
    enum sql_id newest, oldest;
};
#define LIST_SQL(name)                                                                                       \
    (struct list_sql)                                                                                        \
    {                                                                                                        \
        SQL_JOB_LIST##name, SQL_JOB_LIST##name##_OLDEST                                                      \
    }

/* By what leaves the fewest to pass over: few jobs are open, and many have ended in the same way. */
static struct list_sql list_sql(const struct job_filter *filter, bool lone)
{
    if (filter->text)
        return LIST_SQL(_TEXT);
    if (filter->task_id)
        return LIST_SQL(_TASK);
    if (filter->status && job_status_is_open(filter->status))
        return LIST_SQL(_STATUS);
    if (filter->agent)
        return LIST_SQL(_AGENT);
    if (filter->project_id)
        return LIST_SQL(_PROJECT);
    if (filter->kind && !lone)
        return LIST_SQL(_KIND);
    return filter->status ? LIST_SQL(_STATUS) : LIST_SQL();
}

/* What is looked for, and where it goes on. */
struct listing {
    const struct tx *tx;
    const struct job_filter *filter;
    struct search_words asked;
    const char *after; /* an id */
};

static bool comes_before(const struct listing *listing, const struct job *a, const struct job *b)
{
    return listing->filter->order == JOBS_OLDEST ? strcmp(a->id, b->id) < 0 : strcmp(a->id, b->id) > 0;
}

/* Those that were made for a single question, or the others. */
static bool read_part(const struct listing *listing, bool lone, struct job **jobs, size_t *count)
{
    const struct tx *tx = listing->tx;
    const struct job_filter *filter = listing->filter;
    const struct search_words *asked = &listing->asked;
    struct list_sql sql = list_sql(filter, lone);
    const struct db_arg args[] = {
        db_text(tx->caller->workspace_id),
        db_text(listing->after),
        db_int((int64_t)filter->limit + 1),
        db_text(clock_text(tx->arena, tx->now_ms)),
        db_text(job_status_word(filter->status)),
        db_text(filter->agent),
        db_text(filter->kind),
        db_text(filter->project_id),
        db_text(filter->task_id),
        db_bool(lone),
        db_text(asked->begun),
        db_text(asked->behind),
        db_text(asked->words[0]),
        db_text(asked->words[1]),
        db_text(asked->words[2]),
        db_text(asked->words[3]),
    };
    enum sql_id statement = filter->order == JOBS_OLDEST ? sql.oldest : sql.newest;
    struct db_rows rows;

    if (!tx_query(tx, statement, (size_t)sql_texts[statement].params, args, &rows))
        return false;
    *count = rows.count;
    *jobs = arena_array(tx->arena, struct job, rows.count);
    for (size_t i = 0; i < rows.count; i++)
        if (!job_from_row(&rows, i, &(*jobs)[i], tx->err))
            return false;
    return true;
}

/* Two parts, each in order, become one. */
static void merge(const struct listing *listing, const struct job *more, size_t count, struct job_page *page)
{
    struct job *all = arena_array(listing->tx->arena, struct job, page->count + count);
    size_t a = 0, b = 0;

    while (a < page->count || b < count) {
        bool first = b == count || (a < page->count && comes_before(listing, &page->jobs[a], &more[b]));

        all[a + b] = first ? page->jobs[a] : more[b];
        *(first ? &a : &b) += 1;
    }
    page->jobs = all;
    page->count += count;
}

static bool read_parts(const struct listing *listing, struct job_page *page)
{
    const struct job_filter *filter = listing->filter;
    bool of_kind = !filter->kind || str_equal(filter->kind, JOB_KIND_LONE);
    struct job *more;
    size_t count;

    if (!read_part(listing, false, &page->jobs, &page->count))
        return false;
    if (!of_kind || !(filter->all || filter->kind))
        return true;
    if (!read_part(listing, true, &more, &count))
        return false;
    merge(listing, more, count, page);
    return true;
}

/* The list's name: a place in one order means nothing in the other. */
static const char *list_name(const struct job_filter *filter)
{
    return filter->order == JOBS_OLDEST ? "jobs oldest" : "jobs";
}

static bool cut_page(const struct listing *listing, struct job_page *page)
{
    const struct tx *tx = listing->tx;

    if (page->count > listing->filter->limit) {
        const struct job *last = &page->jobs[(page->count = listing->filter->limit) - 1];

        page->next_cursor = cursor_after(tx->arena, list_name(listing->filter), 0,
                                         clock_text(tx->arena, last->created_ms), last->id);
    }
    for (size_t i = 0; i < page->count; i++)
        if (page->jobs[i].overdue)
            return is_due(tx->err);
    return true;
}

bool job_list(const struct tx *tx, const struct job_filter *filter, struct job_page *page)
{
    struct job_filter wanted = *filter;
    struct listing listing = { .tx = tx, .filter = &wanted };
    struct job_page found = { 0 };
    struct cursor from;

    if (!wanted.project_id)
        wanted.project_id = tx->caller->project_id;
    if (!cursor_read(list_name(filter), filter->cursor, &from, tx->err) ||
        (filter->text && !filter->as_it_is && !search_is_ready(tx)))
        return false;
    listing.after = filter->order == JOBS_OLDEST && !filter->cursor ? "" : from.id;
    if (caller_sees_project(tx->caller, wanted.project_id) &&
        (!filter->text || search_words_of(tx->arena, filter->text, &listing.asked)) &&
        !(read_parts(&listing, &found) && cut_page(&listing, &found)))
        return false;
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
    json_bool(out, "single", job->lone);
    json_text(out, "restartOf", job->restart_of);
    json_raw(out, "answer", job->restart_answer);
    json_time(out, "createdAt", job->created_ms);
    if (job->ended_ms)
        json_time(out, "endedAt", job->ended_ms);
    else
        json_none(out, "endedAt");
    write_outcome(job, out);
}
