/*
 * discussion_wish.h - the discussion that the words of a command line ask for.
 */
#ifndef CLI_CLIENT_DISCUSSION_WISH_H
#define CLI_CLIENT_DISCUSSION_WISH_H

#include "cli/client/invoke.h"

/* Fills in the parameters of discussion_create. Asks the server what --for names. */
CHECKED bool discussion_wish(struct cli *cli, json_t *wish, struct err *err);

#endif
