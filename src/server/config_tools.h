/*
 * config_tools.h - `tools:`, `mcp:` and `coder:` in config.yaml: commands that agents can call, MCP servers
 * whose tools they can call, and the command that works on tasks (core/runs/orchestrate.h).
 *
 * One table says what can be set. What is wrong with the file is said when it is read, by the place and the
 * key; what this machine lacks (a program, a folder, a variable) when the server starts, since other commands
 * read the same file elsewhere. Values of variables and of headers are never shown; the file can name
 * variables and files that hold them instead.
 */
#ifndef SERVER_CONFIG_TOOLS_H
#define SERVER_CONFIG_TOOLS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "server/yaml.h"
#include "toolbox/setup.h"

extern const char *const config_tool_sections[]; /* "tools", "mcp" and "coder"; ends with NULL */

struct tool_entry;

struct config_tools {
    struct tool_entry *commands, *servers, *last_command, *last_server; /* lists */
    size_t command_count, server_count;
    struct tool_entry *coder;                 /* or NULL */
    struct program coder_program;             /* what it is, but for its folder */
    const struct secret_forms *coder_secrets; /* once they are prepared (secrets.h) */
    struct toolbox_setup setup;               /* once they are checked */
};

/* One of the sections. */
CHECKED bool config_tools_take(struct config_tools *tools, struct arena *arena, const struct yaml_node *node,
                               struct err *err);
/* What must hold of each as a whole, and of all together. Makes the setup, but for what comes from elsewhere.
 */
CHECKED bool config_tools_check(struct config_tools *tools, struct arena *arena, struct err *err);
/*
 * Puts the values of variables and files into the setup, and sees whether its programs could be started here.
 * Before the server locks itself in.
 */
CHECKED bool config_tools_prepare(struct config_tools *tools, struct arena *arena, char *const *variables,
                                  struct err *err);

/* Whether a program works in the folders of tasks: a tool, or the coder. */
bool config_tools_want_tasks(const struct config_tools *tools);
/*
 * Says where the folders of tasks are, for the tools that work in them; NULL: there is no place for any, and
 * the first such tool is refused. Before the helper is told of its programs.
 */
CHECKED bool config_tools_place(const struct config_tools *tools, struct arena *arena, const char *tasks,
                                struct err *err);

/* What is the server's own, links followed; each may be NULL. */
struct config_own {
    const char *store, *store_folder; /* the embedded store's file, and where that is */
    const char *settings;             /* config.yaml */
    const char *tasks;                /* where coders work, each in a folder of its own */
};
/* Whether programs get nothing of the server's own, and none can put a link on another one's way. Where
 * config_tools_prepare is, once the folders of the server are there. */
CHECKED bool config_tools_apart(const struct config_tools *tools, struct arena *arena,
                                const struct config_own *own, struct err *err);

void config_tools_print_yaml(const struct config_tools *tools, struct buf *into);
void config_tools_print_json(const struct config_tools *tools, struct json_out *out);
void config_tools_print_template(struct buf *into);

#endif
