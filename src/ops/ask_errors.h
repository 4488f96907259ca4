/*
 * ask_errors.h - counts the requests to ask people that went wrong.
 *
 * Beside the request, not in it: what failed has no transaction of its own. Counts are gathered in memory and
 * written as one small unit at a time, so that a storm of errors is no storm of writes; the last counts
 * before a crash may be lost. Whoever may not ask at all, or asks in a job that is not there, counts as
 * nothing.
 *
 * Thread: any; never blocks on the store.
 */
#ifndef OPS_ASK_ERRORS_H
#define OPS_ASK_ERRORS_H

#include "ops/dispatch.h"

/* Looks at a request that has finished. */
void ask_errors_note(const struct request *request);

struct ask_errors_stats {
    uint64_t refused, failed; /* since this process began */
};
void ask_errors_stats(struct ask_errors_stats *stats);

#endif
