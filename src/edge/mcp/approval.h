/*
 * approval.h - approve_tool_use: the question that a client asks before it runs a tool.
 *
 * Claude Code with --permission-prompt-tool calls it with {tool_name, input, tool_use_id} and wants
 * {behavior: "allow", updatedInput} or {behavior: "deny", message} as the only text of the result, with no
 * structuredContent beside it. It is an approval like any other: what people change in the arguments comes
 * back as updatedInput. What it answers is acted upon, so it waits until the question has ended: a deny
 * because nobody has looked yet would be a decision that nobody has made.
 */
#ifndef EDGE_MCP_APPROVAL_H
#define EDGE_MCP_APPROVAL_H

#include "edge/mcp/call.h"

#define APPROVAL_INPUT \
    "{\"type\":\"object\",\"properties\":{" \
    "\"tool_name\":{\"type\":\"string\",\"description\":\"The tool that is to run.\"}," \
    "\"input\":{\"type\":\"object\",\"description\":\"Its input.\"}," \
    "\"tool_use_id\":{\"type\":\"string\",\"description\":\"The client's name for this use.\"}," \
    "\"wait_seconds\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":50,\"description\":\"How long to " \
    "wait at most; left out: until the question has ended.\"}}," \
    "\"required\":[\"tool_name\",\"input\"]}"

/* For the row of tools.c. */
json_t *approval_prepare(struct mcp_call *call, const json_t *given);
void approval_begin(struct mcp_call *call);
void approval_shape(struct mcp_call *call, bool pending, struct buf *into);

#endif
