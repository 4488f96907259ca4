/*
 * Checks in the order in which the parts depend on each other: a default can only be judged once the response
 * type and the options are known. What a template fills in goes through the same checks as what an agent
 * says.
 */
#include "core/questions/question_make.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "base/uuid.h"
#include "core/chat/chat.h"
#include "core/questions/answer_rights.h"
#include "core/questions/answer_shape.h"
#include "core/questions/response.h"

#include <math.h>
#include <string.h>

static void take_text(const char **into, const json_t *from, const char *name)
{
    if (!*into)
        *into = json_string_value(json_object_get(from, name));
}

/* 0: not there, or none of the words. */
static unsigned word_in(const json_t *from, const char *name, const char *const words[])
{
    unsigned value = words_find(words, json_string_value(json_object_get(from, name)));

    return value == WORD_UNKNOWN ? 0 : value;
}

static void take_json(const json_t **into, const json_t *from, const char *name)
{
    const json_t *value = json_object_get(from, name);

    if (!*into && value && !json_is_null(value))
        *into = value;
}

void question_take_template(struct question_wish *wish, const json_t *filled)
{
    const json_t *minutes = json_object_get(filled, "timeoutMinutes");

    take_text(&wish->question, filled, "question");
    if (!wish->type)
        wish->type = word_in(filled, "type", question_types);
    if (!wish->response_type)
        wish->response_type = word_in(filled, "responseType", response_types);
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

static bool check_texts(struct asking *asking)
{
    const struct question_wish *wish = &asking->wish;
    struct question *question = asking->question;

    if (!wish->question)
        return err_field(asking->tx->err, "question", "question is required.");
    if (!wish->type)
        return err_field(asking->tx->err, "type", "type is required.");
    if (!wish->response_type)
        return err_field(asking->tx->err, "responseType", "responseType is required.");
    question->question = str_sanitise(asking->tx->arena, wish->question);
    question->type = wish->type;
    question->response_type = wish->response_type;
    question->template = wish->template;
    return chat_check_text("question", question->question, asking->tx->err);
}

static bool check_size(const json_t *value, const char *field, struct err *err)
{
    if (!value || json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY) <= LIMIT_CONTEXT)
        return true;
    return err_field(err, field, "%s is too large: at most %d bytes.", field, LIMIT_CONTEXT);
}

/* An action's args are what will be done: they are shown and kept exactly as they are proposed. */
static bool check_action(struct asking *asking)
{
    const json_t *action = asking->wish.action;

    if (!action)
        return true;
    if (!json_is_string(json_object_get(action, "name")) ||
        str_is_blank(json_string_value(json_object_get(action, "name"))))
        return err_field(asking->tx->err, "action", "action must have a name.");
    if (asking->question->response_type != RESPONSE_APPROVAL)
        return err_field(asking->tx->err, "action",
                         "Only a question that is answered by an approval has an action.");
    if (!check_size(action, "action", asking->tx->err) ||
        !answer_shape_is_schema(action, ACTION_SCHEMA, "action", asking->tx->err))
        return false;
    asking->question->action = json_dump_text(asking->tx->arena, action);
    return true;
}

/* Of an answer that is no text nobody would hold anything against it. */
static bool check_form(struct asking *asking)
{
    const json_t *context = asking->wish.context;

    if (json_object_get(context, CONTEXT_SCHEMA) && asking->question->response_type != RESPONSE_TEXT)
        return err_field(asking->tx->err, "context",
                         "Only a question that is answered by a text has an answerSchema.");
    return answer_shape_is_schema(context, CONTEXT_SCHEMA, "context", asking->tx->err);
}

static bool check_contents(struct asking *asking)
{
    const struct question_wish *wish = &asking->wish;
    struct question *question = asking->question;

    if (!check_size(wish->context, "context", asking->tx->err) ||
        !check_size(wish->metadata, "metadata", asking->tx->err) ||
        !response_options(asking->tx->arena, wish->options, "options", &question->options, asking->tx->err))
        return false;
    if (question->response_type == RESPONSE_CHOICE && json_array_size(wish->options) == 0)
        return err_field(asking->tx->err, "options", "A choice needs options.");
    if (!check_form(asking))
        return false;
    question->context = response_clean(asking->tx->arena, wish->context);
    question->metadata = response_clean(asking->tx->arena, wish->metadata);
    question->allow_other = wish->allow_other;
    question->allow_default_approve = wish->allow_default_approve;
    return check_action(asking);
}

/*
 * Silence is never consent. For an approval every default but a plain no could be taken for one, so it must
 * have been allowed in so many words.
 */
static bool check_consent(const struct question *question, const struct response *given, struct err *err)
{
    if (question->allow_default_approve || given->is_false)
        return true;
    if (!question_traits(question->type)->consents &&
        !(question->response_type == RESPONSE_APPROVAL && given->is_true))
        return true;
    err_field(err, "defaultResponse", "An approval must not be given by silence.");
    return err_hint(err, "Set allowDefaultApprove to true if silence is to count as a yes.");
}

static bool check_default(struct asking *asking)
{
    struct question *question = asking->question;
    const json_t *wanted = asking->wish.default_response;
    struct response given;
    JSON_AUTO *options = NULL;

    if (!wanted)
        return question_blocks(question) ||
               err_field(asking->tx->err, "defaultResponse",
                         "A non-blocking question needs a defaultResponse: the agent goes on with it.");
    if (question->options &&
        !json_parse(question->options, strlen(question->options), &options, asking->tx->err))
        return false;
    if (!response_check(
            asking->tx->arena,
            &(struct response_rules){ .response_type = question->response_type,
                                      .options = options,
                                      .allow_other = question->allow_other,
                                      .form = json_object_get(asking->wish.context, CONTEXT_SCHEMA) },
            wanted, "defaultResponse", &given, asking->tx->err) ||
        !check_consent(question, &given, asking->tx->err))
        return false;
    question->default_response = given.json;
    return true;
}

static bool check_timeout(struct asking *asking)
{
    int64_t least = settings()->questions_min_timeout_ms, most = settings()->questions_max_timeout_ms;
    struct question *question = asking->question;
    int64_t ms = question_traits(question->type)->usual_ms;

    if (asking->wish.open_ms > 0) {
        ms = asking->wish.open_ms;
    } else if (asking->wish.has_timeout) {
        double wanted = asking->wish.timeout_minutes * 60000.0;

        if (!(wanted >= (double)least && wanted <= (double)most))
            return err_field(asking->tx->err, "timeoutMinutes",
                             "timeoutMinutes must be from %g to %g minutes.", (double)least / 60000.0,
                             (double)most / 60000.0);
        ms = (int64_t)llround(wanted);
    }
    if (ms > 0) {
        question->due_ms = asking->tx->now_ms + ms;
        question->timeout_at = clock_text(asking->tx->arena, question->due_ms);
    }
    return true;
}

static bool check_approvals(struct asking *asking)
{
    struct question *question = asking->question;
    int64_t need = asking->wish.required_approvals ? asking->wish.required_approvals : 1;

    if (need < 1 || need > QUESTION_APPROVALS_MAX)
        return err_field(asking->tx->err, "requiredApprovals", "requiredApprovals must be from 1 to %d.",
                         QUESTION_APPROVALS_MAX);
    if (need > 1 && !question_counts_approvals(question)) {
        err_field(asking->tx->err, "requiredApprovals",
                  "Several people can only agree to an approval that is answered by yes or no.");
        return err_hint(asking->tx->err, "Ask it with the responseType approval.");
    }
    question->required_approvals = need;
    return true;
}

static bool check_parent(struct asking *asking)
{
    struct question parent;
    struct err missing = { 0 };
    struct tx looking = tx_with_err(asking->tx, &missing);

    if (!asking->wish.parent_id)
        return true;
    if (!question_load(&looking, looking.caller->workspace_id, asking->wish.parent_id, &parent)) {
        if (missing.code == ERR_NOT_FOUND)
            return err_field(asking->tx->err, "parentId", "parentId names no question of this workspace.");
        *asking->tx->err = missing;
        return false;
    }
    if (!caller_sees_project(asking->tx->caller, parent.project_id))
        return err_field(asking->tx->err, "parentId", "parentId names no question of this workspace.");
    asking->question->parent_id = parent.id;
    return true;
}

/* A logged-in user who asks for an approval is not the one to give it. */
static bool check_people(struct asking *asking)
{
    struct question *question = asking->question;
    const struct question_wish *wish = &asking->wish;

    const struct tx *tx = asking->tx;
    struct caller assignee, requester;

    question->required_role = arena_text(tx->arena, wish->required_role);
    if (wish->requested_by) {
        if (!answer_rights_person(tx, "requestedBy", wish->requested_by, &requester))
            return false;
        question->requested_by = requester.id;
    } else if (tx->caller->kind == CALLER_USER) {
        question->requested_by = tx->caller->id;
    }
    if (wish->assigned_to) {
        if (!answer_rights_person(tx, "assignedTo", wish->assigned_to, &assignee) ||
            !answer_rights_assignee(tx, "assignedTo", question, &assignee))
            return false;
        question->assigned_to = assignee.id;
        question->assignee = assignee.name;
    }
    return check_parent(asking);
}

bool question_make(struct asking *asking, const struct job *job)
{
    struct question *question = asking->question;

    *question = (struct question){
        .id = uuid_new(asking->tx->arena),
        .job_id = job->id,
        .workspace_id = job->workspace_id,
        .project_id = job->project_id,
        .status = QUESTION_PENDING,
        .created_at = clock_text(asking->tx->arena, asking->tx->now_ms),
        .approvals = "[]",
        .late_answers = "[]",
        .asked_by = job->agent ? job->agent : actor_of(asking->tx->caller).name,
        .asked_by_id = asking->tx->caller->id,
    };
    if (!check_texts(asking) || !check_contents(asking) || !check_default(asking) || !check_timeout(asking) ||
        !check_approvals(asking) || !check_people(asking))
        return false;
    question->key = question_key(asking->tx->arena, job->workspace_id, question->type, question->question);
    return true;
}
