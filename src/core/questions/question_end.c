/*
 * Everything that ends a question other than an answer, and everything that moves its end. All of it opens
 * the docket of the question, where deadlines have been applied, so "still open" means open now.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/questions/answer_rights.h"
#include "core/questions/docket.h"
#include "core/questions/question.h"
#include "core/questions/question_row.h"

#include <math.h>
#include <string.h>

#define DROP_BATCH 200

bool question_open_one(const struct tx *tx, struct docket *docket, const char *id, struct question **question)
{
    if (!docket_of_questions(tx, docket, tx->caller->workspace_id, &id, 1))
        return false;
    *question = docket_question(docket, id);
    if (!*question) {
        *question = arena_new(tx->arena, struct question);
        if (!question_load(tx, tx->caller->workspace_id, id, *question))
            return false;
    }
    return caller_sees_project(tx->caller, (*question)->project_id) || question_not_found(tx->err);
}

/* The first to end it wins; whoever comes later learns how it ended. */
bool question_must_be_open(struct arena *arena, const struct question *question, struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (question_is_open(question))
        return true;
    json_begin(&out, &text);
    json_text(&out, "status", question_status_word(question->status));
    question_write_outcome(question, "outcome", &out);
    err_set(err, ERR_CONFLICT, "This question has already ended: %s.",
            question_status_word(question->status));
    err->detail = arena_copy(arena, text.bytes, text.len);
    return false;
}

bool question_cancel(const struct tx *tx, const char *id, const char *reason, bool *job_resumed)
{
    struct docket docket;
    struct question *question;

    if (!question_open_one(tx, &docket, id, &question) ||
        !job_may_drive(tx->caller, docket_job(&docket, question->job_id), tx->err) ||
        !question_may_end(tx->caller, docket_job(&docket, question->job_id), question, tx->err) ||
        !question_must_be_open(tx->arena, question, tx->err))
        return false;
    *job_resumed = docket_end(&docket, question,
                              &(struct ending){ .status = QUESTION_CANCELLED,
                                                .source = OUTCOME_CANCELLED,
                                                .by = actor_of(tx->caller),
                                                .reason = reason ? str_sanitise(tx->arena, reason) : NULL });
    return docket_close(&docket);
}

static size_t drop_some(struct docket *docket, const struct caller *caller, const char *const ids[],
                        size_t count)
{
    size_t dropped = 0;

    for (size_t i = 0; i < count; i++) {
        struct question *question = docket_question(docket, ids[i]);

        if (!question)
            continue;
        dropped++;
        if (question_is_open(question))
            docket_end(docket, question,
                       &(struct ending){ .status = QUESTION_CANCELLED,
                                         .source = OUTCOME_CANCELLED,
                                         .by = actor_of(caller),
                                         .reason = "The project was deleted." });
    }
    return dropped;
}

bool question_drop_project(const struct tx *tx, const char *project_id)
{
    for (;;) {
        struct docket docket;
        struct db_rows rows;

        if (!tx_query(tx, SQL_QUESTION_OPEN_IN_PROJECT, DB_ARGS(db_text(project_id), db_int(DROP_BATCH)),
                      &rows))
            return false;
        if (rows.count == 0)
            return true;
        const char **ids = arena_array(tx->arena, const char *, rows.count);

        for (size_t i = 0; i < rows.count; i++)
            ids[i] = db_cell(&rows, i, 0);
        if (!docket_of_questions(tx, &docket, tx->caller->workspace_id, ids, rows.count))
            return false;
        if (drop_some(&docket, tx->caller, ids, rows.count) == 0)
            return err_set(tx->err, ERR_INTERNAL, "The open questions of a project were not found.");
        if (!docket_close(&docket))
            return false;
    }
}

/* Moving deadlines */

static void set_due(struct docket *docket, struct question *question, int64_t due_ms)
{
    question->due_ms = due_ms;
    question->timeout_at = clock_text(docket->tx->arena, due_ms);
    docket_changed(docket, question);
}

static void tell_moved(struct docket *docket, const struct question *question, enum event_type type,
                       const char *by)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "jobId", question->job_id);
    json_text(&out, "by", by);
    json_text(&out, "timeoutAt", question->timeout_at);
    json_map_end(&out);
    docket_event(docket, &(struct event){ .workspace_id = question->workspace_id,
                                          .type = type,
                                          .project_id = question->project_id,
                                          .job_id = question->job_id,
                                          .subject = question->id,
                                          .data = arena_copy(docket->tx->arena, data.bytes, data.len) });
}

/* A time that nobody can read allows no extension, nor does a deadline that is further away by itself. */
static int64_t latest_due(const struct question *question)
{
    int64_t created_ms, latest_ms;

    if (!clock_parse(question->created_at, &created_ms))
        return question->due_ms;
    latest_ms = created_ms + settings()->questions_max_timeout_ms;
    return latest_ms > question->due_ms ? latest_ms : question->due_ms;
}

bool question_extend(const struct tx *tx, const char *id, double minutes, struct question *question)
{
    struct docket docket;
    struct question *found;
    int64_t latest_ms;
    double due;

    if (!question_open_one(tx, &docket, id, &found) ||
        !job_may_drive(tx->caller, docket_job(&docket, found->job_id), tx->err) ||
        !question_may_end(tx->caller, docket_job(&docket, found->job_id), found, tx->err) ||
        !question_must_be_open(tx->arena, found, tx->err))
        return false;
    if (found->due_ms == 0)
        return err_set(tx->err, ERR_CONFLICT, "This question has no deadline.");
    latest_ms = latest_due(found);
    due = (double)found->due_ms + minutes * 60000.0;
    if (!(minutes > 0) || due > (double)latest_ms)
        return err_field(tx->err, "minutes",
                         "minutes must be more than 0 and at most %lld: %lld hours in all.",
                         (long long)((latest_ms - found->due_ms) / 60000),
                         (long long)(settings()->questions_max_timeout_ms / 3600000));
    set_due(&docket, found, llround(due));
    docket_log(
        &docket, docket_job(&docket, found->job_id), LINE_EXTENDED, LINE_INFO,
        arena_format(tx->arena, "%s moved the deadline to %s.", actor_of(tx->caller).name, found->timeout_at),
        arena_format(tx->arena, "{\"questionId\":\"%s\"}", found->id));
    tell_moved(&docket, found, EVENT_QUESTION_EXTENDED, actor_of(tx->caller).name);
    *question = *found;
    return docket_close(&docket);
}

/*
 * Somebody who is typing shall be able to finish the sentence. A few times only, or an open tab would keep a
 * question alive for ever.
 */
bool question_draft(const struct tx *tx, const char *id, struct question *question)
{
    struct docket docket;
    struct question *found;

    if (!question_open_one(tx, &docket, id, &found) || !answer_rights_check_one(tx, found) ||
        !question_must_be_open(tx->arena, found, tx->err))
        return false;
    found->draft_by = tx->caller->name;
    found->draft_by_id = tx->caller->id;
    found->draft_at = docket.now;
    docket_changed(&docket, found);
    if (found->due_ms != 0 && found->due_ms < tx->now_ms + QUESTION_DRAFT_MS &&
        found->draft_moves < QUESTION_DRAFT_MOVES) {
        found->draft_moves++;
        set_due(&docket, found, tx->now_ms + QUESTION_DRAFT_MS);
    }
    tell_moved(&docket, found, EVENT_QUESTION_DRAFT, tx->caller->name);
    *question = *found;
    return docket_close(&docket);
}

/* Starting again */

bool question_late_settles(const struct question *question, bool is_yes, const char *by)
{
    bool own = question_traits(question->type)->consents && !str_equal(by, CALLER_LOCAL_ID) &&
               str_equal(by, question->requested_by);

    return !is_yes || (question->required_approvals <= 1 && !own);
}

static bool settles(const struct question *question, const json_t *late)
{
    const json_t *response = json_object_get(late, "response");

    return question_late_settles(question, json_is_true(json_object_get(response, "value")),
                                 json_string_value(json_object_get(late, "respondedBy")));
}

/* What the new job starts with: the question and the first answer that came too late and settles it. */
static const char *late_answer(struct arena *arena, const struct question *question)
{
    JSON_AUTO *list = NULL;
    BUF_AUTO text = { 0 };
    struct err ignored = { 0 };
    struct json_out out;
    const json_t *first = NULL;

    if (!json_parse(question->late_answers, strlen(question->late_answers), &list, &ignored))
        return NULL;
    for (size_t i = 0; i < json_array_size(list) && !first; i++)
        if (settles(question, json_array_get(list, i)))
            first = json_array_get(list, i);
    if (!first)
        return NULL;
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "question", question->question);
    json_value(&out, "response", json_object_get(first, "response"));
    json_value(&out, "by", json_object_get(first, "by"));
    json_value(&out, "at", json_object_get(first, "at"));
    json_map_end(&out);
    return arena_copy(arena, text.bytes, text.len);
}

static bool refuse_restart(struct arena *arena, const struct question *question, struct err *err)
{
    if (!question->restart_job_id && str_equal(question->late_answers, "[]"))
        return err_set(err, ERR_CONFLICT, "There is no late answer to start again with.");
    if (!question->restart_job_id) {
        err_set(err, ERR_CONFLICT, "The late answers do not settle this question.");
        return err_hint(err, "Begin a new job and ask again.");
    }
    err_set(err, ERR_CONFLICT, "A late answer to this question has already started a job.");
    err->detail = arena_format(arena, "\"jobId\":\"%s\"", question->restart_job_id);
    return false;
}

bool question_restart(const struct tx *tx, const char *id, struct job *job)
{
    struct docket docket, started;
    struct question *question;
    struct job before;
    const char *answer;
    struct tx looking = *tx;

    looking.now_ms = 0; /* as it is: the docket has applied its deadlines */
    if (!question_open_one(tx, &docket, id, &question) || !job_get(&looking, question->job_id, &before) ||
        !job_may_drive(tx->caller, &before, tx->err))
        return false;
    answer = late_answer(tx->arena, question);
    if (question->restart_job_id || !answer)
        return refuse_restart(tx->arena, question, tx->err);
    *job = (struct job){
        .kind = before.kind,
        .agent = before.agent,
        .status = JOB_PENDING,
        .project_id = before.project_id,
        .task_id = before.task_id,
        .input = before.input,
        .restart_of = before.id,
        .restart_answer = answer,
    };
    if (!job_begin(tx, job) || !job_insert(tx, job))
        return false;
    question->restart_job_id = job->id;
    docket_changed(&docket, question);
    docket_log(
        &docket, docket_job(&docket, question->job_id), LINE_RESTART, LINE_INFO,
        arena_format(tx->arena, "%s started a new job with the late answer.", actor_of(tx->caller).name),
        arena_format(tx->arena, "{\"questionId\":\"%s\",\"jobId\":\"%s\"}", question->id, job->id));
    docket_of_new(tx, &started, job);
    docket_log(&started, job, LINE_RESTART, LINE_INFO, "Started again with an answer that came too late.",
               answer);
    return docket_close(&docket) && docket_close(&started);
}

/* For the timer */

bool question_sweep(const struct tx *tx, size_t limit, size_t *ended)
{
    struct docket docket;

    return docket_of_due(tx, &docket, limit, ended) && docket_close(&docket);
}

bool question_next_due(const struct tx *tx, int64_t *due_ms)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_QUESTION_NEXT_DUE, DB_NO_ARGS, &rows))
        return false;
    *due_ms = 0;
    return rows.count == 0 || clock_parse(db_cell(&rows, 0, 0), due_ms) ||
           err_set(tx->err, ERR_INTERNAL, "A deadline is not a time.");
}
