/*
 * recheck.h - whether those who stay may still be here.
 *
 * A stream outlives what its first request showed: tokens are revoked, sessions end, roles change. Whoever
 * holds streams asks with each of their heartbeats, for many of them in one transaction.
 */
#ifndef EDGE_RECHECK_H
#define EDGE_RECHECK_H

#include "core/caller/caller.h"
#include "db/store.h"

#define RECHECK_MOST 64 /* in one transaction */

struct recheck_one {
    const char *credential, *workspace_id; /* of struct caller; borrowed */
    enum role role;
    struct err refused; /* code != ERR_NONE: they may not, and why */
};

struct recheck {
    struct work work;
    struct arena arena; /* the owner's to free */
    size_t count;
    struct recheck_one all[RECHECK_MOST];
};

/* Blocks. False: the store does not answer, so nobody is judged; the next heartbeat asks again. */
bool recheck_run(struct recheck *recheck, struct store *store);

#endif
