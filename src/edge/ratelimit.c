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
    limit->interval_us = period_ms * 1000 / count;
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

bool ratelimit_take(struct ratelimit *limit, const void *key, size_t len, int64_t now_us, int *retry_after_s)
{
    unsigned char hash[crypto_shorthash_BYTES];
    uint64_t number;

    crypto_shorthash(hash, key, len, limit->hash_key);
    memcpy(&number, hash, sizeof(number));

    size_t set = number % SETS;

    pthread_mutex_lock(&limit->locks[set % LOCKS]);
    struct bucket *bucket = find(limit->buckets[set], number);
    int64_t earned_us = bucket->earned_us > now_us ? bucket->earned_us : now_us;
    int64_t over_us = earned_us + limit->interval_us - now_us - limit->burst_us;

    if (over_us <= 0)
        bucket->earned_us = earned_us + limit->interval_us;
    pthread_mutex_unlock(&limit->locks[set % LOCKS]);
    if (over_us > 0)
        *retry_after_s = (int)((over_us + 999999) / 1000000);
    return over_us <= 0;
}
