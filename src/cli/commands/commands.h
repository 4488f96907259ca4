/*
 * commands.h - from the words of the command line to what they do.
 *
 * Joins the tables of commands (tables.h), finds the one that was meant and runs it. A command against a
 * running server is given its address and a token first (client/target.h).
 */
#ifndef CLI_COMMANDS_COMMANDS_H
#define CLI_COMMANDS_COMMANDS_H

#include "cli/cli.h"

/* `argv` is without the program's name. The result is the exit code. */
int commands_run(int argc, char **argv);
/* Every command there is, in the order of the help; ends with NULL. */
const struct cli_command *const *commands_all(struct arena *arena);

/* What may follow these words, for shells (complete_command.c). */
int commands_complete(struct cli *cli, int argc, char **argv);

#endif
