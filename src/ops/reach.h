/*
 * reach.h - what a token that is bound to a project may reach.
 *
 * The dispatcher asks here, for every row and before any handler: a row that reaches the workspace is closed
 * to such a token, and where the path names a thing of another project, that thing is not there. Handlers
 * cannot forget it. What a path does not name (lists, ids in a body) they judge by the same two predicates,
 * caller_sees_project and caller_hears_project.
 *
 * Thread: a store thread, in the operation's transaction.
 */
#ifndef OPS_REACH_H
#define OPS_REACH_H

#include "ops/op.h"

/* Whether the caller may call this row at all. ERR_FORBIDDEN. */
CHECKED bool reach_row(const struct op *op, const struct caller *caller, struct err *err);
/* Whether the thing that the call's path names exists for this caller. ERR_NOT_FOUND. Arguments are bound. */
CHECKED bool reach_thing(const struct call *call, struct err *err);

/* "workspace", "project" ... for the OpenAPI document. */
const char *reach_name(enum reach reach);
/* For the reference: what a token that is bound to a project may do here, as a sentence; "" where it is bound
 * by nothing. */
const char *reach_sentence(enum reach reach);

#endif
