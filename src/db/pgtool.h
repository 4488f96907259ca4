/*
 * pgtool.h - runs PostgreSQL's own programs (pg_dump, pg_restore) on a store.
 *
 * Where the store is and who connects is passed in the environment, so that no password stands on a command
 * line that others can list. What the program says goes to stderr.
 *
 * Thread: one that may block until the program has ended; never a server's.
 */
#ifndef DB_PGTOOL_H
#define DB_PGTOOL_H

#include "base/arena.h"
#include "base/err.h"

/* The name of the database that the url names. */
CHECKED bool pgtool_database(struct arena *arena, const char *url, const char **name, struct err *err);
/* Open files that the program reads and writes as its standard input and output; -1: those of this process.
 */
struct pgtool_files {
    int in, out;
};

/*
 * `argv` starts with the program's name, looked for on the PATH, and ends with NULL. ERR_NOT_FOUND when there
 * is no such program, ERR_UNAVAILABLE when it fails.
 */
CHECKED bool pgtool_run(struct arena *arena, const char *url, const char *const argv[],
                        const struct pgtool_files *files, struct err *err);

#endif
