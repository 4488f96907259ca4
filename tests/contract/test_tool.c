/* The list of tools: what is told of each, page by page. */
#include "base/limits.h"
#include "contract.h"

#include "toolbox/tool.h"

static const char *const projects[] = { "demo", NULL };
static const char *const roles[] = { "owner", NULL };
static const struct tool listed[] = {
    { .name = "zip", .description = "Packs.", .schema = "{\"type\":\"object\"}", .kind = TOOL_COMMAND },
    { .name = "files__read",
      .description = "Reads.",
      .schema = "{\"type\":\"object\",\"required\":[\"path\"]}",
      .kind = TOOL_MCP,
      .server = "files",
      .needs_approval = true,
      .idempotent = true,
      .alone = true,
      .category = "scopeChanges",
      .projects = projects,
      .roles = roles },
    { .name = "count", .description = "Counts.", .schema = "{\"type\":\"object\"}", .kind = TOOL_COMMAND },
};
static const struct tool_list list = { listed, 3 };

CONTRACT(tools_are_listed_by_name)
{
    tools_use(&list);
    call(t, "tool_list", "{}");
    tools_use(NULL);
    CHECK_STATUS(200);
    CHECK_COUNT("tools", 3);
    CHECK_TEXT("tools.0.name", "count");
    CHECK_TEXT("tools.0.kind", "command");
    CHECK_TEXT("tools.0.description", "Counts.");
    CHECK_NULL("tools.0.server");
    CHECK_NULL("tools.0.category");
    CHECK_NULL("tools.0.projects");
    CHECK_FALSE("tools.0.needsApproval");
    CHECK_TEXT("tools.1.name", "files__read");
    CHECK_TEXT("tools.1.kind", "mcp");
    CHECK_TEXT("tools.1.server", "files");
    CHECK_TEXT("tools.1.category", "scopeChanges");
    CHECK_TEXT("tools.1.projects.0", "demo");
    CHECK_TEXT("tools.1.roles.0", "owner");
    CHECK_TEXT("tools.1.inputSchema.required.0", "path");
    CHECK_TRUE("tools.1.needsApproval");
    CHECK_TRUE("tools.1.idempotent");
    CHECK_TRUE("tools.1.alone");
    CHECK_TEXT("tools.2.name", "zip");
    CHECK_COUNT("servers", 0);
    CHECK_INT("total", 3);
    CHECK_INT("offered", LIMIT_RUN_TOOLS);
    CHECK_NULL("nextCursor");
}

CONTRACT(tools_come_in_pages)
{
    tools_use(&list);
    call(t, "tool_list", "{s:i}", "limit", 2);
    CHECK_COUNT("tools", 2);
    call(t, "tool_list", "{s:i, s:s}", "limit", 2, "cursor", text_at(t, "nextCursor"));
    CHECK_STATUS(200);
    CHECK_COUNT("tools", 1);
    CHECK_TEXT("tools.0.name", "zip");
    CHECK_INT("total", 3);
    CHECK_NULL("nextCursor");
    tools_use(NULL);
}

CONTRACT(tools_refuse_a_cursor_of_another_list)
{
    call(t, "tool_list", "{s:s}", "cursor", "jobs.1");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "cursor");
}
