/*
 * sqlite_alone.h - opens a database file that nobody else has open, to read it, and makes nothing beside it.
 *
 * Neither locks nor shared memory are used: whoever calls it knows that nobody writes meanwhile.
 */
#ifndef DB_SQLITE_ALONE_H
#define DB_SQLITE_ALONE_H

#include <sqlite3.h>
#include <stdbool.h>

/* False as sqlite3_open_v2 fails: the handle may be set and says why. */
bool sqlite_alone_open(const char *path, sqlite3 **handle);

/*
 * Copies page by page what is open there, with what stands in its log, to a file that is there and empty, and
 * makes that a database by itself. SQLITE_OK, or the code of what went wrong.
 */
int sqlite_alone_copy(sqlite3 *from, const char *path);

#endif
