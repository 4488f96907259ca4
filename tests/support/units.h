/*
 * units.h - units of work for tests of the store, and a folder for its files.
 *
 * A unit runs SQL texts with $1 = its id, or a body of the test's own; its outcome can be waited for.
 */
#ifndef SUPPORT_UNITS_H
#define SUPPORT_UNITS_H

#include "db/store.h"
#include "tests/support/patience.h"

#include <semaphore.h>

struct unit {
    struct work work;
    const char *sql[4];                             /* run in order; the last ones may be NULL */
    bool (*body)(struct db *db, struct unit *unit); /* instead of sql */
    int64_t id;
    int runs;       /* how often it was run */
    int64_t number; /* the last statement's first cell */
    void *user;
    struct arena arena;
    sem_t finished;
};

void unit_init(struct unit *unit, int64_t id, const char *sql);
void unit_wait(struct unit *unit);
void unit_done(struct unit *unit); /* after unit_wait */

/* Hands in, waits, and returns the outcome. */
enum err_code unit_write(struct store *store, int64_t id, const char *sql);
/* The same, with everything that was said about it. */
struct err unit_write_err(struct store *store, int64_t id, const char *sql);
enum err_code unit_query(struct store *store, const char *sql, int64_t *number);

/*
 * A fresh folder for a database named db: under TMPDIR, or in memory where the system offers that, for
 * tests whose syncs are not real anyway.
 */
void units_folder(char folder[static 64], bool in_memory);
void units_remove(const char *folder);
/* A fresh database on the server that WITAN_TEST_PG names; false, with a line that says so, without one. */
bool units_postgres(const char *name, char url[static 256]);
/*
 * A connection of a test's own, which may think between two statements and wait for a checkpoint for longer
 * than a server's may; aborts with the message when there is none.
 */
struct db *units_open(const char *url);
/* Brings a database to the newest schema; aborts with the message when that fails. */
void units_migrate(const char *url);
/* Runs a script on a connection of its own; aborts with the message when it fails. */
void units_script(const char *url, const char *script);
/* The first cell of a query on a connection of its own, as a number. */
int64_t units_number(const char *url, const char *sql);

#endif
