/*
 * resume.h - command lines to go on with, as somebody can paste them into a shell.
 */
#ifndef CLI_CLIENT_RESUME_H
#define CLI_CLIENT_RESUME_H

#include "cli/cli.h"

/* "witan COMMAND" and those options of this run that say where the server is and how to wait and to print. */
const char *resume_command(struct cli *cli, const char *command);
/* This command line again, with this idempotency key unless it has one. */
const char *resume_same(struct cli *cli, const char *key);

#endif
