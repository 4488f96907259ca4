/*
 * What a tool asks people while it runs. One thing at a time for each call: the call's row says which. The
 * question is the job's; its answer is handed to the tool by whoever holds the run, and if that node dies the
 * tool is gone with it, so that nothing has to be kept beyond the row.
 */
#include "base/limits.h"
#include "base/settings.h"
#include "core/questions/question.h"
#include "core/runs/moving.h"

#include <string.h>

#define MS_OF_MINUTE 60000.0

static json_t *parsed(const char *text)
{
    struct err ignored = { 0 };
    json_t *value = NULL;

    return text && json_parse(text, strlen(text), &value, &ignored) ? value : NULL;
}

/* A form has members; one of a single text is answered by a text, any other by JSON in a text, or a no. */
static enum response_type form_of(const json_t *schema)
{
    return json_object_size(json_object_get(schema, "properties")) > 0 ? RESPONSE_TEXT : RESPONSE_BOOLEAN;
}

bool run_call_ask(const struct tx *tx, const struct run_ref *ref, const char *call_id,
                  const struct tool_elicitation *asked)
{
    JSON_AUTO *schema = parsed(asked->schema);
    JSON_AUTO *context = NULL, *metadata = NULL;
    struct question_preference preference;
    struct question question;
    struct run_call *call;
    struct moving m;

    if (!moving_enter(tx, ref, &m) || !moving_load_calls(&m))
        return false;
    call = moving_call(&m, call_id);
    if (!call || call->state != CALL_RUNNING || call->epoch != ref->epoch) {
        err_set(tx->err, ERR_NOT_FOUND, "This call does not run.");
        return holding_gone(tx);
    }
    if (call->elicitation)
        return err_set(tx->err, ERR_CONFLICT, "This call already waits for an answer of people.");
    context = json_pack("{s:s}", "tool", call->name);
    metadata = json_pack("{s:s}", "callId", call->id);
    if (schema)
        json_object_set(context, "schema", schema);
    if (asked->url)
        json_object_set_new(context, "url", json_string(asked->url));
    struct question_wish wish = {
        .question = moving_clean(&m, asked->message, LIMIT_CONTEXT / 2),
        .type = QUESTION_BLOCKING,
        .response_type = form_of(schema),
        .context = context,
        .metadata = metadata,
        .has_timeout = true,
        .timeout_minutes = (double)settings()->questions_max_timeout_ms / MS_OF_MINUTE,
    };

    if (!moving_flush(&m) || !question_ask(&m.as, ref->job_id, &wish, &question, &preference))
        return false;
    return tx_exec(
        tx, SQL_RUN_CALL_ELICIT,
        DB_ARGS(db_text(call_id), db_text(moving_clean(&m, asked->id, LIMIT_REF)), db_text(question.id)),
        NULL);
}

/* A text that is JSON is the form itself; any other text fills the form's only member, or its first. */
static const char *content_of(const struct tx *tx, const struct question *question, const char *value)
{
    JSON_AUTO *given = parsed(value), *context = parsed(question->context);
    const char *name = json_object_iter_key(
        json_object_iter(json_object_get(json_object_get(context, "schema"), "properties")));

    if (json_is_object(given))
        return json_dump_text(tx->arena, given);
    JSON_AUTO *form = json_object();

    json_object_set_new(form, name ? name : "value",
                        given && !json_is_string(given) ? json_incref(given) : json_string(value));
    return json_dump_text(tx->arena, form);
}

static void read_answer(const struct tx *tx, const struct question *question, struct run_answered *answered)
{
    JSON_AUTO *response = parsed(question->response);
    const json_t *value = json_object_get(response, "value");

    answered->answer = TOOL_CANCEL;
    if (question->status != QUESTION_ANSWERED)
        return;
    if (json_is_boolean(value)) {
        answered->answer = json_is_true(value) ? TOOL_ACCEPT : TOOL_DECLINE;
        answered->content = "{}";
    } else if (json_is_string(value)) {
        answered->answer = TOOL_ACCEPT;
        answered->content = content_of(tx, question, json_string_value(value));
    }
}

bool run_call_answers(const struct tx *tx, const struct run_ref *ref, struct run_answered **list,
                      size_t *count)
{
    struct moving m;

    *count = 0;
    if (!moving_enter(tx, ref, &m) || !moving_load_calls(&m) || !moving_flush(&m))
        return false;
    *list = arena_array(tx->arena, struct run_answered, m.call_count + 1);
    for (size_t i = 0; i < m.call_count; i++) {
        struct run_call *call = m.calls[i];
        struct question question;

        if (!call->elicitation || call->state != CALL_RUNNING)
            continue;
        if (!question_get(&m.as, call->question_id, &question))
            return false;
        if (question_is_open(&question))
            continue;
        (*list)[*count] = (struct run_answered){ .call_id = call->id, .elicitation = call->elicitation };
        read_answer(tx, &question, &(*list)[(*count)++]);
        if (!tx_exec(tx, SQL_RUN_CALL_ELICIT, DB_ARGS(db_text(call->id), db_text(NULL), db_text(NULL)), NULL))
            return false;
    }
    return true;
}
