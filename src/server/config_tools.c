/*
 * A section comes as one tree. Each entry is read by the table, then held against what it must be as a whole;
 * the setup that the toolbox takes is made of all of them at the end.
 */
#include "server/config_tools_parts.h"

#include "base/limits.h"
#include "base/str.h"
#include "net/net.h"
#include "toolbox/work.h"

#include <string.h>

const char *const config_tool_sections[] = { "tools", "mcp", "coder", NULL };

#define SERVER_NAME_MOST 32 /* leaves room for its tools' names */

/* What is wrong with a setting, with the place in front and the whole key as the field. */
static bool at_place(const char *place, const char *key, struct err *err)
{
    struct err inner = *err;

    *err = (struct err){ 0 };
    err_field(err, key, "%s: %s: %s", place, key, inner.text);
    return *inner.hint ? err_hint(err, "%s", inner.hint) : false;
}

bool tool_entry_refuse(const struct tool_entry *entry, struct arena *arena, const char *section,
                       const char *key, const char *what, struct err *err)
{
    bool is_section = strcmp(section, "coder") == 0; /* one command, so the section is its entry */
    const char *name = is_section ? section : arena_format(arena, "%s.%s", section, entry->name);

    err_field(err, key, "%s", what);
    return at_place(tool_entry_place(entry, key), arena_format(arena, "%s%s%s", name, *key ? "." : "", key),
                    err);
}

static bool take_settings(struct tool_entry *entry, struct arena *arena, const char *section,
                          const struct yaml_node *node, int of, struct err *err)
{
    for (const struct yaml_node *setting = node->first; setting; setting = setting->next) {
        if (of == OF_SERVER && strcmp(setting->key, "tools") == 0)
            continue;
        if (!tool_entry_set(entry, arena, setting, of, err))
            return at_place(setting->place,
                            arena_format(arena, "%s.%s.%s", section, entry->name, setting->key), err);
    }
    return true;
}

/* What the server's entry says of all its tools holds for this one, unless it says otherwise. */
static void inherit(struct tool_entry *rule, const struct tool_entry *server)
{
    rule->needs_approval = server->needs_approval;
    rule->idempotent = server->idempotent;
    rule->alone = server->alone;
    rule->category = server->category;
    rule->projects = server->projects;
    rule->roles = server->roles;
}

static bool take_rules(struct tool_entry *server, struct arena *arena, const struct yaml_node *rules,
                       struct err *err)
{
    const char *section = arena_format(arena, "mcp.%s.tools", server->name);
    struct tool_entry **end = &server->rules;

    if (rules->kind == YAML_TEXT && !*rules->text)
        return true;
    if (rules->kind != YAML_MAP || rules->count > LIMIT_MCP_TOOLS) {
        err_set(err, ERR_INVALID, "it must be a map of the server's tools by their names, at most %d.",
                LIMIT_MCP_TOOLS);
        return at_place(rules->place, section, err);
    }
    for (const struct yaml_node *node = rules->first; node; node = node->next) {
        *end = tool_entry_new(arena, node, OF_RULE);
        if (node->kind != YAML_MAP || !*node->key)
            return tool_entry_refuse(*end, arena, section, "",
                                     "it takes settings such as needs_approval and enabled.", err);
        inherit(*end, server);
        if (!take_settings(*end, arena, section, node, OF_RULE, err))
            return false;
        end = &(*end)->next;
        server->rule_count++;
    }
    return true;
}

static bool check_command_name(const char *name, struct err *err)
{
    if (!tool_is_name(name))
        return err_field(err, "", "a tool's name is made of at most 64 letters, digits, \"_\" and \"-\".");
    return !tool_is_reserved(name) ||
           err_field(err, "", "%s is a tool of witan's own; give this one another name.", name);
}

/* Two of "_" and "-" side by side would not tell where the server's name ends. */
static bool check_server_name(const char *name, struct err *err)
{
    bool good = tool_is_name(name) && strlen(name) <= SERVER_NAME_MOST;

    for (const char *c = name; good && *c; c++)
        good = !strchr("_-", c[0]) || (c > name && c[1] && !strchr("_-", c[1]));
    return good ||
           err_field(err, "",
                     "a server's name is made of at most %d letters and digits, with single \"_\" and "
                     "\"-\" between them.",
                     SERVER_NAME_MOST);
}

static bool take_entry(struct config_tools *tools, struct arena *arena, const char *section,
                       const struct yaml_node *node, int of, struct err *err)
{
    struct tool_entry *entry = tool_entry_new(arena, node, of),
                      **last = of == OF_COMMAND ? &tools->last_command : &tools->last_server,
                      **first = of == OF_COMMAND ? &tools->commands : &tools->servers;
    const struct yaml_node *rules =
        of == OF_SERVER && node->kind == YAML_MAP ? yaml_get(node, "tools") : NULL;

    if (!(of == OF_COMMAND ? check_command_name(entry->name, err) : check_server_name(entry->name, err)))
        return at_place(node->place, arena_format(arena, "%s.%s", section, entry->name), err);
    if (node->kind != YAML_MAP)
        return tool_entry_refuse(entry, arena, section, "",
                                 of == OF_COMMAND
                                     ? "it takes settings such as description, input_schema and argv."
                                     : "it takes settings such as command or url.",
                                 err);
    if (!take_settings(entry, arena, section, node, of, err) ||
        (rules && !take_rules(entry, arena, rules, err)))
        return false;
    if (*last)
        (*last)->next = entry;
    else
        *first = entry;
    *last = entry;
    ++*(of == OF_COMMAND ? &tools->command_count : &tools->server_count);
    return true;
}

/* One command, so the section is its entry. */
static bool take_coder(struct config_tools *tools, struct arena *arena, const struct yaml_node *node,
                       struct err *err)
{
    if (tools->coder)
        return err_field(err, node->key, "%s: %s stands there twice.", node->place, node->key);
    if (node->kind != YAML_MAP)
        return err_field(err, node->key, "%s: coder takes settings such as argv and timeout.", node->place);
    tools->coder = tool_entry_new(arena, node, OF_CODER);
    for (const struct yaml_node *setting = node->first; setting; setting = setting->next)
        if (!tool_entry_set(tools->coder, arena, setting, OF_CODER, err))
            return at_place(setting->place, arena_format(arena, "coder.%s", setting->key), err);
    return true;
}

bool config_tools_take(struct config_tools *tools, struct arena *arena, const struct yaml_node *node,
                       struct err *err)
{
    if (strcmp(node->key, "coder") == 0)
        return (node->kind == YAML_TEXT && !*node->text && !node->quoted) ||
               take_coder(tools, arena, node, err);
    int of = strcmp(node->key, "tools") == 0 ? OF_COMMAND : OF_SERVER;
    size_t most = of == OF_COMMAND ? LIMIT_TOOLS : LIMIT_TOOL_SERVERS;

    if (node->kind == YAML_TEXT && !*node->text && !node->quoted)
        return true; /* with nothing under it */
    if (of == OF_COMMAND ? tools->commands : tools->servers)
        return err_field(err, node->key, "%s: %s stands there twice.", node->place, node->key);
    if (node->kind != YAML_MAP)
        return err_field(err, node->key, "%s: %s is a map of names, each with settings of its own.",
                         node->place, node->key);
    if (node->count > most)
        return err_field(err, node->key, "%s: %s has more than %zu entries.", node->place, node->key, most);
    for (const struct yaml_node *entry = node->first; entry; entry = entry->next)
        if (!take_entry(tools, arena, arena_text(arena, node->key), entry, of, err))
            return false;
    return true;
}

/* Which of the two a program would get is nobody's guess. */
static bool check_variables(const struct tool_entry *entry, struct arena *arena, const char *section,
                            struct err *err)
{
    for (const struct tool_pair *pair = entry->environment; pair && pair->name; pair++)
        for (size_t i = 0; entry->environment_from && entry->environment_from[i]; i++)
            if (strcmp(pair->name, entry->environment_from[i]) == 0)
                return tool_entry_refuse(
                    entry, arena, section, "environment_from",
                    arena_format(arena, "environment has a value for %s already.", pair->name), err);
    return true;
}

static bool refuse_given(const struct tool_entry *entry, struct arena *arena, const char *section,
                         const char *key, const char *name, struct err *err)
{
    return tool_entry_refuse(entry, arena, section, key,
                             arena_format(arena, "%s is for witan to give: it says what is worked on.", name),
                             err);
}

/* Whose variables tell for which work they are started, no others. */
static bool check_given(const struct tool_entry *entry, struct arena *arena, const char *section,
                        struct err *err)
{
    for (const char *const *name = tool_work_variables; *name; name++) {
        for (const struct tool_pair *pair = entry->environment; pair && pair->name; pair++)
            if (strcmp(pair->name, *name) == 0)
                return refuse_given(entry, arena, section, "environment", *name, err);
        for (size_t i = 0; entry->environment_from && entry->environment_from[i]; i++)
            if (strcmp(entry->environment_from[i], *name) == 0)
                return refuse_given(entry, arena, section, "environment_from", *name, err);
    }
    return check_variables(entry, arena, section, err);
}

static bool check_command(const struct tool_entry *entry, struct arena *arena, struct err *err)
{
    static const char *const needed[] = { "description", "input_schema", "argv" };

    for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
        if (!tool_entry_has(entry, needed[i]))
            return tool_entry_refuse(entry, arena, "tools", needed[i], "it is missing; a tool needs one.",
                                     err);
    return (entry->argv || tool_entry_refuse(entry, arena, "tools", "argv", "it names no program.", err)) &&
           check_given(entry, arena, "tools", err);
}

/* Settings that make sense for a server of the other kind only. */
static bool check_kind(const struct tool_entry *entry, struct arena *arena, struct err *err)
{
    static const char *const of_program[] = { "folder",  "reads",  "environment", "environment_from",
                                              "network", "memory", "file_size",   "cpu" };
    static const char *const of_url[] = { "headers", "headers_from", "api_key_env", "api_key_file" };

    for (size_t i = 0; entry->url && i < sizeof(of_program) / sizeof(*of_program); i++)
        if (tool_entry_has(entry, of_program[i]))
            return tool_entry_refuse(entry, arena, "mcp", of_program[i],
                                     "a server that is reached by a URL has none.", err);
    for (size_t i = 0; entry->argv && i < sizeof(of_url) / sizeof(*of_url); i++)
        if (tool_entry_has(entry, of_url[i]))
            return tool_entry_refuse(entry, arena, "mcp", of_url[i], "a server that is a command has none.",
                                     err);
    return true;
}

static bool check_server(const struct tool_entry *entry, struct arena *arena, struct err *err)
{
    struct err why = { 0 };

    if (!entry->argv && !entry->url)
        return tool_entry_refuse(entry, arena, "mcp", tool_entry_has(entry, "command") ? "command" : "",
                                 "it needs a command or a url.", err);
    if (entry->argv && entry->url)
        return tool_entry_refuse(entry, arena, "mcp", "url", "there can be a command or a url, not both.",
                                 err);
    if (entry->url && !net_url_check(entry->url, &why))
        return tool_entry_refuse(entry, arena, "mcp", "url", why.text, err);
    if (entry->api_key_env && entry->api_key_file)
        return tool_entry_refuse(entry, arena, "mcp", "api_key_file",
                                 "there can be api_key_env or api_key_file, not both.", err);
    return check_kind(entry, arena, err) && check_variables(entry, arena, "mcp", err);
}

/* A command whose name could be that of a server's tool. */
static bool check_apart(const struct tool_entry *command, const struct tool_entry *servers,
                        struct arena *arena, struct err *err)
{
    for (const struct tool_entry *server = servers; server; server = server->next)
        if (str_starts(command->name, arena_format(arena, "%s__", server->name)))
            return tool_entry_refuse(
                command, arena, "tools", "",
                "tools of the MCP server with that beginning have such names; give it another one.", err);
    return true;
}

static struct tool tool_of(const struct tool_entry *entry)
{
    return (struct tool){
        .name = entry->name,
        .description = entry->description,
        .schema = entry->schema,
        .kind = TOOL_COMMAND,
        .needs_approval = entry->needs_approval,
        .idempotent = entry->idempotent,
        .alone = entry->alone,
        .in_task_folder = tool_entry_is_of_task(entry),
        .category = entry->category,
        .projects = entry->projects,
        .roles = entry->roles,
    };
}

static int64_t whole_seconds(int64_t ms)
{
    return (ms + 999) / 1000;
}

/* The CPU time of one process is bounded by the time of its call, in whole seconds above it. */
static struct program program_of(const struct tool_entry *entry)
{
    return (struct program){
        .argv = entry->argv,
        .reads = entry->reads,
        .folder = tool_entry_is_of_task(entry) ? NULL : entry->folder,
        .network = entry->network,
        .time_ms = entry->timeout_ms,
        .cpu_seconds = entry->timeout_ms / 1000 + 1,
        .memory_most = (size_t)entry->memory,
        .file_most = (size_t)entry->file_size,
        .processes_most = TOOL_PROCESSES,
        .files_most = TOOL_FILES,
        .output_most = (size_t)entry->output,
    };
}

static struct mcp_rule rule_of(const struct tool_entry *entry)
{
    return (struct mcp_rule){
        .off = !entry->enabled,
        .needs_approval = entry->needs_approval,
        .idempotent = entry->idempotent,
        .alone = entry->alone,
        .category = entry->category,
        .projects = entry->projects,
        .roles = entry->roles,
    };
}

static struct mcp_setup server_of(const struct tool_entry *entry, struct arena *arena)
{
    struct mcp_rule *rules = arena_array(arena, struct mcp_rule, entry->rule_count + 1);
    size_t count = 0;

    for (const struct tool_entry *rule = entry->rules; rule; rule = rule->next) {
        rules[count] = rule_of(rule);
        rules[count++].name = rule->name;
    }
    return (struct mcp_setup){
        .name = entry->name,
        .command = entry->argv,
        .reads = entry->reads,
        .folder = entry->folder,
        .network = entry->network,
        .memory_most = (size_t)entry->memory,
        .file_most = (size_t)entry->file_size,
        .cpu_seconds = whole_seconds(entry->cpu_ms),
        .url = entry->url,
        .timeout_ms = entry->timeout_ms,
        .start_ms = entry->start_ms,
        .output_most = (size_t)entry->output,
        .restarts = (int)entry->restarts,
        .all = rule_of(entry),
        .rules = rules,
        .rule_count = count,
    };
}

bool config_tools_check(struct config_tools *tools, struct arena *arena, struct err *err)
{
    struct tool_command *commands = arena_array(arena, struct tool_command, tools->command_count + 1);
    struct mcp_setup *servers = arena_array(arena, struct mcp_setup, tools->server_count + 1);
    size_t count = 0;

    for (const struct tool_entry *entry = tools->commands; entry; entry = entry->next) {
        if (!check_command(entry, arena, err) || !check_apart(entry, tools->servers, arena, err))
            return false;
        commands[count++] = (struct tool_command){ .tool = tool_of(entry), .program = program_of(entry) };
    }
    tools->setup = (struct toolbox_setup){ .commands = commands, .command_count = count, .servers = servers };
    for (const struct tool_entry *entry = tools->servers; entry; entry = entry->next) {
        if (!check_server(entry, arena, err))
            return false;
        servers[tools->setup.server_count++] = server_of(entry, arena);
    }
    if (!tools->coder)
        return true;
    tools->coder_program = program_of(tools->coder);
    if (tools->coder->argv)
        return check_given(tools->coder, arena, "coder", err);
    return tool_entry_refuse(tools->coder, arena, "coder", "argv",
                             "it is missing; it names the program that works on tasks.", err);
}

/* Printing. */

static void print_quoted(struct buf *into, const char *text)
{
    struct json_out out;

    json_begin(&out, into);
    json_text(&out, NULL, text); /* YAML reads JSON */
}

static void print_entry(const struct tool_entry *entry, int indent, struct buf *into)
{
    buf_format(into, "%*s# from: %s\n%*s", indent, "", entry->place, indent, "");
    print_quoted(into, entry->name);
    buf_text(into, entry->set || entry->rules ? ":\n" : ": {}\n");
    for (size_t row = 0; row < tool_row_count; row++)
        if (entry->set & (uint64_t)1 << row)
            buf_format(into, "%*s%s: %s\n", indent + 2, "", tool_rows[row].key, entry->written[row]);
    if (entry->rules)
        buf_format(into, "%*stools:\n", indent + 2, "");
    for (const struct tool_entry *rule = entry->rules; rule; rule = rule->next)
        print_entry(rule, indent + 4, into);
}

static void print_section(const char *section, const char *help, const struct tool_entry *first,
                          struct buf *into)
{
    buf_format(into, "\n# %s\n%s:%s\n", help, section, first ? "" : " {}");
    for (const struct tool_entry *entry = first; entry; entry = entry->next)
        print_entry(entry, 2, into);
}

void config_tools_print_yaml(const struct config_tools *tools, struct buf *into)
{
    print_section("tools", "Commands that agents can call; `witan tool list` shows them.", tools->commands,
                  into);
    print_section("mcp", "MCP servers whose tools agents can call.", tools->servers, into);
    if (!tools->coder)
        return;
    buf_text(into, "\n# The command that works on tasks.\n");
    print_entry(tools->coder, 0, into);
}

static void print_members(const struct tool_entry *entry, struct json_out *out)
{
    json_map(out, entry->name);
    json_text(out, "origin", entry->place);
    for (size_t row = 0; row < tool_row_count; row++)
        if (entry->set & (uint64_t)1 << row)
            json_raw(out, tool_rows[row].key, entry->written[row]);
    if (entry->rules) {
        json_map(out, "tools");
        for (const struct tool_entry *rule = entry->rules; rule; rule = rule->next)
            print_members(rule, out);
        json_map_end(out);
    }
    json_map_end(out);
}

void config_tools_print_json(const struct config_tools *tools, struct json_out *out)
{
    if (tools->coder)
        print_members(tools->coder, out);
    for (size_t i = 0; i < 2; i++) {
        json_map(out, config_tool_sections[i]);
        for (const struct tool_entry *entry = i ? tools->servers : tools->commands; entry;
             entry = entry->next)
            print_members(entry, out);
        json_map_end(out);
    }
}

static void print_rows(int of, int indent, struct buf *into)
{
    for (size_t row = 0; row < tool_row_count; row++)
        if (tool_rows[row].of & of)
            buf_format(into, "#%*s%s: %s # %s\n", indent, "", tool_rows[row].key,
                       *tool_rows[row].fallback ? tool_rows[row].fallback : "...", tool_rows[row].help);
}

void config_tools_print_template(struct buf *into)
{
    buf_text(into,
             "\n# Commands that agents can call, by name, each with these settings.\n#tools:\n#  NAME:\n");
    print_rows(OF_COMMAND, 4, into);
    buf_text(into, "\n# MCP servers whose tools agents can call, by name, each with these settings.\n"
                   "#mcp:\n#  NAME:\n");
    print_rows(OF_SERVER, 4, into);
    buf_text(into, "#    tools: # of one of its tools, by the server's name for it\n#      NAME:\n");
    print_rows(OF_RULE, 8, into);
    buf_text(into,
             "\n# The command that works on the tasks that orchestrators take; it is told what to do on its "
             "standard input.\n#coder:\n");
    print_rows(OF_CODER, 2, into);
}
