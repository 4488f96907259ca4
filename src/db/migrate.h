/*
 * migrate.h - brings a database to the schema this program knows.
 *
 * Migrations are numbered SQL files, compiled in; each runs in its own transaction together with the
 * row that records it, under a lock, so that two nodes starting at once apply each once. A database
 * that is newer than the program is refused with a sentence that says so. SQLite connection set-up
 * (WAL, synchronous=FULL, foreign keys) belongs to db_open.
 */
#ifndef DB_MIGRATE_H
#define DB_MIGRATE_H

#include "db/db.h"

struct migrate_report {
    int from, to; /* schema numbers before and after; equal when nothing was to do */
};

CHECKED bool migrate_up(struct db *db, struct arena *arena, struct migrate_report *report, struct err *err);
/* The same up to that migration: for whoever wants to know what an older store looks like. */
CHECKED bool migrate_up_to(struct db *db, struct arena *arena, int number, struct migrate_report *report,
                           struct err *err);
/* The schema number of the database, 0 when it is empty; and the newest one this program has. */
CHECKED bool migrate_current(struct db *db, struct arena *arena, int *number, struct err *err);
int migrate_newest(void);
/* Says that the store is newer than this program, and what to do. */
bool migrate_refuse_newer(struct db *db, struct arena *arena, int number, struct err *err);

#endif
