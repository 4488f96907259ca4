/*
 * Which tools agents of the runner can call. They are the operator's (config.yaml): what they run, where, and
 * with which variables is nobody else's business and not part of the reply.
 */
#include "base/limits.h"
#include "base/str.h"
#include "ops/tables.h"
#include "toolbox/tool.h"

#include <stdlib.h>
#include <string.h>

static const char cursor_prefix[] = "tools.";

static const char *const kinds[] = { "command", "mcp", NULL };
static const char *const states[] = { "starting", "ready", "waiting", "unavailable", NULL };

static const struct field tool_fields[] = {
    { "name", T_TEXT, REQUIRED, "What models call it; a server's tool has the server's name in front." },
    { "description", T_TEXT, REQUIRED, "What models are told about it." },
    { "kind", T_ENUM, REQUIRED, "A command of this machine, or a tool of an MCP server.", .values = kinds },
    { "server", T_TEXT, REQUIRED, "The MCP server whose tool it is; null: it is a command.",
      .flags = F_NULL },
    { "needsApproval", T_BOOL, REQUIRED,
      "Whether somebody must approve each call, whatever the project says." },
    { "category", T_TEXT, REQUIRED,
      "The category of a project's autonomy that says whether a call needs approval; null: none.",
      .flags = F_NULL },
    { "idempotent", T_BOOL, REQUIRED, "Whether it may be called again when nobody knows whether it ran." },
    { "alone", T_BOOL, REQUIRED, "Whether it is never run side by side with other calls." },
    { "inTaskFolder", T_BOOL, REQUIRED,
      "Whether it works in the folder of the run's task; a run without a task cannot call it." },
    { "projects", T_LIST, REQUIRED, "The projects that it is for, by name or id; null: all.", .items = T_TEXT,
      .flags = F_NULL },
    { "roles", T_LIST, REQUIRED, "The roles of those whose jobs may call it; null: all.", .items = T_TEXT,
      .flags = F_NULL },
    { "inputSchema", T_OBJECT, REQUIRED, "The JSON Schema of its arguments.", .flags = F_OPEN },
    { 0 },
};

static const struct field server_fields[] = {
    { "name", T_TEXT, REQUIRED, "Its name in config.yaml." },
    { "state", T_ENUM, REQUIRED, "How it is; waiting: for its next start.", .values = states },
    { "why", T_TEXT, REQUIRED, "What was wrong last; null: nothing.", .flags = F_NULL },
    { "version", T_TEXT, REQUIRED, "The version of MCP that is spoken with it; null: it is not ready.",
      .flags = F_NULL },
    { "tools", T_INT, REQUIRED, "How many tools it has listed that can be called." },
    { "leftOut", T_INT, REQUIRED, "How many more it has listed that cannot: the log says why." },
    { "restarts", T_INT, REQUIRED, "How often in a row it was started again." },
    { 0 },
};

static const struct field list_reply[] = {
    { "tools", T_LIST, REQUIRED, "By name.", .items = T_OBJECT, .fields = tool_fields },
    { "servers", T_LIST, REQUIRED,
      "The MCP servers of config.yaml, in their order: why a server's tools are not there.",
      .items = T_OBJECT, .fields = server_fields },
    { "total", T_INT, REQUIRED, "How many tools there are, on all pages." },
    { "offered", T_INT, REQUIRED,
      "How many of them one run is offered at most: the first in config.yaml that are for it, or those that its job names." },
    PAGE_REPLY,
    { 0 },
};

static void write_texts(struct json_out *out, const char *key, const char *const *texts)
{
    if (!texts) {
        json_none(out, key);
        return;
    }
    json_list(out, key);
    for (; *texts; texts++)
        json_text(out, NULL, *texts);
    json_list_end(out);
}

static void write_tool(struct json_out *out, const struct tool *tool)
{
    json_map(out, NULL);
    json_text(out, "name", tool->name);
    json_text(out, "description", tool->description ? tool->description : "");
    json_text(out, "kind", kinds[tool->kind - TOOL_COMMAND]);
    json_text(out, "server", tool->server);
    json_bool(out, "needsApproval", tool->needs_approval);
    json_text(out, "category", tool->category);
    json_bool(out, "idempotent", tool->idempotent);
    json_bool(out, "alone", tool->alone);
    json_bool(out, "inTaskFolder", tool->in_task_folder);
    write_texts(out, "projects", tool->projects);
    write_texts(out, "roles", tool->roles);
    json_raw(out, "inputSchema", tool->schema);
    json_map_end(out);
}

static void write_servers(struct call *call)
{
    size_t count;
    const struct tool_server *servers = tool_servers_now(call->tx.arena, &count);
    struct json_out *out = &call->out;

    json_list(out, "servers");
    for (size_t i = 0; i < count; i++) {
        json_map(out, NULL);
        json_text(out, "name", servers[i].name);
        json_text(out, "state", servers[i].state);
        json_text(out, "why", *servers[i].why ? servers[i].why : NULL);
        json_text(out, "version", *servers[i].version ? servers[i].version : NULL);
        json_int(out, "tools", (int64_t)servers[i].tools);
        json_int(out, "leftOut", (int64_t)servers[i].left_out);
        json_int(out, "restarts", servers[i].restarts);
        json_map_end(out);
    }
    json_list_end(out);
}

static int by_name(const void *a, const void *b)
{
    const struct tool *const *one = a, *const *other = b;

    return strcmp((*one)->name, (*other)->name);
}

/* Those behind the cursor, in the order of their names. */
static bool select_tools(struct call *call, const struct tool_list *list, const struct tool ***selected,
                         size_t *count)
{
    const char *cursor = arg_text(call, "cursor");

    if (cursor && !str_starts(cursor, cursor_prefix))
        return err_field(&call->err, "cursor",
                         "cursor must be the nextCursor of an earlier page of this list.");
    *selected = arena_array(call->tx.arena, const struct tool *, list->count + 1);
    *count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!cursor || strcmp(list->tools[i].name, cursor + sizeof(cursor_prefix) - 1) > 0)
            (*selected)[(*count)++] = &list->tools[i];
    qsort(*selected, *count, sizeof(**selected), by_name);
    return true;
}

static bool run_tool_list(struct call *call)
{
    size_t limit = (size_t)arg_int(call, "limit"), count = 0, shown;
    const struct tool_list *list = tools_now(call->tx.arena);
    const struct tool **tools = NULL;

    if (!select_tools(call, list, &tools, &count))
        return false;
    shown = count > limit ? limit : count;
    json_map(&call->out, NULL);
    json_list(&call->out, "tools");
    for (size_t i = 0; i < shown; i++)
        write_tool(&call->out, tools[i]);
    json_list_end(&call->out);
    write_servers(call);
    json_int(&call->out, "total", (int64_t)list->count);
    json_int(&call->out, "offered", LIMIT_RUN_TOOLS);
    json_text(&call->out, "nextCursor",
              count > shown ? arena_format(call->tx.arena, "%s%s", cursor_prefix, tools[shown - 1]->name)
                            : NULL);
    json_map_end(&call->out);
    return true;
}

const struct op tool_ops[] = {
    {
        .name = "tool_list",
        .http = "GET /api/tools",
        .tag = "Agents",
        .help =
            "List the tools of config.yaml that agents can call in their runs: commands, and what MCP servers "
            "offer. What every run has besides (ask_question and the like) is not among them.",
        .needs = ROLES_READ,
        .reaches = REACH_WORKSPACE,
        .kind = OP_READ,
        .cli = "tool list",
        .run = run_tool_list,
        .example = "{\"limit\": 20}",
        .reply = list_reply,
        .params = { PAGE_PARAMS },
    },
    { 0 },
};
