/*
 * methods.h - the methods of the protocol, one function each; every one ends its call.
 */
#ifndef EDGE_MCP_METHODS_H
#define EDGE_MCP_METHODS_H

#include "edge/mcp/call.h"

struct mcp_method {
    const char *name;
    unsigned eras; /* set of 1 << enum mcp_era */
    bool runs;     /* runs an operation, which finds out who calls; the others are run once that is known */
    void (*run)(struct mcp_call *call);
};

/* NULL: this version has no such method. */
const struct mcp_method *method_find(const char *name, enum mcp_era era);

/* prompts.c */
void prompts_list(struct mcp_call *call);
void prompts_get(struct mcp_call *call);
void prompts_complete(struct mcp_call *call);
/* resources.c */
void resources_list(struct mcp_call *call);
void resources_templates(struct mcp_call *call);
void resources_read(struct mcp_call *call);
/* subscriptions.c */
void resources_subscribe(struct mcp_call *call);
void resources_unsubscribe(struct mcp_call *call);
void subscriptions_listen(struct mcp_call *call);

#endif
