/*
 * What comes from elsewhere when a server starts: the values of variables and of files, and whether the
 * programs are there.
 */
#include "server/config.h"
#include "server/config_tools_parts.h"

#include "base/limits.h"
#include "base/str.h"
#include "server/variables.h"
#include "toolbox/secrets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t count_of(const struct tool_pair *pairs)
{
    size_t count = 0;

    while (pairs && pairs[count].name)
        count++;
    return count;
}

/* "NAME=value" of those in the file and of those that the server has itself. */
static bool fill_environment(const struct tool_entry *entry, struct arena *arena, const char *section,
                             char *const *variables, const char *const **environment, struct err *err)
{
    size_t given = 0, at = 0;
    const char **list;

    while (entry->environment_from && entry->environment_from[given])
        given++;
    list = arena_array(arena, const char *, count_of(entry->environment) + given + 1);
    for (size_t i = 0; i < count_of(entry->environment); i++)
        list[at++] = arena_format(arena, "%s=%s", entry->environment[i].name, entry->environment[i].value);
    for (size_t i = 0; i < given; i++) {
        const char *name = entry->environment_from[i], *value = variables_get(variables, name);

        if (!value)
            return tool_entry_refuse(entry, arena, section, "environment_from",
                                     arena_format(arena, "the variable %s is not set.", name), err);
        list[at++] = arena_format(arena, "%s=%s", name, value);
    }
    *environment = at ? list : NULL;
    return true;
}

static bool key_from_file(const struct tool_entry *entry, struct arena *arena, const char **key,
                          struct err *err)
{
    char text[LIMIT_API_KEY + 2];
    FILE *file = fopen(entry->api_key_file, "re");
    size_t len;

    if (!file)
        return tool_entry_refuse(entry, arena, "mcp", "api_key_file",
                                 arena_format(arena, "the file cannot be read: %s.", strerror(errno)), err);
    len = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[len] = '\0';
    *key = str_trim(arena, text);
    return true;
}

static bool add_key(const struct tool_entry *entry, struct arena *arena, char *const *variables,
                    const char **headers, size_t *at, struct err *err)
{
    const char *key = NULL, *from = entry->api_key_env ? "api_key_env" : "api_key_file";

    if (!entry->api_key_env && !entry->api_key_file)
        return true;
    if (entry->api_key_env)
        key = variables_get(variables, entry->api_key_env);
    else if (!key_from_file(entry, arena, &key, err))
        return false;
    if (!key)
        return tool_entry_refuse(entry, arena, "mcp", from,
                                 arena_format(arena, "the variable %s is not set.", entry->api_key_env), err);
    if (!*key || strlen(key) > LIMIT_API_KEY || strpbrk(key, " \t\r\n"))
        return tool_entry_refuse(entry, arena, "mcp", from, "there is no key in it, which is one word.", err);
    headers[(*at)++] = arena_format(arena, "Authorization: Bearer %s", key);
    return true;
}

static bool fill_headers(const struct tool_entry *entry, struct arena *arena, char *const *variables,
                         const char *const **headers, struct err *err)
{
    size_t at = 0;
    const char **list =
        arena_array(arena, const char *, count_of(entry->headers) + count_of(entry->headers_from) + 2);

    for (size_t i = 0; i < count_of(entry->headers); i++)
        list[at++] = arena_format(arena, "%s: %s", entry->headers[i].name, entry->headers[i].value);
    for (size_t i = 0; i < count_of(entry->headers_from); i++) {
        const char *name = entry->headers_from[i].value, *value = variables_get(variables, name);

        if (!value || strpbrk(value, "\r\n"))
            return tool_entry_refuse(
                entry, arena, "mcp", "headers_from",
                arena_format(arena, "the variable %s is not set, or is more than one line.", name), err);
        list[at++] = arena_format(arena, "%s: %s", entry->headers_from[i].name, value);
    }
    if (!add_key(entry, arena, variables, list, &at, err))
        return false;
    *headers = at ? list : NULL;
    return true;
}

/* A key may begin as a path does, but nothing is there. */
static bool is_place(const char *value)
{
    return *value == '/' && access(value, F_OK) == 0;
}

/* What it is given from elsewhere, and headers: a key also without the word before it. Places are no secrets,
 * and tools speak of them; nor are variables that stand in the file itself. */
static const struct secret_forms *secrets_of(const struct tool_entry *entry, struct arena *arena,
                                             char *const *variables, const char *const *headers)
{
    size_t count = 0, at = 0;
    const char **list, *value, *word;

    while (entry->environment_from && entry->environment_from[count])
        count++;
    for (size_t i = 0; headers && headers[i]; i++)
        count += 2;
    list = arena_array(arena, const char *, count + 1);
    for (size_t i = 0; entry->environment_from && entry->environment_from[i]; i++)
        if (!is_place(value = variables_get(variables, entry->environment_from[i])))
            list[at++] = value;
    for (; headers && *headers; headers++) {
        list[at++] = value = str_past_space(strchr(*headers, ':') + 1);
        if ((word = strchr(value, ' ')))
            list[at++] = word + 1;
    }
    return secrets_known(arena, list);
}

static bool check_program(const struct tool_entry *entry, struct arena *arena, const char *section,
                          const struct program *program, struct err *err)
{
    struct err why = { 0 };
    const char *key;

    if (program_check(program, &why))
        return true;
    key = strcmp(why.field, "argv") == 0 && strcmp(section, "mcp") == 0 ? "command" : why.field;
    tool_entry_refuse(entry, arena, section, key, why.text, err);
    return *why.hint ? err_hint(err, "%s", why.hint) : false;
}

static bool prepare_coder(struct config_tools *tools, struct arena *arena, char *const *variables,
                          struct err *err)
{
    struct program *program = &tools->coder_program;

    if (!fill_environment(tools->coder, arena, "coder", variables, &program->environment, err) ||
        !check_program(tools->coder, arena, "coder", program, err))
        return false;
    tools->coder_secrets = secrets_of(tools->coder, arena, variables, NULL);
    return true;
}

bool config_tools_prepare(struct config_tools *tools, struct arena *arena, char *const *variables,
                          struct err *err)
{
    struct tool_command *command = (struct tool_command *)tools->setup.commands;
    struct mcp_setup *server = (struct mcp_setup *)tools->setup.servers;

    for (const struct tool_entry *entry = tools->commands; entry; entry = entry->next, command++) {
        if (!fill_environment(entry, arena, "tools", variables, &command->program.environment, err) ||
            !check_program(entry, arena, "tools", &command->program, err))
            return false;
        command->secrets = secrets_of(entry, arena, variables, NULL);
    }
    for (const struct tool_entry *entry = tools->servers; entry; entry = entry->next, server++) {
        struct program program;

        if (!fill_environment(entry, arena, "mcp", variables, &server->environment, err) ||
            !fill_headers(entry, arena, variables, &server->headers, err))
            return false;
        server->secrets = secrets_of(entry, arena, variables, server->headers);
        if (!server->command)
            continue;
        toolbox_server_program(server, &program);
        if (!check_program(entry, arena, "mcp", &program, err))
            return false;
    }
    return !tools->coder || prepare_coder(tools, arena, variables, err);
}

bool config_tools_want_tasks(const struct config_tools *tools)
{
    for (const struct tool_entry *entry = tools->commands; entry; entry = entry->next)
        if (tool_entry_is_of_task(entry))
            return true;
    return tools->coder != NULL;
}

bool config_tools_place(const struct config_tools *tools, struct arena *arena, const char *tasks,
                        struct err *err)
{
    struct tool_command *command = (struct tool_command *)tools->setup.commands;

    for (const struct tool_entry *entry = tools->commands; entry; entry = entry->next, command++) {
        if (!tool_entry_is_of_task(entry))
            continue;
        command->program.within = tasks;
        if (tasks)
            continue;
        tool_entry_refuse(entry, arena, "tools", "folder", "there is no place for the folders of tasks.",
                          err);
        return err_hint(err, "orchestrator.folder names one.");
    }
    return true;
}

bool config_prepare(struct config *config, struct err *err)
{
    if (!config_tools_prepare(&config->tools, &config->arena, environ, err))
        return false;
    config->programs = toolbox_programs(&config->arena, &config->tools.setup, &config->program_count);
    return true;
}
