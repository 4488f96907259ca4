/*
 * One lock and a handful of flags, since three sides meet here: the loop that pulls, the owner that reads,
 * and the end, which may come from a client that left or a server that stops. It is freed
 * by the later of two: the end of the stream, or the piece that was under way.
 */
#include "edge/pieces.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pieces {
    struct pieces_owner owner;
    struct http_exchange *exchange;
    pthread_mutex_t lock;
    struct buf current;
    size_t sent;
    bool more;             /* after the current one */
    bool loading;          /* the owner has been asked */
    bool asking;           /* it is being asked right now, by the thread that pulls */
    bool gone;             /* the stream has ended */
    bool stops, said_stop; /* the server stops; the reply says so */
};

struct pieces *pieces_new(const struct pieces_owner *owner, struct buf *first)
{
    struct pieces *pieces;

    if (!budget_grow(owner->budget, 0, first->len))
        return NULL;
    pieces = memory_take(sizeof(*pieces));
    *pieces = (struct pieces){ .owner = *owner, .current = *first, .more = true };
    buf_init(first, 0);
    pthread_mutex_init(&pieces->lock, NULL);
    return pieces;
}

static void drop_current(struct pieces *pieces)
{
    budget_give(pieces->owner.budget, pieces->current.len);
    buf_done(&pieces->current);
    pieces->sent = 0;
}

static void pieces_free(struct pieces *pieces)
{
    drop_current(pieces);
    pieces->owner.over(pieces->owner.user);
    pthread_mutex_destroy(&pieces->lock);
    free(pieces);
}

/* Asks without the lock, since the answer may come at once, on this thread or another. */
static void ask(struct pieces *pieces)
{
    pieces->loading = pieces->asking = true;
    pthread_mutex_unlock(&pieces->lock);
    pieces->owner.next(pieces->owner.user);
    pthread_mutex_lock(&pieces->lock);
    pieces->asking = false;
}

static ptrdiff_t take(struct pieces *pieces, char *into, size_t room)
{
    size_t left = pieces->current.len - pieces->sent;
    size_t part = left < room ? left : room;

    memcpy(into, pieces->current.bytes + pieces->sent, part);
    pieces->sent += part;
    return (ptrdiff_t)part;
}

/* Half an export must not look like a whole one: its last line says why there is no more. */
static void say_last(struct pieces *pieces, const char *why)
{
    drop_current(pieces);
    buf_format(&pieces->current, "{\"error\":\"%s Go on after the last line.\",\"code\":\"unavailable\"}\n",
               why);
    budget_force(pieces->owner.budget, pieces->current.len);
}

static void say_stop(struct pieces *pieces)
{
    say_last(pieces, "The server stops.");
    pieces->said_stop = true;
}

/* A piece for which there is no room any more ends the reply. */
static void keep(struct pieces *pieces, struct buf *piece, bool more)
{
    pieces->more = more && budget_grow(pieces->owner.budget, 0, piece->len);
    if (more && !pieces->more) {
        say_last(pieces, "The server has no memory to spare.");
        return;
    }
    if (!more)
        budget_force(pieces->owner.budget, piece->len);
    pieces->current = *piece;
    buf_init(piece, 0);
}

static ptrdiff_t pull(void *data, char *into, size_t room)
{
    struct pieces *pieces = data;
    ptrdiff_t taken = 0;

    pthread_mutex_lock(&pieces->lock);
    while (taken == 0) {
        if (pieces->sent < pieces->current.len) {
            taken = take(pieces, into, room);
        } else if (pieces->said_stop || (!pieces->more && !pieces->loading)) {
            taken = -1;
        } else if (pieces->stops) {
            say_stop(pieces);
        } else if (pieces->loading) {
            break;
        } else {
            drop_current(pieces);
            ask(pieces);
        }
    }
    pthread_mutex_unlock(&pieces->lock);
    return taken;
}

void pieces_put(struct pieces *pieces, struct buf *piece, bool more)
{
    pthread_mutex_lock(&pieces->lock);
    bool gone = pieces->gone;

    pieces->loading = false;
    if (!gone && !pieces->said_stop) {
        keep(pieces, piece, more);
        if (!pieces->asking)
            http_stream_wake(pieces->exchange);
    }
    buf_done(piece);
    pthread_mutex_unlock(&pieces->lock);
    /* Without the lock the stream may have ended, and the owner be gone with all that is its. */
    if (gone)
        pieces_free(pieces);
}

/* A piece that is under way comes back in pieces_put, which then has the last hold. */
static void ended(void *data)
{
    struct pieces *pieces = data;

    pthread_mutex_lock(&pieces->lock);
    bool last = !pieces->loading;

    pieces->gone = true;
    pthread_mutex_unlock(&pieces->lock);
    if (last)
        pieces_free(pieces);
}

static void stopping(void *data)
{
    struct pieces *pieces = data;

    pthread_mutex_lock(&pieces->lock);
    pieces->stops = true;
    http_stream_wake(pieces->exchange);
    pthread_mutex_unlock(&pieces->lock);
}

void pieces_send(struct pieces *pieces, struct http_exchange *exchange, const char *content_type)
{
    static const struct http_stream_calls calls = { .pull = pull, .gone = ended, .stop = stopping };

    pieces->exchange = exchange;
    http_stream(exchange, content_type, NULL, &calls, pieces);
}
