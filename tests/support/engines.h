/*
 * engines.h - a test of the core runs on both engines.
 *
 * ON_BOTH(test) is two cmocka tests: one on a fresh SQLite file, one on a fresh PostgreSQL database of the
 * server that WITAN_TEST_PG names (skipped without one; `tests/pg run` sets it). *state is a struct engine *,
 * whose connection is in a transaction that may write.
 */
#ifndef SUPPORT_ENGINES_H
#define SUPPORT_ENGINES_H

#include "core/caller/tx.h"

struct engine {
    struct db *db;
    struct arena arena;
    struct err err;
    char url[256];
    char folder[64];   /* SQLite: where the file is */
    char database[64]; /* PostgreSQL: its name there */
};

int engine_start_sqlite(void **state);
int engine_start_postgres(void **state);
int engine_end(void **state);

/* Commits and begins anew; a failure ends the test. */
void engine_commit(struct engine *engine);
/* Undoes what was done since the last commit and begins anew: after a statement that failed. */
void engine_undo(struct engine *engine);
/* A second connection to the same database, in no transaction. */
struct db *engine_open_another(struct engine *engine);
/* Runs a text of SQL; the first cell is returned in the arena, NULL when there is none. */
const char *engine_sql(struct engine *engine, const char *sql);

/* What the core works in: the test's connection, arena and err; and the same with a caller, a time or both.
 */
#define TX(engine) (&(struct tx){ .db = (engine)->db, .arena = &(engine)->arena, .err = &(engine)->err })
#define TX_WITH(engine, ...) \
    (&(struct tx){ .db = (engine)->db, .arena = &(engine)->arena, .err = &(engine)->err, __VA_ARGS__ })

#define ON_BOTH(test) \
    { #test " on SQLite", test, engine_start_sqlite, engine_end, NULL }, \
    { \
#test " on PostgreSQL", test, engine_start_postgres, engine_end, NULL \
    }

#endif
