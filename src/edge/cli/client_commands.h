/*
 * client_commands.h - the commands against a running server. Each table ends with an empty row.
 */
#ifndef EDGE_CLI_CLIENT_COMMANDS_H
#define EDGE_CLI_CLIENT_COMMANDS_H

#include "edge/cli/cli.h"

extern const struct cli_command chat_commands[];
extern const struct cli_command prompt_commands[];
extern const struct cli_command call_commands[];

/* Runs a command that an operation brought along: sends its parameters, prints its reply. */
int client_run_generic(struct cli *cli);

#endif
