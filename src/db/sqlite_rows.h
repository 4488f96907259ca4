/*
 * sqlite_rows.h - a row of SQLite's becomes cells in an arena.
 */
#ifndef DB_SQLITE_ROWS_H
#define DB_SQLITE_ROWS_H

#include "db/db.h"

#include <sqlite3.h>

#define SQLITE_COLUMNS_MAX 128

/* Adds the row that the statement stands on. `room` is how many rows have a place; it starts at 0. */
void sqlite_rows_add(sqlite3_stmt *stmt, struct arena *arena, struct db_rows *rows, size_t *room);

#endif
