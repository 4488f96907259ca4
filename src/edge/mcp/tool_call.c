/*
 * tool_call.c - tools/call: a tool's arguments become an operation's, its reply the tool's result.
 *
 * A tool that waits looks once. If what it is about goes on, the client gets what it has use for: a task, a
 * request for input, or a stream that ends with the answer (tool_wait.c).
 */
#include "base/str.h"
#include "edge/mcp/tasks.h"
#include "edge/mcp/tool_input.h"
#include "edge/mcp/tool_result.h"

#include <string.h>

/* Whoever asked for a task is given one or an error; nobody else could tell a result from it. */
static void refuse(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;

    if (call->as_task && call->client.era == MCP_HANDSHAKE)
        call_fail_with(call, err);
    else
        tool_answer_error(call, err);
}

void tool_looked(struct mcp_call *call)
{
    bool ended = call->request.call.ended;

    if (call->request.call.err.code != ERR_NONE)
        refuse(call);
    else if (call->as_task && (!ended || call->client.era == MCP_HANDSHAKE))
        task_made(call);
    else if (ended || call->wait_s == 0)
        tool_answer(call, call->made, !ended);
    else if (!input_ask(call))
        tool_wait(call, call->request.op, json_deep_copy(call->args), call->made, call->wait_s);
}

/* From what the first row made to the row that is looked at until it has ended. */
static void go_on(struct mcp_call *call)
{
    const struct mcp_tool *tool = call->tool;
    const struct op *op = op_find(tool->then);
    struct err ignored = { 0 };
    JSON_AUTO *reply = NULL;
    bool wants_task = call->as_task && call->client.era == MCP_HANDSHAKE;

    if (!json_parse(call->request.reply.bytes, call->request.reply.len, &reply, &ignored) ||
        (tool->unless && json_object_get(reply, tool->unless) && !wants_task)) {
        tool_answer(call, NULL, false);
        return;
    }
    json_t *args = json_object();

    for (const struct field *param = op->params; param->type; param++)
        json_object_set(args, param->name, json_object_get(call->args, param->name));
    call->made = arena_text(&call->arena, json_string_value(json_object_get(reply, tool->made)));
    json_object_set(args, tool->then_id, json_object_get(reply, tool->made));
    if (call->wait_s > 0 && !call->as_task && !input_possible(call)) {
        tool_wait(call, op, args, call->made, call->wait_s);
        return;
    }
    call_own(call, args);
    call_run(call, op, args, tool_looked);
}

void tool_ran(struct mcp_call *call)
{
    const struct mcp_tool *tool = call->tool;

    if (call->request.call.err.code != ERR_NONE)
        refuse(call);
    else if (tool->done)
        tool->done(call);
    else if (tool->then)
        go_on(call);
    else if (tool_waits(tool))
        tool_looked(call);
    else
        tool_answer(call, NULL, false);
}

/* The job that the caller's agent has open takes the place of the id. */
static void found_job(struct mcp_call *call)
{
    struct err *err = &call->request.call.err;
    struct err ignored = { 0 };
    JSON_AUTO *reply = NULL;
    json_t *job = NULL;

    if (err->code != ERR_NONE) {
        refuse(call);
        return;
    }
    if (json_parse(call->request.reply.bytes, call->request.reply.len, &reply, &ignored))
        job = json_array_get(json_object_get(reply, "jobs"), 0);
    if (!job) {
        err_set(err, ERR_NOT_FOUND, "You have no running job.");
        err_hint(err, "Give the job's id.");
        refuse(call);
        return;
    }
    json_t *args = json_copy(json_object_get(call->message.params, "arguments"));

    if (!args)
        args = json_object();
    json_object_set(args, "id", json_object_get(job, "id"));
    call_own(call, args);
    call_run(call, tool_op(call->tool), args, tool_ran);
}

/* Our own argument beside the row's. */
static bool take_wait(struct mcp_call *call)
{
    const json_t *given = json_object_get(call->own_args, "wait_seconds");

    call->wait_s = tool_holds_s(call->tool);
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
    call->tool = tool_find(name);
    if (!call->tool)
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "There is no tool \"%.100s\".", name);
    if (given && !json_is_object(given))
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "arguments must be an object.");
    call->own_args = call->tool->prepare ? call->tool->prepare(call, given)
                     : given             ? json_copy(given)
                                         : json_object();
    add_unsaid(call);
    return call->own_args && take_wait(call) && task_wanted(call);
}

void tools_call(struct mcp_call *call)
{
    if (!read_call(call)) {
        call_fail(call);
    } else if (input_is_brought(call)) {
        call_know(call, input_go_on);
    } else if (call->tool->begin) {
        call->tool->begin(call);
    } else if (call->tool->finds_job && !json_object_get(call->own_args, "id")) {
        call_own(call, json_pack("{s:s, s:i}", "status", "running", "limit", 1));
        call_run(call, op_find("job_list"), call->own_args, found_job);
    } else {
        call_run(call, tool_op(call->tool), call->tool->done ? NULL : call->own_args, tool_ran);
    }
}
