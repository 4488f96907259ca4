/*
 * parking.h - who answers a request that the dispatcher runs.
 *
 * It may finish on the thread that submits it, before dispatch_submit returns, or on a store thread at any
 * moment after. The exchange is parked only when it did not finish at once, so that quick reads cost no
 * detour; then one atomic swap decides: whoever comes second, the one who parks or the one who finishes,
 * answers.
 */
#ifndef EDGE_PARKING_H
#define EDGE_PARKING_H

#include "http/server.h"
#include "ops/dispatch.h"

#include <stdatomic.h>

struct parking {
    struct http_exchange *exchange;
    atomic_int stage; /* zero to begin with */
    bool parked;
};

/* Submits it, from the exchange's handler. True: it has finished, and the caller answers. */
CHECKED bool parking_submit(struct parking *parking, struct store *store, struct request *request);
/* Parks it, from the exchange's handler, if that has not been done: for what is not answered at once. */
void parking_park(struct parking *parking);
/* For request->finished. True: the caller answers. */
CHECKED bool parking_finished(struct parking *parking);

#endif
