/*
 * rehearsal.h - a server for one rehearsal, where none runs.
 *
 * Somebody who has just installed witan can see a discussion with one command. If the server that the command
 * would speak to is there, the rehearsal is held on it; otherwise this starts a server of its own, on this
 * machine only and on a store that is thrown away afterwards.
 */
#ifndef CLI_CLIENT_REHEARSAL_H
#define CLI_CLIENT_REHEARSAL_H

#include "cli/cli.h"

#include <sys/types.h>

struct cli_rehearsal {
    pid_t pid; /* of the server; 0: there was one already */
    char folder[256];
};

/* Points cli->target at the server of the rehearsal. */
CHECKED bool rehearsal_open(struct cli *cli, struct cli_rehearsal *rehearsal, struct err *err);
void rehearsal_close(struct cli *cli, struct cli_rehearsal *rehearsal);

#endif
