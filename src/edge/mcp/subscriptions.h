/*
 * subscriptions.h - clients that want to hear of changes.
 *
 * Up to 2025-11-25 a session subscribes to resources one by one and hears of them on its GET stream. From
 * 2026-07-28 on subscriptions/listen is itself the stream and says what it is for. A change is an event of
 * the log about the resource that the caller may hear of; the client then reads the resource again.
 */
#ifndef EDGE_MCP_SUBSCRIPTIONS_H
#define EDGE_MCP_SUBSCRIPTIONS_H

#include "edge/mcp/call.h"

void subscriptions_open(struct mcp *mcp);
/* Nothing is heard any more; and, once there are no outlets, nothing is kept. */
void subscriptions_stop(struct mcp *mcp);
void subscriptions_close(struct mcp *mcp);
/* A session has ended. */
void subscriptions_forget(struct mcp *mcp, uint64_t session);
/* Opens the GET stream of call->client.session, for a caller that is known. */
void subscriptions_follow_session(struct mcp_call *call);

/* What the lists hold has changed: for those who listen for it. */
enum list_kind { LIST_TOOLS, LIST_PROMPTS };
void subscriptions_list_changed(struct mcp *mcp, enum list_kind kind);

#endif
