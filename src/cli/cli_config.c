#include "cli/cli_config.h"

#include "server/variables.h"

#include <string.h>
#include <unistd.h>

bool cli_config(const struct cli *cli, struct config *config, struct err *err)
{
    struct config_sources sources = {
        .file = cli_get(cli, "config"),
        .listen = cli_get(cli, "listen"),
        .store_url = cli_get(cli, "db"),
        .require_auth = cli_has(cli, "require-auth"),
        .setup = cli_has(cli, "setup"),
        .may_lack_file = cli->command && cli->command->uses & CLI_MAKES,
    };

    return config_load(config, &sources, err);
}

/* A model may have its key in a variable of any name. */
static bool names_key(const struct config *config, const char *variable)
{
    for (size_t i = 0; i < config->models.count; i++)
        if (strcmp(config->models.list[i].api_key_env, variable) == 0)
            return true;
    return false;
}

void cli_config_variables(const struct cli *cli)
{
    struct config config = { 0 };
    struct err ignored = { 0 };
    const char *name, *nearest;
    size_t at = 0;
    bool loaded = false;

    while ((name = variables_unknown(environ, cli->arena, &at, &nearest))) {
        /* Rarely one is there, and then the settings are worth a look. */
        if (!loaded)
            (void)!cli_config(cli, &config, &ignored);
        loaded = true;
        if (names_key(&config, name) || variables_mistyped(cli->arena, name))
            continue;
        if (nearest)
            cli_note(cli, "witan does not know the variable %s. Did you mean %s?", name, nearest);
        else
            cli_note(
                cli,
                "witan does not know the variable %s; `witan config` lists the settings, and WITAN_ before one, in capitals, is its variable.",
                name);
    }
    if (loaded)
        config_done(&config);
}
