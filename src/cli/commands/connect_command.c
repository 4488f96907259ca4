/*
 * witan connect: how an MCP client is told of witan, printed or put into its own settings.
 *
 * Every client gets the same entry: start `witan mcp`. So no secret stands in a client's settings: the token
 * is found where every command finds it. What else a file holds stays, in its order; a file that cannot be
 * read is not touched.
 */
#include "base/json.h"
#include "base/limits.h"
#include "cli/commands/tables.h"
#include "server/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTINGS_MOST (4 * MB)

static const struct app {
    const char *name;
    const char *file;   /* under the home folder, or with "./" under this one */
    const char *member; /* that holds the servers; NULL: the file is TOML */
    bool says_type;     /* each entry says how it is reached */
} apps[] = {
    { "claude-code", "./.mcp.json", "mcpServers", true },
    { "claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers", false },
    { "cursor", ".cursor/mcp.json", "mcpServers", false },
    { "vscode", "./.vscode/mcp.json", "servers", true },
    { "codex", ".codex/config.toml", NULL, false },
    { "gemini", ".gemini/settings.json", "mcpServers", false },
};

#define APPS       (sizeof(apps) / sizeof(apps[0]))
#define TOML_TABLE "[mcp_servers.witan]"

static const char *app_at(size_t at)
{
    return at < APPS ? apps[at].name : NULL;
}

/* One of app_at's, which the parser has seen to. */
static const struct app *find_app(const char *name)
{
    const struct app *app = apps;

    while (app < apps + APPS - 1 && strcmp(app->name, name) != 0)
        app++;
    return app;
}

static const char *own_path(struct arena *arena)
{
    char path[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

    return len > 0 ? arena_copy(arena, path, (size_t)len) : "witan";
}

static void add_option(const struct cli *cli, json_t *words, const char *option, const char *name)
{
    const char *value = cli_get(cli, name);

    if (!value)
        return;
    json_array_append_new(words, json_string(option));
    json_array_append_new(words, json_string(value));
}

/* A server that was named is not ours to start. */
static json_t *words_of(const struct cli *cli)
{
    json_t *words = json_pack("[s]", "mcp");

    if (!cli_has(cli, "url"))
        json_array_append_new(words, json_string("--start"));
    add_option(cli, words, "--url", "url");
    add_option(cli, words, "--token-file", "token-file");
    add_option(cli, words, "--workspace", "workspace");
    return words;
}

static json_t *entry_of(const struct cli *cli, const struct app *app)
{
    json_t *entry = json_object();

    if (app->says_type)
        json_object_set_new(entry, "type", json_string("stdio"));
    json_object_set_new(entry, "command", json_string(own_path(cli->arena)));
    json_object_set_new(entry, "args", words_of(cli));
    return entry;
}

static const char *file_of(const struct cli *cli, const struct app *app, struct err *err)
{
    const char *home = getenv("HOME");

    if (strncmp(app->file, "./", 2) == 0)
        return app->file + 2;
    if (home && *home)
        return arena_format(cli->arena, "%s/%s", home, app->file);
    err_set(err, ERR_INVALID, "HOME is not set, so the client's settings cannot be found.");
    return NULL;
}

/* The whole file; "" when there is none. */
static bool read_file(struct arena *arena, const char *path, const char **text, size_t *len, struct err *err)
{
    FILE *file = fopen(path, "r");
    char *bytes;

    *text = "";
    *len = 0;
    if (!file)
        return errno == ENOENT || err_set(err, ERR_INTERNAL, "%s cannot be read: %s.", path, strerror(errno));
    bytes = arena_alloc(arena, SETTINGS_MOST + 1, 1);
    *len = fread(bytes, 1, SETTINGS_MOST + 1, file);
    fclose(file);
    *text = bytes;
    return *len <= SETTINGS_MOST || err_set(err, ERR_TOO_LARGE, "%s is too large.", path);
}

/* Under another name first, so that nobody ever reads half of it. Whoever could read it before still can. */
static bool replace_file(struct arena *arena, const char *path, const char *text, size_t len, struct err *err)
{
    const char *name = arena_format(arena, "%s.witan-new", path);
    struct stat old;

    if (!files_make_folders(path, err))
        return false;
    unlink(name);
    if (!files_write(name, text, len, err))
        return false;
    if (stat(path, &old) == 0)
        (void)!chmod(name, old.st_mode & 07777);
    if (rename(name, path) == 0)
        return true;
    return err_set(err, ERR_INTERNAL, "%s cannot be written: %s.", path, strerror(errno));
}

static char *pretty(struct arena *arena, const json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY), *own;

    if (!text)
        abort();
    own = arena_format(arena, "%s\n", text);
    free(text);
    return own;
}

/* The settings with our entry in them. */
static bool merge_json(const struct cli *cli, const struct app *app, const char *before, size_t len,
                       const char **after, struct err *err)
{
    JSON_AUTO *settings = NULL;
    json_t *servers;

    if (len == 0)
        settings = json_object();
    else if (!json_parse(before, len, &settings, err))
        return err_hint(err, "The settings hold something else than plain JSON; add the entry by hand.");
    servers = json_object_get(settings, app->member);
    if (!json_is_object(settings) || (servers && !json_is_object(servers))) {
        err_set(err, ERR_INVALID, "The settings are not what this client writes.");
        return err_hint(err, "Add the entry by hand.");
    }
    if (!servers) {
        servers = json_object();
        json_object_set_new(settings, app->member, servers);
    }
    json_object_set_new(servers, "witan", entry_of(cli, app));
    *after = pretty(cli->arena, settings);
    return true;
}

static const char *toml_of(const struct cli *cli, const struct app *app)
{
    JSON_AUTO *entry = entry_of(cli, app);
    const char *command = json_dump_text(cli->arena, json_object_get(entry, "command"));
    const char *words = json_dump_text(cli->arena, json_object_get(entry, "args"));

    return arena_format(cli->arena, TOML_TABLE "\ncommand = %s\nargs = %s\n", command, words);
}

static bool merge_toml(const struct cli *cli, const struct app *app, const char *before, size_t len,
                       const char **after, struct err *err)
{
    if (memmem(before, len, TOML_TABLE, strlen(TOML_TABLE))) {
        err_set(err, ERR_CONFLICT, "The settings have a table " TOML_TABLE " already.");
        return err_hint(err, "Remove it, or change it by hand.");
    }
    *after = arena_format(cli->arena, "%.*s%s%s", (int)len, before, len > 0 ? "\n" : "", toml_of(cli, app));
    return true;
}

static bool write_settings(const struct cli *cli, const struct app *app, const char **path, struct err *err)
{
    const char *before = NULL, *after = NULL;
    size_t len;

    *path = file_of(cli, app, err);
    return *path && read_file(cli->arena, *path, &before, &len, err) &&
           (app->member ? merge_json(cli, app, before, len, &after, err)
                        : merge_toml(cli, app, before, len, &after, err)) &&
           replace_file(cli->arena, *path, after, strlen(after), err);
}

static bool show_settings(const struct cli *cli, const struct app *app, const char **text, struct err *err)
{
    if (app->member)
        return merge_json(cli, app, "", 0, text, err);
    *text = toml_of(cli, app);
    return true;
}

static int run_connect(struct cli *cli)
{
    struct err err = { 0 };
    const struct app *app = find_app(cli_get(cli, "CLIENT"));
    const char *text = NULL, *path = app ? file_of(cli, app, &err) : NULL;

    if (!path)
        return cli_fail(cli, &err);
    if (cli_has(cli, "write")) {
        if (!write_settings(cli, app, &path, &err))
            return cli_fail(cli, &err);
        cli_note(cli, "%s will know witan the next time it starts.", app->name);
        return cli_print(arena_format(cli->arena, "%s\n", path), strlen(path) + 1);
    }
    if (!show_settings(cli, app, &text, &err))
        return cli_fail(cli, &err);
    cli_note(cli, "This belongs in %s; --write puts it there.", path);
    return cli_print(text, strlen(text));
}

const struct cli_command connect_commands[] = {
    {
        .name = "connect",
        .help = "Print what an MCP client needs in its settings to know witan, or put it there.",
        .examples = "witan connect claude-code --write\n"
                    "witan connect cursor\n"
                    "witan connect codex --write --url https://witan.example --token-file ~/agent.token",
        .args = { { "CLIENT", .help = "Which client.", .word_at = app_at } },
        .options = {
            { "write", .help = "Put it into the client's settings; what else they hold stays." },
            { "url", "URL", .help = "A server that runs elsewhere. Without it, one is started here when needed." },
            { "token-file", "FILE", .help = "Where its token is." },
            { "workspace", "NAME", .help = "Its workspace." },
        },
        .run = run_connect,
    },
    { 0 },
};
