#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/questions/answer_rights.h"
#include "core/questions/docket.h"
#include "core/questions/question.h"
#include "core/questions/question_row.h"

#include <math.h>
#include <string.h>

#define DROP_BATCH 200

/* The docket of one question, with what it says there. One that ended earlier is loaded beside it. */
static bool open_one(struct docket *docket, struct db *db, struct arena *arena, const struct caller *caller,
                     const char *id, int64_t now_ms, struct question **question, struct err *err)
{
    if (!docket_of_questions(docket, db, arena, now_ms, caller->workspace_id, &id, 1, err))
        return false;
    *question = docket_question(docket, id);
    if (!*question) {
        *question = arena_new(arena, struct question);
        if (!question_load(db, arena, caller->workspace_id, id, *question, err))
            return false;
    }
    return caller_sees_project(caller, (*question)->project_id) || question_not_found(err);
}

/* The first to end it wins; whoever comes later learns how it ended. */
static bool must_be_open(struct arena *arena, const struct question *question, struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (question_is_open(question))
        return true;
    json_begin(&out, &text);
    json_text(&out, "status", question->status);
    question_write_outcome(question, "outcome", &out);
    err_set(err, ERR_CONFLICT, "This question has already ended: %s.", question->status);
    err->detail = arena_copy(arena, text.bytes, text.len);
    return false;
}

bool question_cancel(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                     int64_t now_ms, const char *reason, bool *job_resumed, struct err *err)
{
    struct docket docket;
    struct question *question;

    if (!open_one(&docket, db, arena, caller, id, now_ms, &question, err) ||
        !job_may_drive(caller, docket_job(&docket, question->job_id), err) ||
        !question_may_end(caller, docket_job(&docket, question->job_id), question, err) ||
        !must_be_open(arena, question, err))
        return false;
    *job_resumed = docket_end(
        &docket, question,
        &(struct ending){
            .status = "cancelled", .source = "cancelled", .by = caller_title(caller), .reason = reason });
    return docket_close(&docket, err);
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
                       &(struct ending){ .status = "cancelled",
                                         .source = "cancelled",
                                         .by = caller_title(caller),
                                         .reason = "The project was deleted." });
    }
    return dropped;
}

bool question_drop_project(struct db *db, struct arena *arena, const struct caller *caller,
                           const char *project_id, int64_t now_ms, struct err *err)
{
    for (;;) {
        struct docket docket;
        struct db_rows rows;

        if (!db_query(db, arena, SQL_QUESTION_OPEN_IN_PROJECT,
                      DB_ARGS(db_text(project_id), db_int(DROP_BATCH)), &rows, err))
            return false;
        if (rows.count == 0)
            return true;
        const char **ids = arena_array(arena, const char *, rows.count);

        for (size_t i = 0; i < rows.count; i++)
            ids[i] = db_cell(&rows, i, 0);
        if (!docket_of_questions(&docket, db, arena, now_ms, caller->workspace_id, ids, rows.count, err))
            return false;
        if (drop_some(&docket, caller, ids, rows.count) == 0)
            return err_set(err, ERR_INTERNAL, "The open questions of a project were not found.");
        if (!docket_close(&docket, err))
            return false;
    }
}

/* Moving deadlines */

static void set_due(struct docket *docket, struct question *question, int64_t due_ms)
{
    question->due_ms = due_ms;
    question->timeout_at = clock_text(docket->arena, due_ms);
    docket_changed(docket, question);
}

static void tell_moved(struct docket *docket, const struct question *question, const char *type,
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
                                          .data = arena_copy(docket->arena, data.bytes, data.len) });
}

/* A time that nobody can read allows no extension. */
static int64_t latest_due(const struct question *question)
{
    int64_t created_ms;

    return clock_parse(question->created_at, &created_ms) ? created_ms + QUESTION_MAX_MS : question->due_ms;
}

bool question_extend(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                     int64_t now_ms, double minutes, struct question *question, struct err *err)
{
    struct docket docket;
    struct question *found;
    int64_t latest_ms;
    double due;

    if (!open_one(&docket, db, arena, caller, id, now_ms, &found, err) ||
        !job_may_drive(caller, docket_job(&docket, found->job_id), err) ||
        !question_may_end(caller, docket_job(&docket, found->job_id), found, err) ||
        !must_be_open(arena, found, err))
        return false;
    if (found->due_ms == 0)
        return err_set(err, ERR_CONFLICT, "This question has no deadline.");
    latest_ms = latest_due(found);
    due = (double)found->due_ms + minutes * 60000.0;
    if (!(minutes > 0) || due > (double)latest_ms)
        return err_field(err, "minutes", "minutes must be from 0 to %lld: 24 hours in all.",
                         (long long)((latest_ms - found->due_ms) / 60000));
    set_due(&docket, found, llround(due));
    docket_log(&docket, docket_job(&docket, found->job_id), "extended", "info",
               arena_format(arena, "%s moved the deadline to %s.", caller_title(caller), found->timeout_at),
               arena_format(arena, "{\"questionId\":\"%s\"}", found->id));
    tell_moved(&docket, found, "question_extended", caller_title(caller));
    *question = *found;
    return docket_close(&docket, err);
}

/*
 * Whoever is typing shall be able to finish the sentence. A few times only, or an open tab would keep a
 * question alive for ever.
 */
bool question_draft(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                    int64_t now_ms, struct question *question, struct err *err)
{
    struct docket docket;
    struct question *found;

    if (!open_one(&docket, db, arena, caller, id, now_ms, &found, err) ||
        !who_answers_one(db, arena, caller, found, err) || !must_be_open(arena, found, err))
        return false;
    found->draft_by = caller->name;
    found->draft_at = docket.now;
    docket_changed(&docket, found);
    if (found->due_ms != 0 && found->due_ms < now_ms + QUESTION_DRAFT_MS &&
        found->draft_moves < QUESTION_DRAFT_MOVES) {
        found->draft_moves++;
        set_due(&docket, found, now_ms + QUESTION_DRAFT_MS);
    }
    tell_moved(&docket, found, "question_draft", caller->name);
    *question = *found;
    return docket_close(&docket, err);
}

/* Starting again */

bool question_late_settles(const struct question *question, bool is_yes, const char *by)
{
    if (!str_equal(question->type, "approval") || !is_yes)
        return true;
    return question->required_approvals <= 1 &&
           (str_equal(by, "local") || !str_equal(by, question->requested_by));
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
        return err_set(err, ERR_CONFLICT, "No answer came too late: there is nothing to start again with.");
    if (!question->restart_job_id) {
        err_set(err, ERR_CONFLICT, "The late answers do not settle this question.");
        return err_hint(err, "Begin a new job and ask again.");
    }
    err_set(err, ERR_CONFLICT, "A late answer to this question has already started a job.");
    err->detail = arena_format(arena, "\"jobId\":\"%s\"", question->restart_job_id);
    return false;
}

bool question_restart(struct db *db, struct arena *arena, const struct caller *caller, const char *id,
                      int64_t now_ms, struct job *job, struct err *err)
{
    struct docket docket, started;
    struct question *question;
    struct job before;
    const char *answer;

    if (!open_one(&docket, db, arena, caller, id, now_ms, &question, err) ||
        !job_get(db, arena, caller, question->job_id, 0, &before, err) ||
        !job_may_drive(caller, &before, err))
        return false;
    answer = late_answer(arena, question);
    if (question->restart_job_id || !answer)
        return refuse_restart(arena, question, err);
    *job = (struct job){
        .kind = before.kind,
        .agent = before.agent,
        .status = "pending",
        .project_id = before.project_id,
        .task_id = before.task_id,
        .input = before.input,
        .restart_of = before.id,
        .restart_answer = answer,
    };
    if (!job_begin(db, arena, caller, now_ms, job, err) || !job_insert(db, arena, job, err))
        return false;
    question->restart_job_id = job->id;
    docket_changed(&docket, question);
    docket_log(&docket, docket_job(&docket, question->job_id), "restart", "info",
               arena_format(arena, "%s started a new job with the late answer.", caller_title(caller)),
               arena_format(arena, "{\"questionId\":\"%s\",\"jobId\":\"%s\"}", question->id, job->id));
    docket_of_new(&started, db, arena, now_ms, job);
    docket_log(&started, job, "restart", "info", "Started again with an answer that came too late.", answer);
    return docket_close(&docket, err) && docket_close(&started, err);
}

/* For the timer */

bool question_sweep(struct db *db, struct arena *arena, int64_t now_ms, size_t limit, size_t *ended,
                    struct err *err)
{
    struct docket docket;

    return docket_of_due(&docket, db, arena, now_ms, limit, ended, err) && docket_close(&docket, err);
}

bool question_next_due(struct db *db, struct arena *arena, int64_t *due_ms, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_QUESTION_NEXT_DUE, DB_NO_ARGS, &rows, err))
        return false;
    *due_ms = 0;
    return rows.count == 0 || clock_parse(db_cell(&rows, 0, 0), due_ms) ||
           err_set(err, ERR_INTERNAL, "A deadline is not a time.");
}
