/*
 * read_pause.h - reads held back for a moment, so that SQLite's write-ahead log can start over.
 *
 * The log starts over only when nobody reads from it. Readers that are always busy, each on its own for a
 * millisecond, overlap for ever, and the log grows without limit beside them. Above its ceiling the writer
 * therefore holds new reads back, lets those that run come to their end, and empties it; reads that take too
 * long for that are ended, and their callers try again.
 *
 * Thread: read_pause_begin, read_pause_hurry and read_pause_end are the writer's; read_pause_wait any
 * reader's.
 */
#ifndef DB_READ_PAUSE_H
#define DB_READ_PAUSE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct read_pause {
    atomic_bool held;
    atomic_bool hurry; /* reads that run end with ERR_UNAVAILABLE */
    pthread_mutex_t lock;
    pthread_cond_t over;
};

void read_pause_init(struct read_pause *pause);
void read_pause_done(struct read_pause *pause);

void read_pause_begin(struct read_pause *pause);
void read_pause_hurry(struct read_pause *pause);
void read_pause_end(struct read_pause *pause);

/* Before a read begins. Costs next to nothing when reads are not held back. */
void read_pause_wait(struct read_pause *pause);

#endif
