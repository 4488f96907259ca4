/*
 * refusals.h - writes down who was turned away: failed logins and refused changes of rights.
 *
 * What failed has no transaction of its own, so these rows are written beside it. They are gathered in memory
 * and written by the engine, once a second at most: the first refusal of a kind (operation, caller, address,
 * subject) at once, further ones as one row with their number after a minute, then two, then four, up to an
 * hour. Places and rows an hour are limited; what has none is counted in one row for all of them. So a flood
 * costs a bounded number of rows however many addresses it comes from, and its size is still told. A crash
 * loses what was gathered and not yet written.
 *
 * Names that were tried are not kept: people type passwords there. A failed login names the account by its id
 * when there is one.
 *
 * Thread: refusals_note any, and it never waits for the store; refusals_flush the engine's, and it does.
 */
#ifndef OPS_REFUSALS_H
#define OPS_REFUSALS_H

#include "ops/dispatch.h"

/* Looks at a request that has finished. */
void refusals_note(const struct request *request);
/* Writes what is due, or all there is. */
CHECKED bool refusals_flush(struct store *store, bool all, struct err *err);

struct refusals_stats {
    uint64_t seen, rows; /* since this process began: refusals, and audit rows written for them */
};
void refusals_stats(struct refusals_stats *stats);

#endif
