/*
 * mcp.h - what the conformance suite of MCP expects a server to have: tools, prompts and resources that do
 * nothing of use. They are run by the dispatcher as every tool is, with a row of their own.
 */
#ifndef TESTS_CONFORMANCE_MCP_H
#define TESTS_CONFORMANCE_MCP_H

#include "edge/mcp/further.h"

extern const struct mcp_further mcp_fixtures;

/* mcp_inputs.c: tools and prompts that need to know something from the client. */
void fixture_input(struct mcp_call *call);
/* True: all is known. False: the client was asked, or refused, and the call is over. */
bool fixture_has_input(struct mcp_call *call, const char *name);
/* mcp_steps.c: tools that take time or ask the client in between. */
void fixture_progress(struct mcp_call *call);
void fixture_logging(struct mcp_call *call);
void fixture_sampling(struct mcp_call *call);
void fixture_elicitation(struct mcp_call *call);
/* The result of a tool with one text, as a whole message in `into`. */
void fixture_write_text(const char *id, enum mcp_era era, const char *text, struct buf *into);
void fixture_answer_text(struct mcp_call *call, const char *text);

#endif
