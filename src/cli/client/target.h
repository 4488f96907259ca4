/*
 * target.h - where the server is and who calls.
 *
 * From the command's options, the environment and the settings, in that order. A token comes from a file or
 * from WITAN_TOKEN, never from an option, where every process of the machine could read it.
 */
#ifndef CLI_CLIENT_TARGET_H
#define CLI_CLIENT_TARGET_H

#include "cli/cli.h"

/* Fills cli->target. */
CHECKED bool target_find(struct cli *cli, struct err *err);
/* Where the token is read from when neither option nor variable names one; NULL: there is no home to have it.
 */
const char *target_token_file(struct arena *arena);

#endif
