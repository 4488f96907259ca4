/*
 * What an agent does to its own job. Everything goes through the job's docket, log lines too, because the
 * docket numbers them; so two reports at once cannot get the same number.
 */
#include "base/clock.h"
#include "base/colour.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/chat/chat.h"
#include "core/questions/docket.h"
#include "core/questions/job.h"
#include "core/questions/question_row.h"
#include "core/questions/response.h"

#include <string.h>

const char *const line_kinds[] = { "log",     "progress",  "status",   "question", "answer",
                                   "timeout", "cancelled", "approval", "extended", "late",
                                   "restart", "assigned",  NULL };
WORDS_FIT(line_kinds, LINE_KIND_END);
const char *const line_levels[] = { "debug", "info", "warn", "error", NULL };
WORDS_FIT(line_levels, LINE_LEVEL_END);

/* The docket of one job that this caller drives. */
static bool open_one(const struct tx *tx, struct docket *docket, const char *id, struct job **job)
{
    if (!docket_of_job(tx, docket, tx->caller->workspace_id, id))
        return false;
    *job = docket_job(docket, id);
    if (!*job || !caller_sees_project(tx->caller, (*job)->project_id))
        return job_not_found(tx->err);
    return job_may_drive(tx->caller, *job, tx->err);
}

/* A job that witan runs itself is moved on by witan alone: others can end it, and answer what it asks. */
static bool is_own_driver(const struct tx *tx, const struct job *job)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_JOB_IS_RUN, DB_ARGS(db_text(job->id)), &rows))
        return false;
    if (rows.count == 0)
        return true;
    err_set(tx->err, ERR_CONFLICT, "This job is run by witan itself, which says how far it is.");
    return err_hint(tx->err, "Cancel it to end it.");
}

static bool refuse_step(struct arena *arena, const struct job *job, const char *wanted, struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    const char *status = job_status_word(job->status);

    json_text(&out, "status", status);
    if (job_is_open(job))
        err_set(err, ERR_CONFLICT, "A job that is %s cannot become %s.", status, wanted);
    else
        err_set(err, ERR_CONFLICT, "This job has already ended: %s.", status);
    err->detail = arena_copy(arena, text.bytes, text.len);
    return false;
}

/* An agent that waits for people does not decide by itself that it runs again. */
static bool may_step(const struct job *job, enum job_status to)
{
    if (!job_is_open(job))
        return false;
    if (to == JOB_RUNNING)
        return !job_is_waiting(job);
    return true;
}

/* The end of a job takes its questions along, so an agent ends none that others wait with for people. Whoever
 * asked for a run takes back what they wanted themselves. */
static bool may_end(const struct docket *docket, const struct job *job, const struct caller *caller)
{
    if (job_is_run_of(caller, job))
        return true;
    for (size_t i = 0; i < docket->question_count; i++) {
        const struct question *question = &docket->questions[i];

        if (strcmp(question->job_id, job->id) == 0 && question_is_open(question) &&
            question_blocks(question) && !question_may_end(caller, job, question, docket->tx->err))
            return false;
    }
    return true;
}

static void step(struct docket *docket, struct job *job, const struct caller *caller,
                 const struct job_change *change)
{
    if (change->status == JOB_RUNNING) {
        docket_set_status(docket, job, JOB_RUNNING);
        return;
    }
    docket_end_job(docket, job,
                   &(struct job_ending){ .status = change->status,
                                         .source = caller_is_person(caller) ? OUTCOME_HUMAN : OUTCOME_AGENTS,
                                         .by = actor_of(caller),
                                         .error = change->error });
}

bool job_update(const struct tx *tx, const char *id, const struct job_change *change, struct job *job)
{
    struct docket docket;
    struct job *found;
    struct job_change cleaned = *change;

    if (!open_one(tx, &docket, id, &found) || !is_own_driver(tx, found))
        return false;
    if (!job_is_open(found) || (change->status && !may_step(found, change->status)))
        return refuse_step(tx->arena, found, change->status ? job_status_word(change->status) : "changed",
                           tx->err);
    if (change->status && change->status != JOB_RUNNING && !may_end(&docket, found, tx->caller))
        return false;
    if (change->error && change->status != JOB_FAILED)
        return err_field(tx->err, "error", "Only a job that failed has an error.");
    if (change->error)
        cleaned.error = str_sanitise(tx->arena, change->error);
    else if (change->status == JOB_FAILED)
        cleaned.error = "The agent gave no reason.";
    if (change->result) {
        found->result = change->result;
        found->dirty = true;
    }
    if (change->status)
        step(&docket, found, tx->caller, &cleaned);
    return docket_close(&docket) && job_get(tx, id, job);
}

bool job_cancel(const struct tx *tx, const char *id, const char *reason, struct job *job)
{
    struct docket docket;
    struct job *found;

    if (!open_one(tx, &docket, id, &found))
        return false;
    if (!job_is_open(found))
        return refuse_step(tx->arena, found, job_status_word(JOB_CANCELLED), tx->err);
    if (!may_end(&docket, found, tx->caller))
        return false;
    docket_end_job(&docket, found,
                   &(struct job_ending){ .status = JOB_CANCELLED,
                                         .source = OUTCOME_CANCELLED,
                                         .by = actor_of(tx->caller),
                                         .error = reason ? str_sanitise(tx->arena, reason) : NULL });
    return docket_close(&docket) && job_get(tx, id, job);
}

/* Logs and progress */

static void tell_line(struct docket *docket, const struct job *job, const struct job_line *line)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "jobId", job->id);
    json_int(&out, "line", line->seq);
    json_text(&out, "level", line_level_word(line->level));
    json_text(&out, "message", line->message);
    json_raw(&out, "data", line->data);
    json_map_end(&out);
    docket_event(docket, &(struct event){ .workspace_id = job->workspace_id,
                                          .type = EVENT_JOB_LOG,
                                          .project_id = job->project_id,
                                          .job_id = job->id,
                                          .data = arena_copy(docket->tx->arena, data.bytes, data.len) });
}

bool job_log(const struct tx *tx, const char *id, struct job_line *line)
{
    struct docket docket;
    struct job *job;

    if (!chat_check_text("message", line->message, tx->err) || !open_one(tx, &docket, id, &job))
        return false;
    line->kind = LINE_LOG;
    line->message = colour_keep(tx->arena, line->message);
    line->at_ms = tx->now_ms;
    line->seq = docket_log(&docket, job, line->kind, line->level, line->message, line->data);
    tell_line(&docket, job, line);
    return docket_close(&docket);
}

static void write_progress(const struct job_progress *progress, struct json_out *out)
{
    if (progress->has_done)
        json_double(out, "done", progress->done);
    else
        json_none(out, "done");
    if (progress->has_total)
        json_double(out, "total", progress->total);
    else
        json_none(out, "total");
    json_text(out, "step", progress->step);
}

static const char *progress_words(struct arena *arena, const struct job_progress *progress)
{
    const char *count = "";

    if (progress->has_done && progress->has_total)
        count = arena_format(arena, "%g/%g", progress->done, progress->total);
    else if (progress->has_done)
        count = arena_format(arena, "%g", progress->done);
    if (!progress->step)
        return *count ? count : "Still working.";
    return *count ? arena_format(arena, "%s (%s)", progress->step, count) : progress->step;
}

bool docket_report(struct docket *docket, struct job *job, const struct job_progress *progress)
{
    const struct tx *tx = docket->tx;
    struct job_progress clean = *progress;
    BUF_AUTO stored = { 0 }, told = { 0 };
    struct json_out out;

    clean.step = progress->step ? str_sanitise(tx->arena, progress->step) : NULL;
    json_begin(&out, &stored);
    json_map(&out, NULL);
    write_progress(&clean, &out);
    json_map_end(&out);
    json_begin(&out, &told);
    json_map(&out, NULL);
    json_text(&out, "jobId", job->id);
    json_raw(&out, "progress", stored.bytes);
    json_map_end(&out);
    docket_log(docket, job, LINE_PROGRESS, LINE_INFO, progress_words(tx->arena, &clean),
               arena_copy(tx->arena, stored.bytes, stored.len));
    docket_event(docket, &(struct event){ .workspace_id = job->workspace_id,
                                          .type = EVENT_JOB_PROGRESS,
                                          .project_id = job->project_id,
                                          .job_id = job->id,
                                          .data = arena_copy(tx->arena, told.bytes, told.len) });
    return tx_exec(tx, SQL_JOB_SET_PROGRESS, DB_ARGS(db_text(job->id), db_text(stored.bytes)), NULL);
}

bool job_report(const struct tx *tx, const char *id, const struct job_progress *progress, struct job *job)
{
    struct docket docket;
    struct job *found;

    if (!open_one(tx, &docket, id, &found) || !is_own_driver(tx, found))
        return false;
    if (!job_is_open(found))
        return refuse_step(tx->arena, found, "reported on", tx->err);
    return docket_report(&docket, found, progress) && docket_close(&docket) && job_get(tx, id, job);
}

bool job_logs(const struct tx *tx, const char *id, const struct line_filter *filter, struct job_line **lines,
              size_t *count)
{
    int64_t from = filter->newest && filter->from == 0 ? INT64_MAX : filter->from;
    struct db_rows rows;
    struct job job;

    if (!job_get(tx, id, &job) ||
        !tx_query(tx, filter->newest ? SQL_JOB_LOGS_NEWEST : SQL_JOB_LOGS,
                  DB_ARGS(db_text(id), db_int(from), db_int((int64_t)filter->limit),
                          db_text(filter->kind ? line_kind_word(filter->kind) : NULL)),
                  &rows))
        return false;
    *count = rows.count;
    return job_line_from_rows(tx, &rows, rows.count, lines);
}
