/*
 * pool.h - the workers that run units on PostgreSQL, one transaction and one connection each.
 *
 * A worker whose connection is gone makes a new one by itself, with growing pauses. While no worker has
 * one, units are refused at once; a unit that waits for too long is refused too, so a lost server costs
 * callers a 503 and never a hang. Some workers take heavy units only, the others never do.
 *
 * Thread: pool_put from any; callbacks come from the workers' and the pool's own threads.
 */
#ifndef DB_POOL_H
#define DB_POOL_H

#include "db/queue.h"
#include "db/threads.h"

struct pool;

/* Fails unless the server answers. `options` and `counters` must outlive the pool. */
struct pool *pool_open(const char *url, const struct store_options *options, struct counters *counters,
                       struct err *err);
void pool_close(struct pool *pool); /* runs what is queued first; accepts NULL */

CHECKED bool pool_put(struct pool *pool, enum queue_lane lane, struct work *work, struct err *err);
size_t pool_queued(struct pool *pool, enum queue_lane lane);
bool pool_is_healthy(const struct pool *pool);

#endif
