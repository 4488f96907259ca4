#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/chat.h"
#include "core/docket.h"
#include "core/question.h"
#include "core/question_row.h"
#include "core/response.h"
#include "core/template.h"
#include "core/who_answers.h"

#include <math.h>
#include <string.h>

#define RATE_SPAN_MS 60000
#define BODY_CHARS   280

struct asking {
    struct db *db;
    struct arena *arena;
    const struct caller *caller;
    int64_t now_ms;
    struct question_wish wish; /* with what the template adds */
    struct question *question; /* being made */
};

/* Templates */

static void take_text(const char **into, const json_t *from, const char *name)
{
    if (!*into)
        *into = json_string_value(json_object_get(from, name));
}

static void take_json(const json_t **into, const json_t *from, const char *name)
{
    const json_t *value = json_object_get(from, name);

    if (!*into && value && !json_is_null(value))
        *into = value;
}

/* What is said with the question wins over what the template says. */
static void take_template(struct question_wish *wish, const json_t *filled)
{
    const json_t *minutes = json_object_get(filled, "timeoutMinutes");

    take_text(&wish->question, filled, "question");
    take_text(&wish->type, filled, "type");
    take_text(&wish->response_type, filled, "responseType");
    take_text(&wish->required_role, filled, "requiredRole");
    take_json(&wish->options, filled, "options");
    take_json(&wish->context, filled, "context");
    take_json(&wish->default_response, filled, "defaultResponse");
    wish->allow_other |= json_is_true(json_object_get(filled, "allowOther"));
    if (!wish->has_timeout && json_is_number(minutes)) {
        wish->has_timeout = true;
        wish->timeout_minutes = json_number_value(minutes);
    }
    if (!wish->required_approvals)
        wish->required_approvals = json_integer_value(json_object_get(filled, "requiredApprovals"));
}

/* Checks */

static bool check_texts(struct asking *asking, struct err *err)
{
    const struct question_wish *wish = &asking->wish;
    struct question *question = asking->question;

    if (!wish->question)
        return err_field(err, "question", "question is required.");
    if (!wish->type)
        return err_field(err, "type", "type is required.");
    if (!wish->response_type)
        return err_field(err, "responseType", "responseType is required.");
    question->question = str_sanitise(asking->arena, wish->question);
    question->type = arena_text(asking->arena, wish->type);
    question->response_type = arena_text(asking->arena, wish->response_type);
    question->template = wish->template;
    return chat_check_text("question", question->question, err);
}

static bool check_size(const json_t *value, const char *field, struct err *err)
{
    if (!value || json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY) <= LIMIT_CONTEXT)
        return true;
    return err_field(err, field, "%s is too large: at most %d bytes.", field, LIMIT_CONTEXT);
}

/* An action's args are what will be done: they are shown and kept exactly as they are proposed. */
static bool check_action(struct asking *asking, struct err *err)
{
    const json_t *action = asking->wish.action;

    if (!action)
        return true;
    if (!json_is_string(json_object_get(action, "name")) ||
        str_is_blank(json_string_value(json_object_get(action, "name"))))
        return err_field(err, "action", "action must have a name.");
    if (!str_equal(asking->question->response_type, "approval"))
        return err_field(err, "action", "Only a question that is answered by an approval has an action.");
    if (!check_size(action, "action", err))
        return false;
    asking->question->action = json_dump_text(asking->arena, action);
    return true;
}

static bool check_contents(struct asking *asking, struct err *err)
{
    const struct question_wish *wish = &asking->wish;
    struct question *question = asking->question;

    if (!check_size(wish->context, "context", err) || !check_size(wish->metadata, "metadata", err) ||
        !response_options(asking->arena, wish->options, "options", &question->options, err))
        return false;
    if (str_equal(question->response_type, "choice") && json_array_size(wish->options) == 0)
        return err_field(err, "options", "A choice needs options.");
    question->context = response_clean(asking->arena, wish->context);
    question->metadata = response_clean(asking->arena, wish->metadata);
    question->allow_other = wish->allow_other;
    question->allow_default_approve = wish->allow_default_approve;
    return check_action(asking, err);
}

/*
 * Silence is never consent. For an approval every default but a plain no could be taken for one, so it must
 * have been allowed in so many words.
 */
static bool check_consent(const struct question *question, const struct response *given, struct err *err)
{
    bool approval = str_equal(question->type, "approval");

    if (question->allow_default_approve || given->is_false)
        return true;
    if (!approval && !(str_equal(question->response_type, "approval") && given->is_true))
        return true;
    err_field(err, "defaultResponse", "An approval must not be given by silence.");
    return err_hint(err, "Set allowDefaultApprove to true if nobody's answer shall count as a yes.");
}

static bool check_default(struct asking *asking, struct err *err)
{
    struct question *question = asking->question;
    const json_t *wanted = asking->wish.default_response;
    struct response given;
    JSON_AUTO *options = NULL;

    if (!wanted)
        return question_blocks(question) ||
               err_field(err, "defaultResponse",
                         "A non-blocking question needs a defaultResponse: the agent goes on with it.");
    if (question->options && !json_parse(question->options, strlen(question->options), &options, err))
        return false;
    if (!response_check(asking->arena,
                        &(struct response_rules){ .response_type = question->response_type,
                                                  .options = options,
                                                  .allow_other = question->allow_other },
                        wanted, "defaultResponse", &given, err) ||
        !check_consent(question, &given, err))
        return false;
    question->default_response = given.json;
    return true;
}

static int64_t usual_timeout_ms(const struct question *question)
{
    if (str_equal(question->type, "blocking"))
        return QUESTION_BLOCKING_MS;
    if (str_equal(question->type, "approval"))
        return QUESTION_APPROVAL_MS;
    return str_equal(question->type, "error_recovery") ? QUESTION_ERROR_MS : 0;
}

static bool check_timeout(struct asking *asking, struct err *err)
{
    int64_t least = settings()->questions_min_timeout_ms;
    struct question *question = asking->question;
    int64_t ms = usual_timeout_ms(question);

    if (asking->wish.has_timeout) {
        double wanted = asking->wish.timeout_minutes * 60000.0;

        if (!(wanted >= (double)least && wanted <= (double)QUESTION_MAX_MS))
            return err_field(err, "timeoutMinutes", "timeoutMinutes must be from %g to %d.",
                             (double)least / 60000.0, (int)(QUESTION_MAX_MS / 60000));
        ms = (int64_t)llround(wanted);
    }
    if (ms > 0) {
        question->due_ms = asking->now_ms + ms;
        question->timeout_at = clock_text(asking->arena, question->due_ms);
    }
    return true;
}

static bool check_approvals(struct asking *asking, struct err *err)
{
    struct question *question = asking->question;
    int64_t need = asking->wish.required_approvals ? asking->wish.required_approvals : 1;
    bool binary = str_equal(question->response_type, "approval") ||
                  (str_equal(question->type, "approval") && str_equal(question->response_type, "boolean"));

    if (need < 1 || need > QUESTION_APPROVALS_MAX)
        return err_field(err, "requiredApprovals", "requiredApprovals must be from 1 to %d.",
                         QUESTION_APPROVALS_MAX);
    if (need > 1 && !binary)
        return err_field(err, "requiredApprovals", "Only an approval can need several people.");
    question->required_approvals = need;
    return true;
}

static bool find_person(struct asking *asking, const char *field, const char *name, const char **id,
                        struct err *err)
{
    struct db_rows rows;

    *id = NULL;
    if (!name)
        return true;
    if (asking->caller->kind == CALLER_LOCAL && str_equal(name, "local")) {
        *id = "local";
        return true;
    }
    if (!db_query(asking->db, asking->arena, SQL_QUESTION_PERSON,
                  DB_ARGS(db_text(asking->caller->workspace_id), db_text(name),
                          db_text(str_fold(asking->arena, name))),
                  &rows, err))
        return false;
    if (rows.count == 0)
        return err_field(err, field, "%s names nobody who can answer in this workspace.", field);
    *id = db_cell(&rows, 0, 0);
    return true;
}

static bool check_parent(struct asking *asking, struct err *err)
{
    struct question parent;
    struct err missing = { 0 };

    if (!asking->wish.parent_id)
        return true;
    if (!question_load(asking->db, asking->arena, asking->caller->workspace_id, asking->wish.parent_id,
                       &parent, &missing)) {
        if (missing.code == ERR_NOT_FOUND)
            return err_field(err, "parentId", "parentId names no question of this workspace.");
        *err = missing;
        return false;
    }
    asking->question->parent_id = parent.id;
    return true;
}

/* A logged-in user who asks for an approval is not the one to give it. */
static bool check_people(struct asking *asking, struct err *err)
{
    struct question *question = asking->question;
    const struct question_wish *wish = &asking->wish;

    question->required_role = arena_text(asking->arena, wish->required_role);
    if (!find_person(asking, "assignedTo", wish->assigned_to, &question->assigned_to, err) ||
        !find_person(asking, "requestedBy", wish->requested_by, &question->requested_by, err))
        return false;
    if (!question->requested_by && asking->caller->kind == CALLER_USER)
        question->requested_by = asking->caller->id;
    return check_parent(asking, err);
}

static bool make_question(struct asking *asking, const struct job *job, struct err *err)
{
    struct question *question = asking->question;

    *question = (struct question){
        .id = uuid_new(asking->arena),
        .job_id = job->id,
        .workspace_id = job->workspace_id,
        .project_id = job->project_id,
        .status = "pending",
        .created_at = clock_text(asking->arena, asking->now_ms),
        .approvals = "[]",
        .late_answers = "[]",
        .asked_by = job->agent ? job->agent : caller_title(asking->caller),
    };
    if (!check_texts(asking, err) || !check_contents(asking, err) || !check_default(asking, err) ||
        !check_timeout(asking, err) || !check_approvals(asking, err) || !check_people(asking, err))
        return false;
    question->key = question_key(asking->arena, job->workspace_id, question->type, question->question);
    return true;
}

/* Storing and telling */

static bool insert(const struct asking *asking, struct err *err)
{
    const struct question *q = asking->question;

    return db_exec(
        asking->db, asking->arena, SQL_QUESTION_INSERT,
        DB_ARGS(db_text(q->id), db_text(q->job_id), db_text(q->workspace_id), db_text(q->project_id),
                db_text(q->type), db_text(q->question), db_text(q->context), db_text(q->response_type),
                db_text(q->options), db_text(q->timeout_at), db_text(q->default_response),
                db_text(q->metadata), db_text(q->created_at), db_text(q->parent_id), db_int(q->key),
                db_bool(q->allow_other), db_bool(q->allow_default_approve), db_text(q->assigned_to),
                db_text(q->required_role), db_int(q->required_approvals), db_text(q->action),
                db_text(q->asked_by), db_text(q->requested_by), db_text(q->template)),
        NULL, err);
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
    json_text(&out, "type", question->type);
    json_text(&out, "responseType", question->response_type);
    if (question->options)
        json_raw(&out, "options", question->options);
    if (question->context)
        json_raw(&out, "context", question->context);
    json_text(&out, "timeoutAt", question->timeout_at);
    json_map_end(&out);
    json_map_end(&out);
    docket_event(docket, &(struct event){ .workspace_id = question->workspace_id,
                                          .type = "question_asked",
                                          .project_id = question->project_id,
                                          .job_id = question->job_id,
                                          .subject = question->id,
                                          .data = arena_copy(docket->arena, data.bytes, data.len) });
}

static void log_asked(struct docket *docket, struct job *job, const struct question *question)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "type", question->type);
    json_text(&out, "timeoutAt", question->timeout_at);
    json_map_end(&out);
    docket_log(docket, job, "question", "info", question->question,
               arena_copy(docket->arena, data.bytes, data.len));
}

/* Asks those who may answer: one row for all of them, or one for each who is named. */
static bool notify(struct docket *docket, const struct question *question, struct err *err)
{
    bool approval = str_equal(question->type, "approval");
    const char *const *people;
    size_t count;
    struct notification notification = {
        .workspace_id = question->workspace_id,
        .project_id = question->project_id,
        .user_id = str_equal(question->assigned_to, "local") ? NULL : question->assigned_to,
        .kind = approval                                      ? "approval"
                : str_equal(question->type, "error_recovery") ? "error"
                                                              : "question",
        .priority = question_blocks(question) ? "high" : "low",
        .title =
            arena_format(docket->arena, approval ? "%s needs your approval" : "%s asks", question->asked_by),
        .body = str_beginning(docket->arena, question->question, BODY_CHARS),
        .ref_type = "question",
        .ref_id = question->id,
        .roles = who_answers_roles(question),
    };

    if (notification.user_id) {
        docket_notify(docket, &notification);
        return true;
    }
    if (!who_answers_people(docket->db, docket->arena, question, &people, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        notification.user_id = people[i];
        docket_notify(docket, &notification);
    }
    if (count == 0)
        docket_notify(docket, &notification);
    return true;
}

static bool put_question(struct asking *asking, struct docket *docket, struct job *job, struct err *err)
{
    const struct question *question = asking->question;

    if (!insert(asking, err))
        return false;
    log_asked(docket, job, question);
    tell_asked(docket, question);
    docket_added(docket, job, question);
    return notify(docket, question, err) && docket_close(docket, err);
}

/* An answer to a non-blocking question is kept as the preference for the next time it is asked. */
static bool find_preference(struct asking *asking, struct question_preference *preference, struct err *err)
{
    struct question *earlier;
    size_t count;

    *preference = (struct question_preference){ 0 };
    if (question_blocks(asking->question))
        return true;
    if (!question_precedents(asking->db, asking->arena, asking->question, 1, &earlier, &count, err))
        return false;
    if (count > 0)
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

/* A job that asks in a loop must not bury the people. The owner alone at home may do as they like. */
static bool check_rate(struct asking *asking, const struct docket *docket, const struct job *job,
                       struct err *err)
{
    struct db_rows rows;
    int64_t open = 0;

    if (asking->caller->kind == CALLER_LOCAL)
        return true;
    for (size_t i = 0; i < docket->question_count; i++)
        open += question_is_open(&docket->questions[i]);
    if (open >= settings()->questions_open)
        return too_many(err, 60, "This job has %lld open questions already: wait for answers first.", open);
    if (!db_query(asking->db, asking->arena, SQL_QUESTION_COUNT_ASKED,
                  DB_ARGS(db_text(job->id), db_text(clock_text(asking->arena, asking->now_ms - RATE_SPAN_MS)),
                          db_text(clock_text(asking->arena, asking->now_ms))),
                  &rows, err))
        return false;
    return db_cell_int(&rows, 0, 0) < settings()->questions_rate ||
           too_many(err, 60, "This job asks too often: at most %lld questions a minute.",
                    settings()->questions_rate);
}

static bool ask_in(struct asking *asking, const char *job_id, struct err *err)
{
    struct docket docket;
    struct job *job;

    if (!docket_of_job(&docket, asking->db, asking->arena, asking->now_ms, asking->caller->workspace_id,
                       job_id, err))
        return false;
    job = docket_job(&docket, job_id);
    if (!job || !caller_sees_project(asking->caller, job->project_id))
        return job_not_found(err);
    if (!job_may_drive(asking->caller, job, err))
        return false;
    if (!job_is_open(job))
        return err_set(err, ERR_CONFLICT, "This job has already ended: %s.", job->status);
    return make_question(asking, job, err) && check_rate(asking, &docket, job, err) &&
           put_question(asking, &docket, job, err);
}

static bool ask_alone(struct asking *asking, struct job *job, struct err *err)
{
    struct docket docket;

    job->kind = "question";
    job->status = "running";
    job->lone = true;
    if (!job_begin(asking->db, asking->arena, asking->caller, asking->now_ms, job, err) ||
        !make_question(asking, job, err) || !job_insert(asking->db, asking->arena, job, err))
        return false;
    docket_of_new(&docket, asking->db, asking->arena, asking->now_ms, job);
    return put_question(asking, &docket, job, err);
}

static bool ask(struct asking *asking, const char *job_id, struct job *job,
                struct question_preference *preference, struct err *err)
{
    JSON_AUTO *filled = NULL;

    if (asking->wish.template) {
        if (!template_fill(asking->db, asking->arena, asking->caller->workspace_id, asking->wish.template,
                           asking->wish.options != NULL, &filled, err))
            return false;
        take_template(&asking->wish, filled);
    }
    return (job_id ? ask_in(asking, job_id, err) : ask_alone(asking, job, err)) &&
           find_preference(asking, preference, err);
}

bool question_ask(struct db *db, struct arena *arena, const struct caller *caller, const char *job_id,
                  int64_t now_ms, const struct question_wish *wish, struct question *question,
                  struct question_preference *preference, struct err *err)
{
    struct asking asking = { db, arena, caller, now_ms, *wish, question };

    return ask(&asking, job_id, NULL, preference, err);
}

bool question_ask_alone(struct db *db, struct arena *arena, const struct caller *caller, int64_t now_ms,
                        const struct question_wish *wish, struct job *job, struct question *question,
                        struct question_preference *preference, struct err *err)
{
    struct asking asking = { db, arena, caller, now_ms, *wish, question };

    return ask(&asking, NULL, job, preference, err);
}
