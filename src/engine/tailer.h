/*
 * tailer.h - from the log to everyone who listens.
 *
 * One thread, the tailer, reads numbered events after its cursor whenever it is poked, and at the latest
 * every second, since another program may have written with plain SQL. It appends them to the ring, tells
 * the subscribers (waits by subject), and wakes every reader that sleeps and wants one of them: once for a
 * batch, however many events it has.
 *
 * Beside the log there is what is said and not kept: text while it is being written. It has a ring of its own
 * and no number. The same thread wakes readers for it, without a look at the log, with all that was said
 * since it last looked: under load one wake serves for many words. A reader that is too slow for them misses
 * some, and nothing grows.
 *
 * A reader that sleeps and wants nothing of a batch has its cursor moved past it by the tailer, so that a
 * stream with a narrow filter never falls behind. A reader is counted by its owner: the tailer holds it while
 * it is on the list and while it wakes it. No lock that a reader's owner could need is held while it is
 * woken.
 *
 * Thread: any, except tailer_open, tailer_stop and tailer_close.
 */
#ifndef ENGINE_TAILER_H
#define ENGINE_TAILER_H

#include "db/store.h"
#include "engine/ring.h"

struct tailer;
struct tailer_reader;

struct tailer_reader_calls {
    void (*hold)(struct tailer_reader *reader);
    void (*drop)(struct tailer_reader *reader);
    void (*wake)(struct tailer_reader *reader); /* never blocks */
};

struct tailer_reader {
    struct tailer_reader *prev, *next; /* the tailer's */
    const struct tailer_reader_calls *calls;
    struct notice_filter filter;
    _Atomic int64_t cursor, heard; /* places in the log, and in what is said */
    atomic_bool asleep;
};

struct tailer *tailer_open(struct store *store, struct err *err);
/* Ends the tailer; pokes do nothing from here on. */
void tailer_stop(struct tailer *tailer);
void tailer_close(struct tailer *tailer); /* stops and frees; accepts NULL */

/* There may be something new in the log. */
void tailer_poke(struct tailer *tailer);
int64_t tailer_last(struct tailer *tailer);
/* Waits until the tailer has handed on everything up to `seq`, or the time is up. */
bool tailer_settle(struct tailer *tailer, int64_t seq, int timeout_ms);

/*
 * Hands on what is in no log, taking over the caller's hold: a notice without a number, heard by those who
 * would hear of it as an event. Never blocks.
 */
void tailer_say(struct tailer *tailer, struct notice *notice);
/* Whether anybody reads at all. */
bool tailer_heard(struct tailer *tailer);

/* A cursor below 0 starts now; what is said is always heard from now on. */
void tailer_join(struct tailer *tailer, struct tailer_reader *reader, int64_t cursor);
void tailer_leave(struct tailer *tailer, struct tailer_reader *reader);
/* As ring_next; on RING_NOTHING the reader sleeps and will be woken. One caller at a time. */
enum ring_found tailer_next(struct tailer *tailer, struct tailer_reader *reader, struct notice **notice);
/*
 * Changes what a reader hears, from the thread that calls tailer_next for it. The old filter is not looked at
 * any more when this returns. A cursor below 0 keeps the place.
 */
void tailer_refilter(struct tailer *tailer, struct tailer_reader *reader, const struct notice_filter *filter,
                     int64_t cursor);

/* Called on the tailer's thread with each batch; it must not block, nor add or remove subscribers. */
typedef void tailer_subscriber(void *user, struct notice *const notices[], size_t count);
void tailer_subscribe(struct tailer *tailer, tailer_subscriber *subscriber, void *user);
/* When it returns, the subscriber is not being called and never will be. */
void tailer_unsubscribe(struct tailer *tailer, void *user);

struct tailer_stats {
    uint64_t events, batches, failures, said;
    unsigned readers;
    int64_t last, idle_ms; /* milliseconds since the log was last read with success */
};
void tailer_stats(struct tailer *tailer, struct tailer_stats *stats);

#endif
