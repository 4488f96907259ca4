/*
 * cli_config.h - the settings, as this command line has them.
 *
 * Its options (--config, --db, --listen, --require-auth, --setup) stand above the file and the environment;
 * what loads those is server/config.h.
 */
#ifndef CLI_CLI_CONFIG_H
#define CLI_CLI_CONFIG_H

#include "cli/cli.h"
#include "server/config.h"

/*
 * Says which WITAN_... variables of the environment nobody reads, and what may have been meant. Mistyped ones
 * are left to whoever reads the settings, which refuses them.
 */
void cli_config_variables(const struct cli *cli);

/* The caller calls config_done, also after a failure. */
CHECKED bool cli_config(const struct cli *cli, struct config *config, struct err *err);

#endif
