#include "server/tool_projects.h"

#include "base/log.h"
#include "core/runs/offer.h"

static bool say(const struct tx *tx, const char *tool, const char *const *projects)
{
    for (size_t count; projects && *projects; projects++) {
        if (!offer_find_projects(tx, *projects, &count))
            return false;
        if (count != 1)
            log_line(LOG_WARN,
                     count == 0
                         ? "a tool is for a project that is not there"
                         : "a tool is for a project whose name others have, too: name it by its id instead",
                     "tool", tool, "project", *projects, NULL);
    }
    return true;
}

static bool say_server(const struct tx *tx, const struct mcp_setup *server)
{
    if (!say(tx, server->name, server->all.projects))
        return false;
    for (size_t i = 0; i < server->rule_count; i++) {
        const struct mcp_rule *rule = &server->rules[i];

        /* Those that say nothing of projects have the server's, which was told. */
        if (rule->projects != server->all.projects &&
            !say(tx, arena_format(tx->arena, "%s__%s", server->name, rule->name), rule->projects))
            return false;
    }
    return true;
}

bool tool_projects_say(const struct tx *tx, const struct toolbox_setup *setup)
{
    for (size_t i = 0; i < setup->command_count; i++)
        if (!say(tx, setup->commands[i].tool.name, setup->commands[i].tool.projects))
            return false;
    for (size_t i = 0; i < setup->server_count; i++)
        if (!say_server(tx, &setup->servers[i]))
            return false;
    return true;
}
