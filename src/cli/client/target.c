/*
 * Each of the three (where, who, which workspace) is looked for in its own order of places. A token is
 * checked before it is sent: a stray line end in a file would otherwise become a header.
 */
#include "cli/client/target.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/cli_config.h"
#include "cli/client/login.h"
#include "server/variables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *from_env(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static bool find_url(struct cli *cli, const char **url, struct err *err)
{
    struct config config = { 0 };

    *url = cli_get(cli, "url");
    if (!*url)
        *url = from_env("WITAN_URL");
    /* One that was named must be there, whether or not the URL comes from it. */
    if (!*url || cli_has(cli, "config")) {
        bool loaded = cli_config(cli, &config, err);

        if (loaded && !*url)
            *url = *config.settings.server_public_url
                       ? arena_text(cli->arena, config.settings.server_public_url)
                       : config_listen_url(cli->arena, config.settings.server_listen, 0);
        config_done(&config);
        if (!loaded)
            return false;
    }
    if (str_starts(*url, "http://") || str_starts(*url, "https://"))
        return true;
    err_field(err, "url", "The server's URL must start with http:// or https://, not \"%s\".", *url);
    return err_hint(err, "For example: --url http://127.0.0.1:7117");
}

static char *without_slash(struct arena *arena, const char *url)
{
    char *text = arena_text(arena, url);

    for (size_t len = strlen(text); len > 0 && text[len - 1] == '/'; len--)
        text[len - 1] = '\0';
    return text;
}

const char *target_token_file(struct arena *arena)
{
    const char *folder = config_config_dir(arena);

    return folder ? arena_format(arena, "%s/token", folder) : NULL;
}

/* A header is made of it, so anything but plain characters is refused here rather than sent. */
static bool check_token(const char *token, const char *where, struct err *err)
{
    for (const char *c = token; *c; c++)
        if (*c <= ' ' || *c > '~')
            return err_set(err, ERR_INVALID, "%s does not hold a token: it has spaces or odd characters.",
                           where);
    return *token || err_set(err, ERR_INVALID, "%s is empty.", where);
}

/* A file that was named by --token-file may be one that a service manager made, which is its own affair. */
static void warn_of_readers(struct cli *cli, const char *path, FILE *file)
{
    struct stat about;

    if (fstat(fileno(file), &about) == 0 && about.st_mode & 077)
        cli_note(cli, "Others on this machine can read your token: chmod 600 %s", path);
}

static bool read_token(struct cli *cli, const char *path, bool must, const char **token, struct err *err)
{
    char line[LIMIT_TOKEN_FILE];
    FILE *file = fopen(path, "r");

    if (!file && !must && errno == ENOENT)
        return true;
    if (!file)
        return err_set(err, ERR_INVALID, "Cannot read the token file %s: %s.", path, strerror(errno));
    if (!must)
        warn_of_readers(cli, path, file);
    bool got = fgets(line, sizeof(line), file) != NULL;

    fclose(file);
    *token = str_trim(cli->arena, got ? line : "");
    return check_token(*token, path, err);
}

static bool find_token(struct cli *cli, const char **token, struct err *err)
{
    const char *file = cli_get(cli, "token-file");
    const char *variable = from_env("WITAN_TOKEN");

    *token = NULL;
    if (file)
        return read_token(cli, file, true, token, err);
    if (!variable) {
        file = target_token_file(cli->arena);
        return !file || read_token(cli, file, false, token, err);
    }
    *token = str_trim(cli->arena, variable);
    return check_token(*token, "WITAN_TOKEN", err);
}

/* What was named goes first, then a login at this server, then the token that is kept for all. */
static bool find_credentials(struct cli *cli, struct err *err)
{
    if (!cli_has(cli, "token-file") && !from_env("WITAN_TOKEN")) {
        cli->target.session = login_kept(cli->arena, cli->target.url);
        if (cli->target.session)
            return true;
    }
    return find_token(cli, &cli->target.token, err);
}

bool target_find(struct cli *cli, struct err *err)
{
    const char *url;

    if (!variables_check(environ, cli->arena, err) || !find_url(cli, &url, err))
        return false;
    cli->target.url = without_slash(cli->arena, url);
    if (!find_credentials(cli, err))
        return false;
    cli->target.workspace = cli_get(cli, "workspace");
    if (!cli->target.workspace)
        cli->target.workspace = from_env("WITAN_WORKSPACE");
    return true;
}
