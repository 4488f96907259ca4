/*
 * timers.h - what is due next: a heap of pointers to timers that belong to others.
 *
 * Thread: the loop's.
 */
#ifndef NET_TIMERS_H
#define NET_TIMERS_H

#include "net/net.h"

struct timers {
    struct net_timer **heap; /* heap[0] is due first */
    size_t count, room;
};

void timers_done(struct timers *timers);
void timers_set(struct timers *timers, struct net_timer *timer, int64_t at_ms);
void timers_stop(struct timers *timers, struct net_timer *timer);
/* How long until the first is due, in ms; -1: none is set. */
int timers_wait(const struct timers *timers, int64_t now_ms);
/* Runs those that are due; one that sets itself anew has its turn in the next round. */
void timers_run(struct timers *timers, int64_t now_ms);

#endif
