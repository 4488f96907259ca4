/*
 * sqlite_functions.h - what our SQL calls and SQLite does not have by itself. Internal to sqlite.c.
 *
 * PostgreSQL has functions of the same names, made by migrations, so that one text serves both.
 *
 * Thread: the connection's.
 */
#ifndef DB_SQLITE_FUNCTIONS_H
#define DB_SQLITE_FUNCTIONS_H

#include <sqlite3.h>
#include <stdbool.h>

/* `may_change_audit` stays the connection's and outlives it. False: SQLite says why. */
bool sqlite_functions_add(sqlite3 *handle, bool *may_change_audit);

#endif
