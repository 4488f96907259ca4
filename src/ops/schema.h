/*
 * schema.h - fields as JSON Schema, for the descriptions of operations and of events.
 *
 * What comes in is described as bind.c takes it, with every limit and form, so that nothing which the schema
 * allows is refused for its form; tests/e2e/edges.test.mjs holds the two together. What goes out is described
 * as it is written.
 */
#ifndef OPS_SCHEMA_H
#define OPS_SCHEMA_H

#include "ops/op.h"

/*
 * A member of a body, which may be null where it may be left out; a part of a path or query; a reply; or an
 * argument of a tool, for models: what kind of value it is, without the patterns, which bind.c checks.
 */
enum schema_of { SCHEMA_BODY, SCHEMA_QUERY, SCHEMA_REPLY, SCHEMA_TOOL };

/* The schema of a value of this type with the field's limits, under `key`. */
void schema_write(struct json_out *out, const char *key, const struct field *field, enum type type,
                  enum schema_of of);
/* The members `properties` and `required` of an object's schema. */
void schema_write_members(struct json_out *out, const struct field *fields, enum schema_of of);

#endif
