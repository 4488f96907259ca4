/*
 * commands.h - from the words of the command line to what they do.
 *
 * Joins the tables of commands: those on this machine (serve, config, migrate, user, ...) and those against a
 * running server, which are given its address and a token as the settings have them.
 */
#ifndef SERVER_COMMANDS_H
#define SERVER_COMMANDS_H

#include "edge/cli/cli.h"
#include "server/config.h"

/* `argv` is without the program's name. The result is the exit code. */
int commands_run(int argc, char **argv);
/* Every command there is, in the order of the help; ends with NULL. */
const struct cli_command *const *commands_all(struct arena *arena);

/* Each ends with an empty row. */
extern const struct cli_command serve_commands[];
extern const struct cli_command tool_commands[];
extern const struct cli_command user_commands[];
extern const struct cli_command token_commands[];
extern const struct cli_command workspace_commands[];
extern const struct cli_command audit_commands[];
extern const struct cli_command backup_commands[];
extern const struct cli_command purge_commands[];

/* Loads the settings as the command's options say. The caller calls config_done, also after a failure. */
CHECKED bool commands_config(const struct cli *cli, struct config *config, struct err *err);

/* Where the server is and who calls: from options, environment and settings, in that order. */
CHECKED bool commands_target(struct cli *cli, struct err *err);
/* Where the token would be read from when neither option nor variable names one. */
const char *commands_token_file(struct arena *arena);

#endif
