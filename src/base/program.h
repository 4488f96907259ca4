/*
 * program.h - what people type to run this program.
 *
 * Hints, help and pages name commands. Who has installed witan types `witan`; who runs it out of its clone
 * types `build/witan`, and a hint that says otherwise is of no use. So a relative path by which it was
 * started is what is shown, unless `witan` on the PATH is the same program. An absolute path is not: it is
 * how services and other programs start it, and nothing that callers should read.
 *
 * Set once in main, before any thread; read by all.
 */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include <stdbool.h>

/* The name by which this process was started. */
void program_started_as(const char *name);
/* "witan", or such a path. */
const char *program_name(void);

#endif
