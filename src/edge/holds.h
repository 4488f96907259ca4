/*
 * holds.h - what callers keep open, and how much of it each may.
 *
 * An event stream, a WebSocket or a request that waits costs little, but anybody who may open one may open
 * thousands. They are counted together for each token or user (by whatever secret, login or ticket), each
 * workspace and each address; the limits are settings. The local owner of solo mode is not counted as a
 * token, nor this machine as an address: a proxy that nobody has named as one shows that address for
 * everybody.
 *
 * Thread: any.
 */
#ifndef EDGE_HOLDS_H
#define EDGE_HOLDS_H

#include "base/err.h"
#include "core/caller/caller.h"

#include <stdint.h>

struct holds;

/* One place that is taken; all zero: none. It may be copied, and is given back once. */
struct hold {
    struct holds *holds;
    uint64_t caller, workspace, address; /* 0: not counted */
};

struct holds *holds_new(void);
void holds_free(struct holds *holds); /* accepts NULL */
/* ERR_RATE_LIMITED, saying which limit, when one of them is reached. */
CHECKED bool holds_take(struct holds *holds, const struct caller *caller, const char *remote,
                        struct hold *hold, struct err *err);
void hold_give(struct hold *hold);

#endif
