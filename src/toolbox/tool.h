/*
 * tool.h - tools that agents of the runner can call: those of config.yaml, commands and tools of MCP servers.
 *
 * A tool has a name, words that a model is told about it, and a schema that its arguments must fit. What it
 * may do beyond that is the operator's word. Tools of an MCP server are known once it has listed them, and
 * have its name before their own ("files__read_file"): the list is a value that never changes, taken anew
 * when it does.
 *
 * Thread: any.
 */
#ifndef TOOLBOX_TOOL_H
#define TOOLBOX_TOOL_H

#include "base/arena.h"
#include "base/json.h"

enum tool_kind { TOOL_COMMAND = 1, TOOL_MCP };

struct tool {
    const char *name, *description;
    const char *schema; /* of its arguments: JSON text, an object */
    enum tool_kind kind;
    const char *server;          /* of an MCP tool: the server's name; NULL: a command */
    const char *server_tool;     /* the same: what the server calls it; NULL: it has not said so yet */
    const char *digest;          /* of description and schema, hex: says whether it is still what it was */
    bool needs_approval;         /* whatever the project says */
    bool idempotent;             /* may be run again when nobody knows whether it ran */
    bool alone;                  /* never side by side with another call of the same reply */
    bool in_task_folder;         /* a command: it works in the folder of the run's task, and nowhere else */
    const char *category;        /* of the project's autonomy, or NULL */
    const char *const *projects; /* only in these (ids or names), ends with NULL; NULL: in all */
    const char *const *roles;    /* only for who asked for the job with one of these roles; NULL: all */
};

struct tool_list {
    const struct tool *tools;
    size_t count;
};

/* Names that are the runner's own, for what it can do by itself; ends with NULL. */
extern const char *const tool_reserved[];
bool tool_is_reserved(const char *name);
/* What providers of models take as the name of a tool: ^[a-zA-Z0-9_-]{1,64}$ */
bool tool_is_name(const char *name);
/* What tool.digest is of these two, in the arena. */
const char *tool_digest(struct arena *arena, const char *description, const char *schema);

/* From now on there are these, which outlive every reader; NULL: none. Those who have a list from before keep
 * it. */
void tools_use(const struct tool_list *list);
/* What there is now, with the tools that MCP servers have listed last; in the arena. Not on net's loop. */
const struct tool_list *tools_now(struct arena *arena);
/* Another number than before whenever there may be other tools; to be asked for before tools_now. */
uint64_t tools_edition(void);
/* One of a list by its name, or NULL. */
const struct tool *tool_named(const struct tool_list *list, const char *name);
/*
 * What a name stands for that is in no list because its MCP server has listed nothing yet: the tool as far as
 * config.yaml knows it, in the arena. It can be called: the call waits for the server, and only a tool with
 * this digest is run then (NULL: with any). NULL: nobody is waited for, there is no such tool. Not on net's
 * loop.
 */
const struct tool *tool_awaited(struct arena *arena, const char *name, const char *digest);
/* Whether each MCP server has listed its tools by now, or has failed to once. */
bool tools_are_settled(void);

/* How an MCP server is. */
struct tool_server {
    const char *name, *state; /* starting, ready, waiting (for its next start) or unavailable */
    const char *why;          /* what was wrong last, a sentence; "" when nothing is */
    const char *version;      /* of the protocol; "" while it is not ready */
    size_t tools, left_out;   /* how many it has listed; and how many more that cannot be used */
    int restarts;
};
/* Each of config.yaml's, in its order, in the arena. Not on net's loop. */
const struct tool_server *tool_servers_now(struct arena *arena, size_t *count);

#endif
