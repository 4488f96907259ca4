/*
 * rpc.h - one JSON-RPC 2.0 message, as MCP sends it.
 *
 * A request has an id and a method, a notification a method only, a response an id and either a result or an
 * error. MCP is stricter than JSON-RPC: ids are strings or whole numbers, never null, params are an object,
 * and there are no batches.
 */
#ifndef EDGE_MCP_RPC_H
#define EDGE_MCP_RPC_H

#include "base/json.h"

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

struct rpc_message {
    enum rpc_kind kind;
    const json_t *id;     /* of a request or response; NULL: it has none, or none that can be one */
    const char *method;   /* of a request or notification */
    const json_t *params; /* an object, or NULL */
    const json_t *result; /* of a response; NULL: it is an error */
};

/* The codes of JSON-RPC, and those of MCP. */
enum {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_SERVER_ERROR = -32000,
    MCP_RESOURCE_NOT_FOUND = -32002, /* before 2026-07-28 */
    MCP_HEADER_MISMATCH = -32020,
    MCP_MISSING_CAPABILITY = -32021,
    MCP_UNSUPPORTED_VERSION = -32022,
};

struct rpc_error {
    int code;
    int http;         /* the status that goes with it */
    const char *data; /* JSON in the call's arena, or NULL */
    char text[400];
};

/* Records it and returns false. */
bool rpc_fail(struct rpc_error *error, int code, int http, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * What the tree says. The message borrows from it. When false, message->id is what the reply may name, if
 * that much could be read.
 */
CHECKED bool rpc_read(const json_t *tree, struct rpc_message *message, struct rpc_error *error);

/* {"jsonrpc":"2.0","id":ID, and leaves the object open for result or error; `id` is JSON, NULL writes null.
 */
void rpc_begin(struct json_out *out, struct buf *into, const char *id);
void rpc_write_error(struct buf *into, const char *id, const struct rpc_error *error);

#endif
