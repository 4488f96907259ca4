/*
 * A bucket as one number needs no clearing up: time that has passed is what fills it. The table never grows;
 * with more keys than places, the one that has the most left is forgotten, which gives it at most what it
 * would soon have had anyway.
 */
#include "edge/ratelimit.h"

#include "base/uuid.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define SETS  1024
#define WAYS  4
#define LOCKS 64

struct bucket {
    uint64_t key;
    int64_t earned_us; /* when all that was given out has been earned back; the past: a full bucket */
};

struct ratelimit {
    int64_t interval_us, burst_us;
    unsigned char hash_key[crypto_shorthash_KEYBYTES];
    pthread_mutex_t locks[LOCKS];
    struct bucket buckets[SETS][WAYS];
};

struct ratelimit *ratelimit_new(int64_t count, int64_t period_ms, int64_t burst)
{
    struct ratelimit *limit = calloc(1, sizeof(*limit));

    if (!limit)
        abort();
    limit->interval_us = period_ms * 1000 / count > 0 ? period_ms * 1000 / count : 1;
    limit->burst_us = limit->interval_us * burst;
    random_bytes(limit->hash_key, sizeof(limit->hash_key));
    for (size_t i = 0; i < LOCKS; i++)
        pthread_mutex_init(&limit->locks[i], NULL);
    return limit;
}

void ratelimit_free(struct ratelimit *limit)
{
    if (!limit)
        return;
    for (size_t i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&limit->locks[i]);
    free(limit);
}

static struct bucket *find(struct bucket set[WAYS], uint64_t key)
{
    struct bucket *victim = &set[0];

    for (size_t i = 0; i < WAYS; i++) {
        if (set[i].key == key)
            return &set[i];
        if (set[i].earned_us < victim->earned_us)
            victim = &set[i];
    }
    *victim = (struct bucket){ .key = key };
    return victim;
}

/* When the bucket, with `count` taken, would be full again; how far that is over what it may owe. */
static int64_t over_by(const struct ratelimit *limit, const struct bucket *bucket, int64_t count,
                       int64_t now_us)
{
    int64_t earned_us = bucket->earned_us > now_us ? bucket->earned_us : now_us;
    int64_t cost_us = limit->interval_us * count;

    if (cost_us > limit->burst_us)
        cost_us = limit->burst_us;
    return earned_us + cost_us - now_us - limit->burst_us;
}

static void spend(const struct ratelimit *limit, struct bucket *bucket, int64_t count, int64_t now_us)
{
    int64_t earned_us = bucket->earned_us > now_us ? bucket->earned_us : now_us;

    bucket->earned_us = earned_us + limit->interval_us * count;
}

/* The key's bucket, with its lock held. */
static struct bucket *open_bucket(struct ratelimit *limit, const void *key, size_t len,
                                  pthread_mutex_t **lock)
{
    unsigned char hash[crypto_shorthash_BYTES];
    uint64_t number;

    crypto_shorthash(hash, key, len, limit->hash_key);
    memcpy(&number, hash, sizeof(number));

    size_t set = number % SETS;

    *lock = &limit->locks[set % LOCKS];
    pthread_mutex_lock(*lock);
    return find(limit->buckets[set], number);
}

static bool try_bucket(struct ratelimit *limit, const void *key, size_t len, int64_t count, bool take,
                       int64_t now_us, int *retry_after_s)
{
    pthread_mutex_t *lock;
    struct bucket *bucket = open_bucket(limit, key, len, &lock);
    int64_t over_us = over_by(limit, bucket, count, now_us);

    if (over_us <= 0 && take)
        spend(limit, bucket, count, now_us);
    pthread_mutex_unlock(lock);
    if (over_us > 0)
        *retry_after_s = (int)((over_us + 999999) / 1000000);
    return over_us <= 0;
}

bool ratelimit_take(struct ratelimit *limit, const void *key, size_t len, int64_t now_us, int *retry_after_s)
{
    return try_bucket(limit, key, len, 1, true, now_us, retry_after_s);
}

bool ratelimit_allows(struct ratelimit *limit, const void *key, size_t len, int64_t count, int64_t now_us,
                      int *retry_after_s)
{
    return try_bucket(limit, key, len, count, false, now_us, retry_after_s);
}

void ratelimit_spend(struct ratelimit *limit, const void *key, size_t len, int64_t count, int64_t now_us)
{
    pthread_mutex_t *lock;

    spend(limit, open_bucket(limit, key, len, &lock), count, now_us);
    pthread_mutex_unlock(lock);
}
