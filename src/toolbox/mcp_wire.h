/*
 * mcp_wire.h - messages of the Model Context Protocol as a client reads and writes them.
 *
 * One message is one JSON text. A server answers a request of ours, tells something, or asks for something;
 * whatever is none of those three is nothing. Our requests have whole numbers as ids, counted up, so an
 * answer to another id is nobody's.
 *
 * Thread: any; nothing is kept.
 */
#ifndef TOOLBOX_MCP_WIRE_H
#define TOOLBOX_MCP_WIRE_H

#include "base/json.h"

enum mcp_kind { MCP_ANSWERS = 1, MCP_TELLS, MCP_ASKS };

struct mcp_message {
    enum mcp_kind kind;
    int64_t request;      /* of an answer: which of ours; -1: it names none that could be */
    const json_t *id;     /* of what it asks for: a text or a whole number */
    const char *method;   /* of what it tells or asks for */
    const json_t *params; /* an object, or NULL */
    const json_t *result; /* of an answer: an object; NULL: it is an error */
    int code;             /* of an error */
    const char *words;    /* the same, as the server wrote them */
    const json_t *data;   /* the same, or NULL */
};

/* What the tree says, from which the message borrows. False: it is no message. */
CHECKED bool mcp_read(const json_t *tree, struct mcp_message *message);

/* Codes of errors. */
enum {
    MCP_NO_METHOD = -32601,
    MCP_INTERNAL = -32603,
    MCP_BAD_PARAMS = -32602,
    MCP_HEADERS_DIFFER = -32020,
    MCP_CAPABILITY_MISSING = -32021,
    MCP_VERSION_UNKNOWN = -32022,
    MCP_URL_ASKED = -32042, /* 2025-11-25: the call needs a link to be opened first */
};

/* Versions of the protocol. */
#define MCP_STATELESS_VERSION "2026-07-28"
#define MCP_HANDSHAKE_VERSION "2025-11-25"
/* Whether a server that answers the handshake with this version can be spoken to; as a text of ours, or NULL.
 */
const char *mcp_handshake_version(const char *version);

/*
 * {"jsonrpc":"2.0","id":..,"method":..,"params":{ and leaves that open; mcp_end closes it. A negative id: a
 * notification. With `stateless`, _meta says who asks and what they can do, as 2026-07-28 wants it with each
 * request; `progress` adds the id as a token for progress.
 */
void mcp_begin(struct json_out *out, struct buf *into, int64_t id, const char *method);
void mcp_meta(struct json_out *out, int64_t id, bool stateless, bool progress);
void mcp_end(struct json_out *out);
/* Who asks, and what they can do: of initialize, and of _meta. */
void mcp_client_info(struct json_out *out, const char *key);
void mcp_client_capabilities(struct json_out *out, const char *key);

/* Answers to what a server asks for. */
void mcp_write_result(struct buf *into, const json_t *id, const char *result);
void mcp_write_error(struct buf *into, const json_t *id, int code, const char *words);

/* A header's value: as it is where headers can carry it, else =?base64?...?=. */
const char *mcp_header_value(struct arena *arena, const char *text);

#endif
