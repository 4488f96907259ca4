/*
 * fill.c - runs SQL from stdin on an SQLite store that nobody has open: for stores that would take hours to
 * fill through the server.
 *
 *   fill STORE <FILE.sql
 */
#include "util.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    sqlite3 *db = NULL;
    char *why = NULL, *sql;

    if (argc != 2)
        die("usage: fill STORE <FILE.sql");
    sql = read_whole("/dev/stdin", NULL);
    if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        die("cannot open %s: %s", argv[1], sqlite3_errmsg(db));
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        die("%s", why);
    sqlite3_close(db);
    free(sql);
    return 0;
}
