/*
 * threads.h - what the store's threads have in common: how they start, and what they count.
 *
 * Thread: counters are atomics; any thread.
 */
#ifndef DB_THREADS_H
#define DB_THREADS_H

#include "db/store.h"

#include <pthread.h>
#include <stdatomic.h>

#define COUNTERS_SIZES 10

struct counters {
    atomic_uint_least64_t batches, batched, refused, failed_commits, reconnects;
    atomic_uint_least64_t reads_here; /* on threads of the caller */
    atomic_uint_least64_t sizes[COUNTERS_SIZES];
    atomic_int_least64_t commit_us;
    atomic_bool writes_fail; /* the database could not take the last write; a commit says otherwise */
};

/* A commit of `units` units that took `commit_us`. */
void counters_commit(struct counters *counters, size_t units, int64_t commit_us);
void counters_read(const struct counters *counters, struct store_stats *stats);

/* Starts a named thread that leaves signals to the main one. Aborts when the system has no thread left. */
void thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *user);

#endif
