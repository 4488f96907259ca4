/*
 * Rules change structs and never write; what they change is gathered and written at the close, so that ending
 * a job may end its questions, which may end the job, without a row being written twice. The jobs' locks are
 * taken in order of id before anything is read, and deadlines are applied right after: no rule here ever sees
 * a question whose time is up and which is still open.
 */
#include "core/questions/docket.h"

#include "base/clock.h"
#include "base/str.h"
#include "core/questions/docket_writes.h"
#include "core/questions/question_row.h"
#include "core/questions/response.h"

#include <stdlib.h>
#include <string.h>

struct job *docket_job(struct docket *docket, const char *id)
{
    for (size_t i = 0; i < docket->job_count; i++)
        if (strcmp(docket->jobs[i].id, id) == 0)
            return &docket->jobs[i];
    return NULL;
}

struct question *docket_question(struct docket *docket, const char *id)
{
    for (size_t i = 0; i < docket->question_count; i++)
        if (strcmp(docket->questions[i].id, id) == 0)
            return &docket->questions[i];
    return NULL;
}

void docket_changed(struct docket *docket, struct question *question)
{
    if (!question->dirty)
        *writes_question(docket->writes) = question;
    question->dirty = true;
}

void docket_event(struct docket *docket, const struct event *event)
{
    struct event *told = writes_event(docket->writes);

    *told = *event;
    told->at_ms = docket->tx->now_ms;
}

void docket_notify(struct docket *docket, const struct notification *notification)
{
    *writes_notification(docket->writes) = *notification;
}

void docket_settle(struct docket *docket, const struct question *question)
{
    *writes_resolved(docket->writes) = question->id;
}

static int64_t log_line(struct docket *docket, struct job *job, const struct job_line *line)
{
    struct job_line *entry = writes_line(docket->writes);

    job->dirty = true;
    *entry = *line;
    entry->job_id = job->id;
    entry->seq = ++job->log_lines;
    entry->at_ms = docket->tx->now_ms;
    return job->log_lines;
}

int64_t docket_log(struct docket *docket, struct job *job, enum line_kind kind, enum line_level level,
                   const char *message, const char *data)
{
    return log_line(docket, job,
                    &(struct job_line){ .kind = kind,
                                        .level = level,
                                        .message = message,
                                        .data = data,
                                        .actor_id = tx_actor_id(docket->tx) });
}

/* Events about a job or a question of it go to the streams of that job and its project. */
static void tell(struct docket *docket, const struct job *job, enum event_type type, const char *subject,
                 const struct buf *data)
{
    docket_event(docket, &(struct event){ .workspace_id = job->workspace_id,
                                          .type = type,
                                          .project_id = job->project_id,
                                          .job_id = job->id,
                                          .subject = subject,
                                          .data = arena_copy(docket->tx->arena, data->bytes, data->len) });
}

static void tell_status(struct docket *docket, const struct job *job, enum job_status before)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "jobId", job->id);
    json_text(&out, "status", job_status_word(job->status));
    json_text(&out, "previousStatus", job_status_word(before));
    json_map_end(&out);
    tell(docket, job, EVENT_JOB_STATUS, job->id, &data);
}

void docket_set_status(struct docket *docket, struct job *job, enum job_status status)
{
    enum job_status before = job->status;

    if (before == status)
        return;
    job->status = status;
    job->dirty = true;
    tell_status(docket, job, before);
}

/* Ending questions */

static enum event_type ending_event(enum question_status status)
{
    switch (status) {
    case QUESTION_ANSWERED: return EVENT_QUESTION_ANSWERED;
    case QUESTION_TIMEOUT: return EVENT_QUESTION_TIMEOUT;
    case QUESTION_CANCELLED: return EVENT_QUESTION_CANCELLED;
    case QUESTION_PENDING:
    case QUESTION_STATUS_END: break;
    }
    return EVENT_UNKNOWN;
}

static void tell_ended(struct docket *docket, const struct job *job, const struct question *question)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "jobId", question->job_id);
    if (question->response)
        json_raw(&out, "response", question->response);
    question_write_outcome(question, "outcome", &out);
    json_map_end(&out);
    tell(docket, job, ending_event(question->status), question->id, &data);
}

static void log_ended(struct docket *docket, struct job *job, const struct question *question,
                      const struct ending *ending)
{
    const char *answer = ending->response_text ? ending->response_text : "";
    enum line_kind kind = LINE_ANSWER;
    enum line_level level = LINE_INFO;
    const char *message;
    BUF_AUTO data = { 0 };
    struct json_out out;

    if (ending->source == OUTCOME_DEFAULT) {
        message = arena_format(docket->tx->arena, "Nobody answered in time; the default holds: %s", answer);
        level = LINE_WARN;
    } else if (ending->status == QUESTION_ANSWERED) {
        message = arena_format(docket->tx->arena, "%s answered: %s", ending->by.name, answer);
    } else if (ending->status == QUESTION_TIMEOUT) {
        message = "Nobody answered in time.";
        kind = LINE_TIMEOUT;
        level = LINE_WARN;
    } else {
        message = arena_format(docket->tx->arena, "%s cancelled the question%s%s", ending->by.name,
                               ending->reason ? ": " : ".", ending->reason ? ending->reason : "");
        kind = LINE_CANCELLED;
    }
    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    if (question->response)
        json_raw(&out, "response", question->response);
    question_write_outcome(question, "outcome", &out);
    json_map_end(&out);
    log_line(docket, job,
             &(struct job_line){ .kind = kind,
                                 .actor_id = ending->by.id,
                                 .level = level,
                                 .message = message,
                                 .data = arena_copy(docket->tx->arena, data.bytes, data.len) });
}

/* The oldest open question that the job waits for, or NULL. */
static const struct question *oldest_blocking(const struct docket *docket, const struct job *job)
{
    for (size_t i = 0; i < docket->question_count; i++) {
        const struct question *question = &docket->questions[i];

        if (strcmp(question->job_id, job->id) == 0 && question_is_open(question) && question_blocks(question))
            return question;
    }
    return NULL;
}

static enum job_status waiting_status(const struct question *question)
{
    return question_traits(question->type)->waiting;
}

/*
 * With several open at once the job follows the oldest; after the last it runs, which is true. A lone one has
 * its answer, and nothing goes on.
 */
static bool go_on(struct docket *docket, struct job *job, const struct question *ended)
{
    const struct question *next = oldest_blocking(docket, job);

    if (next) {
        docket_set_status(docket, job, waiting_status(next));
        return false;
    }
    if (!job->lone) {
        docket_set_status(docket, job, JOB_RUNNING);
        return true;
    }
    job->result = ended->response;
    docket_end_job(
        docket, job,
        &(struct job_ending){ .status = ended->status == QUESTION_CANCELLED ? JOB_CANCELLED : JOB_COMPLETED,
                              .source = ended->outcome_source,
                              .by = { ended->outcome_by, ended->outcome_by_id } });
    return false;
}

bool docket_end(struct docket *docket, struct question *question, const struct ending *ending)
{
    struct job *job = docket_job(docket, question->job_id);

    question->status = ending->status;
    question->outcome_source = ending->source;
    question->outcome_by = ending->by.name;
    question->outcome_by_id = ending->by.id;
    question->ended_at = docket->now;
    question->response = ending->response;
    question->responded_by = ending->response ? ending->by.id : NULL;
    question->responded_at = ending->response ? docket->now : NULL;
    question->draft_by = question->draft_by_id = question->draft_at = NULL;
    docket_changed(docket, question);
    docket_settle(docket, question);
    log_ended(docket, job, question, ending);
    tell_ended(docket, job, question);
    if (!question_blocks(question) || !job_is_open(job))
        return false;
    if (ending->status == QUESTION_TIMEOUT) {
        docket_end_job(docket, job,
                       &(struct job_ending){ .status = JOB_FAILED,
                                             .source = OUTCOME_TIMEOUT,
                                             .by = ACTOR_SYSTEM,
                                             .error = "Question timed out without response" });
        return false;
    }
    return go_on(docket, job, question);
}

/* Ending jobs */

static void tell_job_ended(struct docket *docket, const struct job *job)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "jobId", job->id);
    json_text(&out, "status", job_status_word(job->status));
    json_text(&out, "error", job->error);
    json_map(&out, "outcome");
    json_text(&out, "source", outcome_source_word(job->outcome_source));
    json_text(&out, "by", job->outcome_by);
    json_time(&out, "at", job->ended_ms);
    json_map_end(&out);
    json_map_end(&out);
    tell(docket, job, EVENT_JOB_ENDED, NULL, &data);
}

/* The one who asked for the job is told; those who wait for a lone question hear its answer anyway. */
static void notify_requester(struct docket *docket, const struct job *job)
{
    bool failed = job->status == JOB_FAILED;
    struct notification notification = {
        .workspace_id = job->workspace_id,
        .project_id = job->project_id,
        .kind = failed ? NOTIFICATION_FAILED : NOTIFICATION_COMPLETED,
        .priority = PRIORITY_NORMAL,
        .title = arena_format(docket->tx->arena, "%s%s", job->agent ? job->agent : job->kind,
                              failed ? " failed" : " has finished"),
        .body = job->error ? job->error : "",
        .about = ABOUT_JOB,
        .ref_id = job->id,
    };

    if (job->lone || !job->requested_kind || job->status == JOB_CANCELLED)
        return;
    if (job->requested_kind == REQUESTER_USER)
        notification.user_id = job->requested_by;
    else if (job->requested_kind == REQUESTER_AGENT)
        notification.agent_key = str_fold(docket->tx->arena, job->requested_by);
    docket_notify(docket, &notification);
}

void docket_end_job(struct docket *docket, struct job *job, const struct job_ending *ending)
{
    enum job_status before = job->status;
    const char *word = job_status_word(ending->status);

    job->status = ending->status;
    job->error = ending->error;
    job->ended_ms = docket->tx->now_ms;
    job->outcome_source = ending->source;
    job->outcome_by = ending->by.name;
    job->outcome_by_id = ending->by.id;
    log_line(docket, job,
             &(struct job_line){
                 .kind = LINE_STATUS,
                 .actor_id = ending->by.id,
                 .level = ending->status == JOB_FAILED ? LINE_ERROR : LINE_INFO,
                 .message = arena_format(
                     docket->tx->arena, "%s%s%s",
                     ending->status == JOB_CANCELLED
                         ? arena_format(docket->tx->arena, "%s cancelled the job", ending->by.name)
                         : arena_format(docket->tx->arena, "The job has %s", word),
                     ending->error ? ": " : ".", ending->error ? ending->error : ""),
             });
    tell_status(docket, job, before);
    tell_job_ended(docket, job);
    notify_requester(docket, job);
    /* What nobody waits for any more needs no answer; a preference may still be told for the next time.
     */
    for (size_t i = 0; i < docket->question_count; i++) {
        struct question *question = &docket->questions[i];

        if (strcmp(question->job_id, job->id) == 0 && question_is_open(question) && question_blocks(question))
            (void)docket_end(docket, question,
                             &(struct ending){ .status = QUESTION_CANCELLED,
                                               .source = OUTCOME_CANCELLED,
                                               .by = ending->by,
                                               .reason = "the job has ended" });
    }
}

void docket_added(struct docket *docket, struct job *job, const struct question *question)
{
    if (question_blocks(question)) {
        if (!job_is_waiting(job))
            docket_set_status(docket, job, waiting_status(question));
    } else if (job->lone) {
        job->result = question->default_response;
        docket_end_job(
            docket, job,
            &(struct job_ending){ .status = JOB_COMPLETED, .source = OUTCOME_DEFAULT, .by = ACTOR_SYSTEM });
    }
}

/* Deadlines */

static int by_due(const void *a, const void *b)
{
    const struct question *one = *(struct question *const *)a, *other = *(struct question *const *)b;

    return (one->due_ms > other->due_ms) - (one->due_ms < other->due_ms);
}

static void end_overdue(struct docket *docket, struct question *question)
{
    struct ending ending = { .status = QUESTION_TIMEOUT, .source = OUTCOME_TIMEOUT, .by = ACTOR_SYSTEM };

    if (question->default_response) {
        ending = (struct ending){ .status = QUESTION_ANSWERED,
                                  .source = OUTCOME_DEFAULT,
                                  .by = ACTOR_SYSTEM,
                                  .response = question->default_response,
                                  .response_text =
                                      response_summary(docket->tx->arena, question->default_response) };
    }
    (void)docket_end(docket, question, &ending);
    *writes_audit(docket->writes) = question;
}

/* The earliest first: it may end the job, and then the others end with it. */
static size_t apply_deadlines(struct docket *docket)
{
    struct question **due = arena_array(docket->tx->arena, struct question *, docket->question_count);
    size_t count = 0;

    for (size_t i = 0; i < docket->question_count; i++)
        if (question_is_overdue(&docket->questions[i], docket->tx->now_ms))
            due[count++] = &docket->questions[i];
    qsort(due, count, sizeof(struct question *), by_due);
    for (size_t i = 0; i < count; i++)
        if (question_is_open(due[i]))
            end_overdue(docket, due[i]);
    return count;
}

/* Opening */

static void begin(const struct tx *tx, struct docket *docket)
{
    *docket = (struct docket){ .tx = tx,
                               .now = clock_text(tx->arena, tx->now_ms),
                               .writes = writes_new(tx->arena) };
}

static bool load_questions(struct docket *docket)
{
    const char **ids = arena_array(docket->tx->arena, const char *, docket->job_count);
    bool one = docket->job_count == 1;
    struct db_rows rows;

    if (docket->job_count == 0)
        return true;
    for (size_t i = 0; i < docket->job_count; i++)
        ids[i] = docket->jobs[i].id;
    if (!tx_query(docket->tx, one ? SQL_QUESTION_OPEN_OF_JOB : SQL_QUESTION_OPEN_OF_JOBS,
                  DB_ARGS(db_text(one ? ids[0] : json_texts(docket->tx->arena, ids, docket->job_count))),
                  &rows))
        return false;
    docket->question_count = rows.count;
    return question_from_rows(docket->tx, &rows, rows.count, &docket->questions);
}

static bool fill(struct docket *docket, const struct db_rows *jobs, size_t *ended)
{
    docket->job_count = jobs->count;
    if (!job_from_rows(docket->tx, jobs, jobs->count, &docket->jobs) || !load_questions(docket))
        return false;
    *ended = apply_deadlines(docket);
    return true;
}

void docket_of_new(const struct tx *tx, struct docket *docket, struct job *job)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    begin(tx, docket);
    docket->jobs = job;
    docket->job_count = 1;
    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "jobId", job->id);
    json_text(&out, "kind", job->kind);
    json_text(&out, "agent", job->agent);
    json_text(&out, "projectId", job->project_id);
    json_text(&out, "taskId", job->task_id);
    json_text(&out, "status", job_status_word(job->status));
    json_text(&out, "restartOf", job->restart_of);
    json_map_end(&out);
    tell(docket, job, EVENT_JOB_CREATED, NULL, &data);
}

bool docket_of_job(const struct tx *tx, struct docket *docket, const char *workspace_id, const char *job_id)
{
    struct db_rows rows;
    size_t ended;

    begin(tx, docket);
    return tx_query(tx, SQL_JOB_LOCK, DB_ARGS(db_text(job_id), db_text(workspace_id)), &rows) &&
           fill(docket, &rows, &ended);
}

bool docket_of_run(const struct tx *tx, struct docket *docket, const char *job_id)
{
    struct db_rows rows;
    size_t ended;

    begin(tx, docket);
    return tx_query(tx, SQL_JOB_LOCK_RUN, DB_ARGS(db_text(job_id)), &rows) && fill(docket, &rows, &ended);
}

bool docket_of_questions(const struct tx *tx, struct docket *docket, const char *workspace_id,
                         const char *const ids[], size_t count)
{
    bool one = count == 1;
    struct db_rows rows;
    size_t ended;

    begin(tx, docket);
    return tx_query(tx, one ? SQL_JOB_LOCK_QUESTION : SQL_JOB_LOCK_QUESTIONS,
                    DB_ARGS(db_text(one ? ids[0] : json_texts(tx->arena, ids, count)), db_text(workspace_id)),
                    &rows) &&
           fill(docket, &rows, &ended);
}

bool docket_of_due(const struct tx *tx, struct docket *docket, size_t limit, size_t *ended)
{
    struct db_rows rows;

    begin(tx, docket);
    return tx_query(tx, SQL_JOB_LOCK_DUE, DB_ARGS(db_text(docket->now), db_int((int64_t)limit)), &rows) &&
           fill(docket, &rows, ended);
}
