/*
 * variables.h - the environment's WITAN_... variables that are nearly, but not quite, ours.
 */
#ifndef SERVER_VARIABLES_H
#define SERVER_VARIABLES_H

#include "base/arena.h"
#include "base/err.h"

/* A mistyped one is ERR_INVALID with the right one as hint. */
CHECKED bool variables_check(struct arena *arena, struct err *err);

#endif
