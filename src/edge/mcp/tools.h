/*
 * tools.h - what models are offered: operations under names and with descriptions that they understand.
 *
 * A row of the operation table with `.tool` is a tool. Its parameters and its reply are the row's, described
 * by the row; this table adds what a model needs beside that: when to use it, and an example. A few do more
 * than one row: they go on to another that waits, or shape arguments and result for a client that expects its
 * own.
 */
#ifndef EDGE_MCP_TOOLS_H
#define EDGE_MCP_TOOLS_H

#include "edge/mcp/call.h"

struct mcp_tool {
    const char *name, *title;
    const char *help;    /* for models, with an example */
    const char *row;     /* NULL: the one whose .tool is this name */
    const char *then;    /* the row that is looked at until what the first has made has ended, or NULL */
    const char *made;    /* the member of the first reply that names it */
    const char *then_id; /* the parameter of `then` that takes it; others come from the arguments */
    const char *unless;  /* a member of the first reply with which there is nothing to wait for, or NULL */
    const char *go_on;   /* what to call when it is still pending; NULL: the same again */
    const char *cancels; /* the row that takes back what was made, or NULL */
    const char *waiting; /* what a client hears while it waits; NULL: that it waits for an answer */
    bool elicits;        /* the person at the client may be asked, too (elicit.h) */
    bool reads;          /* changes nothing */
    bool finds_job;      /* without an id: the job that the caller's agent has open */
    bool holds;          /* unless told how long, it waits until what it is about has ended */
    const char *const *needed; /* parameters that a model must say although the row can do without; ends with
                                  NULL, or NULL */
    const char *unsaid;        /* arguments that hold unless others are given: a JSON object, or NULL */
    const char *input;         /* the schema of the arguments when they are not the row's, or NULL */
    const char *output;        /* the schema of what `shape` makes, or NULL */
    /* Arguments of the row from those that were given; NULL and call->error: they are wrong. Or NULL. */
    json_t *(*prepare)(struct mcp_call *call, const json_t *given);
    /* Runs the row, or finds that it need not be run; ends in tool_ran. NULL: the row is run. */
    void (*begin)(struct mcp_call *call);
    /* The result from the row's reply, as a JSON object; without a schema in `output` it is one text: a
     * client that wants its own shape takes nothing beside it, no structuredContent and no outputSchema. Or
     * NULL. */
    void (*shape)(struct mcp_call *call, bool pending, struct buf *into);
    void (*done)(
        struct mcp_call *call); /* takes over once the row has been run: those of further.h; or NULL */
};

/* The tools. Ends with an empty one. */
const struct mcp_tool *tools_all(void);
const struct mcp_tool *tool_find(const char *name); /* with those that were added (further.h); or NULL */
const struct op *tool_op(const struct mcp_tool *tool);
bool tool_waits(const struct mcp_tool *tool);
/* How long it is held unless told otherwise. */
int64_t tool_holds_s(const struct mcp_tool *tool);

/* tools/list and tools/call. */
void tools_list(struct mcp_call *call);
void tools_call(struct mcp_call *call);
/* Once the row has run; and once what it waits for has been looked at. */
void tool_ran(struct mcp_call *call);
void tool_looked(struct mcp_call *call);
/* Makes the call a wait for what `op` looks at; takes over `args`. */
void tool_wait(struct mcp_call *call, const struct op *op, json_t *args, const char *made, int64_t seconds);
/* What a person said at the client (outlets_told); accepts NULL. */
void tool_told(void *to_do);
/* For mcp->waits. */
void tool_look(void *mcp, struct wait *wait);

#endif
