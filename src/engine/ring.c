/*
 * A circle of pointers in order of their places, so that a cursor is found by bisection. Readers share a lock
 * that prefers the writer, and let go of it after LOOK_MOST notices that they did not want: a stream with a
 * narrow filter must not keep the tailer from appending.
 */
#include "engine/ring.h"

#include "base/limits.h"

#include <pthread.h>
#include <stdlib.h>

/* How many events one look may pass over without a match before it lets the appender in again. */
#define LOOK_MOST 1024

struct ring {
    pthread_rwlock_t lock;
    struct notice **slots; /* `most` of them, used in a circle from `first` */
    size_t most, first, count;
    size_t bytes, most_bytes;
    int64_t floor;
    _Atomic int64_t last;
};

struct ring *ring_new(int64_t floor, size_t most_events, size_t most_bytes)
{
    struct ring *ring = calloc(1, sizeof(*ring));
    pthread_rwlockattr_t attributes;

    if (!ring)
        abort();
    ring->most = most_events ? most_events : RING_EVENTS;
    ring->most_bytes = most_bytes ? most_bytes : RING_BYTES;
    ring->slots = calloc(ring->most, sizeof(struct notice *));
    if (!ring->slots)
        abort();
    ring->floor = floor;
    atomic_init(&ring->last, floor);
    /* Readers come in thousands; without this they could keep the appender out for long. */
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&ring->lock, &attributes);
    pthread_rwlockattr_destroy(&attributes);
    return ring;
}

static struct notice *slot(const struct ring *ring, size_t index)
{
    return ring->slots[(ring->first + index) % ring->most];
}

void ring_free(struct ring *ring)
{
    if (!ring)
        return;
    for (size_t i = 0; i < ring->count; i++)
        notice_drop(slot(ring, i));
    pthread_rwlock_destroy(&ring->lock);
    free(ring->slots);
    free(ring);
}

static void drop_oldest(struct ring *ring)
{
    struct notice *oldest = slot(ring, 0);

    ring->first = (ring->first + 1) % ring->most;
    ring->count--;
    ring->bytes -= notice_size(oldest);
    ring->floor = oldest->place;
    notice_drop(oldest);
}

void ring_append(struct ring *ring, struct notice *const notices[], size_t count)
{
    pthread_rwlock_wrlock(&ring->lock);
    for (size_t i = 0; i < count; i++) {
        if (ring->count == ring->most)
            drop_oldest(ring);
        ring->slots[(ring->first + ring->count) % ring->most] = notices[i];
        ring->count++;
        ring->bytes += notice_size(notices[i]);
        while (ring->bytes > ring->most_bytes && ring->count > 1)
            drop_oldest(ring);
        atomic_store(&ring->last, notices[i]->place);
    }
    pthread_rwlock_unlock(&ring->lock);
}

int64_t ring_last(const struct ring *ring)
{
    return atomic_load(&ring->last);
}

/* The index of the first notice with a place above `cursor`; count when there is none. */
static size_t find_after(const struct ring *ring, int64_t cursor)
{
    size_t low = 0, high = ring->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (slot(ring, middle)->place > cursor)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static enum ring_found look(struct ring *ring, const struct notice_filter *filter, int64_t *cursor,
                            struct notice **notice, bool *more)
{
    *more = false;
    if (*cursor < ring->floor)
        return RING_LOST;
    for (size_t i = find_after(ring, *cursor), looked = 0; i < ring->count; i++, looked++) {
        struct notice *next = slot(ring, i);

        if (looked == LOOK_MOST) {
            *more = true;
            return RING_NOTHING;
        }
        *cursor = next->place;
        if (notice_matches(next, filter)) {
            *notice = notice_hold(next);
            return RING_EVENT;
        }
    }
    return RING_NOTHING;
}

enum ring_found ring_next(struct ring *ring, const struct notice_filter *filter, int64_t *cursor,
                          struct notice **notice)
{
    enum ring_found found;
    bool more;

    do {
        pthread_rwlock_rdlock(&ring->lock);
        found = look(ring, filter, cursor, notice, &more);
        pthread_rwlock_unlock(&ring->lock);
    } while (more);
    return found;
}

size_t ring_take(struct ring *ring, int64_t *cursor, struct notice *notices[], size_t most)
{
    size_t count = 0;

    pthread_rwlock_rdlock(&ring->lock);
    for (size_t i = find_after(ring, *cursor); i < ring->count && count < most; i++) {
        notices[count] = notice_hold(slot(ring, i));
        *cursor = notices[count++]->place;
    }
    pthread_rwlock_unlock(&ring->lock);
    return count;
}
