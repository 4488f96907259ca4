/*
 * openapi.h - the operation table as OpenAPI 3.1, and as a page to read.
 *
 * Both are derived from the rows alone, so that they cannot say anything the server does not do.
 */
#ifndef OPS_OPENAPI_H
#define OPS_OPENAPI_H

#include "ops/event_type.h"

/* The whole document, as served at /api/openapi.json. */
void openapi_write(const struct op *const *ops, const char *version, struct buf *into);
/* docs/api.md. */
void apidoc_write(const struct op *const *ops, struct buf *into);
/* docs/events.md. */
void eventdoc_write(const struct event_type *types, struct buf *into);

/* The method ("GET") and the path ("/api/...") of a row's http text, in the arena. */
const char *op_method(const struct op *op, struct arena *arena);
const char *op_path(const struct op *op);
/* Where a parameter travels. */
enum param_place { IN_PATH, IN_QUERY, IN_BODY };
enum param_place op_param_place(const struct op *op, const struct field *field);

#endif
