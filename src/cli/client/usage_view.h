/*
 * usage_view.h - what a discussion took, as a table below what was said.
 *
 * Thread: the one that runs the command.
 */
#ifndef CLI_CLIENT_USAGE_VIEW_H
#define CLI_CLIENT_USAGE_VIEW_H

#include "cli/cli.h"

/* Asks the server. Nothing where no model was called. A note, not a failure, where it cannot be had. */
void usage_show(struct cli *cli, const char *discussion_id);

#endif
