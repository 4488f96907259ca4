/*
 * further.h - what a program that links this one adds to the MCP door.
 *
 * The program itself adds nothing. A suite that tests servers of the protocol wants tools, prompts and
 * resources that do nothing of use; they stand with the tests (tests/conformance), whose program adds them
 * before it starts.
 */
#ifndef EDGE_MCP_FURTHER_H
#define EDGE_MCP_FURTHER_H

#include "edge/mcp/prompts.h"
#include "edge/mcp/tools.h"

struct mcp_further {
    const struct op *row;             /* with which the dispatcher runs all of them; in no table */
    const struct mcp_tool *tools;     /* each has .done; ends with an empty one */
    const struct mcp_prompt *prompts; /* ends with an empty one */
    bool (*has_resource)(const char *uri);
    void (*write_resources)(struct json_out *out, bool templates);
    void (*read)(struct mcp_call *call); /* once the row has been run */
};

/* Before the server starts, once. `further` outlives it. */
void mcp_add(const struct mcp_further *further);
/* What was added, or NULL. */
const struct mcp_further *mcp_further(void);
/* The row if `uri` is one of its resources, or NULL. */
const struct op *mcp_further_resource(const char *uri);

#endif
