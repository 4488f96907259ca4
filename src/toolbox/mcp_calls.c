/*
 * Calls of a session: a request, what is asked for on the way, a result.
 *
 * Two ways of asking come to the same. Up to 2025-11-25 a server sends a request of its own and goes on when
 * it is answered; from 2026-07-28 on the call ends with what is needed and is made again with it. Over stdio
 * the older ones do not say which call they ask for: where several may be meant, or one was given up that the
 * server may still be busy with, nobody could tell whose question it is, so it is not asked.
 */
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/shape.h"
#include "base/str.h"
#include "net/net.h"
#include "toolbox/mcp_session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_PAUSE_MS 100 /* between two words about progress that are handed on */
#define PROGRESS_TIMES    10  /* so many times its time a call may take that tells of progress */
#define WORDS_BYTES       2000
#define GIVEN_UP_MS       (60 * 1000) /* so long a call that was given up may still be what a server asks for */

/* Something that a call asks for; in its errand's arena. */
struct mcp_asking {
    struct mcp_asking *next;
    char id[24];
    const char *key;    /* among inputRequests; NULL: a request of the server's, or a link */
    const char *rpc_id; /* of such a request: JSON; NULL: none */
    struct tool_elicitation asked;
    const char *response; /* JSON, once it is answered; else NULL */
    bool is_put, accepted;
};

void mcp_errand_free(struct mcp_errand *errand)
{
    arena_done(&errand->arena);
    free(errand);
}

static void leave(struct mcp_errand *errand)
{
    *errand->link = errand->next;
    if (errand->next)
        errand->next->link = errand->link;
}

/* The oldest makes room: calls end one after the other, and so does the time for which they count. */
static void remember_given_up(struct mcp_session *session, int64_t request)
{
    if (session->given_up_count == LIMIT_MCP_CALLS)
        memmove(session->given_up, session->given_up + 1,
                --session->given_up_count * sizeof(*session->given_up));
    session->given_up[session->given_up_count++] =
        (struct mcp_given_up){ request, session->host.now_ms() + GIVEN_UP_MS };
}

bool mcp_late_answer(struct mcp_session *session, int64_t request)
{
    for (size_t i = 0; i < session->given_up_count; i++)
        if (session->given_up[i].request == request) {
            memmove(session->given_up + i, session->given_up + i + 1,
                    (--session->given_up_count - i) * sizeof(*session->given_up));
            return true;
        }
    return false;
}

static void finish(struct mcp_session *session, struct mcp_errand *errand, struct tool_result *result)
{
    struct mcp_pending pending;

    if (errand->request >= 0 && mcp_take_pending(session, errand->request, &pending)) {
        session->host.drop(session->host.user, pending.request);
        remember_given_up(session, pending.request);
    }
    errand->request = -1;
    leave(errand);
    result->took_ms = session->host.now_ms() - errand->began_ms;
    session->host.ended(session->host.user, errand, result);
}

void mcp_errand_end(struct mcp_session *session, struct mcp_errand *errand, enum tool_end end,
                    const char *text)
{
    struct tool_result result = { .end = end, .text = text };

    finish(session, errand, &result);
}

/* Asking the server. */

static const char *const *param_headers(const struct mcp_session *session, struct mcp_errand *errand)
{
    JSON_AUTO *schema = NULL;
    JSON_AUTO *arguments = NULL;
    struct err err = { 0 };

    if (!session->stateless || !session->host.over_http || !strstr(errand->schema, "x-mcp-header") ||
        !json_parse(errand->schema, strlen(errand->schema), &schema, &err) ||
        !json_parse(errand->arguments, strlen(errand->arguments), &arguments, &err))
        return NULL;
    return mcp_headers_of(&errand->arena, schema, arguments);
}

static void write_responses(struct json_out *out, const struct mcp_errand *errand)
{
    bool any = false;

    for (const struct mcp_asking *asking = errand->askings; asking; asking = asking->next) {
        if (!asking->key)
            continue;
        if (!any)
            json_map(out, "inputResponses");
        any = true;
        json_raw(out, asking->key, asking->response);
    }
    if (any)
        json_map_end(out);
    if (errand->state)
        json_text(out, "requestState", errand->state);
}

static void ask(struct mcp_session *session, struct mcp_errand *errand)
{
    BUF_AUTO text = { 0 };
    struct json_out out;
    int64_t now_ms = session->host.now_ms();

    errand->request = mcp_new_request(session, MCP_FOR_CALL, errand);
    errand->deadline_ms = now_ms + errand->timeout_ms;
    errand->last_ms = now_ms + errand->timeout_ms * PROGRESS_TIMES;
    buf_init(&text, 0);
    mcp_begin(&out, &text, errand->request, "tools/call");
    json_text(&out, "name", errand->tool);
    json_raw(&out, "arguments", errand->arguments);
    write_responses(&out, errand);
    mcp_meta(&out, errand->request, session->stateless, true);
    mcp_end(&out);
    errand->askings = NULL;
    errand->state = NULL;
    mcp_post_letter(session, &text,
                    (struct mcp_letter){ .request = errand->request,
                                         .method = "tools/call",
                                         .name = errand->tool,
                                         .headers = param_headers(session, errand) });
}

void mcp_session_call(struct mcp_session *session, struct mcp_errand *errand)
{
    errand->link = &session->errands;
    errand->next = session->errands;
    if (errand->next)
        errand->next->link = &errand->next;
    session->errands = errand;
    ask(session, errand);
}

/* Says that nobody waits for an answer any more. Over HTTP the newer era sees it by the closed stream. */
static void call_off(struct mcp_session *session, const struct mcp_errand *errand, const char *reason)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    if (errand->request < 0 || (session->stateless && session->host.over_http))
        return;
    buf_init(&text, 0);
    mcp_begin(&out, &text, -1, "notifications/cancelled");
    json_int(&out, "requestId", errand->request);
    json_text(&out, "reason", reason);
    mcp_end(&out);
    mcp_post_letter(session, &text,
                    (struct mcp_letter){ .request = -1, .method = "notifications/cancelled" });
}

/* What it asks for. */

static void send_response(struct mcp_session *session, const char *rpc_id, const char *result)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    json_text(&out, "jsonrpc", "2.0");
    json_raw(&out, "id", rpc_id);
    json_raw(&out, "result", result);
    json_map_end(&out);
    mcp_post_letter(session, &text, (struct mcp_letter){ .request = -1 });
}

static size_t open_askings(const struct mcp_errand *errand)
{
    size_t count = 0;

    for (const struct mcp_asking *asking = errand->askings; asking; asking = asking->next)
        count += asking->response == NULL;
    return count;
}

/* A form or a link, in words and with a schema of ours to hold the answer against. False: it is neither. */
static bool read_question(struct arena *arena, const json_t *params, struct tool_elicitation *asked)
{
    const char *mode = json_string_value(json_object_get(params, "mode"));
    const char *message = json_string_value(json_object_get(params, "message"));
    const json_t *schema = json_object_get(params, "requestedSchema");
    const char *url = json_string_value(json_object_get(params, "url"));
    struct err err = { 0 };

    if (!message || strlen(message) > LIMIT_MCP_ASKED_TEXT)
        return false;
    *asked = (struct tool_elicitation){ .message = mcp_fit_text(arena, message, LIMIT_MCP_ASKED_TEXT) };
    if (str_equal(mode, "url")) {
        asked->url = url && net_url_check(url, &err) ? arena_text(arena, url) : NULL;
        return asked->url != NULL;
    }
    if ((mode && strcmp(mode, "form") != 0) || !json_is_object(schema) || !shape_check(schema, &err))
        return false;
    asked->schema = json_dump_text(arena, schema);
    return strlen(asked->schema) <= LIMIT_MCP_ASKED_TEXT;
}

static struct mcp_asking *add_asking(struct mcp_session *session, struct mcp_errand *errand)
{
    struct mcp_asking *asking = arena_new(&errand->arena, struct mcp_asking), **last = &errand->askings;

    snprintf(asking->id, sizeof(asking->id), "e%" PRIu64, ++session->last_asking);
    while (*last)
        last = &(*last)->next;
    *last = asking;
    return asking;
}

/* One thing at a time: the next when the one before is answered. */
static void put_next(struct mcp_errand *errand)
{
    struct mcp_asking *asking = errand->askings;

    while (asking && asking->response)
        asking = asking->next;
    if (!asking || asking->is_put)
        return;
    asking->is_put = true;
    errand->deadline_ms = 0;
    errand->callbacks.asked(errand->callbacks.user, &asking->asked);
}

/* Puts it to the owner of the call, as soon as it can be, or answers in their place. */
static void put(struct mcp_session *session, struct mcp_errand *errand, struct mcp_asking *asking,
                const json_t *params)
{
    if (!read_question(&errand->arena, params, &asking->asked)) {
        log_line(LOG_WARN, "an MCP server asks for what nobody could be shown", "server",
                 session->setup->name, "tool", errand->tool, NULL);
        asking->response = "{\"action\":\"cancel\"}";
    } else if (!errand->callbacks.asked || open_askings(errand) > LIMIT_MCP_ASKED) {
        asking->response = "{\"action\":\"decline\"}";
    } else {
        asking->asked.id = asking->id;
        put_next(errand);
    }
}

/* The only call that the server can have in mind: one that waits for an answer already asks nothing more,
 * unless there is no other. */
static struct mcp_errand *only_errand(const struct mcp_session *session)
{
    struct mcp_errand *only = NULL;
    size_t count = session->given_up_count;

    if (count > 0 && session->given_up[count - 1].until_ms > session->host.now_ms())
        return NULL;
    if (session->errands && !session->errands->next)
        return session->errands;
    for (struct mcp_errand *errand = session->errands; errand; errand = errand->next) {
        if (open_askings(errand) > 0)
            continue;
        if (only)
            return NULL;
        only = errand;
    }
    return only;
}

static struct mcp_errand *errand_of(const struct mcp_session *session, int64_t stream)
{
    for (struct mcp_errand *errand = session->errands; stream >= 0 && errand; errand = errand->next)
        if (errand->request == stream)
            return errand;
    return only_errand(session); /* also for a stream that is nobody's own */
}

/* An error, and no answer in somebody's name: the tool must not tell its model that a person has declined. */
static void refuse_unowned(struct mcp_session *session, const struct mcp_message *message)
{
    BUF_AUTO text = { 0 };

    log_line(LOG_WARN, "an MCP server asks for something, and nobody can tell for which call", "server",
             session->setup->name, NULL);
    buf_init(&text, 0);
    mcp_write_error(&text, message->id, MCP_INTERNAL,
                    "Nobody was asked: it cannot be told for which of the calls of this server this is. "
                    "Make a call that asks people by itself, or a minute after one that was ended.");
    mcp_post_letter(session, &text, (struct mcp_letter){ .request = -1 });
}

void mcp_call_asks(struct mcp_session *session, const struct mcp_message *message, int64_t stream)
{
    struct mcp_errand *errand = errand_of(session, stream);
    ARENA_AUTO arena = { 0 };

    if (!errand) {
        refuse_unowned(session, message);
        return;
    }
    if (errand->rounds++ >= LIMIT_MCP_ROUNDS) {
        send_response(session, json_dump_text(&arena, message->id), "{\"action\":\"decline\"}");
        return;
    }
    struct mcp_asking *asking = add_asking(session, errand);

    asking->rpc_id = json_dump_text(&errand->arena, message->id);
    put(session, errand, asking, message->params);
    if (asking->response)
        send_response(session, asking->rpc_id, asking->response);
}

/* The next round of a call, when all that it asked for is there. */
static void go_on(struct mcp_session *session, struct mcp_errand *errand)
{
    put_next(errand);
    if (open_askings(errand) > 0)
        return;
    if (errand->request >= 0) { /* the server goes on by itself */
        errand->deadline_ms = session->host.now_ms() + errand->timeout_ms;
        return;
    }
    for (const struct mcp_asking *asking = errand->askings; asking; asking = asking->next)
        if (!asking->key && !asking->accepted) {
            mcp_errand_end(session, errand, TOOL_ERROR,
                           "The tool needs a link to be opened first, which was declined.");
            return;
        }
    ask(session, errand);
}

void mcp_call_withdraws(struct mcp_session *session, const json_t *id)
{
    ARENA_AUTO arena = { 0 };
    const char *rpc_id = id ? json_dump_text(&arena, id) : NULL;

    for (struct mcp_errand *errand = session->errands; rpc_id && errand; errand = errand->next)
        for (struct mcp_asking *asking = errand->askings; asking; asking = asking->next)
            if (!asking->response && str_equal(asking->rpc_id, rpc_id)) {
                asking->response = "{\"action\":\"cancel\"}";
                go_on(session, errand);
                return;
            }
}

static bool take_content(struct mcp_errand *errand, struct mcp_asking *asking, const char *content)
{
    JSON_AUTO *schema = NULL;
    JSON_AUTO *value = NULL;
    struct shape_problem problems[SHAPE_PROBLEMS];
    struct err err = { 0 };
    size_t count = 0;

    if (!asking->asked.schema) {
        asking->response = "{\"action\":\"accept\"}";
        return true;
    }
    if (!content || !json_parse(content, strlen(content), &value, &err) || !json_is_object(value) ||
        !json_parse(asking->asked.schema, strlen(asking->asked.schema), &schema, &err) ||
        !shape_fits(&errand->arena, schema, value, problems, &count))
        return false;
    asking->response = arena_format(&errand->arena, "{\"action\":\"accept\",\"content\":%s}",
                                    json_dump_text(&errand->arena, value));
    return true;
}

void mcp_session_answer(struct mcp_session *session, struct mcp_errand *errand, const char *elicitation,
                        enum tool_answer answer, const char *content)
{
    struct mcp_asking *asking = errand->askings;

    while (asking && (asking->response || strcmp(asking->id, elicitation) != 0))
        asking = asking->next;
    if (!asking)
        return;
    asking->accepted = answer == TOOL_ACCEPT && take_content(errand, asking, content);
    if (!asking->accepted)
        asking->response = answer == TOOL_DECLINE ? "{\"action\":\"decline\"}" : "{\"action\":\"cancel\"}";
    if (asking->rpc_id)
        send_response(session, asking->rpc_id, asking->response);
    go_on(session, errand);
}

/* What comes back. */

static void end_in_words(struct mcp_session *session, struct mcp_errand *errand, enum tool_end end,
                         const char *before, const char *words)
{
    const char *fit = mcp_fit_text(&errand->arena, words, WORDS_BYTES);

    mcp_errand_end(session, errand, end, arena_format(&errand->arena, "%s%s", before, fit));
}

static bool next_round(struct mcp_session *session, struct mcp_errand *errand)
{
    if (++errand->rounds <= LIMIT_MCP_ROUNDS)
        return true;
    mcp_errand_end(session, errand, TOOL_ERROR, "The tool asked for more again and again, and was left.");
    return false;
}

static void input_required(struct mcp_session *session, struct mcp_errand *errand, const json_t *result)
{
    const json_t *requests = json_object_get(result, "inputRequests"), *request;
    const char *state = json_string_value(json_object_get(result, "requestState")), *key;

    if (!next_round(session, errand))
        return;
    if ((!json_is_object(requests) && !state) || (state && strlen(state) > LIMIT_MCP_STATE) ||
        json_object_size(requests) > LIMIT_MCP_ASKED) {
        mcp_errand_end(session, errand, TOOL_ERROR, "The server asks for what cannot be understood.");
        return;
    }
    json_object_foreach(
        (json_t *)requests, key,
        request) if (!str_equal(json_string_value(json_object_get(request, "method")), "elicitation/create"))
    {
        mcp_errand_end(session, errand, TOOL_ERROR, "The server asks for what is not offered here.");
        return;
    }
    errand->state = arena_text(&errand->arena, state);
    json_object_foreach((json_t *)requests, key, request)
    {
        struct mcp_asking *asking = add_asking(session, errand);

        asking->key = arena_text(&errand->arena, key);
        put(session, errand, asking, json_object_get(request, "params"));
    }
    go_on(session, errand);
}

/* 2025-11-25: links that must be opened before the call can be made. */
static void links_required(struct mcp_session *session, struct mcp_errand *errand,
                           const struct mcp_message *message)
{
    const json_t *list = json_object_get(message->data, "elicitations"), *entry;
    size_t i;

    if (json_array_size(list) == 0 || json_array_size(list) > LIMIT_MCP_ASKED) {
        end_in_words(session, errand, TOOL_ERROR, "", message->words);
        return;
    }
    if (!next_round(session, errand))
        return;
    json_array_foreach(list, i, entry) put(session, errand, add_asking(session, errand), entry);
    go_on(session, errand);
}

void mcp_call_answered(struct mcp_session *session, struct mcp_errand *errand,
                       const struct mcp_message *message)
{
    struct tool_result result = { 0 };
    const char *type = json_string_value(json_object_get(message->result, "resultType"));
    size_t most = session->setup->output_most > 0 ? session->setup->output_most : LIMIT_MCP_TEXT;

    errand->request = -1;
    errand->askings = NULL;
    if (!message->result && message->code == MCP_URL_ASKED) {
        links_required(session, errand, message);
    } else if (!message->result) {
        end_in_words(session, errand, TOOL_ERROR, "The server answers with an error: ", message->words);
    } else if (type && strcmp(type, "input_required") == 0) {
        input_required(session, errand, message->result);
    } else if (type && strcmp(type, "complete") != 0) {
        end_in_words(session, errand, TOOL_ERROR,
                     "The server's answer is of a kind that is not known: ", type);
    } else {
        mcp_result_read(&errand->arena, message->result, most, &result);
        finish(session, errand, &result);
    }
}

void mcp_call_failed(struct mcp_session *session, struct mcp_errand *errand,
                     const struct mcp_failure *failure)
{
    bool no_entry = failure->status == 401 || failure->status == 403;
    enum tool_end end = TOOL_BROKE_OFF;

    errand->request = -1;
    switch (failure->loss) {
    case MCP_UNREACHED: end = TOOL_NOT_THERE; break;
    case MCP_REFUSED:
        end = no_entry ? TOOL_NOT_THERE : failure->status < 500 ? TOOL_ERROR : TOOL_BROKE_OFF;
        break;
    case MCP_CUT_OFF: end = TOOL_BROKE_OFF; break;
    case MCP_TOO_LARGE: end = TOOL_FLOODED; break;
    }
    end_in_words(session, errand, end, "", failure->why);
}

void mcp_call_progress(struct mcp_session *session, const json_t *params)
{
    const json_t *token = json_object_get(params, "progressToken");
    const char *words = json_string_value(json_object_get(params, "message"));
    const json_t *done = json_object_get(params, "progress"), *total = json_object_get(params, "total");
    struct mcp_errand *errand = session->errands;
    int64_t now_ms = session->host.now_ms();
    ARENA_AUTO arena = { 0 };

    while (errand && !(json_is_integer(token) && errand->request == json_integer_value(token)))
        errand = errand->next;
    if (!errand || errand->request < 0 || !json_is_number(done))
        return;
    if (errand->deadline_ms != 0) {
        int64_t later_ms = now_ms + errand->timeout_ms;

        errand->deadline_ms = later_ms < errand->last_ms ? later_ms : errand->last_ms;
    }
    if (!errand->callbacks.progress || now_ms - errand->progress_at_ms < PROGRESS_PAUSE_MS)
        return;
    errand->progress_at_ms = now_ms;
    errand->callbacks.progress(errand->callbacks.user, json_number_value(done), json_number_value(total),
                               words ? mcp_fit_text(&arena, words, WORDS_BYTES) : NULL);
}

/* Its end. */

static void decline_open(struct mcp_session *session, struct mcp_errand *errand)
{
    for (struct mcp_asking *asking = errand->askings; asking; asking = asking->next)
        if (!asking->response && asking->rpc_id) {
            asking->response = "{\"action\":\"cancel\"}";
            send_response(session, asking->rpc_id, asking->response);
        }
}

void mcp_session_cancel(struct mcp_session *session, struct mcp_errand *errand)
{
    decline_open(session, errand);
    call_off(session, errand, "cancelled");
    mcp_errand_end(session, errand, TOOL_CANCELLED, "The call was cancelled.");
    mcp_leave_if_gone(session);
}

void mcp_calls_tick(struct mcp_session *session, int64_t now_ms)
{
    for (struct mcp_errand *errand = session->errands, *next; errand; errand = next) {
        next = errand->next;
        if (errand->deadline_ms == 0 || now_ms < errand->deadline_ms)
            continue;
        call_off(session, errand, "it took too long");
        mcp_errand_end(session, errand, TOOL_TIMED_OUT,
                       arena_format(&errand->arena, "The server \"%s\" did not answer within %" PRId64 " s.",
                                    session->setup->name, (errand->timeout_ms + 999) / 1000));
    }
}
