/*
 * sqlite.h - the SQLite driver, as the store's writer and readers see it.
 *
 * Everyone else opens connections with db_open and uses db.h. A writing connection is in WAL mode with
 * synchronous=FULL and never checkpoints by itself; a reading one cannot write, and each of its
 * transactions ends at a deadline.
 *
 * Thread: a connection belongs to one thread at a time; SQLite's own mutexes are off.
 */
#ifndef DB_SQLITE_H
#define DB_SQLITE_H

#include "db/db.h"

#include <stdatomic.h>

struct sqlite_options {
    const char *path;
    const char *vfs; /* NULL: the default */
    bool readonly;
    bool patient; /* its reads have no deadline: for commands, not for a server */
    bool alone;   /* readonly, and nobody else has the file open: neither locks nor shared memory are used,
                     for which there may be no room; whoever asks for it sees to that (rescue.h) */
    int busy_ms;  /* how long to wait for a lock that another program holds */
    const atomic_bool *hurry; /* while true, reads end with ERR_UNAVAILABLE; or NULL */
};

struct db *sqlite_open(const struct sqlite_options *options, struct err *err);

/* A savepoint for one unit of a batch: its changes are kept with sqlite_keep or undone with sqlite_undo. */
CHECKED bool sqlite_mark(struct db *db, struct err *err);
CHECKED bool sqlite_keep(struct db *db, struct err *err);
CHECKED bool sqlite_undo(struct db *db, struct err *err);
/* How many rows this connection has changed since it was opened. */
int64_t sqlite_changes(const struct db *db);

/*
 * Whether the transaction that db_begin opened is still there. SQLite drops it by itself after some
 * errors; statements that came after would each commit on their own, so the driver refuses them.
 */
bool sqlite_in_transaction(const struct db *db);
/* Neither a transaction nor a statement is left open. */
bool sqlite_is_idle(const struct db *db);

/* Pages in the WAL after the last commit of this connection. */
int sqlite_wal_pages(const struct db *db);
/* Moves what it can from the WAL to the database without waiting for readers. */
CHECKED bool sqlite_checkpoint(struct db *db, struct err *err);
/*
 * Moves everything, waits up to `wait_ms` until nobody reads from the WAL, and lets it start over with the
 * next write. `emptied` says whether that came about.
 */
CHECKED bool sqlite_restart_wal(struct db *db, int wait_ms, bool *emptied, struct err *err);
/* Copies the store as it is at this moment to a file that is there and empty: a database by itself. */
CHECKED bool sqlite_copy(struct db *db, const char *path, struct err *err);
/* After a failed fsync nothing more is written: closing must not checkpoint. */
void sqlite_abandon(struct db *db);

#endif
