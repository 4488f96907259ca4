/*
 * fixtures.h - what the conformance suite of MCP expects a server to have: tools, prompts and resources that
 * do nothing of use. Only with `witan serve --test-mcp-fixtures`. They are run by the dispatcher as every
 * tool is, with a row of their own.
 */
#ifndef EDGE_MCP_FIXTURES_H
#define EDGE_MCP_FIXTURES_H

#include "edge/mcp/prompts.h"
#include "edge/mcp/tools.h"

const struct tool *fixture_tools(void);
const struct prompt *fixture_prompts(void);
const struct op *fixture_op(void);

bool fixture_is_resource(const char *uri);
void fixture_write_resources(struct json_out *out, bool templates);
void fixture_read(struct mcp_call *call);

/* fixture_inputs.c: tools and prompts that need to know something from the client. */
void fixture_input(struct mcp_call *call);
/* True: all is known. False: the client was asked, or refused, and the call is over. */
bool fixture_has_input(struct mcp_call *call, const char *name);
/* fixture_steps.c: tools that take time or ask the client in between. */
void fixture_progress(struct mcp_call *call);
void fixture_logging(struct mcp_call *call);
void fixture_sampling(struct mcp_call *call);
void fixture_elicitation(struct mcp_call *call);
/* The result of a tool with one text, as a whole message in `into`. */
void fixture_write_text(const char *id, enum mcp_era era, const char *text, struct buf *into);
void fixture_answer_text(struct mcp_call *call, const char *text);

#endif
