/*
 * Where people come in: approvals, which bind to the arguments, and advice on what went wrong. Both are
 * questions of the run's job, asked and answered wherever questions are. They stay open as long as questions
 * may; an approval that nobody has given by then is a no.
 */
#include "base/limits.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/inbox/notification.h"
#include "core/questions/question.h"
#include "core/runs/moving.h"

#include <string.h>

#define MS_OF_MINUTE 60000.0
#define SCHEMA_SHOWN (16 * KB) /* larger ones are left out of what the approver is shown */
#define ARGS_SHOWN   500       /* characters of the arguments in a notification */

static json_t *parsed(const char *text)
{
    struct err ignored = { 0 };
    json_t *value = NULL;

    return text && json_parse(text, strlen(text), &value, &ignored) ? value : NULL;
}

/* Asks in the run's name. What cannot be asked is told in words: *refused. */
static bool ask(struct moving *m, struct question_wish *wish, const char **id, const char **refused)
{
    struct question_preference preference;
    struct question question;
    struct err err = { 0 };
    struct tx quiet = tx_with_err(&m->as, &err);

    *refused = NULL;
    wish->has_timeout = true;
    wish->timeout_minutes = (double)settings()->questions_max_timeout_ms / MS_OF_MINUTE;
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
    *refused = arena_text(m->tx->arena, err.text);
    return true;
}

/* Approvals */

bool people_approve(struct moving *m, struct run_call *call, const struct tool *tool, const char *reason)
{
    bool shown = strlen(tool->schema) <= SCHEMA_SHOWN;
    JSON_AUTO *args = parsed(call->arguments), *schema = shown ? parsed(tool->schema) : NULL;
    JSON_AUTO *action = json_pack("{s:s, s:O}", "name", call->name, "args", args);
    JSON_AUTO *context = json_pack("{s:s, s:s, s:s}", "tool", call->name, "description",
                                   tool->description ? tool->description : "", "why", reason);
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
    const char *id, *refused;

    if (schema)
        json_object_set(action, "schema", schema);
    if (!ask(m, &wish, &id, &refused))
        return false;
    if (refused) {
        moving_done(m, call, OUT_INVALID,
                    arena_format(m->tx->arena, "Nobody could be asked to approve the call: %s", refused),
                    NULL);
        return true;
    }
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

static void decide(struct moving *m, const struct run_call *call, const char *words, const char *verdict)
{
    moving_add(m, RUN_DECISION, words,
               arena_format(m->tx->arena, "{\"rule\":\"people\",\"verdict\":\"%s\",\"questionId\":\"%s\"}",
                            verdict, call->question_id))
        ->call_id = call->id;
}

static bool approved(struct moving *m, struct run_call *call, const struct question *question)
{
    const struct tool *tool = tool_named(m->tools, call->name);
    const char *misfit;

    if (!tool) {
        moving_done(m, call, OUT_UNAVAILABLE, "This tool is not there any more.", NULL);
        return true;
    }
    call->approved_arguments = question->approved_args;
    misfit =
        judge_misfit(m, tool->schema, call->approved_arguments ? call->approved_arguments : call->arguments);
    if (misfit) {
        moving_done(m, call, OUT_INVALID,
                    arena_format(m->tx->arena, "What was approved cannot be run. %s", misfit), NULL);
        return true;
    }
    decide(m, call,
           arena_format(m->tx->arena, "%s has approved the call%s.",
                        question->outcome_by ? question->outcome_by : "Somebody",
                        call->approved_arguments ? " with other arguments" : ""),
           "approved");
    call->state = CALL_QUEUED;
    call->dirty = true;
    if (tool->kind != TOOL_MCP || !tool->digest)
        return true;
    return tx_exec(m->tx, SQL_RUN_TOOL_APPROVE,
                   DB_ARGS(db_text(m->run.workspace_id), db_text(tool->name), db_text(tool->digest),
                           db_int(m->tx->now_ms)),
                   NULL);
}

static bool settle_approval(struct moving *m, struct run_call *call, const struct question *question,
                            const json_t *response)
{
    const char *by = question->outcome_by ? question->outcome_by : "somebody";

    if (question->status == QUESTION_ANSWERED && json_is_true(json_object_get(response, "value")))
        return approved(m, call, question);
    if (question->status == QUESTION_ANSWERED && question->outcome_source != OUTCOME_DEFAULT)
        moving_done(m, call, OUT_REJECTED,
                    arena_format(m->tx->arena, "The call was not approved by %s%s. Do not try it again.", by,
                                 words_of(m, response)),
                    NULL);
    else
        moving_done(m, call, OUT_REJECTED, "Nobody has approved the call. Do not try it again.", NULL);
    return true;
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
    const char *arguments = call->approved_arguments ? call->approved_arguments : call->arguments;
    JSON_AUTO *options = advice_options(true), *args = parsed(arguments);
    JSON_AUTO *context =
        json_pack("{s:s, s:s, s:s, s:I}", "tool", call->name, "outcome", run_outcome_word(outcome), "error",
                  words, "attempt", (json_int_t)call->attempt);
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
    const char *id, *refused;

    if (args && strlen(arguments) <= SCHEMA_SHOWN)
        json_object_set(context, "arguments", args);
    if (!ask(m, &wish, &id, &refused))
        return false;
    if (refused) {
        moving_done(m, call, outcome, words, NULL);
        return true;
    }
    call->state = CALL_WAITING;
    call->outcome = outcome;
    call->question_id = id;
    call->dirty = true;
    return true;
}

bool people_advise_model(struct moving *m, const char *words)
{
    JSON_AUTO *options = advice_options(false);
    JSON_AUTO *context = json_pack("{s:s}", "error", words);
    struct question_wish wish = {
        .question = arena_format(m->tx->arena, "The model of %s could not be asked. What now?", m->run.agent),
        .type = QUESTION_ERROR_RECOVERY,
        .response_type = RESPONSE_CHOICE,
        .options = options,
        .context = context,
        .allow_other = true,
    };
    const char *refused;

    if (!ask(m, &wish, &m->run.advice_id, &refused))
        return false;
    if (refused)
        m->fatal = words;
    return true;
}

static const char *advice_of(const json_t *response)
{
    const char *value = json_string_value(json_object_get(response, "value"));

    return value ? value : "";
}

/* Who and why stands in the question: a job's error is no place for somebody's words. */
#define ABORTED "It was ended by whoever was asked about the error."

static bool settle_advice(struct moving *m, struct run_call *call, const struct question *question,
                          const json_t *response)
{
    const char *by = question->outcome_by ? question->outcome_by : "somebody";
    const char *advice = advice_of(response), *own = json_string_value(json_object_get(response, "text"));

    if (question->status != QUESTION_ANSWERED) {
        moving_done(m, call, call->outcome, "It failed, and nobody has said what to do about it.", NULL);
    } else if (strcmp(advice, "retry") == 0) {
        decide(m, call, arena_format(m->tx->arena, "%s wants it to be run again.", by), "retry");
        call->state = CALL_QUEUED;
        call->outcome = 0;
        call->question_id = NULL;
        call->dirty = true;
    } else if (strcmp(advice, "skip") == 0) {
        moving_done(m, call, OUT_SKIPPED,
                    arena_format(m->tx->arena, "%s wants you to go on without this call%s.", by,
                                 words_of(m, response)),
                    NULL);
    } else if (strcmp(advice, "abort") == 0) {
        m->fatal = ABORTED;
    } else {
        moving_done(m, call, call->outcome,
                    arena_format(m->tx->arena, "The call %s. %s says: %s",
                                 call->outcome == OUT_INTERRUPTED ? "was interrupted" : "failed", by,
                                 own ? own : advice),
                    NULL);
    }
    return true;
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
    if (question.status != QUESTION_ANSWERED || strcmp(advice, "abort") == 0)
        m->fatal = ABORTED;
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

    return call->state == CALL_APPROVAL ? settle_approval(m, call, &question, response)
                                        : settle_advice(m, call, &question, response);
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
        if ((m->calls[i]->state == CALL_APPROVAL || m->calls[i]->state == CALL_WAITING) && !m->fresh[i] &&
            !settle_call(m, m->calls[i]))
            return false;
    return settle_late(m);
}
