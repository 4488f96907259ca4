/*
 * The id is the tool's name and the values of its row's path, the last one first: "ask_question.UUID",
 * "request_decision.UUID.PROJECT". Values before the last have no dots in them.
 */
#include "edge/mcp/tasks.h"

#include "base/str.h"
#include "edge/mcp/elicit.h"
#include "edge/mcp/tool_result.h"

#include <string.h>

#define POLL_MS 2000

bool tasks_are_core(const struct mcp_call *call)
{
    return call->client.era == MCP_HANDSHAKE && strcmp(call->client.version, "2025-11-25") == 0;
}

/* The row that a tool's tasks are views of. */
static const struct op *row_of(const struct mcp_tool *tool)
{
    return tool->then ? op_find(tool->then) : tool_op(tool);
}

const char *task_id_join(struct arena *arena, const char *const parts[], size_t count)
{
    const char *id = parts[0];

    for (size_t i = 1; i < count; i++)
        id = arena_format(arena, "%s.%s", id, parts[i]);
    return id;
}

bool task_id_split(struct arena *arena, const char *id, const char *parts[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *end = i + 1 < count ? strchr(id, '.') : id + strlen(id);

        if (!end || end == id)
            return false;
        parts[i] = arena_copy(arena, id, (size_t)(end - id));
        id = *end ? end + 1 : end;
    }
    return true;
}

/* What the values of an id are called, in the order in which they stand there: the path's, the last one
 * first. */
static size_t values_of(const struct op *op, const char *names[TASK_PARTS])
{
    size_t count = 0;

    for (const size_t *at = op_facts(op)->path_params; *at != NO_PARAM && count < TASK_PARTS - 1; at++) {
        memmove(names + 1, names, count * sizeof(names[0]));
        names[0] = op->params[*at].name;
        count++;
    }
    return count;
}

static const char *id_of(struct mcp_call *call, const struct mcp_tool *tool, const json_t *args)
{
    const char *names[TASK_PARTS], *parts[TASK_PARTS] = { tool->name };
    size_t count = values_of(row_of(tool), names);

    for (size_t i = 0; i < count; i++)
        parts[i + 1] = json_string_value(json_object_get(args, names[i]));
    return task_id_join(&call->arena, parts, count + 1);
}

static bool no_task(struct mcp_call *call)
{
    return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "There is no such task.");
}

/* Sets call->tool, own_args and made from the id. */
static bool read_id(struct mcp_call *call)
{
    const char *id = call_text_param(call, "taskId"), *names[TASK_PARTS], *parts[TASK_PARTS];
    size_t count;

    if (!id)
        return false;
    call->tool = task_id_split(&call->arena, id, parts, 2) ? tool_find(parts[0]) : NULL;
    if (!call->tool || !tool_waits(call->tool))
        return no_task(call);
    count = values_of(row_of(call->tool), names);
    if (!task_id_split(&call->arena, id, parts, count + 1))
        return no_task(call);
    call->task_id = id;
    call_own(call, json_object());
    for (size_t i = 0; i < count; i++)
        json_object_set_new(call->own_args, names[i], json_string(parts[i + 1]));
    if (call->tool->then)
        call->made = json_string_value(json_object_get(call->own_args, call->tool->then_id));
    return true;
}

bool task_wanted(struct mcp_call *call)
{
    bool waits = tool_waits(call->tool);

    if (call->client.era == MCP_STATELESS) {
        call->as_task = waits && (call->client.can & CAN_TASKS) && call->wait_s > 0;
        return true;
    }
    call->as_task = tasks_are_core(call) && json_is_object(json_object_get(call->message.params, "task"));
    if (call->as_task && !waits)
        return rpc_fail(&call->error, RPC_METHOD_NOT_FOUND, 404, "%s is done at once: it makes no task.",
                        call->tool->name);
    return true;
}

bool tasks_are_known(struct mcp_call *call)
{
    if (call->client.era == MCP_STATELESS ? call->client.can & CAN_TASKS : tasks_are_core(call))
        return true;
    if (call->client.era == MCP_STATELESS) {
        rpc_fail(&call->error, MCP_MISSING_CAPABILITY, 400, "This needs the extension " TASKS_EXTENSION ".");
        call->error.data = "{\"requiredCapabilities\":{\"extensions\":{\"" TASKS_EXTENSION "\":{}}}}";
    } else {
        rpc_fail(&call->error, RPC_METHOD_NOT_FOUND, 404, "This version has no tasks.");
    }
    call_fail(call);
    return false;
}

/* What a row's reply is about: one of its members, or the whole. */
static const json_t *about(const json_t *reply)
{
    static const char *const members[] = { "question", "prompt", "discussion" };

    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (json_is_object(json_object_get(reply, members[i])))
            return json_object_get(reply, members[i]);
    return reply;
}

static const char *text_of(const json_t *thing, const char *name)
{
    return json_string_value(json_object_get(thing, name));
}

static const char *created(const json_t *thing)
{
    const char *at = text_of(thing, "createdAt");

    return at ? at : text_of(thing, "created_at");
}

static const char *updated(const json_t *thing)
{
    const char *at = text_of(json_object_get(thing, "outcome"), "at");

    if (!at)
        at = text_of(thing, "updatedAt");
    return at ? at : created(thing);
}

/* The members of a task; those of 2026-07-28 have their unit in their name. */
static void write_task(const struct mcp_call *call, struct json_out *out, const char *id, const char *status,
                       const json_t *thing)
{
    bool new = call->client.era == MCP_STATELESS;

    json_text(out, "taskId", id);
    json_text(out, "status", status);
    if (strcmp(status, "completed") != 0 && strcmp(status, "cancelled") != 0)
        json_text(out, "statusMessage", "It has not ended yet.");
    json_text(out, "createdAt", created(thing));
    json_text(out, "lastUpdatedAt", updated(thing));
    json_none(out, new ? "ttlMs" : "ttl");
    json_int(out, new ? "pollIntervalMs" : "pollInterval", POLL_MS);
}

static const char *state_of(const struct mcp_call *call, const json_t *thing)
{
    if (str_equal(text_of(thing, "status"), "cancelled"))
        return "cancelled";
    if (call->request.call.ended)
        return "completed";
    return call->client.era == MCP_STATELESS && call->tool->elicits && elicit_fits(call, thing)
               ? "input_required"
               : "working";
}

static bool read_reply(const struct mcp_call *call, json_t **reply)
{
    struct err ignored = { 0 };

    return json_parse(call->request.reply.bytes, call->request.reply.len, reply, &ignored);
}

void task_made(struct mcp_call *call)
{
    JSON_AUTO *reply = NULL;
    struct json_out out;
    struct buf result;
    bool new = call->client.era == MCP_STATELESS;

    (void)!read_reply(call, &reply);
    call_begin_as(call, "task", &out, &result);
    if (!new)
        json_map(&out, "task");
    write_task(call, &out, id_of(call, call->tool, call->args), state_of(call, about(reply)), about(reply));
    if (!new)
        json_map_end(&out);
    call_result(call, &out, &result);
}

/* What 2026-07-28 puts into the task itself. */
static void write_details(struct mcp_call *call, struct json_out *out, const char *status,
                          const json_t *thing)
{
    BUF_AUTO params = { 0 };

    if (strcmp(status, "completed") == 0) {
        json_map(out, "result");
        json_text(out, "resultType", "complete");
        tool_write_result(call, call->made, false, out);
        json_map_end(out);
    } else if (strcmp(status, "input_required") == 0) {
        elicit_write(thing, &params);
        json_map(out, "inputRequests");
        json_map(out, ELICIT_KEY);
        json_text(out, "method", "elicitation/create");
        json_raw(out, "params", params.bytes);
        json_map_end(out);
        json_map_end(out);
    }
}

/* What is not there, or not theirs, is no task. True: the look has failed, and the call is over. */
static bool look_failed(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;

    if (err->code == ERR_NONE)
        return false;
    if (err->code == ERR_NOT_FOUND || err->code == ERR_INVALID) {
        no_task(call);
        call_fail(call);
    } else {
        call_fail_with(call, err);
    }
    return true;
}

static void got(struct mcp_call *call)
{
    JSON_AUTO *reply = NULL;
    struct json_out out;
    struct buf result;

    if (look_failed(call))
        return;
    (void)!read_reply(call, &reply);
    const char *status = state_of(call, about(reply));

    call_begin(call, &out, &result);
    write_task(call, &out, call->task_id, status, about(reply));
    if (call->client.era == MCP_STATELESS)
        write_details(call, &out, status, about(reply));
    call_result(call, &out, &result);
}

/* Looks at the row of the task that is named. */
static void look(struct mcp_call *call, void (*then)(struct mcp_call *call))
{
    if (!tasks_are_known(call))
        return;
    if (read_id(call))
        call_run(call, row_of(call->tool), call->own_args, then);
    else
        call_fail(call);
}

void tasks_get(struct mcp_call *call)
{
    look(call, got);
}

/* Holds until the task has ended, and not longer than a call of its tool does. */
static void resulted(struct mcp_call *call)
{
    if (look_failed(call))
        return;
    if (call->request.call.ended)
        tool_answer(call, call->made, false);
    else
        tool_wait(call, call->request.op, json_deep_copy(call->args), call->made, tool_holds_s(call->tool));
}

void tasks_result(struct mcp_call *call)
{
    look(call, resulted);
}

static void acknowledge(struct mcp_call *call)
{
    struct json_out out;
    struct buf result;

    call_begin(call, &out, &result);
    call_result(call, &out, &result);
}

static void cancelled(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;

    if (call->client.era == MCP_STATELESS && (err->code == ERR_NONE || err->code == ERR_CONFLICT)) {
        acknowledge(call);
    } else if (err->code == ERR_CONFLICT) {
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "The task has ended.");
        call_fail(call);
    } else if (!look_failed(call)) {
        call_run(call, row_of(call->tool), call->own_args, got);
    }
}

/* In 2026-07-28 cancelling is a wish, which nobody must grant. */
static void cancel(struct mcp_call *call)
{
    const char *row = call->tool->cancels;

    if (look_failed(call))
        return;
    if (row && !call->request.call.ended) {
        call_run(call, op_find(row), call->own_args, cancelled);
    } else if (call->client.era == MCP_STATELESS) {
        acknowledge(call);
    } else {
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "%s",
                 call->request.call.ended ? "The task has ended."
                                          : "This task only waits: it ends with what it waits for.");
        call_fail(call);
    }
}

void tasks_cancel(struct mcp_call *call)
{
    look(call, cancel);
}

static void told(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;

    if (err->code == ERR_NONE || err->code == ERR_CONFLICT)
        acknowledge(call);
    else
        call_fail_with(call, err);
}

/* What is asked no more, or never was, is passed over. */
static void update(struct mcp_call *call)
{
    const json_t *said = json_object_get(json_object_get(call->message.params, "inputResponses"), ELICIT_KEY);
    JSON_AUTO *reply = NULL;

    if (look_failed(call))
        return;
    (void)!read_reply(call, &reply);
    const json_t *thing = about(reply);
    json_t *answer = strcmp(state_of(call, thing), "input_required") == 0
                         ? elicit_answer(said, call->made, text_of(thing, "responseType"))
                         : NULL;

    if (!answer) {
        acknowledge(call);
        return;
    }
    call_own(call, answer);
    call_run(call, op_find("question_answer"), answer, told);
}

void tasks_update(struct mcp_call *call)
{
    if (json_is_object(json_object_get(call->message.params, "inputResponses"))) {
        look(call, update);
    } else {
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "inputResponses must be an object.");
        call_fail(call);
    }
}

/* What the connection's agent has asked: questions first, then prompts. A cursor says in which list it is. */
static const struct listed {
    const char *row, *member, *asker, *tool;
} lists[] = {
    { "question_pending", "questions", "askedBy", "ask_question" },
    { "prompt_list", "prompts", "requester_agent", "wait_for_squad" },
};
#define LISTS (sizeof(lists) / sizeof(lists[0]))

/* Approvals that a client asked for before it ran a tool are that tool's. */
static const struct mcp_tool *tool_of(const struct listed *list, const json_t *thing)
{
    bool approval = json_object_get(json_object_get(thing, "metadata"), "tool_use_id") != NULL;

    return tool_find(approval ? "approve_tool_use" : list->tool);
}

static void write_listed(struct mcp_call *call, const struct listed *list, const json_t *reply,
                         struct json_out *out)
{
    const struct caller *caller = &call->request.call.caller;
    const char *own = caller->agent_name ? caller->agent_name : call->client.name;
    const json_t *things = json_object_get(reply, list->member);

    json_list(out, "tasks");
    for (size_t i = 0; i < json_array_size(things); i++) {
        json_t *thing = json_array_get(things, i);
        const char *asker = text_of(thing, list->asker);

        if (!asker || !str_same_name(asker, own))
            continue;
        json_map(out, NULL);
        write_task(call, out, id_of(call, tool_of(list, thing), thing), "working", thing);
        json_map_end(out);
    }
    json_list_end(out);
}

static void listed(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;
    size_t at = call->list;
    JSON_AUTO *reply = NULL;
    struct json_out out;
    struct buf result;

    if (err->code != ERR_NONE) {
        call_fail_with(call, err);
        return;
    }
    (void)!read_reply(call, &reply);
    const char *next = text_of(reply, "nextCursor");

    call_begin(call, &out, &result);
    write_listed(call, &lists[at], reply, &out);
    if (next || at + 1 < LISTS)
        json_text(&out, "nextCursor",
                  arena_format(&call->arena, "%zu.%s", next ? at : at + 1, next ? next : ""));
    call_result(call, &out, &result);
}

void tasks_list(struct mcp_call *call)
{
    const char *cursor = text_of(call->message.params, "cursor");

    if (!tasks_are_known(call))
        return;
    if (cursor && (cursor[0] < '0' || (size_t)(cursor[0] - '0') >= LISTS || cursor[1] != '.')) {
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "This is not a cursor of this list.");
        call_fail(call);
        return;
    }
    call->list = cursor ? (size_t)(cursor[0] - '0') : 0;
    json_t *args = json_object();

    if (cursor && cursor[2])
        json_object_set_new(args, "cursor", json_string(cursor + 2));
    if (call->list == 0)
        json_object_set_new(args, "workspaceId", json_string(call->request.call.caller.workspace_id));
    call_own(call, args);
    call_run(call, op_find(lists[call->list].row), args, listed);
}
