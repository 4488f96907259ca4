/*
 * claim.h - one server for one SQLite file.
 *
 * Who numbers events, ends what is due and wakes those who wait is one process; a second one on the same file
 * would answer from what it knows and leave the other's waits asleep. So a server, and whoever changes the
 * schema or puts another file in its place, claims the file first and is refused while somebody else has it.
 * Commands that only read or write rows need no claim: SQLite's own locks keep them apart. On PostgreSQL many
 * nodes share one store, and claiming always succeeds.
 *
 * The claim is an flock of the file itself, so it holds whatever name the file is reached by, ends with the
 * process however that ends, and leaves nothing behind. It keeps a descriptor of the file open, and closing
 * any descriptor of a file drops all POSIX locks that the process has on it, SQLite's among them: it is taken
 * before the first connection is opened and released after the last has been closed.
 *
 * Thread: any, one at a time. A child made by fork shares the claim until it ends or executes something else.
 */
#ifndef DB_CLAIM_H
#define DB_CLAIM_H

#include "base/err.h"

struct claim {
    int fd;
};

#define CLAIM_NONE ((struct claim){ .fd = -1 })

/* Makes the file when there is none, for its owner alone. ERR_CONFLICT when another process has claimed it.
 */
CHECKED bool claim_take(struct claim *claim, const char *url, struct err *err);
/* Whether another process has claimed this file now. Not while this one has the file open. */
bool claim_is_taken(const char *path);
void claim_release(struct claim *claim); /* accepts one that was never taken */

#endif
