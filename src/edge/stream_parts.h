/*
 * stream_parts.h - what stream.c and stream_pulse.c share: the stream itself, and the line of its heartbeats.
 *
 * Thread: the line of heartbeats is guarded by streams->lock; of a stream, atomics may be touched by any and
 * the rest by its door.
 */
#ifndef EDGE_STREAM_PARTS_H
#define EDGE_STREAM_PARTS_H

#include "edge/log_page.h"
#include "edge/stream.h"
#include "engine/poke.h"

#include <pthread.h>
#include <stdatomic.h>

struct stream {
    struct tailer_reader reader; /* first: the tailer hands it back */
    struct streams *streams;
    atomic_uint holders;
    stream_waker *wake;
    _Atomic(void *) target;
    atomic_int waking;
    atomic_bool closed;
    _Atomic(struct notice *) last_word;
    atomic_bool beat_due;
    uint64_t turn; /* whose it is in the store */
    enum role role;
    bool beats, following, said_last, loading;
    struct notice **greetings; /* from `greeted` on they are still to be said */
    size_t greeting_count, greeted;
    struct log_page *page;              /* being handed out */
    _Atomic(struct log_page *) arrived; /* read, and not taken yet */
    struct stream *prev, *next;         /* by the time of the next heartbeat, the earliest first */
    int64_t beat_at_ms;
    struct hold hold;
    char *wanted;                    /* the filter's texts, in one block */
    char *workspace_id, *credential; /* in the block that follows, with what the filter says of the reader */
    char texts[];
};

struct streams {
    struct store *store;
    struct tailer *tailer;
    struct council *council;
    struct notice *beat;
    pthread_mutex_t lock;
    struct stream *first, *last;
    atomic_uint count;
    struct poke poke;
    pthread_t pulse;
};

void stream_hold(struct stream *stream);
void stream_drop(struct stream *stream);
/* Has its door called, unless it is closed. */
void stream_wake(struct stream *stream);

/* Puts it at the end of the line of heartbeats, or takes it out. Under the lock. */
void stream_beat_link(struct stream *stream);
void stream_beat_unlink(struct stream *stream);

#endif
