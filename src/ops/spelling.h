/*
 * spelling.h - names as callers write them.
 *
 * A parameter has one name, which documents and replies show. It may be sent by its twin as well: snake_case
 * for camelCase and the other way round. A name that is neither is refused with the nearest that is known,
 * for a value that silently does nothing harms more than a refusal. Objects that a row keeps open
 * hold whatever their callers like, spelt as they like.
 */
#ifndef OPS_SPELLING_H
#define OPS_SPELLING_H

#include "ops/bind.h"

/* Whether both are the same name, in either spelling. */
bool spelling_same(const char *a, const char *b);

/* Gives the members of the body, and of its closed objects, the names of the row. */
CHECKED bool spelling_of_body(const struct op *op, const struct raw_input *input, struct err *err);
/* For an object that passes over what it does not know: a member that is nearly one of its own is a slip, and
 * refused as `name`.MEMBER. */
CHECKED bool spelling_of_slips(const char *name, const struct field *fields, const json_t *object,
                               struct err *err);
/* Whether every name of the query is one of the row's, and said once. */
CHECKED bool spelling_of_query(const struct op *op, const struct raw_input *input, struct err *err);

/* "There is no parameter X." with the nearest of `known`, which ends with NULL. */
bool spelling_unknown(const char *name, const char *const *known, struct err *err);

#endif
