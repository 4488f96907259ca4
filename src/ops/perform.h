/*
 * perform.h - one run of an operation, inside its transaction.
 *
 * Who calls, may they, is the input right, has this been done before (Idempotency-Key), the handler, a page
 * that is not too large, the audit row, the stored reply. dispatch.c brings a request here, and dispatch_run
 * is the whole of it; the two below are its first steps, for what needs to know the caller before anything
 * else is done.
 *
 * Thread: a store's, within a transaction of `db`. May be run again from scratch.
 */
#ifndef OPS_PERFORM_H
#define OPS_PERFORM_H

#include "ops/dispatch.h"

/* May they make this call at all, whatever they say in it. What is wrong is in request->call.err. */
CHECKED bool perform_know(struct db *db, struct request *request);
/* And is what they say right in its form, and about things that they may reach. */
CHECKED bool perform_admit(struct db *db, struct request *request);

#endif
