/*
 * variables.h - an environment: this process's (environ), or that of the service.
 *
 * It is a list of "NAME=VALUE" that ends with NULL, as environ is. A WITAN_... that is a slip of the pen away
 * from ours would do nothing where something was meant, and is refused. Others that nobody reads may belong
 * to somebody else, and are only told of.
 */
#ifndef SERVER_VARIABLES_H
#define SERVER_VARIABLES_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

/* NULL when there is none of that name. */
const char *variables_get(char *const *variables, const char *name);
/* A mistyped one is ERR_INVALID with the right one as hint. */
CHECKED bool variables_check(char *const *variables, struct arena *arena, struct err *err);

/* The right one that it is a slip of the pen away from, or NULL. */
const char *variables_mistyped(struct arena *arena, const char *name);

/* The next one that nobody reads, from place *at of the list on, which begins at 0; NULL: there is no
 * other. *nearest is the one that may have been meant, or NULL. */
const char *variables_unknown(char *const *variables, struct arena *arena, size_t *at, const char **nearest);

#endif
