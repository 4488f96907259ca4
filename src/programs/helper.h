/*
 * helper.h - the process that the server forks before it locks itself in, and that starts programs for it.
 *
 * It knows what it may start from before, and takes nothing from the server but a number, a folder inside of
 * what that entry allows, and variables whose names begin with WITAN_. It ends with the server, and ends all
 * that it has started before that.
 */
#ifndef PROGRAMS_HELPER_H
#define PROGRAMS_HELPER_H

#include "programs/programs.h"

#include <sys/types.h>

#define HELPER_VARIABLES "WITAN_" /* how those begin that the server may add */

/* Becomes it. `server`: whom to end with. */
_Noreturn void helper_run(int socket, const struct program *allowed, size_t count, pid_t server);

#endif
