/*
 * prompts.h - a text for models that people fill in and send.
 */
#ifndef EDGE_MCP_PROMPTS_H
#define EDGE_MCP_PROMPTS_H

#include "edge/mcp/call.h"

struct mcp_prompt_arg {
    const char *name, *help;
    bool required;
};

struct mcp_prompt {
    const char *name, *title, *help;
    struct mcp_prompt_arg args[3]; /* ends with an empty one */
    const char *text;              /* {name} stands for an argument; NULL: none */
    /* Messages before the text, or NULL. */
    void (*write)(struct json_out *out, const json_t *args);
    /* Asks the client first; false: it did, and the call is over. Or NULL. */
    bool (*asks)(struct mcp_call *call);
};

/* A message of the user. */
void prompt_write_text(struct json_out *out, const char *text, const json_t *args);

#endif
