/*
 * A set-associative table of hashes, 4096 sets of four, that forgets the one used least recently. It can be
 * as wrong as it likes: a miss only means that a caller shares its address's turn until its credential has
 * been found good again.
 */
#include "edge/known.h"

#include "edge/callerkey.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SETS  4096
#define WAYS  4
#define LOCKS 64

struct known_slot {
    uint64_t shown, owner; /* keys; 0: free */
    uint64_t used;         /* by the set's own count: the least makes room */
};

struct known {
    pthread_mutex_t locks[LOCKS];
    struct known_slot places[SETS][WAYS];
};

struct known *known_new(void)
{
    struct known *known = calloc(1, sizeof(*known));

    if (!known)
        abort();
    for (size_t i = 0; i < LOCKS; i++)
        pthread_mutex_init(&known->locks[i], NULL);
    return known;
}

void known_free(struct known *known)
{
    if (!known)
        return;
    for (size_t i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&known->locks[i]);
    free(known);
}

/* The one that is judged when both are shown, as in caller_identify; 0: neither is shown. */
static uint64_t key_of(const struct credentials *shown)
{
    const char *secret = shown->bearer ? shown->bearer : shown->session;

    return secret ? callerkey(secret, strlen(secret)) : 0;
}

static struct known_slot *find(struct known_slot set[static WAYS], uint64_t key)
{
    for (size_t i = 0; i < WAYS; i++)
        if (set[i].shown == key)
            return &set[i];
    return NULL;
}

static struct known_slot *least_used(struct known_slot set[static WAYS])
{
    struct known_slot *least = &set[0];

    for (size_t i = 1; i < WAYS; i++)
        if (set[i].used < least->used)
            least = &set[i];
    return least;
}

static uint64_t next_use(const struct known_slot set[static WAYS])
{
    uint64_t last = 0;

    for (size_t i = 0; i < WAYS; i++)
        last = set[i].used > last ? set[i].used : last;
    return last + 1;
}

static struct known_slot *enter(struct known *known, uint64_t key, pthread_mutex_t **lock)
{
    size_t set = key % SETS;

    *lock = &known->locks[set % LOCKS];
    pthread_mutex_lock(*lock);
    return known->places[set];
}

uint64_t known_owner(struct known *known, const struct credentials *shown)
{
    uint64_t key = key_of(shown), owner = 0;
    pthread_mutex_t *lock;

    if (key == 0)
        return 0;
    struct known_slot *set = enter(known, key, &lock), *place = find(set, key);

    if (place) {
        place->used = next_use(set);
        owner = place->owner;
    }
    pthread_mutex_unlock(lock);
    return owner;
}

static void keep(struct known *known, uint64_t key, uint64_t owner)
{
    pthread_mutex_t *lock;
    struct known_slot *set = enter(known, key, &lock), *place = find(set, key);

    if (!place)
        place = least_used(set);
    *place = (struct known_slot){ .shown = key, .owner = owner, .used = next_use(set) };
    pthread_mutex_unlock(lock);
}

static void forget(struct known *known, uint64_t key)
{
    pthread_mutex_t *lock;
    struct known_slot *place = find(enter(known, key, &lock), key);

    if (place)
        *place = (struct known_slot){ 0 };
    pthread_mutex_unlock(lock);
}

/* A caller that was found by something else, such as solo mode behind an old cookie, says nothing about it.
 */
void known_learn(struct known *known, const struct credentials *shown, const struct caller *caller,
                 const struct err *err)
{
    uint64_t key = key_of(shown);

    if (key == 0)
        return;
    if (err->code == ERR_UNAUTHORIZED)
        forget(known, key);
    else if (!shown->ticket &&
             (shown->bearer ? caller->kind == CALLER_TOKEN || caller->token_id : caller->kind == CALLER_USER))
        keep(known, key, callerkey_of(caller));
}
