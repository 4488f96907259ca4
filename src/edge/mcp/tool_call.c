/*
 * tool_call.c - tools/call: a tool's arguments become an operation's, its reply the tool's result.
 *
 * What fails in the operation is a result with isError, so that the model reads it and can do better; its
 * text is the error as REST would send it. A tool that waits looks once. If what it is about goes on, the
 * answer becomes a stream and the call a wait (edge/wait.h), which keeps what a look needs and nothing else.
 */
#include "base/clock.h"
#include "base/str.h"
#include "edge/mcp/elicit.h"
#include "edge/mcp/tools.h"
#include "ops/openapi.h"

#include <stdlib.h>
#include <string.h>

#define PROGRESS_MS   5000 /* between two words to a client that waits */
#define POLL_AFTER_MS 1000

/* What a look needs. */
struct tool_wait {
    struct mcp *mcp;
    const struct tool *tool;
    const struct op *op;
    json_t *args;
    char *made;          /* the id of what was made first, or NULL */
    char *response_type; /* of a question that the person at the client is asked, too */
    char *name;          /* the client's */
    const char *version;
    enum mcp_era era;
    int64_t began_ms;
    char remote[INET6_ADDRSTRLEN];
};

static void write_content(struct json_out *out, const char *text, size_t len)
{
    json_list(out, "content");
    json_map(out, NULL);
    json_text(out, "type", "text");
    json_text_len(out, "text", text, len);
    json_map_end(out);
    json_list_end(out);
}

/* Who is not known, or comes too often, is told so by the protocol: no model can do anything about it. */
static void answer_error(struct mcp_call *call, const struct err *err)
{
    BUF_AUTO text = { 0 };
    struct json_out out;
    struct buf result;

    if (err->code == ERR_UNAUTHORIZED || err->code == ERR_RATE_LIMITED) {
        call_fail_with(call, err);
        return;
    }
    dispatch_write_error(err, &text);
    call_begin(call, &out, &result);
    write_content(&out, text.bytes, text.len);
    json_bool(&out, "isError", true);
    call_result(call, &out, &result);
}

/* The reply's members between what was made before and whether it is pending. */
static void write_structured(const struct mcp_call *call, const char *made, bool pending, struct buf *into)
{
    const struct tool *tool = call->tool;
    const struct buf *reply = &call->request.reply;
    struct json_out out;

    json_begin(&out, into);
    json_map(&out, NULL);
    if (made && tool->unless)
        json_text(&out, tool->made, made);
    if (reply->len > 2) {
        if (out.comma)
            buf_char(into, ',');
        buf_add(into, reply->bytes + 1, reply->len - 2);
        out.comma = true;
    }
    if (tool_waits(tool))
        json_bool(&out, "pending", pending);
    if (pending) {
        const char *id = made ? made : json_string_value(json_object_get(call->args, "id"));

        json_int(&out, "poll_after_ms", POLL_AFTER_MS);
        json_text(
            &out, "next",
            tool->go_on || !made
                ? arena_format((struct arena *)(uintptr_t)&call->arena,
                               "Nobody has answered yet. Call %s with {\"id\": \"%s\"} to go on waiting.",
                               tool->go_on ? tool->go_on : tool->name, id)
                : "It has not been decided yet. Do not go on with it; ask again later.");
    }
    json_map_end(&out);
}

static void answer(struct mcp_call *call, const char *made, bool pending)
{
    BUF_AUTO structured = { 0 };
    struct json_out out;
    struct buf result;

    if (call->tool->shape)
        call->tool->shape(call, pending, &structured);
    else
        write_structured(call, made, pending, &structured);
    call_begin(call, &out, &result);
    write_content(&out, structured.bytes, structured.len);
    json_raw(&out, "structuredContent", structured.bytes);
    call_result(call, &out, &result);
}

static void wait_free(struct outlet *outlet)
{
    struct tool_wait *wait = outlet->data;

    json_decref(wait->args);
    free(wait->made);
    free(wait->response_type);
    free(wait->name);
    free(wait);
}

/* To those who gave a token that it goes on, to the others a word that keeps the connection. */
static void wait_tick(struct outlet *outlet)
{
    const struct tool_wait *wait = outlet->data;
    double waited_s = (double)(clock_ticks_ms() - wait->began_ms) / 1000;

    if (outlet->progress)
        outlet_progress(outlet, waited_s, MCP_HOLD_S, "Waiting for an answer.");
    else
        outlet_comment(outlet);
    outlet->due_ms = clock_ticks_ms() + (outlet->progress ? PROGRESS_MS : HEARTBEAT_MS);
}

static void looked(struct mcp_call *call)
{
    struct outlet *outlet = call->outlet;
    const struct tool_wait *wait = outlet->data;
    const struct err *err = &call->request.call.err;
    bool ended = err->code != ERR_NONE || call->request.call.ended;

    if (!wait_looked(outlet->wait, ended)) {
        call_free(call);
        return;
    }
    outlet_withdraw(outlet);
    if (err->code != ERR_NONE)
        answer_error(call, err);
    else
        answer(call, wait->made, !ended);
}

void tool_look(void *user, struct wait *registered)
{
    struct outlet *outlet = wait_owner(registered);
    const struct tool_wait *wait = outlet->data;
    struct mcp_call *call = call_new(user, NULL);

    call->outlet = outlet;
    call->tool = wait->tool;
    call->client = (struct peer){ .era = wait->era, .version = wait->version, .name = wait->name };
    call->request.credentials = *wait_credentials(registered);
    call->request.call.glance = !wait_is_final(registered);
    memcpy(call->remote, wait->remote, sizeof(call->remote));
    call_run(call, wait->op, wait->args, looked);
}

/* The answer that was given at the client is an answer like any other; the wait hears of it. */
static void answered_here(struct mcp_call *call)
{
    call_free(call);
}

/* Under the lock, so the answer itself is left to be done. The wait may be gone by then: all is copied. */
static void elicited(struct outlet *outlet, const json_t *result)
{
    const struct tool_wait *wait = outlet->data;
    json_t *args = elicit_answer(result, wait->made, wait->response_type);
    struct mcp_call *call = args ? call_new(wait->mcp, NULL) : NULL;

    if (!call)
        return;
    const struct credentials *shown = wait_credentials(outlet->wait);

    call->own_args = args;
    call->client = (struct peer){ .version = wait->version, .name = arena_text(&call->arena, wait->name) };
    call->request.credentials = (struct credentials){ .bearer = arena_text(&call->arena, shown->bearer),
                                                      .session = arena_text(&call->arena, shown->session),
                                                      .workspace = arena_text(&call->arena, shown->workspace),
                                                      .may_be_solo = shown->may_be_solo,
                                                      .key = shown->key };
    memcpy(call->remote, wait->remote, sizeof(call->remote));
    outlet->to_do = call;
}

void tool_told(void *to_do)
{
    struct mcp_call *call = to_do;

    if (call)
        call_run(call, op_find("question_answer"), call->own_args, answered_here);
}

/* What is waited for is what the row's path names last. */
static const char *subject_of(const struct op *op, const json_t *args)
{
    const char *subject = NULL;

    for (const struct field *param = op->params; param->type; param++)
        if (op_param_place(op, param) == IN_PATH)
            subject = json_string_value(json_object_get(args, param->name));
    return subject;
}

static struct tool_wait *wait_make(const struct mcp_call *call, const struct op *op, json_t *args,
                                   const char *made)
{
    struct tool_wait *wait = calloc(1, sizeof(*wait));

    if (!wait)
        abort();
    *wait = (struct tool_wait){ .mcp = call->mcp,
                                .tool = call->tool,
                                .op = op,
                                .args = args,
                                .made = made ? strdup(made) : NULL,
                                .name = strdup(call->client.name),
                                .version = call->client.version,
                                .era = call->client.era,
                                .began_ms = clock_ticks_ms() };
    memcpy(wait->remote, call->remote, sizeof(wait->remote));
    return wait;
}

/* Takes over `args`. The look that follows may have read before an event, so it is made once more. */
static void begin_wait(struct mcp_call *call, const struct op *op, json_t *args, const char *made,
                       int64_t seconds)
{
    struct mcp *mcp = call->mcp;
    struct outlet *outlet = call->outlet;
    struct request *request = &call->request;
    ARENA_AUTO arena = { 0 };
    const char *subject = str_fold(&arena, subject_of(op, args));

    if (!holds_take(mcp->edge->holds, &request->call.caller, call->remote, &outlet->hold,
                    &request->call.err)) {
        json_decref(args);
        answer_error(call, &request->call.err);
        return;
    }
    struct tool_wait *wait = wait_make(call, op, args, made);

    outlet->data = wait;
    outlet->forget = wait_free;
    outlet->tick = wait_tick;
    outlet->wait =
        wait_new(mcp->edge->waits, &mcp->waits, outlet, subject, &request->credentials, (int)seconds);
    if (call->tool->elicits && elicit_fits(call)) {
        wait->response_type = strdup(json_string_value(json_object_get(call->args, "responseType")));
        elicit_ask(call, elicited);
    }
    outlet_open(outlet, outlet->progress ? PROGRESS_MS : HEARTBEAT_MS);
    call_free(call);
    tool_look(mcp, outlet->wait);
}

/* The look of a tool that was not asked to wait. */
static void looked_once(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;

    if (err->code != ERR_NONE)
        answer_error(call, err);
    else
        answer(call, call->made, !call->request.call.ended);
}

/* From what the first row made to the row that is looked at until it has ended. */
static void go_on(struct mcp_call *call)
{
    const struct tool *tool = call->tool;
    const struct op *op = op_find(tool->then);
    struct err ignored = { 0 };
    JSON_AUTO *reply = NULL;

    if (!json_parse(call->request.reply.bytes, call->request.reply.len, &reply, &ignored) ||
        (tool->unless && json_object_get(reply, tool->unless))) {
        answer(call, NULL, false);
        return;
    }
    json_t *args = json_object();

    for (const struct field *param = op->params; param->type; param++)
        json_object_set(args, param->name, json_object_get(call->args, param->name));
    call->made = arena_text(&call->arena, json_string_value(json_object_get(reply, tool->made)));
    json_object_set(args, tool->then_id, json_object_get(reply, tool->made));
    if (call->wait_s > 0) {
        begin_wait(call, op, args, call->made, call->wait_s);
        return;
    }
    json_decref(call->own_args);
    call->own_args = args;
    call_run(call, op, args, looked_once);
}

static void ran(struct mcp_call *call)
{
    const struct tool *tool = call->tool;
    struct request *request = &call->request;

    if (request->call.err.code != ERR_NONE)
        answer_error(call, &request->call.err);
    else if (tool->done)
        tool->done(call);
    else if (tool->then)
        go_on(call);
    else if (tool_waits(tool) && !request->call.ended && call->wait_s > 0)
        begin_wait(call, request->op, json_deep_copy(call->args), NULL, call->wait_s);
    else
        answer(call, NULL, tool_waits(tool) && !request->call.ended);
}

/* The job that the caller's agent has open takes the place of the id. */
static void found_job(struct mcp_call *call)
{
    struct err *err = &call->request.call.err;
    struct err ignored = { 0 };
    JSON_AUTO *reply = NULL;
    json_t *job = NULL;

    if (err->code != ERR_NONE) {
        answer_error(call, err);
        return;
    }
    if (json_parse(call->request.reply.bytes, call->request.reply.len, &reply, &ignored))
        job = json_array_get(json_object_get(reply, "jobs"), 0);
    if (!job) {
        err_set(err, ERR_NOT_FOUND, "You have no job that runs.");
        err_hint(err, "Give the job's id.");
        answer_error(call, err);
        return;
    }
    json_t *args = json_copy(json_object_get(call->message.params, "arguments"));

    if (!args)
        args = json_object();
    json_object_set(args, "id", json_object_get(job, "id"));
    json_decref(call->own_args);
    call->own_args = args;
    call_run(call, tool_op(call->tool), args, ran);
}

/* Our own argument beside the row's. */
static bool take_wait(struct mcp_call *call)
{
    const json_t *given = json_object_get(call->own_args, "wait_seconds");

    call->wait_s = MCP_HOLD_S;
    if (!given || !tool_waits(call->tool))
        return true;
    if (!json_is_integer(given) || json_integer_value(given) < 0 || json_integer_value(given) > MCP_HOLD_S)
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "wait_seconds must be from 0 to %d.",
                        MCP_HOLD_S);
    call->wait_s = json_integer_value(given);
    json_object_del(call->own_args, "wait_seconds");
    return true;
}

static void add_unsaid(struct mcp_call *call)
{
    const char *text = call->tool->unsaid;
    struct err ignored = { 0 };
    JSON_AUTO *unsaid = NULL;

    if (text && call->own_args && json_parse(text, strlen(text), &unsaid, &ignored))
        json_object_update_missing(call->own_args, unsaid);
}

static bool read_call(struct mcp_call *call)
{
    const char *name = call_text_param(call, "name");
    json_t *given = json_object_get(call->message.params, "arguments");

    if (!name)
        return false;
    call->tool = tool_find(call->mcp, name);
    if (!call->tool)
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "There is no tool \"%.100s\".", name);
    if (given && !json_is_object(given))
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "arguments must be an object.");
    call->own_args = call->tool->prepare ? call->tool->prepare(call, given)
                     : given             ? json_copy(given)
                                         : json_object();
    add_unsaid(call);
    return call->own_args && take_wait(call);
}

void tools_call(struct mcp_call *call)
{
    if (!read_call(call)) {
        call_fail(call);
        return;
    }
    if (call->tool->finds_job && !json_object_get(call->own_args, "id")) {
        json_decref(call->own_args);
        call->own_args = json_pack("{s:s, s:i}", "status", "running", "limit", 1);
        call_run(call, op_find("job_list"), call->own_args, found_job);
        return;
    }
    call_run(call, tool_op(call->tool), call->tool->done ? NULL : call->own_args, ran);
}
