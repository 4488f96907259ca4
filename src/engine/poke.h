/*
 * poke.h - a thread that sleeps until it is poked or a moment comes.
 *
 * Every thread of the engine is the same loop: sleep, do what there is to do. A poke that comes while it
 * works is remembered, so that none is lost.
 */
#ifndef ENGINE_POKE_H
#define ENGINE_POKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct poke {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool poked, stopping;
    uint64_t passes; /* rounds of work that have ended */
    bool working;    /* between two waits */
};

void poke_init(struct poke *poke);
void poke_done(struct poke *poke);
void poke_now(struct poke *poke);
void poke_stop(struct poke *poke);
bool poke_stopping(struct poke *poke);
/*
 * Ends the round before and sleeps until the next: until poked, stopped, or `timeout_ms` have passed.
 * False: it is time to stop.
 */
bool poke_wait(struct poke *poke, int64_t timeout_ms);
/* Sleeps without heeding pokes; only a stop ends it early. */
bool poke_pause(struct poke *poke, int64_t timeout_ms);
/* Pokes, and waits until a round that began after the call has ended. False: the time was up. */
bool poke_round(struct poke *poke, int64_t timeout_ms);

#endif
