/*
 * The message is read before the headers are believed. A name that headers cannot carry comes in base64, and
 * is decoded before it is compared.
 */
#include "edge/mcp/headers.h"

#include "base/str.h"

#include <sodium.h>
#include <string.h>

#define META "io.modelcontextprotocol/"

bool headers_are_stateless(const struct http_exchange *exchange)
{
    return str_equal(http_header(exchange, "MCP-Protocol-Version"), mcp_versions[0]);
}

static bool unsupported(struct mcp_call *call, const char *version)
{
    BUF_AUTO data = { 0 };
    struct json_out out;

    json_begin(&out, &data);
    json_map(&out, NULL);
    json_list(&out, "supported");
    for (const char *const *known = mcp_versions; *known; known++)
        json_text(&out, NULL, *known);
    json_list_end(&out);
    json_text(&out, "requested", version);
    json_map_end(&out);
    rpc_fail(&call->error, MCP_UNSUPPORTED_VERSION, 400, "The protocol version %.40s is not served.",
             version);
    call->error.data = arena_copy(&call->arena, data.bytes, data.len);
    return false;
}

static bool mismatch(struct mcp_call *call, const char *header)
{
    return rpc_fail(&call->error, MCP_HEADER_MISMATCH, 400, "The header %s must say the same as the message.",
                    header);
}

/* A value that headers cannot carry comes as =?base64?...?=. */
static const char *decoded(struct arena *arena, const char *value)
{
    size_t len = value ? strlen(value) : 0, plain_len;

    if (len < 11 || !str_starts(value, "=?base64?") || strcmp(value + len - 2, "?=") != 0)
        return value;
    char *plain = arena_alloc(arena, len, 1);

    if (sodium_base642bin((unsigned char *)plain, len - 1, value + 9, len - 11, NULL, &plain_len, NULL,
                          sodium_base64_VARIANT_ORIGINAL) != 0)
        return NULL;
    return plain;
}

/* What Mcp-Name repeats, or NULL. */
static const char *name_of(const struct rpc_message *message)
{
    static const struct {
        const char *method, *param;
    } named[] = {
        { "tools/call", "name" },  { "prompts/get", "name" },    { "resources/read", "uri" },
        { "tasks/get", "taskId" }, { "tasks/update", "taskId" }, { "tasks/cancel", "taskId" },
    };

    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
        if (strcmp(message->method, named[i].method) == 0)
            return json_string_value(json_object_get(message->params, named[i].param));
    return NULL;
}

static bool check_names(struct mcp_call *call)
{
    const struct http_exchange *exchange = call->parking.exchange;
    const char *name = name_of(&call->message);

    if (!str_equal(decoded(&call->arena, http_header(exchange, "Mcp-Method")), call->message.method))
        return mismatch(call, "Mcp-Method");
    if (name && !str_equal(decoded(&call->arena, http_header(exchange, "Mcp-Name")), name))
        return mismatch(call, "Mcp-Name");
    return true;
}

static bool check_stateless(struct mcp_call *call, const char *header)
{
    const json_t *meta = json_object_get(call->message.params, "_meta");
    const char *version = json_string_value(json_object_get(meta, META "protocolVersion"));
    const json_t *capabilities = json_object_get(meta, META "clientCapabilities");

    call->client.era = MCP_STATELESS;
    call->client.version = mcp_versions[0];
    if (call->message.kind != RPC_REQUEST)
        return true;
    if (!version)
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "_meta must have " META "protocolVersion.");
    if (!str_equal(header, version))
        return mismatch(call, "MCP-Protocol-Version");
    if (!mcp_version_known(version))
        return unsupported(call, version);
    if (!json_is_object(capabilities))
        return rpc_fail(&call->error, RPC_INVALID_PARAMS, 400, "_meta must have " META "clientCapabilities.");
    peer_read(&call->arena, json_object_get(meta, META "clientInfo"), capabilities, &call->client);
    call->client.wants_log = json_is_string(json_object_get(meta, META "logLevel"));
    return check_names(call);
}

static bool check_handshake(struct mcp_call *call, const char *header)
{
    const char *id = http_header(call->parking.exchange, "Mcp-Session-Id");

    if (header && !mcp_version_known(header))
        return unsupported(call, header);
    if (header)
        call->client.version = mcp_version_known(header);
    if (!id || (call->message.method && strcmp(call->message.method, "initialize") == 0))
        return true;
    if (peer_of_session(&call->mcp->ended, &call->arena, id, &call->client))
        return true;
    call->message.id = NULL;
    return rpc_fail(&call->error, RPC_INVALID_REQUEST, 404, "There is no such session; initialize anew.");
}

bool headers_check(struct mcp_call *call)
{
    const char *header = http_header(call->parking.exchange, "MCP-Protocol-Version");
    const json_t *meta = json_object_get(call->message.params, "_meta");

    if (str_equal(header, mcp_versions[0]) || json_object_get(meta, META "protocolVersion"))
        return check_stateless(call, header);
    return check_handshake(call, header);
}
