/*
 * client_commands.h - the commands against a running server. Each table ends with an empty row.
 */
#ifndef EDGE_CLI_CLIENT_COMMANDS_H
#define EDGE_CLI_CLIENT_COMMANDS_H

#include "edge/cli/cli.h"

extern const struct cli_command ask_commands[];
extern const struct cli_command inbox_commands[];
extern const struct cli_command answer_commands[];
extern const struct cli_command job_commands[];
extern const struct cli_command chat_commands[];
extern const struct cli_command prompt_commands[];
extern const struct cli_command project_commands[];
extern const struct cli_command task_commands[];
extern const struct cli_command result_commands[];
extern const struct cli_command resolve_commands[];
extern const struct cli_command decide_commands[];
extern const struct cli_command call_commands[];

/* Runs a command that an operation brought along: sends its parameters, prints its reply. */
int client_run_generic(struct cli *cli);

#endif
