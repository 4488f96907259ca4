/*
 * ratelimit.h - how often somebody may ask.
 *
 * Each key (a secret, an address) has a bucket in a table of fixed size. A bucket is one number: the moment
 * at which everything it gave out so far will have been earned back. Keys are kept as keyed hashes only; when
 * a set of the table is full, the bucket that is nearest to being full again makes room, which costs the
 * least.
 *
 * Thread: any.
 */
#ifndef EDGE_RATELIMIT_H
#define EDGE_RATELIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ratelimit;

/* `count` in each `period_ms`, and `burst` at once. */
struct ratelimit *ratelimit_new(int64_t count, int64_t period_ms, int64_t burst);
void ratelimit_free(struct ratelimit *limit); /* accepts NULL */
/* False: too often; *retry_after_s says when to come back. `now_us` is clock_ticks_us(). */
bool ratelimit_take(struct ratelimit *limit, const void *key, size_t len, int64_t now_us, int *retry_after_s);
/* Whether `count` more would be allowed; takes nothing. One that is larger than the burst waits for a full
 * bucket. */
bool ratelimit_allows(struct ratelimit *limit, const void *key, size_t len, int64_t count, int64_t now_us,
                      int *retry_after_s);
/* Takes them whether allowed or not, for what has happened already. */
void ratelimit_spend(struct ratelimit *limit, const void *key, size_t len, int64_t count, int64_t now_us);

#endif
