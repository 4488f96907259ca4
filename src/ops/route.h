/*
 * route.h - which operation a method and a path mean.
 *
 * Built once from the table; matching costs one walk over the path's segments. Path values are decoded into
 * the arena.
 */
#ifndef OPS_ROUTE_H
#define OPS_ROUTE_H

#include "ops/bind.h"

struct route_match {
    const struct op *op; /* NULL: no such path, or not with this method */
    const char *allow;   /* the methods this path knows, for 405; NULL: no such path (404) */
    struct raw_value path[PATH_PARAMS];
    size_t path_count;
};

struct routes;
struct routes *routes_new(const struct op *const *ops);
void routes_free(struct routes *routes); /* accepts NULL */
/* `path` is still escaped. False: a bad escape (ERR_NOT_FOUND). */
CHECKED bool route_find(const struct routes *routes, struct arena *arena, const char *method,
                        const char *path, struct route_match *match, struct err *err);

#endif
