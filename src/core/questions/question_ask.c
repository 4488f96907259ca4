/*
 * The question is made and checked in memory first (question_make.c), then put on its job's docket, which
 * sets the job waiting, writes the log line and tells. A question without a job gets one of its own that
 * lives and ends with it.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/questions/answer_rights.h"
#include "core/questions/docket.h"
#include "core/questions/question_make.h"
#include "core/questions/question_row.h"
#include "core/questions/template.h"

static bool insert(const struct asking *asking)
{
    struct db_arg row[QUESTION_INSERT_WIDTH];

    question_put_insert(asking->question, row);
    return tx_exec(asking->tx, SQL_QUESTION_INSERT, QUESTION_INSERT_WIDTH, row, NULL);
}

static void tell_asked(struct docket *docket, const struct question *question)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "jobId", question->job_id);
    json_map(&out, "question");
    json_text(&out, "question", question->question);
    json_text(&out, "type", question_type_word(question->type));
    json_text(&out, "responseType", response_type_word(question->response_type));
    if (question->options)
        json_raw(&out, "options", question->options);
    if (question->context)
        json_raw(&out, "context", question->context);
    json_text(&out, "timeoutAt", question->timeout_at);
    json_map_end(&out);
    json_map_end(&out);
    docket_event(docket, &(struct event){ .workspace_id = question->workspace_id,
                                          .type = EVENT_QUESTION_ASKED,
                                          .project_id = question->project_id,
                                          .job_id = question->job_id,
                                          .subject = question->id,
                                          .data = arena_copy(docket->tx->arena, data.bytes, data.len) });
}

static void log_asked(struct docket *docket, struct job *job, const struct question *question)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "type", question_type_word(question->type));
    json_text(&out, "timeoutAt", question->timeout_at);
    json_map_end(&out);
    docket_log(docket, job, LINE_QUESTION, LINE_INFO, question->question,
               arena_copy(docket->tx->arena, data.bytes, data.len));
}

bool question_notify(struct docket *docket, const struct question *question)
{
    const struct question_traits *traits = question_traits(question->type);
    const char *const *people;
    size_t count;
    struct notification notification = {
        .workspace_id = question->workspace_id,
        .project_id = question->project_id,
        .user_id = str_equal(question->assigned_to, CALLER_LOCAL_ID) ? NULL : question->assigned_to,
        .kind = traits->notification,
        .priority = traits->priority,
        .title = arena_format(docket->tx->arena, "%s %s", question->asked_by, traits->title),
        .body = str_beginning(docket->tx->arena, question->question, NOTIFICATION_CHARS),
        .about = ABOUT_QUESTION,
        .ref_id = question->id,
        .roles = answer_rights_roles(question),
    };

    if (notification.user_id) {
        docket_notify(docket, &notification);
        return true;
    }
    if (!answer_rights_people(docket->tx, question, &people, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        notification.user_id = people[i];
        docket_notify(docket, &notification);
    }
    if (count == 0)
        docket_notify(docket, &notification);
    return true;
}

static bool put_question(struct asking *asking, struct docket *docket, struct job *job)
{
    const struct question *question = asking->question;

    if (!insert(asking))
        return false;
    log_asked(docket, job, question);
    tell_asked(docket, question);
    docket_added(docket, job, question);
    return question_notify(docket, question) && docket_close(docket);
}

/* Consent was given to one thing at one time, and an answer of another shape, or to other options, is none to
 * this. */
static bool may_be_preferred(const struct question *question, const struct question *earlier)
{
    return !question_asks_consent(question) && earlier->response_type == question->response_type &&
           json_same(earlier->options, question->options);
}

/* An answer to a non-blocking question is kept as the preference for the next time it is asked. */
static bool find_preference(struct asking *asking, struct question_preference *preference)
{
    struct question *earlier;
    size_t count;

    *preference = (struct question_preference){ 0 };
    if (question_blocks(asking->question))
        return true;
    if (!question_precedents(asking->tx, asking->question, 1, &earlier, &count))
        return false;
    if (count > 0 && may_be_preferred(asking->question, earlier))
        *preference = (struct question_preference){ .response = earlier[0].response,
                                                    .by = earlier[0].outcome_by,
                                                    .at = earlier[0].responded_at };
    return true;
}

/* Limits */

static bool too_many(struct err *err, int retry_after_s, const char *text, int64_t most)
{
    err_set(err, ERR_RATE_LIMITED, text, (long long)most);
    err->retry_after_s = retry_after_s;
    return false;
}

/* A job that asks in a loop must not bury the people. The owner alone at home may do as they like. What witan
 * asks must be asked, and is bounded by the calls of a reply: it is neither refused for what the agent asks
 * nor counted with it. */
static bool check_rate(struct asking *asking, const struct docket *docket, const struct job *job)
{
    struct db_rows rows;
    int64_t open = 0;

    if (asking->tx->caller->kind == CALLER_LOCAL || question_is_of_witan(asking->question))
        return true;
    for (size_t i = 0; i < docket->question_count; i++)
        open += question_is_open(&docket->questions[i]) && !question_is_of_witan(&docket->questions[i]);
    if (open >= settings()->questions_open)
        return too_many(asking->tx->err, 60,
                        "This job has %lld open questions already: wait for answers first.", open);
    if (!tx_query(asking->tx, SQL_QUESTION_COUNT_ASKED,
                  DB_ARGS(db_text(job->id),
                          db_text(clock_text(asking->tx->arena, asking->tx->now_ms - QUESTION_RATE_MS))),
                  &rows))
        return false;
    return db_cell_int(&rows, 0, 0) < settings()->questions_rate ||
           too_many(asking->tx->err, 60, "This job asks too often: at most %lld questions a minute.",
                    settings()->questions_rate);
}

static bool ask_in(struct asking *asking, const char *job_id)
{
    struct docket docket;
    struct job *job;

    if (!docket_of_job(asking->tx, &docket, asking->tx->caller->workspace_id, job_id))
        return false;
    job = docket_job(&docket, job_id);
    if (!job || !caller_sees_project(asking->tx->caller, job->project_id))
        return job_not_found(asking->tx->err);
    if (!job_may_drive(asking->tx->caller, job, asking->tx->err))
        return false;
    if (!job_is_open(job))
        return err_set(asking->tx->err, ERR_CONFLICT, "This job has already ended: %s.",
                       job_status_word(job->status));
    return question_make(asking, job) && check_rate(asking, &docket, job) &&
           put_question(asking, &docket, job);
}

static bool ask_alone(struct asking *asking, struct job *job)
{
    struct docket docket;

    job->kind = JOB_KIND_LONE;
    job->status = JOB_RUNNING;
    job->lone = true;
    if (!job_begin(asking->tx, job) || !question_make(asking, job) || !job_insert(asking->tx, job))
        return false;
    docket_of_new(asking->tx, &docket, job);
    return put_question(asking, &docket, job);
}

static bool ask(struct asking *asking, const char *job_id, struct job *job,
                struct question_preference *preference)
{
    JSON_AUTO *filled = NULL;

    if (asking->wish.template) {
        if (!template_fill(asking->tx, asking->tx->caller->workspace_id, asking->wish.template,
                           asking->wish.options != NULL, &filled))
            return false;
        question_take_template(&asking->wish, filled);
    }
    return (job_id ? ask_in(asking, job_id) : ask_alone(asking, job)) && find_preference(asking, preference);
}

bool question_ask(const struct tx *tx, const char *job_id, const struct question_wish *wish,
                  struct question *question, struct question_preference *preference)
{
    struct asking asking = { tx, *wish, question };

    return ask(&asking, job_id, NULL, preference);
}

bool question_ask_alone(const struct tx *tx, const struct question_wish *wish, struct job *job,
                        struct question *question, struct question_preference *preference)
{
    struct asking asking = { tx, *wish, question };

    return ask(&asking, NULL, job, preference);
}
