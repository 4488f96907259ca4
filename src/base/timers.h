/*
 * timers.h - what is due next: timers that belong to others, the earliest first.
 *
 * A timer is a member of what it is about. Setting one takes no memory, so it may be done under a lock;
 * setting is constant time, stopping and running one take as many steps as the logarithm of how many are set.
 * Where all have the same pause (the connections of http/loop.c, the heartbeats of edge/stream_pulse.c) a
 * list in the order of setting does the same without.
 *
 * Thread: one at a time.
 */
#ifndef BASE_TIMERS_H
#define BASE_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `run` and `user` are the owner's, the rest is the module's. It must not move or go while it is set. */
struct timer {
    void (*run)(void *user);
    void *user;
    int64_t at_ms;
    struct timer *first;        /* of those behind it, which are due no sooner */
    struct timer *next, **link; /* beside it; link: what points to it, NULL while it is not set */
};

struct timers {
    struct timer *first; /* due before all others */
    size_t count;
};

/* Sets it, or sets it anew. */
void timers_set(struct timers *timers, struct timer *timer, int64_t at_ms);
void timers_stop(struct timers *timers, struct timer *timer);
bool timer_is_set(const struct timer *timer);
/* How long until the first is due, in ms; -1: none is set. */
int timers_wait(const struct timers *timers, int64_t now_ms);
/* Runs those that are due, each stopped by then; one that sets itself anew runs in the next round. */
void timers_run(struct timers *timers, int64_t now_ms);

#endif
