/*
 * A hash table of counts under one lock, with a seed of its own for each process. A holder is made with its
 * first and freed with its last, so the table is as large as what is held, never as what was ever seen.
 */
#include "base/tally.h"

#include "base/uuid.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 64 /* a power of two, as all that follow */

struct tally_holder {
    struct tally_holder *next;
    uint64_t hash;
    unsigned count;
    size_t len;
    unsigned char key[];
};

struct tally {
    pthread_mutex_t lock;
    struct tally_holder **buckets;
    size_t room, holders;
    uint64_t seed; /* so that nobody can choose keys that fall into one bucket */
};

struct tally *tally_new(void)
{
    struct tally *tally = calloc(1, sizeof(*tally));

    if (!tally || !(tally->buckets = calloc(FIRST_BUCKETS, sizeof(struct tally_holder *))))
        abort();
    tally->room = FIRST_BUCKETS;
    random_bytes(&tally->seed, sizeof(tally->seed));
    pthread_mutex_init(&tally->lock, NULL);
    return tally;
}

void tally_free(struct tally *tally)
{
    if (!tally)
        return;
    for (size_t i = 0; i < tally->room; i++) {
        for (struct tally_holder *holder = tally->buckets[i], *next; holder; holder = next) {
            next = holder->next;
            free(holder);
        }
    }
    free(tally->buckets);
    pthread_mutex_destroy(&tally->lock);
    free(tally);
}

static uint64_t hash_of(const struct tally *tally, const void *key, size_t len)
{
    const unsigned char *bytes = key;
    uint64_t hash = tally->seed;

    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Where the key's holder is linked from, or where the bucket's list ends. */
static struct tally_holder **find(struct tally *tally, uint64_t hash, const void *key, size_t len)
{
    struct tally_holder **at = &tally->buckets[hash & (tally->room - 1)];

    while (*at && ((*at)->hash != hash || (*at)->len != len || memcmp((*at)->key, key, len) != 0))
        at = &(*at)->next;
    return at;
}

/* A table that cannot grow still works; its lists only get longer. */
static void make_room(struct tally *tally)
{
    struct tally_holder **buckets = calloc(tally->room * 2, sizeof(struct tally_holder *));

    if (!buckets)
        return;
    for (size_t i = 0; i < tally->room; i++) {
        for (struct tally_holder *holder = tally->buckets[i], *next; holder; holder = next) {
            struct tally_holder **to = &buckets[holder->hash & (tally->room * 2 - 1)];

            next = holder->next;
            holder->next = *to;
            *to = holder;
        }
    }
    free(tally->buckets);
    tally->buckets = buckets;
    tally->room *= 2;
}

static bool add_holder(struct tally *tally, uint64_t hash, const void *key, size_t len)
{
    struct tally_holder *holder = malloc(sizeof(*holder) + len);

    if (!holder)
        return false;
    if (tally->holders >= tally->room)
        make_room(tally);

    struct tally_holder **bucket = &tally->buckets[hash & (tally->room - 1)];

    *holder = (struct tally_holder){ .next = *bucket, .hash = hash, .count = 1, .len = len };
    memcpy(holder->key, key, len);
    *bucket = holder;
    tally->holders++;
    return true;
}

bool tally_take(struct tally *tally, const void *key, size_t len, unsigned most)
{
    uint64_t hash = hash_of(tally, key, len);
    bool taken;

    pthread_mutex_lock(&tally->lock);
    struct tally_holder *holder = *find(tally, hash, key, len);

    if (holder) {
        taken = most == 0 || holder->count < most;
        holder->count += taken;
    } else {
        taken = add_holder(tally, hash, key, len);
    }
    pthread_mutex_unlock(&tally->lock);
    return taken;
}

void tally_give(struct tally *tally, const void *key, size_t len)
{
    pthread_mutex_lock(&tally->lock);
    struct tally_holder **at = find(tally, hash_of(tally, key, len), key, len);
    struct tally_holder *holder = *at;

    if (holder && --holder->count == 0) {
        *at = holder->next;
        free(holder);
        tally->holders--;
    }
    pthread_mutex_unlock(&tally->lock);
}

unsigned tally_count(struct tally *tally, const void *key, size_t len)
{
    pthread_mutex_lock(&tally->lock);
    struct tally_holder *holder = *find(tally, hash_of(tally, key, len), key, len);
    unsigned count = holder ? holder->count : 0;

    pthread_mutex_unlock(&tally->lock);
    return count;
}
