/*
 * A call has a number that no other one has, and belongs to the commands or to the MCP servers, who know it
 * by that; whoever does not know it takes no notice.
 */
#include "toolbox/internal.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct toolbox {
    const struct toolbox_setup *setup;
    struct commands *commands;   /* NULL: there are none, or nobody who could start them */
    struct mcp_servers *servers; /* NULL: there are none */
    struct tool_source source;
    struct arena arena;
    struct tool_list list;
    atomic_uint_fast64_t last; /* call */
};

static void list_commands(struct toolbox *toolbox)
{
    const struct toolbox_setup *setup = toolbox->setup;
    struct tool *tools = arena_array(&toolbox->arena, struct tool, setup->command_count + 1);

    for (size_t i = 0; i < setup->command_count; i++) {
        tools[i] = setup->commands[i].tool;
        tools[i].kind = TOOL_COMMAND;
        tools[i].digest = tool_digest(&toolbox->arena, tools[i].description, tools[i].schema);
    }
    toolbox->list = (struct tool_list){ tools, setup->command_count };
    tools_use(&toolbox->list);
}

static void list_servers_tools(void *user, struct arena *arena, const struct tool **tools, size_t *count)
{
    mcp_servers_tools(user, arena, tools, count);
}

static const struct tool_server *list_servers(void *user, struct arena *arena, size_t *count)
{
    const struct mcp_status *statuses = mcp_servers_status(user, arena, count);
    struct tool_server *list = arena_array(arena, struct tool_server, *count + 1);

    for (size_t i = 0; i < *count; i++)
        list[i] = (struct tool_server){ .name = statuses[i].name,
                                        .state = mcp_state_name(statuses[i].state),
                                        .why = statuses[i].why,
                                        .version = statuses[i].version,
                                        .tools = statuses[i].tools,
                                        .left_out = statuses[i].left_out,
                                        .restarts = statuses[i].restarts };
    return list;
}

static bool await_tool(void *user, const char *name, struct tool *tool)
{
    return mcp_servers_await(user, name, tool);
}

static bool have_settled(void *user)
{
    return mcp_servers_settled(user);
}

static bool open_servers(struct toolbox *toolbox, struct programs *programs, struct net *net, struct err *err)
{
    const struct toolbox_setup *setup = toolbox->setup;

    if (setup->server_count == 0)
        return true;
    if (!mcp_servers_open(&toolbox->servers, setup->servers, setup->server_count, programs, net, err))
        return false;
    toolbox->source = (struct tool_source){ .tools = list_servers_tools,
                                            .servers = list_servers,
                                            .awaited = await_tool,
                                            .settled = have_settled,
                                            .user = toolbox->servers };
    tools_of_servers(&toolbox->source);
    return true;
}

bool toolbox_open(struct toolbox **opened, const struct toolbox_setup *setup, struct programs *programs,
                  struct net *net, struct err *err)
{
    struct toolbox *toolbox = memory_take(sizeof(*toolbox));

    *toolbox = (struct toolbox){ .setup = setup };
    if (programs && setup->command_count)
        toolbox->commands = commands_new(programs);
    list_commands(toolbox);
    if (!open_servers(toolbox, programs, net, err)) {
        toolbox_close(toolbox);
        return false;
    }
    *opened = toolbox;
    return true;
}

void toolbox_close(struct toolbox *toolbox)
{
    if (!toolbox)
        return;
    tools_of_servers(NULL);
    tools_use(NULL);
    mcp_servers_close(toolbox->servers);
    if (toolbox->commands)
        commands_free(toolbox->commands);
    arena_done(&toolbox->arena);
    free(toolbox);
}

static const struct tool_command *find_command(const struct toolbox *toolbox, const char *name)
{
    for (size_t i = 0; i < toolbox->setup->command_count; i++)
        if (strcmp(toolbox->setup->commands[i].tool.name, name) == 0)
            return &toolbox->setup->commands[i];
    return NULL;
}

bool toolbox_call(struct toolbox *toolbox, const struct tool_request *request,
                  const struct tool_callbacks *callbacks, uint64_t *id, struct err *err)
{
    const struct tool *tool = request->tool;
    const struct tool_command *command =
        tool->kind == TOOL_COMMAND ? find_command(toolbox, tool->name) : NULL;

    *id = atomic_fetch_add(&toolbox->last, 1) + 1;
    if (tool->kind == TOOL_MCP && toolbox->servers)
        return mcp_servers_call(toolbox->servers, tool, request->arguments, callbacks, *id, err);
    if (!command)
        return err_set(err, ERR_UNAVAILABLE, "There is no tool %s any more.", tool->name);
    if (!toolbox->commands)
        return err_set(err, ERR_UNAVAILABLE, "This server starts no programs, so %s cannot be run.",
                       tool->name);
    return commands_call(toolbox->commands, command, request, callbacks, *id, err);
}

void toolbox_answer(struct toolbox *toolbox, uint64_t call, const char *elicitation, enum tool_answer answer,
                    const char *content)
{
    if (toolbox->servers)
        mcp_servers_answer(toolbox->servers, call, elicitation, answer, content);
}

void toolbox_cancel(struct toolbox *toolbox, uint64_t call)
{
    if (toolbox->commands)
        commands_cancel(toolbox->commands, call);
    if (toolbox->servers)
        mcp_servers_cancel(toolbox->servers, call);
}
