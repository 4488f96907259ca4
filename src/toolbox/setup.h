/*
 * setup.h - what config.yaml says of tools, as the toolbox takes it, and which programs follow from it.
 *
 * The helper that starts programs is told before which there are (programs_fork), and starts no others: both
 * it and whoever starts one take the program from here, so that they are the same.
 *
 * Thread: any.
 */
#ifndef TOOLBOX_SETUP_H
#define TOOLBOX_SETUP_H

#include "programs/programs.h"
#include "toolbox/mcp_servers.h"
#include "toolbox/tool.h"

/* A command: the tool as it is listed, and the program that it is. Of one that works in the folder of a task
 * the program has no folder of its own: `within` is the one for all of them. */
struct tool_command {
    struct tool tool;
    struct program program;
    const struct secret_forms *secrets; /* of its variables (secrets.h); NULL: none */
};

/* It lives as long as the toolbox. */
struct toolbox_setup {
    const struct tool_command *commands;
    size_t command_count;
    const struct mcp_setup *servers;
    size_t server_count;
};

/* What a server that is a command is started as. It runs until its owner ends it, and its output is counted
 * by its owner. */
void toolbox_server_program(const struct mcp_setup *server, struct program *program);
/* Whether this server's config.yaml names a command that works on tasks: said once, before threads start. */
void toolbox_name_coder(bool named);
bool toolbox_has_coder(void);

/* All programs that the setup can start, in the arena; for programs_fork. */
const struct program *const *toolbox_programs(struct arena *arena, const struct toolbox_setup *setup,
                                              size_t *count);

#endif
