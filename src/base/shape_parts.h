/*
 * shape_parts.h - what the two halves of shape.h share: shape.c holds values against a schema, shape_check.c
 * looks at the schema itself.
 */
#ifndef BASE_SHAPE_PARTS_H
#define BASE_SHAPE_PARTS_H

#include "base/shape.h"

/* A member or an entry on the way to where we are. */
struct shape_way {
    const struct shape_way *before;
    const char *name; /* NULL: an entry of a list */
    size_t index;
};

/* "/files/0/name", as JSON Pointer has it; a long one has dots at its end. */
const char *shape_way_text(struct arena *arena, const struct shape_way *way);
/* Whether a reference leads to a place within its schema ("#", "#/$defs/name"). */
bool shape_is_local(const char *pointer);
/* What such a reference leads to, or NULL. */
const json_t *shape_pointed_at(struct arena *arena, const json_t *root, const char *pointer);
bool shape_knows_format(const char *format);

#endif
