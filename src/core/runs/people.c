/*
 * Where people come in: approvals, which bind to the arguments, and advice on what went wrong. Both are
 * questions of the run's job, asked and answered wherever questions are. They stay open for
 * runner.answer_within; an approval that nobody has given by then is a no.
 */
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/inbox/notification.h"
#include "core/questions/answer_shape.h"
#include "core/questions/question.h"
#include "core/runs/moving.h"

#include <string.h>

#define SCHEMA_SHOWN (16 * KB) /* larger ones, and larger arguments of what failed, are not shown */
#define TEXT_SHOWN   (16 * KB) /* of a description or an error, at most */
#define ARGS_SHOWN   500       /* characters of the arguments in a notification */

/* Nobody approves what they were not shown, so this is told before anybody is asked. */
#define TOO_LARGE_TO_APPROVE \
    "These arguments are too large to be approved by people: at most 64 KB. Do it with smaller ones."
_Static_assert(LIMIT_CONTEXT == 64 * KB, "as the sentence above says");

static json_t *parsed(const char *text)
{
    struct err ignored = { 0 };
    json_t *value = NULL;

    return text && json_parse(text, strlen(text), &value, &ignored) ? value : NULL;
}

/*
 * Asks in the run's name. What must be asked and cannot be is never taken for answered, nor for the model's
 * mistake: the run fails, in words. False only when the store failed.
 */
static bool ask(struct moving *m, struct question_wish *wish, const char **id)
{
    struct question_preference preference;
    struct question question;
    struct err err = { 0 };
    struct tx quiet = tx_with_err(&m->as, &err);

    *id = NULL;
    wish->open_ms = settings()->runner_answer_within_ms;
    if (!moving_flush(m))
        return false;
    if (question_ask(&quiet, m->run.job_id, wish, &question, &preference)) {
        *id = question.id;
        return true;
    }
    if (err.code != ERR_INVALID && err.code != ERR_RATE_LIMITED) {
        *m->tx->err = err;
        return false;
    }
    m->fatal = arena_format(m->tx->arena, "Nobody could be asked: %s %s", wish->question, err.text);
    return true;
}

/* Somebody else's text as one member of a context, so much of it as there is room for. The whole stands in
 * the trace. */
static void put_shown(struct moving *m, json_t *context, const char *name, const char *text)
{
    size_t most = TEXT_SHOWN;

    do {
        json_object_set_new(context, name, json_string(moving_clean(m, text, most)));
        most /= 2;
    } while (json_dumpb(context, NULL, 0, JSON_COMPACT) > LIMIT_CONTEXT && most > 0);
}

/* Approvals */

/* Who decides about a call that is to be run again, and who is told what was decided, know that it was begun.
 */
static const char *of_begun(struct moving *m, const struct run_call *call, const char *words)
{
    return call->attempt == 0
               ? words
               : arena_format(m->tx->arena, "It was begun before, and may have done some of its work. %s",
                              words);
}

bool people_approve(struct moving *m, struct run_call *call, const struct tool *tool, const char *reason)
{
    bool shown = strlen(tool->schema) <= SCHEMA_SHOWN;
    JSON_AUTO *args = parsed(judge_arguments(call)), *schema = shown ? parsed(tool->schema) : NULL;
    JSON_AUTO *action = json_pack("{s:s, s:O}", "name", call->name, "args", args);
    JSON_AUTO *context = json_pack("{s:s}", "tool", call->name);
    JSON_AUTO *metadata = json_pack("{s:s}", "callId", call->id);
    JSON_AUTO *no = json_pack("{s:s, s:b}", "type", "approval", "value", 0);
    struct question_wish wish = {
        .question = arena_format(m->tx->arena, "May %s call %s?", m->run.agent, call->name),
        .type = QUESTION_APPROVAL,
        .response_type = RESPONSE_APPROVAL,
        .action = action,
        .context = context,
        .metadata = metadata,
        .default_response = no,
    };
    const char *id;

    put_shown(m, context, "description", tool->description ? tool->description : "");
    put_shown(m, context, "why", of_begun(m, call, reason));
    if (json_dumpb(action, NULL, 0, JSON_COMPACT) > LIMIT_CONTEXT) {
        moving_done(m, call, OUT_TOO_LARGE, of_begun(m, call, TOO_LARGE_TO_APPROVE), NULL);
        return true;
    }
    if (schema)
        json_object_set(action, ACTION_SCHEMA, schema);
    if (json_dumpb(action, NULL, 0, JSON_COMPACT) > LIMIT_CONTEXT)
        json_object_del(action, ACTION_SCHEMA);
    if (!ask(m, &wish, &id))
        return false;
    if (!id)
        return true;
    call->state = CALL_APPROVAL;
    call->question_id = id;
    call->dirty = true;
    return true;
}

bool people_tell(struct moving *m, const struct run_call *call, const struct tool *tool)
{
    struct docket *docket;
    struct job *job;

    if (!moving_docket(m, &docket, &job))
        return false;
    docket_notify(docket,
                  &(struct notification){
                      .workspace_id = m->run.workspace_id,
                      .project_id = m->run.project_id,
                      .kind = NOTIFICATION_DECISION,
                      .priority = PRIORITY_NORMAL,
                      .title = arena_format(m->tx->arena, "%s goes ahead: %s", m->run.agent, tool->name),
                      .body = str_beginning(m->tx->arena, call->arguments, ARGS_SHOWN),
                      .about = ABOUT_JOB,
                      .ref_id = m->run.job_id,
                  });
    return true;
}

/* What was said with an answer, behind a colon; "" without. */
static const char *words_of(struct moving *m, const json_t *response)
{
    const char *text = json_string_value(json_object_get(response, "text"));

    return text ? arena_format(m->tx->arena, ": %s", text) : "";
}

/* Whether it still may run is judged with all calls that have waited (judge_waited). */
static void approved(struct moving *m, struct run_call *call, const struct question *question)
{
    if (question->approved_args)
        call->approved_arguments = question->approved_args;
    moving_people(m, call,
                  arena_format(m->tx->arena, "%s has approved the call%s.",
                               question->outcome_by ? question->outcome_by : "Somebody",
                               question->approved_args ? " with other arguments" : ""),
                  "approved", call->question_id);
    call->state = CALL_QUEUED;
    call->dirty = true;
}

static void settle_approval(struct moving *m, struct run_call *call, const struct question *question,
                            const json_t *response)
{
    const char *by = question->outcome_by ? question->outcome_by : "somebody";

    if (question->status == QUESTION_ANSWERED && json_is_true(json_object_get(response, "value")))
        approved(m, call, question);
    else if (question->status == QUESTION_ANSWERED && question->outcome_source != OUTCOME_DEFAULT)
        moving_done(
            m, call, OUT_REJECTED,
            of_begun(m, call,
                     arena_format(m->tx->arena, "The call was not approved by %s%s. Do not try it again.", by,
                                  words_of(m, response))),
            NULL);
    else
        moving_done(m, call, OUT_REJECTED,
                    of_begun(m, call, "Nobody has approved the call. Do not try it again."), NULL);
}

/* Advice */

static json_t *advice_options(bool of_tool)
{
    json_t *options = json_pack("[{s:s, s:s, s:s}]", "label", "Retry", "value", "retry", "description",
                                of_tool ? "Run the call again." : "Ask the model again.");

    if (of_tool)
        json_array_append_new(options, json_pack("{s:s, s:s, s:s}", "label", "Skip", "value", "skip",
                                                 "description", "Go on without it; the agent is told."));
    json_array_append_new(options, json_pack("{s:s, s:s, s:s}", "label", "Abort", "value", "abort",
                                             "description", "End the job as failed."));
    return options;
}

bool people_advise(struct moving *m, struct run_call *call, enum run_outcome outcome, const char *words)
{
    const char *arguments = judge_arguments(call);
    JSON_AUTO *options = advice_options(true), *args = parsed(arguments);
    JSON_AUTO *context = json_pack("{s:s, s:s, s:I}", "tool", call->name, "outcome",
                                   run_outcome_word(outcome), "attempt", (json_int_t)call->attempt);
    JSON_AUTO *metadata = json_pack("{s:s}", "callId", call->id);
    struct question_wish wish = {
        .question = outcome == OUT_INTERRUPTED
                        ? arena_format(m->tx->arena, "%s was interrupted while it ran. What now?", call->name)
                        : arena_format(m->tx->arena, "%s failed. What now?", call->name),
        .type = QUESTION_ERROR_RECOVERY,
        .response_type = RESPONSE_CHOICE,
        .options = options,
        .context = context,
        .metadata = metadata,
        .allow_other = true,
    };
    const char *id;

    if (args && strlen(arguments) <= SCHEMA_SHOWN)
        json_object_set(context, "arguments", args);
    put_shown(m, context, "error", words);
    call->state = CALL_WAITING;
    call->outcome = outcome;
    call->dirty = true;
    if (!ask(m, &wish, &id))
        return false;
    call->question_id = id;
    return true;
}

bool people_advise_model(struct moving *m, const char *words)
{
    JSON_AUTO *options = advice_options(false);
    JSON_AUTO *context = json_object();
    JSON_AUTO *metadata = json_pack("{s:s}", "about", "model");
    struct question_wish wish = {
        .question = arena_format(m->tx->arena, "The model of %s could not be asked. What now?", m->run.agent),
        .type = QUESTION_ERROR_RECOVERY,
        .response_type = RESPONSE_CHOICE,
        .options = options,
        .context = context,
        .metadata = metadata,
        .allow_other = true,
    };

    put_shown(m, context, "error", words);
    return ask(m, &wish, &m->run.advice_id);
}

static const char *advice_of(const json_t *response)
{
    const char *value = json_string_value(json_object_get(response, "value"));

    return value ? value : "";
}

/* Who and why stands in the question: a job's error is no place for somebody's words. The model's error
 * stands behind the other two. */
#define ABORTED     "It was ended by whoever was asked about the error."
#define ABORTED_BY  "It was ended by whoever was asked about the error of its model: %s"
#define UNADVISED   "Nobody has said what to do about the error of its model: %s"
#define FAILED      "It failed. "
#define INTERRUPTED "It was interrupted, and may have done some of its work. "

static void settle_advice(struct moving *m, struct run_call *call, const struct question *question,
                          const json_t *response)
{
    const char *by = question->outcome_by ? question->outcome_by : "somebody";
    const char *advice = advice_of(response), *own = json_string_value(json_object_get(response, "text"));

    if (question->status != QUESTION_ANSWERED) {
        moving_done(m, call, call->outcome,
                    arena_format(m->tx->arena, "%sNobody has said what to do about it.",
                                 call->outcome == OUT_INTERRUPTED ? INTERRUPTED : FAILED),
                    NULL);
    } else if (strcmp(advice, "retry") == 0) {
        moving_people(m, call, arena_format(m->tx->arena, "%s wants it to be run again.", by), "retry",
                      call->question_id);
        call->state = CALL_QUEUED;
        call->outcome = 0;
        call->question_id = NULL;
        call->dirty = true;
    } else if (strcmp(advice, "skip") == 0) {
        moving_done(m, call, OUT_SKIPPED,
                    arena_format(m->tx->arena, "%s%s wants you to go on without this call%s.",
                                 call->outcome == OUT_INTERRUPTED ? INTERRUPTED : "", by,
                                 words_of(m, response)),
                    NULL);
    } else if (strcmp(advice, "abort") == 0) {
        m->fatal = ABORTED;
    } else {
        moving_done(m, call, call->outcome,
                    arena_format(m->tx->arena, "%s%s says: %s",
                                 call->outcome == OUT_INTERRUPTED ? INTERRUPTED : FAILED, by,
                                 own ? own : advice),
                    NULL);
    }
}

/* What people were asked about, as they were shown it. */
static const char *advised_error(struct moving *m, const struct question *question)
{
    JSON_AUTO *context = parsed(question->context);
    const char *error = json_string_value(json_object_get(context, "error"));

    return arena_text(m->tx->arena, error ? error : "");
}

static bool settle_model(struct moving *m)
{
    struct question question;

    if (!m->run.advice_id)
        return true;
    if (!question_get(&m->as, m->run.advice_id, &question))
        return m->tx->err->code == ERR_DUE;
    if (question_is_open(&question))
        return true;
    JSON_AUTO *response = parsed(question.response);
    const char *advice = advice_of(response), *own = json_string_value(json_object_get(response, "text"));

    const char *data = arena_format(m->tx->arena, "{\"questionId\":\"%s\"}", question.id);

    m->run.advice_id = NULL;
    if (question.status != QUESTION_ANSWERED)
        m->fatal = arena_format(m->tx->arena, UNADVISED, advised_error(m, &question));
    else if (strcmp(advice, "abort") == 0)
        m->fatal = arena_format(m->tx->arena, ABORTED_BY, advised_error(m, &question));
    else if (strcmp(advice, "retry") != 0 || own)
        moving_add(m, RUN_NOTE, arena_text(m->tx->arena, own ? own : advice), data);
    return true;
}

/* Settling */

static bool settle_call(struct moving *m, struct run_call *call)
{
    struct question question;

    if (!call->question_id || run_tool_named(call->name))
        return own_tool_settle(m, call);
    if (!question_get(&m->as, call->question_id, &question))
        return m->tx->err->code == ERR_DUE;
    if (question_is_open(&question))
        return true;
    JSON_AUTO *response = parsed(question.response);

    if (call->state == CALL_APPROVAL)
        settle_approval(m, call, &question, response);
    else
        settle_advice(m, call, &question, response);
    return true;
}

/* Answers that nobody waited for: the model is told before it is asked again. */
static bool settle_late(struct moving *m)
{
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_RUN_LATE_ANSWERS, DB_ARGS(db_text(m->run.job_id)), &rows))
        return false;
    for (size_t i = 0; i < rows.count; i++)
        moving_add(m, RUN_NOTE,
                   arena_format(m->tx->arena, "%s has answered your question \"%s\" by now: %s",
                                db_cell(&rows, i, 3) ? db_cell(&rows, i, 3) : "Somebody",
                                db_cell(&rows, i, 1), db_cell(&rows, i, 2) ? db_cell(&rows, i, 2) : "null"),
                   NULL)
            ->call_id = db_cell(&rows, i, 0);
    return true;
}

bool people_settle(struct moving *m)
{
    m->news_seen = m->run.news;
    if (!moving_flush(m) || !settle_model(m))
        return false;
    for (size_t i = 0; i < m->call_count; i++)
        if ((m->calls[i]->state == CALL_APPROVAL || m->calls[i]->state == CALL_WAITING) &&
            !m->notes[i].fresh && !settle_call(m, m->calls[i]))
            return false;
    return settle_late(m);
}
