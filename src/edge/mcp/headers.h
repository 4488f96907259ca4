/*
 * headers.h - which version a request speaks, and whether its headers and its message say the same.
 *
 * Up to 2025-11-25 a session, or the header MCP-Protocol-Version, says it. From 2026-07-28 on the message
 * says it in _meta, and headers repeat version, method and name for those who route without reading bodies;
 * what differs is refused, since two readers would understand it in two ways.
 */
#ifndef EDGE_MCP_HEADERS_H
#define EDGE_MCP_HEADERS_H

#include "edge/mcp/call.h"

/* Fills in call->client. False: call->error. */
CHECKED bool headers_check(struct mcp_call *call);
/* Whether the header names a version without sessions. */
bool headers_are_stateless(const struct http_exchange *exchange);

#endif
