/*
 * store.h - where work meets the database.
 *
 * Callers hand in units of work; the store runs each on a connection, in a transaction of its own
 * kind, and calls back when the outcome is durable. On SQLite one writer thread takes everything that
 * is queued, runs it unit by unit inside one transaction, commits once with synchronous=FULL and only
 * then calls back; readers run beside it on read-only connections. On PostgreSQL a pool of workers runs
 * one transaction for each unit. Units never learn which.
 *
 * `run` may be called again from scratch: it has no effect outside its db and its own memory, and it
 * starts by forgetting what an earlier run left. When it returns false with err set, its changes are
 * undone, those of its neighbours are not. `done` is called exactly once, on a store thread, after
 * commit or failure; work->err.code tells which.
 *
 * Callers are served in turn, one unit each (queue.h), reading and writing. Heavy reads have threads of their
 * own, so that a light one never waits behind them. What has waited longer than wait_ms is answered, and a
 * full queue refuses, with ERR_UNAVAILABLE and retry_after_s, instead of growing.
 *
 * Thread: store_write, store_read, store_compute and store_hash may be called from any thread and never
 * block.
 */
#ifndef DB_STORE_H
#define DB_STORE_H

#include "db/db.h"

#include <stdbool.h>

struct work {
    bool (*run)(struct db *db, struct work *work);
    void (*done)(struct work *work);
    uint64_t caller;   /* whose it is, as a hash: callers are served in turn; 0: the server's own */
    bool heavy;        /* a read that may take long: only heavy ones wait behind it */
    struct err err;    /* filled when run fails or the commit does */
    struct work *next; /* the queue's, as are the following */
    int64_t queued_us;
    bool writes;
};

struct store_options {
    const char *url;   /* "sqlite:PATH" or "postgres://..." */
    int readers;       /* SQLite read threads; 0: 2 */
    int workers;       /* PostgreSQL connections; 0: 16 */
    size_t queue;      /* units waiting before refusal; 0: WRITE_QUEUE */
    int64_t wait_ms;   /* how long a unit waits for its turn; 0: STORE_WAIT_MS */
    int64_t batch_ms;  /* after which a commit on SQLite takes in no more units; 0: WRITE_BATCH_MS */
    int64_t wal_bytes; /* SQLite's log, above which reads are held back to empty it; 0: STORE_WAL_BYTES */
    /*
     * Runs before each commit of a writing transaction on SQLite, on its connection: numbers and
     * chains what the batch appended to the logs. May be NULL. PostgreSQL's logs are sealed by the
     * engine instead, outside operations' transactions.
     */
    bool (*seal)(struct db *db, struct err *err);
    /*
     * Called after each commit that may have appended events, without any lock held, before any `done`
     * of that commit: whoever has been answered knows that this was called. May be NULL.
     */
    void (*committed)(void *user);
    void *user;
    /*
     * Called when SQLite reports an I/O error or corruption during commit: after the batch has been
     * answered with ERR_OUTCOME_UNKNOWN the process must end, and recovery at the next start decides.
     */
    void (*fatal)(void *user, const char *why);
    const char *vfs; /* a named SQLite VFS, for the tests of power cuts; NULL: the default */
};

struct store;

/* Opens the connections; the schema must be current (see migrate.h). */
struct store *store_open(const struct store_options *options, struct err *err);
/* Runs what is queued, then closes. Work handed in afterwards is refused. Accepts NULL. */
void store_close(struct store *store);
enum db_engine store_engine(const struct store *store);

CHECKED bool store_write(struct store *store, struct work *work, struct err *err);
CHECKED bool store_read(struct store *store, struct work *work, struct err *err);
/* CPU work before a transaction, such as reading large outputs: run gets db == NULL. */
CHECKED bool store_compute(struct store *store, struct work *work, struct err *err);
/* The same for password hashes, by turns of `who` (see hashing.h). */
CHECKED bool store_hash(struct store *store, struct work *work, uint64_t who, struct err *err);

/*
 * Runs a quick read on the calling thread with that thread's own read connection (opened on first
 * use). SQLite only: false from store_can_read_here means hand it to store_read.
 */
bool store_can_read_here(const struct store *store);
void store_read_here(struct store *store, struct work *work); /* runs, fills err; does not call done */

/*
 * For code on an engine or tool thread that can afford to block: hands in and waits. work->done is not
 * called and may be NULL. True when the unit was committed; else work->err says why not. Never from a
 * callback of the store, which would wait for itself.
 */
bool store_write_wait(struct store *store, struct work *work);
/* The same for several at once, STORE_WAIT_MOST at most: on PostgreSQL they run side by side. True when all
 * were. */
bool store_write_wait_all(struct store *store, struct work *const works[], size_t count);
bool store_read_wait(struct store *store, struct work *work);

struct store_stats {
    size_t write_queue, read_queue; /* units waiting now */
    uint64_t batches, batched;      /* commits, and units in them */
    uint64_t batch_sizes[10];       /* histogram: 1, 2, 4, ... 256, more */
    uint64_t refused, failed_commits, reconnects;
    int64_t commit_us_total;
};
void store_stats(const struct store *store, struct store_stats *stats);
/* Whether the store can serve: for /readyz. A blocking probe is not made. */
bool store_healthy(const struct store *store);
/*
 * Whether the database could not take the last write that was tried: its disk is full, it is read-only,
 * another program keeps it locked. Reads may go on. The next commit ends it, so somebody has to try.
 */
bool store_writes_fail(const struct store *store);

#endif
