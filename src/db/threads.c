#include "db/threads.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void counters_commit(struct counters *counters, size_t units, int64_t commit_us)
{
    size_t bucket = 0;

    while (bucket < COUNTERS_SIZES - 1 && ((size_t)1 << bucket) < units)
        bucket++;
    atomic_store_explicit(&counters->writes_fail, false, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->batches, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->batched, units, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->sizes[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->commit_us, commit_us, memory_order_relaxed);
}

void counters_read(const struct counters *counters, struct store_stats *stats)
{
    stats->batches = atomic_load_explicit(&counters->batches, memory_order_relaxed);
    stats->batched = atomic_load_explicit(&counters->batched, memory_order_relaxed);
    stats->refused = atomic_load_explicit(&counters->refused, memory_order_relaxed);
    stats->failed_commits = atomic_load_explicit(&counters->failed_commits, memory_order_relaxed);
    stats->reconnects = atomic_load_explicit(&counters->reconnects, memory_order_relaxed);
    stats->commit_us_total = atomic_load_explicit(&counters->commit_us, memory_order_relaxed);
    for (size_t i = 0; i < COUNTERS_SIZES; i++)
        stats->batch_sizes[i] = atomic_load_explicit(&counters->sizes[i], memory_order_relaxed);
}

void thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *user)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, run, user);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        fprintf(stderr, "cannot start a thread: %s\n", strerror(failed));
        abort();
    }
    pthread_setname_np(*thread, name);
}
