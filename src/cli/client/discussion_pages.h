/*
 * discussion_pages.h - the rest of a long discussion, which a server shows page by page.
 *
 * Thread: the one that runs the command.
 */
#ifndef CLI_CLIENT_DISCUSSION_PAGES_H
#define CLI_CLIENT_DISCUSSION_PAGES_H

#include "cli/cli.h"

#include <jansson.h>

/* Adds to the entries of a state what follows them; asks only where the server said that there is more. */
CHECKED bool discussion_pages(struct cli *cli, const char *id, json_t *state, struct err *err);

#endif
