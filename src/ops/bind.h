/*
 * bind.h - from what a door received to checked arguments.
 *
 * A door collects raw values by name: path and query values are text, body members are JSON; a door without
 * paths and queries has everything in one object. Binding checks
 * every parameter of the row, converts it, fills in defaults, and reports the first thing that is wrong with
 * the field's name. Members that are spelt as their twins get their own names (ops/spelling.h), unknown ones
 * are refused. Arguments count only when all of it succeeds.
 */
#ifndef OPS_BIND_H
#define OPS_BIND_H

#include "ops/op.h"

struct raw_value {
    const char *name, *text;
};

struct raw_input {
    const struct raw_value *path; /* values of {name} in the path */
    size_t path_count;
    const struct raw_value *query;
    size_t query_count;
    json_t *body; /* an object, or NULL; its members are given the row's spelling */
    bool by_name; /* everything is in the body, wherever the row would have it */
    bool speaks;  /* the door says who speaks (request->speaker): F_SPEAKER may be left out */
};

/* How many bytes a T_TEXT may have. */
int64_t bind_text_max(const struct field *field);

CHECKED bool bind_args(const struct op *op, struct arena *arena, const struct raw_input *input,
                       struct arg args[static LIMIT_PARAMS], struct err *err);

#endif
