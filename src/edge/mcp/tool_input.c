/*
 * The seal is bound to who calls and to all arguments of the call, so that it cannot be moved to another
 * question or to another's.
 */
#include "edge/mcp/tool_input.h"

#include "base/clock.h"
#include "base/str.h"
#include "edge/mcp/elicit.h"
#include "edge/mcp/tool_result.h"

#include <stdlib.h>
#include <string.h>

bool input_is_brought(const struct mcp_call *call)
{
    return call->client.era == MCP_STATELESS && call->tool->elicits &&
           json_object_get(call->message.params, "requestState");
}

bool input_possible(const struct mcp_call *call)
{
    return call->client.era == MCP_STATELESS && call->tool->elicits && (call->client.can & CAN_ELICIT) &&
           !input_is_brought(call) && caller_is_person(&call->request.call.caller);
}

static const char *scope_of(struct mcp_call *call)
{
    json_t *args = json_object_get(call->message.params, "arguments");
    char *sorted = args ? json_dumps(args, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const char *scope =
        arena_format(&call->arena, "%s %s tools/call %s %s", call->request.call.caller.id,
                     call->request.call.caller.workspace_id, call->tool->name, sorted ? sorted : "");

    free(sorted);
    return scope;
}

static void write_asking(struct mcp_call *call, const json_t *question, const char *state)
{
    BUF_AUTO params = { 0 };
    struct json_out out;
    struct buf result;

    elicit_write(question, &params);
    call_begin_as(call, "input_required", &out, &result);
    json_map(&out, "inputRequests");
    json_map(&out, ELICIT_KEY);
    json_text(&out, "method", "elicitation/create");
    json_raw(&out, "params", params.bytes);
    json_map_end(&out);
    json_map_end(&out);
    json_text(&out, "requestState", state);
    call_result(call, &out, &result);
}

bool input_ask(struct mcp_call *call)
{
    struct err ignored = { 0 };
    JSON_AUTO *reply = NULL;
    const json_t *question;

    if (!input_possible(call) ||
        !json_parse(call->request.reply.bytes, call->request.reply.len, &reply, &ignored))
        return false;
    question = json_object_get(reply, "question");
    if (!elicit_fits(call, question))
        return false;
    const char *content = arena_format(&call->arena, "%s %s", call->made,
                                       json_string_value(json_object_get(question, "responseType")));

    write_asking(call, question,
                 seal_close(&call->mcp->key, &call->arena, scope_of(call), clock_now_ms(), content));
    return true;
}

static void look(struct mcp_call *call)
{
    call_own(call, json_pack("{s:s}", "id", call->made));
    call_run(call, op_find(call->tool->then), call->own_args, tool_looked);
}

/* Somebody else was first: what they said is the answer. */
static void answered(struct mcp_call *call)
{
    const struct err *err = &call->request.call.err;

    if (err->code == ERR_NONE || err->code == ERR_CONFLICT)
        look(call);
    else
        tool_answer_error(call, err);
}

void input_go_on(struct mcp_call *call)
{
    const char *state = json_string_value(json_object_get(call->message.params, "requestState"));
    const char *content =
        state ? seal_open(&call->mcp->key, &call->arena, scope_of(call), clock_now_ms(), state) : NULL;
    const json_t *said = json_object_get(json_object_get(call->message.params, "inputResponses"), ELICIT_KEY);
    const char *space = content ? strchr(content, ' ') : NULL;

    if (!space) {
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400,
                 "requestState is not what this server gave for this call; begin anew.");
        call_fail(call);
        return;
    }
    call->made = arena_copy(&call->arena, content, (size_t)(space - content));
    json_t *answer = elicit_answer(said, call->made, space + 1);

    if (!answer) {
        look(call);
        return;
    }
    call_own(call, answer);
    call_run(call, op_find("question_answer"), answer, answered);
}
