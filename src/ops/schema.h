/*
 * schema.h - fields as JSON Schema, for the descriptions of operations and of events.
 */
#ifndef OPS_SCHEMA_H
#define OPS_SCHEMA_H

#include "ops/op.h"

/* The schema of a value of this type with the field's limits, under `key`. */
void schema_write(struct json_out *out, const char *key, const struct field *field, enum type type);
/* The members `properties` and `required` of an object's schema. */
void schema_write_members(struct json_out *out, const struct field *fields);

#endif
