/*
 * listed.h - the numbers of the last inbox that was shown.
 *
 * `witan inbox` numbers what it shows and `witan answer 2` means what stood there as 2, even when the list
 * has changed since: the numbers are kept in a file of the user's state folder, one for each server and
 * workspace.
 */
#ifndef EDGE_CLI_LISTED_H
#define EDGE_CLI_LISTED_H

#include "edge/cli/cli.h"

/* Forgets the old list and keeps these ids as 1, 2, 3 ... Without a folder to keep them in: false, no harm.
 */
bool listed_keep(struct cli *cli, const char *const ids[], size_t count);
/* The id that a number stands for; ERR_NOT_FOUND. A word that is no small number is an id by itself. */
CHECKED bool listed_id(struct cli *cli, const char *word, const char **id, struct err *err);

#endif
