/*
 * example.h - the ids that stand in the examples of the rows.
 *
 * A row's .example is a JSON object of its parameters but for those of the path: a body, or what stands in
 * the query. The reference and OpenAPI show it, and the contract tests send every one of them to a server,
 * with things that are there in place of these ids.
 */
#ifndef OPS_EXAMPLE_H
#define OPS_EXAMPLE_H

#include "base/buf.h"
#include "ops/op.h"

#define EXAMPLE_WORKSPACE "0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a01"
#define EXAMPLE_PROJECT   "0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a02"
#define EXAMPLE_TASK      "0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a03"
#define EXAMPLE_QUESTION  "0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a04"
#define EXAMPLE_USER      "0197f0c2-8a3e-7c51-9d1c-3b0a5e6f7a05"

/* The example's parameters, an empty object when it has none; the caller gives it back. */
json_t *example_parse(const struct op *op);
/* A request as it is sent: method and path, the query, and the body on lines of their own. */
void example_write(const struct op *op, struct buf *into);

#endif
