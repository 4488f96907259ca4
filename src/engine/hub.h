/*
 * hub.h - from the log to everyone who listens.
 *
 * One thread, the tailer, reads numbered events after its cursor whenever it is poked, and at the latest
 * every second, since another program may have written with plain SQL. It appends them to the ring, tells
 * the listeners (waits by subject), and wakes every reader that sleeps and wants one of them: once for a
 * batch, however many events it has.
 *
 * Beside the log there is what is said and not kept: text while it is being written. It has a ring of its own
 * and no number. The same thread wakes readers for it, without a look at the log, with all that was said
 * since it last looked: under load one wake serves for many words. A reader that is too slow for them misses
 * some, and nothing grows.
 *
 * A reader that sleeps and wants nothing of a batch has its cursor moved past it by the tailer, so that a
 * stream with a narrow filter never falls behind. A reader is counted by its owner: the hub holds it while
 * it is on the list and while it wakes it. No lock that a reader's owner could need is held while it is
 * woken.
 *
 * Thread: any, except hub_open, hub_stop and hub_close.
 */
#ifndef ENGINE_HUB_H
#define ENGINE_HUB_H

#include "db/store.h"
#include "engine/ring.h"

struct hub;
struct hub_reader;

struct hub_reader_calls {
    void (*hold)(struct hub_reader *reader);
    void (*drop)(struct hub_reader *reader);
    void (*wake)(struct hub_reader *reader); /* never blocks */
};

struct hub_reader {
    struct hub_reader *prev, *next; /* the hub's */
    const struct hub_reader_calls *calls;
    struct notice_filter filter;
    _Atomic int64_t cursor, heard; /* places in the log, and in what is said */
    atomic_bool asleep;
};

struct hub *hub_open(struct store *store, struct err *err);
/* Ends the tailer; pokes do nothing from here on. */
void hub_stop(struct hub *hub);
void hub_close(struct hub *hub); /* stops and frees; accepts NULL */

/* There may be something new in the log. */
void hub_poke(struct hub *hub);
int64_t hub_last(struct hub *hub);
/* Waits until the tailer has handed on everything up to `seq`, or the time is up. */
bool hub_settle(struct hub *hub, int64_t seq, int timeout_ms);

/*
 * Hands on what is in no log, taking over the caller's hold: a notice without a number, heard by those who
 * would hear of it as an event. Never blocks.
 */
void hub_say(struct hub *hub, struct notice *notice);
/* Whether anybody reads at all. */
bool hub_heard(struct hub *hub);

/* A cursor below 0 starts now; what is said is always heard from now on. */
void hub_join(struct hub *hub, struct hub_reader *reader, int64_t cursor);
void hub_leave(struct hub *hub, struct hub_reader *reader);
/* As ring_next; on RING_NOTHING the reader sleeps and will be woken. One caller at a time. */
enum ring_found hub_next(struct hub *hub, struct hub_reader *reader, struct notice **notice);
/*
 * Changes what a reader hears, from the thread that calls hub_next for it. The old filter is not looked at
 * any more when this returns. A cursor below 0 keeps the place.
 */
void hub_refilter(struct hub *hub, struct hub_reader *reader, const struct notice_filter *filter,
                  int64_t cursor);

/* Called on the tailer's thread with each batch; it must not block, nor add or remove listeners. */
typedef void hub_listener(void *user, struct notice *const notices[], size_t count);
void hub_listen(struct hub *hub, hub_listener *listener, void *user);
/* When it returns, the listener is not being called and never will be. */
void hub_unlisten(struct hub *hub, void *user);

struct hub_stats {
    uint64_t events, batches, failures, said;
    unsigned readers;
    int64_t last, idle_ms; /* milliseconds since the log was last read with success */
};
void hub_stats(struct hub *hub, struct hub_stats *stats);

#endif
