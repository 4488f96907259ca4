/*
 * tool_result.h - the result of a tool, from the outcome of its operation.
 */
#ifndef EDGE_MCP_TOOL_RESULT_H
#define EDGE_MCP_TOOL_RESULT_H

#include "edge/mcp/tools.h"

/* The members of a result, of what call->request has replied. `made`: the id of what was made first, or NULL.
 */
void tool_write_result(struct mcp_call *call, const char *made, bool pending, struct json_out *out);

/* These end the call. */
void tool_answer(struct mcp_call *call, const char *made, bool pending);
void tool_answer_error(struct mcp_call *call, const struct err *err);

/* For a row of tools.c whose reply may be a document (struct reply_document of ops/op.h). */
#define DOCUMENT_OUTPUT \
    "{\"type\":\"object\",\"properties\":{" \
    "\"format\":{\"type\":\"string\",\"description\":\"How it is laid out.\"}," \
    "\"transcript\":{\"description\":\"A text, or with format json the result as an object.\"}}," \
    "\"required\":[\"format\",\"transcript\"]}"
void tool_shape_document(struct mcp_call *call, bool pending, struct buf *into);

#endif
