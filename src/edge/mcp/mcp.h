/*
 * mcp.h - the MCP door: POST /mcp, in the dialects of 2025-06-18, 2025-11-25 and 2026-07-28.
 *
 * It holds no rules of the domain: a tool is a row of the operation table, with a name and a description that
 * a model understands (tools.h), and a resource is the reply of a row that reads.
 */
#ifndef EDGE_MCP_MCP_H
#define EDGE_MCP_MCP_H

#include "edge/internal.h"

struct mcp;

struct mcp *mcp_new(struct edge *edge);
/* After the HTTP server has ended. Accepts NULL. */
void mcp_free(struct mcp *mcp);

/* /mcp, whatever the method. */
void mcp_handle(struct edge *edge, struct http_exchange *exchange);
/* For http_options.before_body. */
bool mcp_before_body(struct edge *edge, struct http_exchange *exchange);
/* /.well-known/oauth-protected-resource[/mcp] (RFC 9728): how to be let in. */
void mcp_metadata(struct edge *edge, struct http_exchange *exchange);

#endif
