/*
 * hashing.h - workers for password hashes, and for nothing else.
 *
 * A hash costs a tenth of a second and 64 MB on purpose, and anybody may ask for one by logging in. So these
 * have two threads of their own, which never hold up one that has a moment's work, and a short waiting
 * room (turns.h): a flood of logins delays neither other work nor, by more than a turn, somebody else's
 * login, and what there is no room for is answered 503.
 *
 * Thread: any.
 */
#ifndef DB_HASHING_H
#define DB_HASHING_H

#include "db/store.h"
#include "db/turns.h"

#include <pthread.h>

struct hashing {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    struct turns turns;
    bool started, closed;
    pthread_t threads[HASH_THREADS];
};

void hashing_init(struct hashing *hashing);
/* Runs what waits; what is handed in from now on is refused. */
void hashing_stop(struct hashing *hashing);
void hashing_done(struct hashing *hashing); /* when nobody is left who could hand something in */
/* `who` is whose turn it takes. A unit that has to leave for this one is ended with ERR_UNAVAILABLE. */
CHECKED bool hashing_put(struct hashing *hashing, struct work *work, uint64_t who, struct err *err);

#endif
