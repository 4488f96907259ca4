/*
 * A binary heap in which each timer knows its place, so that one can be stopped or moved without a search. A
 * round runs no more timers than there were at its beginning: one that sets itself again cannot hold it up.
 */
#include "net/timers.h"

#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>

#define FIRST_ROOM 64

void timers_done(struct timers *timers)
{
    free(timers->heap);
    *timers = (struct timers){ 0 };
}

static void put(struct timers *timers, size_t at, struct net_timer *timer)
{
    timers->heap[at] = timer;
    timer->place = at + 1;
}

static void rise(struct timers *timers, size_t at)
{
    struct net_timer *timer = timers->heap[at];

    while (at > 0 && timers->heap[(at - 1) / 2]->at_ms > timer->at_ms) {
        put(timers, at, timers->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(timers, at, timer);
}

static void sink(struct timers *timers, size_t at)
{
    struct net_timer *timer = timers->heap[at];

    for (size_t child; (child = 2 * at + 1) < timers->count; at = child) {
        if (child + 1 < timers->count && timers->heap[child + 1]->at_ms < timers->heap[child]->at_ms)
            child++;
        if (timers->heap[child]->at_ms >= timer->at_ms)
            break;
        put(timers, at, timers->heap[child]);
    }
    put(timers, at, timer);
}

void timers_stop(struct timers *timers, struct net_timer *timer)
{
    size_t at = timer->place - 1;

    if (timer->place == 0)
        return;
    timer->place = 0;
    struct net_timer *last = timers->heap[--timers->count];

    if (last == timer)
        return;
    put(timers, at, last);
    rise(timers, at);
    sink(timers, last->place - 1);
}

void timers_set(struct timers *timers, struct net_timer *timer, int64_t at_ms)
{
    timers_stop(timers, timer);
    if (timers->count == timers->room) {
        size_t room = timers->room ? 2 * timers->room : FIRST_ROOM;

        timers->heap = memory_resize(timers->heap, room * sizeof(*timers->heap));
        timers->room = room;
    }
    timer->at_ms = at_ms;
    put(timers, timers->count++, timer);
    rise(timers, timers->count - 1);
}

int timers_wait(const struct timers *timers, int64_t now_ms)
{
    if (timers->count == 0)
        return -1;
    int64_t wait = timers->heap[0]->at_ms - now_ms;

    return wait < 0 ? 0 : wait > INT_MAX ? INT_MAX : (int)wait;
}

void timers_run(struct timers *timers, int64_t now_ms)
{
    for (size_t most = timers->count; most > 0 && timers->count > 0; most--) {
        struct net_timer *timer = timers->heap[0];

        if (timer->at_ms > now_ms)
            return;
        timers_stop(timers, timer);
        timer->run(timer->user);
    }
}
