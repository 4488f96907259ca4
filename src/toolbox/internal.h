/*
 * internal.h - what the files of the toolbox tell each other.
 */
#ifndef TOOLBOX_INTERNAL_H
#define TOOLBOX_INTERNAL_H

#include "toolbox/setup.h"
#include "toolbox/toolbox.h"

/* Who tells which tools MCP servers have, and how they are. */
struct tool_source {
    void (*tools)(void *user, struct arena *arena, const struct tool **tools, size_t *count);
    const struct tool_server *(*servers)(void *user, struct arena *arena, size_t *count);
    /* tool_awaited but for name and digest; false: nobody is waited for */
    bool (*awaited)(void *user, const char *name, struct tool *tool);
    bool (*settled)(void *user);
    void *user;
};
/* From now on tools_now and tool_servers_now also ask this one; NULL: nobody. Waits for those who are asking.
 */
void tools_of_servers(const struct tool_source *source);
/* How many of those in force are commands. */
size_t tools_of_commands(void);
/* After there are others: tools_edition is another one. */
void tools_have_changed(void);

/* Commands that run. */
struct commands;
struct commands *commands_new(struct programs *programs);
/* Ends all, waits until the last has said so, and goes. */
void commands_free(struct commands *commands);
/* As toolbox_call has it; `id` is the caller's own, and no other call has it. */
CHECKED bool commands_call(struct commands *commands, const struct tool_command *command,
                           const struct tool_request *request, const struct tool_callbacks *callbacks,
                           uint64_t id, struct err *err);
void commands_cancel(struct commands *commands, uint64_t id);

#endif
