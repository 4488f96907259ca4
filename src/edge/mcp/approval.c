/*
 * Only a value that is exactly true allows, with the arguments that people approved; everything else is a no
 * that says which: withdrawn, too late, or somebody's own words.
 */
#include "edge/mcp/approval.h"

#include <string.h>

json_t *approval_prepare(struct mcp_call *call, const json_t *given)
{
    const char *tool = json_string_value(json_object_get(given, "tool_name"));
    json_t *input = json_object_get(given, "input");
    const char *use = json_string_value(json_object_get(given, "tool_use_id"));

    if (!tool || !*tool || !json_is_object(input)) {
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400,
                 "approve_tool_use needs tool_name, a string, and input, an object.");
        return NULL;
    }
    const char *question = arena_format(&call->arena, "May %s use the tool %.200s?", call->client.name, tool);

    return json_pack("{s:s, s:s, s:s, s:{s:s, s:O}, s:{s:s}}", "question", question, "type", "approval",
                     "responseType", "approval", "action", "name", tool, "args", input, "metadata",
                     "tool_use_id", use ? use : "");
}

static void deny(struct json_out *out, const char *why)
{
    json_text(out, "behavior", "deny");
    json_text(out, "message", why);
}

static void decide(struct json_out *out, const json_t *question)
{
    const json_t *response = json_object_get(question, "response");
    const json_t *args = json_object_get(question, "approvedArgs");
    const char *text = json_string_value(json_object_get(response, "text"));
    const char *status = json_string_value(json_object_get(question, "status"));

    if (json_is_true(json_object_get(response, "value"))) {
        if (!json_is_object(args))
            args = json_object_get(json_object_get(question, "action"), "args");
        json_text(out, "behavior", "allow");
        json_value(out, "updatedInput", args);
        return;
    }
    if (status && strcmp(status, "cancelled") == 0)
        deny(out, "The question was withdrawn.");
    else if (status && strcmp(status, "timeout") == 0)
        deny(out, "Nobody answered in time.");
    else
        deny(out, text && *text ? text : "A person said no.");
}

void approval_shape(struct mcp_call *call, bool pending, struct buf *into)
{
    struct json_out out;
    struct err ignored = { 0 };
    JSON_AUTO *reply = NULL;

    json_begin(&out, into);
    json_map(&out, NULL);
    if (pending)
        deny(&out, "Nobody has answered yet. Try again in a while; the question stays in their inbox.");
    else if (json_parse(call->request.reply.bytes, call->request.reply.len, &reply, &ignored))
        decide(&out, json_object_get(reply, "question"));
    else
        deny(&out, "The answer could not be read.");
    json_map_end(&out);
}
