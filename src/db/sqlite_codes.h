/*
 * sqlite_codes.h - what SQLite's result codes mean for callers. Internal to sqlite.c.
 *
 * Thread: any.
 */
#ifndef DB_SQLITE_CODES_H
#define DB_SQLITE_CODES_H

#include "base/err.h"

/* Our code for an extended result code. */
enum err_code sqlite_code(int extended);
/* Whether a commit that failed with this code has certainly changed nothing. */
bool sqlite_nothing_committed(int extended);

#endif
