#include "cli/cli_config.h"

bool cli_config(const struct cli *cli, struct config *config, struct err *err)
{
    struct config_sources sources = {
        .file = cli_get(cli, "config"),
        .listen = cli_get(cli, "listen"),
        .store_url = cli_get(cli, "db"),
        .require_auth = cli_has(cli, "require-auth"),
        .setup = cli_has(cli, "setup"),
    };

    return config_load(config, &sources, err);
}
