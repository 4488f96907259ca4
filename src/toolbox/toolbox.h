/*
 * toolbox.h - calling tools.
 *
 * A command is run with its arguments as JSON on its standard input (programs/programs.h), is told for which
 * job, and works in the folder of its task if its entry says so (work.h). A tool of an MCP
 * server is called over the connection that is kept to it, which is started when it is first needed and
 * again, a bounded number of times, when it has died. What a server asks for in between (elicitation) is
 * handed to the owner of the call, who answers later.
 *
 * Threads: toolbox_call, toolbox_answer and toolbox_cancel from any; callbacks run on a thread of the
 * module's and must not block. `done` comes exactly once for each call that was taken.
 */
#ifndef TOOLBOX_TOOLBOX_H
#define TOOLBOX_TOOLBOX_H

#include "base/err.h"
#include "toolbox/tool.h"
#include "toolbox/work.h"

struct toolbox;
struct programs;
struct net;

/* How a call ended. */
#define TOOL_ENDS(X) \
    X(TOOL_FINE, "ok") \
    X(TOOL_ERROR, "error")           /* it ran, and says that it failed */ \
    X(TOOL_NOT_THERE, "unavailable") /* it did not run: no such program, the server is away */ \
    X(TOOL_TIMED_OUT, "timeout") \
    X(TOOL_FLOODED, "too_large") \
    X(TOOL_CANCELLED, "cancelled") \
    X(TOOL_BROKE_OFF, "interrupted") /* it began, and nobody knows how far it came */

enum tool_end {
#define X(end, name) end,
    TOOL_ENDS(X)
#undef X
};
const char *tool_end_name(enum tool_end end);

struct tool_result {
    enum tool_end end;
    const char *text; /* what the model is told: its output, or a sentence about what is wrong */
    const char *data; /* JSON that came beside it, or NULL */
    int64_t took_ms;
};

struct tool_elicitation {
    const char *id;      /* for toolbox_answer */
    const char *message; /* what the server asks */
    const char *schema;  /* of the answer, JSON text; NULL: only a yes or no, or a link to be opened */
    const char *url;     /* NULL: no link */
};

struct tool_callbacks {
    void (*asked)(void *user, const struct tool_elicitation *asked);            /* NULL: all are declined */
    void (*progress)(void *user, double done, double total, const char *words); /* or NULL */
    void (*done)(void *user, const struct tool_result *result);
    void *user;
};

enum tool_answer { TOOL_ACCEPT = 1, TOOL_DECLINE, TOOL_CANCEL };

/* `tools` and `servers` as config.yaml has them; both may be NULL: then nothing is listed. */
struct toolbox_setup;
CHECKED bool toolbox_open(struct toolbox **toolbox, const struct toolbox_setup *setup,
                          struct programs *programs, struct net *net, struct err *err);
/* Cancels what is under way and waits for the last `done`. Accepts NULL. */
void toolbox_close(struct toolbox *toolbox);

/* A call of a tool. */
struct tool_request {
    const struct tool *tool;
    const char *arguments; /* JSON text that fits the schema */
    struct tool_work work; /* what it is a part of: commands are told */
};
/* False: it cannot be called; `done` does not come. */
CHECKED bool toolbox_call(struct toolbox *toolbox, const struct tool_request *request,
                          const struct tool_callbacks *callbacks, uint64_t *id, struct err *err);
void toolbox_answer(struct toolbox *toolbox, uint64_t call, const char *elicitation, enum tool_answer answer,
                    const char *content);
void toolbox_cancel(struct toolbox *toolbox, uint64_t call);

#endif
