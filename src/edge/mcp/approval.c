/*
 * Only a value that is exactly true allows, with the arguments that people approved; everything else is a no
 * that says which: withdrawn, too late, or somebody's own words.
 */
#include "edge/mcp/approval.h"

#include "base/str.h"
#include "edge/mcp/tools.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define TOOL_NAME_CHARS 200 /* shown in the question; the whole name stands in the action */

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
    const char *question = arena_format(&call->arena, "May %s use the tool %s?", call->client.name,
                                        str_beginning(&call->arena, tool, TOOL_NAME_CHARS));

    json_t *args = json_pack("{s:s, s:s, s:s, s:{s:s, s:O}, s:{s:s}}", "question", question, "type",
                             "approval", "responseType", "approval", "action", "name", tool, "args", input,
                             "metadata", "tool_use_id", use ? use : "");

    json_object_set(args, "wait_seconds", json_object_get(given, "wait_seconds"));
    return args;
}

/* The same use of the same tool, by its name for it where it has one. */
static const char *key_of(struct mcp_call *call, const char *use)
{
    unsigned char hash[16];
    char hex[2 * sizeof(hash) + 1];
    char *action = json_dumps(json_object_get(call->own_args, "action"), JSON_COMPACT | JSON_SORT_KEYS);
    const char *all = arena_format(&call->arena, "%zu %s %zu %s %s", strlen(call->client.name),
                                   call->client.name, strlen(use), use, action ? action : "");

    free(action);
    crypto_generichash(hash, sizeof(hash), (const unsigned char *)all, strlen(all), NULL, 0);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    return arena_format(&call->arena, "approve_tool_use %s", hex);
}

/*
 * A client that lost the reply, or was told to try again, asks the same question a second time. One that
 * names its uses gets the same answer even after it was given; for others it is the same while it is open.
 */
void approval_begin(struct mcp_call *call)
{
    const char *use =
        json_string_value(json_object_get(json_object_get(call->own_args, "metadata"), "tool_use_id"));

    call->request.idempotency_key = key_of(call, use ? use : "");
    call->request.key_while_open = !use || !*use;
    call_run(call, op_find("question_create"), call->own_args, tool_ran);
}

/* What stands for no answer is said so that a model takes it for none, and neither tries it at once again nor
 * looks for a way around. */
#define UNDECIDED \
    " Nobody has allowed it and nobody has refused it. " \
    "Leave it for now: go on with work that does not need it, or stop and say what you wait for."

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
        deny(out, "The question was withdrawn before anybody answered." UNDECIDED);
    else if (status && strcmp(status, "timeout") == 0)
        deny(out, "Nobody answered before the question's deadline." UNDECIDED);
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
        deny(&out, "Nobody has answered yet; the question stays in their inbox." UNDECIDED);
    else if (json_parse(call->request.reply.bytes, call->request.reply.len, &reply, &ignored))
        decide(&out, json_object_get(reply, "question"));
    else
        deny(&out, "The answer could not be read.");
    json_map_end(&out);
}
