/*
 * The run's own tools. Each is done inside the step that called it, as the agent; what it leads to is a row
 * that the call waits for. What is refused is told to the model in the words that any agent would get.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/chat/prompt.h"
#include "core/council/answer.h"
#include "core/council/make.h"
#include "core/questions/question.h"
#include "core/runs/moving.h"

#include <string.h>

#define SQUAD_RESPONSES 1
#define SQUAD_MINUTES   30

/* A refusal that is about what was asked for is the model's to mend; anything else is ours. */
static bool refused(struct moving *m, struct run_call *call, const struct err *err)
{
    const char *field = *err->field ? arena_format(m->tx->arena, " (%s)", err->field) : "";

    switch (err->code) {
    case ERR_INVALID:
    case ERR_NOT_FOUND:
    case ERR_FORBIDDEN:
        moving_done(m, call, OUT_INVALID, arena_format(m->tx->arena, "%s%s", err->text, field), NULL);
        return true;
    case ERR_RATE_LIMITED:
    case ERR_CONFLICT:
    case ERR_TOO_LARGE:
        moving_done(m, call, OUT_ERROR, arena_text(m->tx->arena, err->text), NULL);
        return true;
    default: *m->tx->err = *err; return false;
    }
}

static const char *text_of(const json_t *args, const char *name)
{
    return json_string_value(json_object_get(args, name));
}

static void wait_for(struct run_call *call)
{
    call->state = CALL_WAITING;
    call->dirty = true;
}

/* ask_question */

static const char *answer_words(struct moving *m, const struct question *question, const char *response)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "status", question_status_word(question->status));
    json_raw(&out, "response", response);
    if (question->outcome_by)
        json_text(&out, "by", question->outcome_by);
    json_map_end(&out);
    return arena_copy(m->tx->arena, text.bytes, text.len);
}

/* Nobody waits: it goes on with the default. What somebody said to the same words another time was said then:
 * it is told, and decides nothing. */
static void go_on(struct moving *m, struct run_call *call, const struct question *question,
                  const struct question_preference *preference)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "questionId", question->id);
    json_text(&out, "status", question_status_word(question->status));
    json_raw(&out, "response", question->default_response);
    json_text(&out, "source", "default");
    if (preference->response)
        question_preference_write(preference, "preference", &out);
    json_text(
        &out, "note",
        preference->response
            ? "Go on with the response, which is the default. preference is what a person answered to "
              "the same question the last time: it may tell you what they like, and allows nothing. "
              "If somebody answers later, you will be told."
            : "Go on with the response, which is the default. If somebody answers later, you will be told.");
    json_map_end(&out);
    moving_done(m, call, OUT_OK, arena_copy(m->tx->arena, text.bytes, text.len), NULL);
}

static bool do_ask(struct moving *m, struct run_call *call, const json_t *args)
{
    const json_t *minutes = json_object_get(args, "timeoutMinutes");
    struct question_wish wish = {
        .question = text_of(args, "question"),
        .type = words_find(question_types, text_of(args, "type")),
        .response_type = words_find(response_types, text_of(args, "responseType")),
        .options = json_object_get(args, "options"),
        .context = json_object_get(args, "context"),
        .default_response = json_object_get(args, "defaultResponse"),
        .has_timeout = json_is_number(minutes),
        .timeout_minutes = json_number_value(minutes),
    };
    struct question_preference preference;
    struct question question;
    struct err err = { 0 };
    struct tx quiet = tx_with_err(&m->as, &err);

    if (!moving_flush(m))
        return false;
    if (!question_ask(&quiet, m->run.job_id, &wish, &question, &preference))
        return refused(m, call, &err);
    call->question_id = question.id;
    if (question_blocks(&question))
        wait_for(call);
    else
        go_on(m, call, &question, &preference);
    return true;
}

static bool settle_ask(struct moving *m, struct run_call *call)
{
    struct question question;

    if (!question_get(&m->as, call->question_id, &question))
        return m->tx->err->code == ERR_DUE;
    if (question_is_open(&question))
        return true;
    moving_done(m, call, OUT_OK, answer_words(m, &question, question.response), NULL);
    return true;
}

/* report_progress */

static bool do_report(struct moving *m, struct run_call *call, const json_t *args)
{
    const json_t *done = json_object_get(args, "done"), *total = json_object_get(args, "total");
    struct docket *docket;
    struct job *job;

    if (!moving_docket(m, &docket, &job) ||
        !docket_report(docket, job,
                       &(struct job_progress){ .has_done = json_is_number(done),
                                               .has_total = json_is_number(total),
                                               .done = json_number_value(done),
                                               .total = json_number_value(total),
                                               .step = text_of(args, "step") }))
        return false;
    moving_done(m, call, OUT_OK, "ok", NULL);
    return true;
}

/* ask_squad */

static bool task_of_job(struct moving *m, const char **task_id)
{
    struct docket *docket;
    struct job *job;

    if (!moving_docket(m, &docket, &job))
        return false;
    *task_id = job->task_id;
    return moving_flush(m);
}

static int64_t whole_or(const json_t *args, const char *name, int64_t fallback)
{
    const json_t *value = json_object_get(args, name);

    return json_is_integer(value) ? json_integer_value(value) : fallback;
}

static bool do_squad(struct moving *m, struct run_call *call, const json_t *args)
{
    struct prompt prompt = { .requester_agent = m->run.agent,
                             .prompt_message = text_of(args, "message"),
                             .required_responses = whole_or(args, "required_responses", SQUAD_RESPONSES),
                             .timeout_minutes = whole_or(args, "timeout_minutes", SQUAD_MINUTES) };
    struct err err = { 0 };
    struct tx quiet = tx_with_err(&m->as, &err);
    struct chat chat;

    if (!task_of_job(m, &prompt.task_id))
        return false;
    if (!prompt_create(&quiet, &prompt, &chat))
        return refused(m, call, &err);
    call->prompt_id = prompt.id;
    wait_for(call);
    return true;
}

static bool is_gone(struct moving *m, struct run_call *call, const struct err *err)
{
    if (err->code == ERR_DUE)
        return true;
    if (err->code != ERR_NOT_FOUND) {
        *m->tx->err = *err;
        return false;
    }
    moving_done(m, call, OUT_ERROR, "It was deleted before anything came of it.", NULL);
    return true;
}

static bool settle_squad(struct moving *m, struct run_call *call)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(&m->as, &err);
    struct prompt prompt;
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (!prompt_get(&quiet, call->prompt_id, &prompt))
        return is_gone(m, call, &err);
    if (prompt_is_open(&prompt))
        return true;
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "promptId", prompt.id);
    json_text(&out, "status", prompt_status_word(prompt.status));
    json_raw(&out, "responses", prompt.collected_context);
    json_map_end(&out);
    moving_done(m, call, OUT_OK, moving_clean(m, text.bytes, LIMIT_RUN_OUTPUT), NULL);
    return true;
}

/* start_discussion */

static json_t *seats(const json_t *agents)
{
    json_t *list = json_array();

    for (size_t i = 0; i < json_array_size(agents); i++)
        json_array_append_new(list, json_pack("{s:O, s:s, s:I}", "agentName", json_array_get(agents, i),
                                              "role", "specialist", "sequence_order", (json_int_t)(i + 1)));
    return list;
}

/* Those of the reply that have not ended. They run side by side, and what is left is for all of them. */
static int64_t discussions_wanted(const struct moving *m)
{
    int64_t count = 0;

    for (size_t i = 0; i < m->call_count; i++)
        count +=
            m->calls[i]->state != CALL_DONE && run_tool_named(m->calls[i]->name) == RUN_TOOL_START_DISCUSSION;
    return count;
}

/* Its share of what is left to the run; NULL: nothing bounds it. */
static bool budget_left(struct moving *m, json_t **options)
{
    int64_t left;

    *options = NULL;
    if (!limits_left(m, &left))
        return false;
    if (left == INT64_MAX)
        return true;
    left /= discussions_wanted(m);
    *options = json_pack("{s:{s:I}}", "budget", "tokens", (json_int_t)(left > 0 ? left : 1));
    return true;
}

static bool do_discuss(struct moving *m, struct run_call *call, const json_t *args)
{
    const json_t *agents = json_object_get(args, "agents");
    JSON_AUTO *participants = json_array_size(agents) > 0 ? seats(agents) : NULL;
    JSON_AUTO *options = NULL;
    unsigned mode = words_find(council_modes, text_of(args, "mode"));
    struct discussion_wish wish = {
        .topic = text_of(args, "topic"),
        .mode = mode == 0 || mode == WORD_UNKNOWN ? MODE_ROUNDS : (enum council_mode)mode,
        .rounds = (int)whole_or(args, "rounds", 0),
        .project_id = m->run.project_id,
        .participants = participants,
        .cast = participants ? 0 : CAST_SPECIALISTS,
    };
    struct err err = { 0 };
    struct tx quiet = tx_with_err(&m->as, &err);
    struct discussion discussion;
    struct cast_seats cast;

    if (!moving_flush(m) || !budget_left(m, &options))
        return false;
    wish.options = options;
    if (!discussion_make(&quiet, &wish, &discussion, &cast))
        return refused(m, call, &err);
    call->discussion_id = discussion.id;
    wait_for(call);
    return true;
}

bool own_tool_spent(struct moving *m, const char *discussion_id)
{
    struct run_entry *result = &m->entries[m->entry_count - 1];
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_DISCUSSION_SPENT, DB_ARGS(db_text(discussion_id)), &rows))
        return false;
    result->tokens_in = db_cell_int(&rows, 0, 0);
    result->tokens_out = db_cell_int(&rows, 0, 1);
    moving_take(m, result->tokens_in, result->tokens_out, 0);
    return true;
}

static bool settle_discussion(struct moving *m, struct run_call *call)
{
    struct err err = { 0 };
    struct tx quiet = tx_with_err(&m->as, &err);
    struct discussion discussion;
    struct machine council;
    BUF_AUTO text = { 0 };
    struct json_out out;
    const char *summary;

    if (!discussion_get(&quiet, call->discussion_id, &discussion))
        return is_gone(m, call, &err);
    if (!discussion_has_ended(&discussion))
        return true;
    if (!machine_begin(&m->as, &discussion, &council) || !answer_summary(&council, &summary))
        return false;
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "discussionId", discussion.id);
    json_text(&out, "status", council_status_word(discussion.status));
    json_text(&out, "endReason", council_end_word(discussion.end_reason));
    json_text(&out, "summary", summary);
    json_raw(&out, "result", discussion.result);
    json_map_end(&out);
    moving_done(m, call, OUT_OK, moving_clean(m, text.bytes, LIMIT_RUN_OUTPUT), NULL);
    return own_tool_spent(m, discussion.id);
}

bool own_tool_do(struct moving *m, enum run_tool tool, struct run_call *call)
{
    JSON_AUTO *args = NULL;

    if (!json_parse(call->arguments, strlen(call->arguments), &args, m->tx->err))
        return false;
    switch (tool) {
    case RUN_TOOL_ASK_QUESTION: return do_ask(m, call, args);
    case RUN_TOOL_REPORT_PROGRESS: return do_report(m, call, args);
    case RUN_TOOL_ASK_SQUAD: return do_squad(m, call, args);
    case RUN_TOOL_START_DISCUSSION: return do_discuss(m, call, args);
    case RUN_TOOL_FINISH: wait_for(call); return true; /* for the other calls: own_tools_finish */
    case RUN_TOOL_NONE:
    case RUN_TOOL_END: break;
    }
    return true;
}

bool own_tool_settle(struct moving *m, struct run_call *call)
{
    if (call->prompt_id)
        return settle_squad(m, call);
    if (call->discussion_id)
        return settle_discussion(m, call);
    return !call->question_id || settle_ask(m, call);
}

/* finish */

static bool is_finish(const struct run_call *call)
{
    return call->state == CALL_WAITING && run_tool_named(call->name) == RUN_TOOL_FINISH;
}

void own_tools_finish(struct moving *m)
{
    struct finish_facts facts = { 0 };

    for (size_t i = 0; i < m->call_count; i++) {
        const struct run_call *call = m->calls[i];
        enum run_tool own = run_tool_named(call->name);

        if (is_finish(call))
            continue;
        if (call->state != CALL_DONE)
            return;
        facts.failed += call->outcome != OUT_OK;
        facts.asked +=
            own == RUN_TOOL_ASK_QUESTION || own == RUN_TOOL_ASK_SQUAD || own == RUN_TOOL_START_DISCUSSION;
    }
    for (size_t i = 0; i < m->call_count; i++) {
        const char *words;

        if (!is_finish(m->calls[i]))
            continue;
        enum run_outcome outcome = loop_finishes(&facts, &words) ? OUT_OK : OUT_ERROR;

        moving_done(m, m->calls[i], outcome, words,
                    arena_format(m->tx->arena, "{\"rule\":\"finish\",\"outcome\":\"%s\"}",
                                 run_outcome_word(outcome)));
        facts.second = true;
    }
}
