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

/* The caller calls config_done, also after a failure. */
CHECKED bool cli_config(const struct cli *cli, struct config *config, struct err *err);

#endif
