/*
 * compute.h - work that needs a processor and no database, such as reading large inputs.
 *
 * Two threads, started with the first unit, keep it away from the threads that everyone waits for.
 *
 * Thread: any.
 */
#ifndef DB_COMPUTE_H
#define DB_COMPUTE_H

#include "base/limits.h"
#include "db/expiry.h"

struct compute {
    struct queue queue;
    struct expiry expiry;
    pthread_mutex_t lock;
    bool started;
    pthread_t threads[COMPUTE_THREADS];
};

void compute_init(struct compute *compute, int64_t wait_ms);
/* Runs what is queued; what is handed in from now on is refused. */
void compute_stop(struct compute *compute);
void compute_done(struct compute *compute); /* when nobody is left who could hand something in */
CHECKED bool compute_put(struct compute *compute, struct work *work, struct err *err);

#endif
