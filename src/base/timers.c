/*
 * A pairing heap: a tree in which each timer is due no sooner than the one above it. Two trees become one by
 * hanging the later under the earlier; what stood under one that goes is made one tree again in pairs, which
 * keeps later steps short. A round runs no more timers than there were at its beginning: one that sets itself
 * again cannot hold it up.
 */
#include "base/timers.h"

#include <limits.h>

static void put(struct timer **link, struct timer *timer)
{
    *link = timer;
    if (timer)
        timer->link = link;
}

/* Either may be NULL. Of two that are due at once the first one stays the first. */
static struct timer *join(struct timer *one, struct timer *other)
{
    if (!one || !other)
        return one ? one : other;
    struct timer *top = other->at_ms < one->at_ms ? other : one, *under = top == one ? other : one;

    put(&under->next, top->first);
    put(&top->first, under);
    return top;
}

/* A row of trees as one: neighbours first, then these from the last to the first. */
static struct timer *join_row(struct timer *row)
{
    struct timer *pairs = NULL, *all = NULL;

    while (row) {
        struct timer *one = row, *other = one->next;

        row = other ? other->next : NULL;
        struct timer *pair = join(one, other);

        pair->next = pairs;
        pairs = pair;
    }
    while (pairs) {
        struct timer *pair = pairs;

        pairs = pair->next;
        all = join(pair, all);
    }
    return all;
}

static void add(struct timers *timers, struct timer *tree)
{
    put(&timers->first, join(timers->first, tree));
    if (timers->first)
        timers->first->next = NULL;
}

void timers_stop(struct timers *timers, struct timer *timer)
{
    if (!timer->link)
        return;
    struct timer *under = join_row(timer->first);

    put(timer->link, timer->next);
    timer->link = NULL;
    timers->count--;
    add(timers, under);
}

void timers_set(struct timers *timers, struct timer *timer, int64_t at_ms)
{
    timers_stop(timers, timer);
    timer->at_ms = at_ms;
    timer->first = NULL;
    timers->count++;
    add(timers, timer);
}

bool timer_is_set(const struct timer *timer)
{
    return timer->link != NULL;
}

int timers_wait(const struct timers *timers, int64_t now_ms)
{
    if (!timers->first)
        return -1;
    int64_t wait = timers->first->at_ms - now_ms;

    return wait < 0 ? 0 : wait > INT_MAX ? INT_MAX : (int)wait;
}

void timers_run(struct timers *timers, int64_t now_ms)
{
    struct timer *timer;

    for (size_t most = timers->count; most > 0 && (timer = timers->first) && timer->at_ms <= now_ms; most--) {
        timers_stop(timers, timer);
        timer->run(timer->user);
    }
}
