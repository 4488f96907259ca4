/*
 * Everything about a message is judged here, once, and a refusal carries both the code of JSON-RPC and the
 * status of HTTP.
 */
#include "edge/mcp/rpc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool rpc_fail(struct rpc_error *error, int code, int http, const char *fmt, ...)
{
    va_list args;

    *error = (struct rpc_error){ .code = code, .http = http };
    va_start(args, fmt);
    vsnprintf(error->text, sizeof(error->text), fmt, args);
    va_end(args);
    return false;
}

static bool invalid(struct rpc_error *error, const char *why)
{
    return rpc_fail(error, RPC_INVALID_REQUEST, 400, "This is not an MCP message: %s.", why);
}

static bool is_id(const json_t *id)
{
    return json_is_string(id) || json_is_integer(id);
}

/* A response to something that we could not name is not worth an error: it answers nothing. */
static bool read_response(const json_t *tree, struct rpc_message *message, struct rpc_error *error)
{
    const json_t *result = json_object_get(tree, "result"), *failed = json_object_get(tree, "error");

    message->kind = RPC_RESPONSE;
    if (!result == !failed)
        return invalid(error, "it has neither a method nor one of result and error");
    if (result && !json_is_object(result))
        return invalid(error, "result must be an object");
    if (failed && !json_is_object(failed))
        return invalid(error, "error must be an object");
    message->result = result;
    return true;
}

static bool read_call(const json_t *tree, struct rpc_message *message, struct rpc_error *error)
{
    const json_t *method = json_object_get(tree, "method"), *params = json_object_get(tree, "params");

    if (!json_is_string(method) || json_string_length(method) == 0)
        return invalid(error, "method must be a string");
    message->method = json_string_value(method);
    message->kind = json_object_get(tree, "id") ? RPC_REQUEST : RPC_NOTIFICATION;
    if (params && !json_is_object(params))
        return rpc_fail(error, RPC_INVALID_PARAMS, 400, "params must be an object.");
    message->params = params;
    return true;
}

bool rpc_read(const json_t *tree, struct rpc_message *message, struct rpc_error *error)
{
    const json_t *id, *version;

    *message = (struct rpc_message){ .kind = RPC_REQUEST };
    if (json_is_array(tree))
        return invalid(error, "batches are not part of it; send one message at a time");
    if (!json_is_object(tree))
        return invalid(error, "it must be an object");
    id = json_object_get(tree, "id");
    if (is_id(id))
        message->id = id;
    version = json_object_get(tree, "jsonrpc");
    if (!json_is_string(version) || strcmp(json_string_value(version), "2.0") != 0)
        return invalid(error, "jsonrpc must be \"2.0\"");
    if (!json_object_get(tree, "method"))
        return read_response(tree, message, error);
    if (id && !message->id)
        return invalid(error, "id must be a string or a whole number");
    return read_call(tree, message, error);
}

void rpc_begin(struct json_out *out, struct buf *into, const char *id)
{
    json_begin(out, into);
    json_map(out, NULL);
    json_text(out, "jsonrpc", "2.0");
    json_raw(out, "id", id);
}

void rpc_write_error(struct buf *into, const char *id, const struct rpc_error *error)
{
    struct json_out out;

    rpc_begin(&out, into, id);
    json_map(&out, "error");
    json_int(&out, "code", error->code);
    json_text(&out, "message", error->text);
    if (error->data)
        json_raw(&out, "data", error->data);
    json_map_end(&out);
    json_map_end(&out);
}
