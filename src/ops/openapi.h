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
void eventdoc_write(struct buf *into);

#endif
