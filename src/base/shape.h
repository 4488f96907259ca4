/*
 * shape.h - JSON Schema: whether a value has the shape that was asked for.
 *
 * A part of JSON Schema 2020-12, as tools and forms use it: type (one or several), properties, required,
 * additionalProperties, patternProperties, propertyNames, dependentRequired, items (also as older schemas
 * have it), prefixItems, contains, enum, const, minimum, maximum and their exclusive forms, multipleOf,
 * lengths, pattern (base/pattern.h), format (date, date-time, email, uri, uuid), minItems, maxItems,
 * uniqueItems, minProperties, maxProperties, anyOf, oneOf, allOf, not, if, $defs and local $ref. What a
 * schema says beyond that is not held against a value, as the standard has it; shape_unknown names it for
 * those who want to be strict.
 *
 * Work and depth are bounded, so that neither a schema nor a value of somebody else's can keep a thread.
 *
 * Thread: any; nothing is kept.
 */
#ifndef BASE_SHAPE_H
#define BASE_SHAPE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

/* Whether it is a schema at all: ERR_INVALID with the path of the member that is not. */
CHECKED bool shape_check(const json_t *schema, struct err *err);

/* What is wrong with a value: where (as /files/0/name; "" is the whole), and a sentence. */
struct shape_problem {
    const char *path, *words;
};

#define SHAPE_PROBLEMS 8 /* so many are told */

/* True: it fits. Else up to SHAPE_PROBLEMS, in the arena. The schema is one that shape_check has let pass. */
bool shape_fits(struct arena *arena, const json_t *schema, const json_t *value,
                struct shape_problem *problems, size_t *count);
/* The path of the first keyword of a schema that is not held against values, or NULL. */
const char *shape_unknown(struct arena *arena, const json_t *schema);

#endif
