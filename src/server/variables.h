/*
 * variables.h - an environment: this process's (environ), or that of the service.
 *
 * It is a list of "NAME=VALUE" that ends with NULL, as environ is.
 */
#ifndef SERVER_VARIABLES_H
#define SERVER_VARIABLES_H

#include "base/arena.h"
#include "base/err.h"

/* NULL when there is none of that name. */
const char *variables_get(char *const *variables, const char *name);
/* A WITAN_... that is nearly, but not quite, ours is ERR_INVALID with the right one as hint. */
CHECKED bool variables_check(char *const *variables, struct arena *arena, struct err *err);

#endif
