/*
 * hold.h - reads held back for a moment, so that SQLite's write-ahead log can start over.
 *
 * The log starts over only when nobody reads from it. Readers that are always busy, each on its own for a
 * millisecond, overlap for ever, and the log grows without limit beside them. Above its ceiling the writer
 * therefore holds new reads back, lets those that run come to their end, and empties it; reads that take too
 * long for that are ended, and their callers try again.
 *
 * Thread: hold_begin, hold_hurry and hold_end are the writer's; hold_wait any reader's.
 */
#ifndef DB_HOLD_H
#define DB_HOLD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct hold {
    atomic_bool held;
    atomic_bool hurry; /* reads that run end with ERR_UNAVAILABLE */
    pthread_mutex_t lock;
    pthread_cond_t over;
};

void hold_init(struct hold *hold);
void hold_done(struct hold *hold);

void hold_begin(struct hold *hold);
void hold_hurry(struct hold *hold);
void hold_end(struct hold *hold);

/* Before a read begins. Costs next to nothing when reads are not held back. */
void hold_wait(struct hold *hold);

#endif
