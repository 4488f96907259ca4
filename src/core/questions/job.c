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

bool job_is_run_of(const struct caller *caller, const struct job *job)
{
    return str_equal(job->kind, JOB_KIND_AGENT) && job->requested_kind == REQUESTER_AGENT &&
           caller->agent_name && str_same_name(caller->agent_name, job->requested_by);
}

bool job_may_drive(const struct caller *caller, const struct job *job, struct err *err)
{
    if (job_is_run_of(caller, job))
        return true;
    return !job->agent || caller_may_speak_as(caller, job->agent, err);
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
    job->requested_name = actor_of(caller).name;
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
    note_requester(tx->caller, job);
    if (!job_may_drive(tx->caller, job, tx->err) || !find_places(tx, job))
        return false;
    job->id = uuid_new(tx->arena);
    job->workspace_id = tx->caller->workspace_id;
    job->created_ms = tx->now_ms;
    return true;
}

bool job_insert(const struct tx *tx, const struct job *job)
{
    struct db_arg row[JOB_INSERT_WIDTH];

    job_put_insert(job, row);
    return tx_exec(tx, SQL_JOB_INSERT, JOB_INSERT_WIDTH, row, NULL);
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
#define LIST_SQL(name) \
    (struct list_sql) \
    { \
        SQL_JOB_LIST##name, SQL_JOB_LIST##name##_OLDEST \
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
struct job_listing {
    const struct tx *tx;
    const struct job_filter *filter;
    struct search_words asked;
    const char *after; /* an id */
};

static bool comes_before(const struct job_listing *listing, const struct job *a, const struct job *b)
{
    return listing->filter->order == JOBS_OLDEST ? strcmp(a->id, b->id) < 0 : strcmp(a->id, b->id) > 0;
}

/* Those that were made for a single question, or the others. */
static bool read_part(const struct job_listing *listing, bool lone, struct job **jobs, size_t *count)
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
    return job_from_rows(tx, &rows, rows.count, jobs);
}

/* Two parts, each in order, become one. */
static void merge(const struct job_listing *listing, const struct job *more, size_t count,
                  struct job_page *page)
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

static bool read_parts(const struct job_listing *listing, struct job_page *page)
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

static bool cut_page(const struct job_listing *listing, struct job_page *page)
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
    struct job_listing listing = { .tx = tx, .filter = &wanted };
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
