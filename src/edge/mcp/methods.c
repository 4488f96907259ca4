#include "edge/mcp/methods.h"

#include "base/str.h"
#include "edge/mcp/further.h"
#include "edge/mcp/tasks.h"
#include "gen/version.h"

#include <string.h>

#define HANDSHAKE (1u << MCP_HANDSHAKE)
#define STATELESS (1u << MCP_STATELESS)

static const char instructions[] =
    "witan is where agents confer with each other and with people. "
    "Ask before you guess: ask_question puts a question to the people in charge, ask_squad to the other agents. "
    "No call takes longer than 50 seconds; a "
    "result with \"pending\": true says how to go on waiting. "
    "Report what you do with report_progress and "
    "post_to_chat, ask with request_decision before you change scope, architecture or dependencies, and hand in with hand_in_result, open questions included.";

static void write_capabilities(const struct mcp_call *call, struct json_out *out)
{
    bool changes = mcp_further() != NULL; /* the own lists do not change while it runs */

    json_map(out, "capabilities");
    json_map(out, "tools");
    json_bool(out, "listChanged", changes);
    json_map_end(out);
    json_map(out, "resources");
    json_bool(out, "subscribe", true);
    json_bool(out, "listChanged", false);
    json_map_end(out);
    json_map(out, "prompts");
    json_bool(out, "listChanged", changes);
    json_map_end(out);
    json_map(out, "completions");
    json_map_end(out);
    if (call->client.era == MCP_HANDSHAKE) {
        json_map(out, "logging");
        json_map_end(out);
    } else {
        json_raw(out, "extensions", "{\"" TASKS_EXTENSION "\":{}}");
    }
    if (tasks_are_core(call))
        json_raw(out, "tasks", "{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}");
    json_map_end(out);
}

/* A version that we do not have, or that has no handshake, is answered with our newest that has one. */
static void initialize(struct mcp_call *call)
{
    const char *asked = json_string_value(json_object_get(call->message.params, "protocolVersion"));
    const char *version = mcp_version_known(asked);
    struct http_header_line headers[] = { { "Mcp-Session-Id", NULL }, { NULL, NULL } };
    struct json_out out;
    struct buf result;

    call->client.version = version && strcmp(version, mcp_versions[0]) != 0 ? version : mcp_versions[1];
    peer_read(&call->arena, json_object_get(call->message.params, "clientInfo"),
              json_object_get(call->message.params, "capabilities"), &call->client);
    headers[0].value =
        peer_new_session(&call->mcp->key, &call->arena, &call->client, &call->request.call.caller);
    call_begin(call, &out, &result);
    json_text(&out, "protocolVersion", call->client.version);
    write_capabilities(call, &out);
    json_map(&out, "serverInfo");
    json_text(&out, "name", "witan");
    json_text(&out, "title", "witan");
    json_text(&out, "version", WITAN_VERSION);
    json_map_end(&out);
    json_text(&out, "instructions", instructions);
    json_map_end(&out);
    json_map_end(&out);
    outlet_answer(call->outlet, 200, headers, &result);
    buf_done(&result);
    call_free(call);
}

static void discover(struct mcp_call *call)
{
    struct json_out out;
    struct buf result;

    call_begin(call, &out, &result);
    call_write_ttl(call, &out, 60000, true);
    json_list(&out, "supportedVersions");
    for (const char *const *version = mcp_versions; *version; version++)
        json_text(&out, NULL, *version);
    json_list_end(&out);
    write_capabilities(call, &out);
    json_text(&out, "instructions", instructions);
    call_result(call, &out, &result);
}

static void nothing(struct mcp_call *call)
{
    struct json_out out;
    struct buf result;

    call_begin(call, &out, &result);
    call_result(call, &out, &result);
}

/* Nothing of ours is logged to clients; whoever sets a level is told that it is set. */
static void set_level(struct mcp_call *call)
{
    static const char *const levels[] = { "debug",    "info",  "notice",    "warning", "error",
                                          "critical", "alert", "emergency", NULL };
    const char *level = call_text_param(call, "level");

    for (const char *const *known = levels; level && *known; known++) {
        if (strcmp(*known, level) == 0) {
            nothing(call);
            return;
        }
    }
    if (level)
        rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "There is no level \"%.40s\".", level);
    call_fail(call);
}

static const struct mcp_method methods[] = {
    { "initialize", HANDSHAKE, false, initialize },
    { "ping", HANDSHAKE, false, nothing },
    { "logging/setLevel", HANDSHAKE, false, set_level },
    { "server/discover", STATELESS, false, discover },
    { "tools/list", HANDSHAKE | STATELESS, false, tools_list },
    { "tools/call", HANDSHAKE | STATELESS, true, tools_call },
    { "prompts/list", HANDSHAKE | STATELESS, false, prompts_list },
    { "prompts/get", HANDSHAKE | STATELESS, false, prompts_get },
    { "completion/complete", HANDSHAKE | STATELESS, false, prompts_complete },
    { "resources/list", HANDSHAKE | STATELESS, false, resources_list },
    { "resources/templates/list", HANDSHAKE | STATELESS, false, resources_templates },
    { "resources/read", HANDSHAKE | STATELESS, true, resources_read },
    { "resources/subscribe", HANDSHAKE, true, resources_subscribe },
    { "resources/unsubscribe", HANDSHAKE, false, resources_unsubscribe },
    { "subscriptions/listen", STATELESS, false, subscriptions_listen },
    { "tasks/get", HANDSHAKE | STATELESS, true, tasks_get },
    { "tasks/cancel", HANDSHAKE | STATELESS, true, tasks_cancel },
    { "tasks/result", HANDSHAKE, true, tasks_result },
    { "tasks/list", HANDSHAKE, false, tasks_list },
    { "tasks/update", STATELESS, true, tasks_update },
};

const struct mcp_method *method_find(const char *name, enum mcp_era era)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (strcmp(methods[i].name, name) == 0 && (methods[i].eras & (1u << era)))
            return &methods[i];
    return NULL;
}
