/*
 * mcp_servers.h - the MCP servers of config.yaml, whose tools agents of the runner can call.
 *
 * Each is a program that is started and kept (stdio), or a URL (Streamable HTTP). It is asked for its tools
 * at the start, and again when it says that they have changed. One that dies is started again after growing
 * pauses, a bounded number of times; what it was doing then ends as interrupted. Nothing that a server does
 * or leaves undone blocks or ends anything but its own calls.
 *
 * A server's hints about its own tools are shown and never believed: what needs an approval, may be repeated,
 * or has to be alone, is what config.yaml says.
 *
 * Threads: all of it from any thread but net's loop, on which all the work is done and callbacks run; calls,
 * answers and cancelling also from there.
 */
#ifndef TOOLBOX_MCP_SERVERS_H
#define TOOLBOX_MCP_SERVERS_H

#include "toolbox/toolbox.h"

struct mcp_servers;

/* What config.yaml says of a server's tools: of all, or of one by the server's own name for it. */
struct mcp_rule {
    const char *name; /* NULL: of all that have no rule of their own */
    bool off;
    bool needs_approval, idempotent, alone;
    const char *category;        /* or NULL */
    const char *const *projects; /* ends with NULL; NULL: all */
    const char *const *roles;
};

/* One server. It is either a command or a URL. */
struct mcp_setup {
    const char *name;               /* letters, digits, "-" and "_" without two of those side by side */
    const char *const *command;     /* ends with NULL; NULL: a URL */
    const char *const *environment; /* "NAME=value"; ends with NULL; NULL: none */
    const char *const *reads;       /* what it may read beside the system's; ends with NULL; NULL: nothing */
    const char *folder;             /* where it works and may write; NULL: one of its own */
    bool network;                   /* of a command */
    size_t memory_most;             /* of a command; 0: as programs.h has it */
    size_t file_most;               /* the same of one file that it writes */
    int64_t cpu_seconds;            /* of each of its processes, in all; 0: not held */
    const char *url;                /* http or https */
    const char *const *headers; /* "Name: value" that go with each request, and are never shown; NULL: none */
    const struct secret_forms *secrets; /* among these, not to be repeated (secrets.h); or NULL */
    int64_t timeout_ms;  /* of one call; while somebody is asked for something it stands still */
    int64_t start_ms;    /* until it must have listed its tools; 0: MCP_START_MS */
    size_t output_most;  /* bytes of one result; 0: LIMIT_MCP_TEXT */
    int restarts;        /* in a row, before it counts as unavailable */
    struct mcp_rule all; /* for tools without a rule of their own */
    const struct mcp_rule *rules;
    size_t rule_count;
};

/* Starts them all, and returns at once. The setups outlive them. `programs` may be NULL: then no command
 * starts.
 */
CHECKED bool mcp_servers_open(struct mcp_servers **servers, const struct mcp_setup *setups, size_t count,
                              struct programs *programs, struct net *net, struct err *err);
/* Cancels their calls, ends them and waits for that. Before programs_close and net_close. Accepts NULL. */
void mcp_servers_close(struct mcp_servers *servers);
/* Whether each has listed its tools, or has failed to once. */
bool mcp_servers_settled(struct mcp_servers *servers);

/* The tools of all servers as each has listed them last, in the arena; also of one that is away now. */
void mcp_servers_tools(struct mcp_servers *servers, struct arena *arena, const struct tool **tools,
                       size_t *count);
/* A tool of a server that has listed nothing yet, as tool_awaited has it, but for name and digest; false: no
 * such server is waited for. */
CHECKED bool mcp_servers_await(struct mcp_servers *servers, const char *name, struct tool *tool);

enum mcp_state { MCP_STARTING = 1, MCP_READY, MCP_WAITING, MCP_UNAVAILABLE, MCP_STATE_END };

struct mcp_status {
    const char *name;
    enum mcp_state state; /* waiting: for its next start */
    const char *why;      /* what was wrong last, a sentence; "" when nothing is */
    const char *version;  /* of the protocol, when it is ready; else "" */
    size_t tools, left_out;
    int restarts;
};
/* How each is, in the order of the setups, in the arena. */
const struct mcp_status *mcp_servers_status(struct mcp_servers *servers, struct arena *arena, size_t *count);
const char *mcp_state_name(enum mcp_state state);

/* `id` is the caller's own, and no other call has it. The rest is as toolbox_call has it. */
CHECKED bool mcp_servers_call(struct mcp_servers *servers, const struct tool *tool, const char *arguments,
                              const struct tool_callbacks *callbacks, uint64_t id, struct err *err);
void mcp_servers_answer(struct mcp_servers *servers, uint64_t call, const char *elicitation,
                        enum tool_answer answer, const char *content);
void mcp_servers_cancel(struct mcp_servers *servers, uint64_t call);

#endif
