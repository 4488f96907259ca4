/*
 * expiry.h - what has waited too long for the database is told so.
 *
 * The threads that would take it may all be busy or stuck, so a thread of its own looks at the queues a few
 * times a second and answers 503 for what has waited longer than settings()->store_wait.
 *
 * Thread: begin and end are the owner's. The queues outlive it.
 */
#ifndef DB_EXPIRY_H
#define DB_EXPIRY_H

#include "db/queue.h"

#define EXPIRY_QUEUES 3

struct expiry {
    struct queue *queues[EXPIRY_QUEUES]; /* the last ones may be NULL */
    int64_t wait_ms;
    pthread_t thread;
};

/* `queues` and wait_ms have been set. */
void expiry_begin(struct expiry *expiry);
/* After the first queue has been closed, which is what ends it. */
void expiry_end(struct expiry *expiry);

#endif
