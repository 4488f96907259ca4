/*
 * resources.h - what can be read by address: the reply of a row that reads.
 */
#ifndef EDGE_MCP_RESOURCES_H
#define EDGE_MCP_RESOURCES_H

#include "edge/mcp/call.h"

struct resource {
    const char *uri; /* "{id}" stands for an id */
    const char *name, *title, *help;
    const char *row;
    bool pages;         /* a list: as much as one page takes */
    enum reach changes; /* events that reach this tell of a change; 0: those whose subject is the id */
};

/* All of them; ends with an empty one. */
const struct resource *resources_all(void);
/* The resource at this address and the id in it, in the arena; NULL: there is none. */
const struct resource *resource_find(struct arena *arena, const char *uri, const char **id);
/* Runs the row that reads it. */
void resource_run(struct mcp_call *call, const struct resource *resource, const char *id,
                  void (*then)(struct mcp_call *call));
/* Answers that there is none. */
void resource_missing(struct mcp_call *call, const char *uri);

#endif
