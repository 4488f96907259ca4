/*
 * What a tool asks people while it runs. One thing at a time for each call: the call's row says which. The
 * question is the job's; its answer is handed to the tool by whoever holds the run, and if that node dies the
 * tool is gone with it, so that nothing has to be kept beyond the row.
 */
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/questions/answer_shape.h"
#include "core/questions/question.h"
#include "core/runs/moving.h"

#include <string.h>

#define NOTED     500 /* characters in the trace; the question has all of it */
#define CUT_WORDS 64  /* bytes, at most, of what moving_clean puts behind what it has cut */

static json_t *parsed(const char *text)
{
    struct err ignored = { 0 };
    json_t *value = NULL;

    return text && json_parse(text, strlen(text), &value, &ignored) ? value : NULL;
}

/* A form has members, and is answered by a text (answer_shape.h); without any it is a yes or a no. */
static enum response_type form_of(const json_t *schema)
{
    return json_object_size(json_object_get(schema, "properties")) > 0 ? RESPONSE_TEXT : RESPONSE_BOOLEAN;
}

/* What a question may be, with room for the words that say that it was cut. */
static size_t message_room(void)
{
    size_t most = (size_t)settings()->limits_message - CUT_WORDS;

    return most < LIMIT_CONTEXT / 2 ? most : LIMIT_CONTEXT / 2;
}

/* Its model is told neither what its tool asks nor what people say. */
static void note(struct moving *m, const struct run_call *call, const char *words, const char *verdict,
                 const char *question_id)
{
    moving_people(m, call, str_beginning(m->tx->arena, words, NOTED), verdict, question_id);
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
    if (call->elicitation && str_equal(call->elicitation, moving_clean(&m, asked->id, LIMIT_REF)))
        return moving_flush(&m);
    if (call->elicitation)
        return err_set(tx->err, ERR_CONFLICT, "This call already waits for an answer of people.");
    context = json_pack("{s:s}", "tool", call->name);
    metadata = json_pack("{s:s}", "callId", call->id);
    if (form_of(schema) == RESPONSE_TEXT)
        json_object_set(context, CONTEXT_SCHEMA, schema);
    if (asked->url)
        json_object_set_new(context, "url", json_string(asked->url));
    struct question_wish wish = {
        .question = moving_clean(&m, asked->message, message_room()),
        .type = QUESTION_BLOCKING,
        .response_type = form_of(schema),
        .context = context,
        .metadata = metadata,
        .open_ms = settings()->runner_answer_within_ms,
    };

    if (!moving_flush(&m) || !question_ask(&m.as, ref->job_id, &wish, &question, &preference))
        return false;
    call->elicitation = moving_clean(&m, asked->id, LIMIT_REF);
    note(&m, call, arena_format(tx->arena, "Its tool asks: %s", question.question), "asked", question.id);
    return tx_exec(tx, SQL_RUN_CALL_ELICIT,
                   DB_ARGS(db_text(call_id), db_text(call->elicitation), db_text(question.id)), NULL) &&
           moving_keep(&m);
}

/* What the form was filled with. An answer that does not fit was refused when it was given; NULL: none of
 * that. */
static const char *content_of(const struct tx *tx, const struct question *question, const char *text)
{
    JSON_AUTO *context = parsed(question->context);
    JSON_AUTO *filled = NULL;
    struct err ignored = { 0 };

    return answer_shape_form(tx->arena, json_object_get(context, CONTEXT_SCHEMA), text, "response", &filled,
                             &ignored)
               ? json_dump_text(tx->arena, filled)
               : NULL;
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
        answered->content = content_of(tx, question, json_string_value(value));
        answered->answer = answered->content ? TOOL_ACCEPT : TOOL_CANCEL;
    }
}

static const char *answer_words(const struct tx *tx, const struct question *question)
{
    JSON_AUTO *response = parsed(question->response);
    const json_t *value = json_object_get(response, "value");
    const char *by = question->outcome_by ? question->outcome_by : "Somebody";

    if (question->status != QUESTION_ANSWERED)
        return "Nobody has answered what its tool asked.";
    if (json_is_boolean(value))
        return arena_format(tx->arena, json_is_true(value) ? "%s has said yes." : "%s has said no.", by);
    return arena_format(tx->arena, "%s has answered: %s", by,
                        json_is_string(value) ? json_string_value(value) : "");
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
        note(&m, call, answer_words(tx, &question),
             question.status == QUESTION_ANSWERED ? "answered" : "unanswered", question.id);
        call->elicitation = NULL;
        if (!tx_exec(tx, SQL_RUN_CALL_ELICIT, DB_ARGS(db_text(call->id), db_text(NULL), db_text(NULL)), NULL))
            return false;
    }
    return *count == 0 || moving_keep(&m);
}
