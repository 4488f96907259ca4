/*
 * Heartbeats are one line of streams in order of time: each is due after the same pause, so one that has had
 * its beat goes to the end. One thread serves it and checks the rights of many streams in one transaction.
 */
#include "edge/stream_parts.h"

#include "base/clock.h"
#include "base/limits.h"
#include "edge/internal.h"

#include <stdlib.h>

#define CHECKS_AT_ONCE 64  /* rights checked in one transaction */
#define PULSE_MS       250 /* how exactly heartbeats are kept */

void stream_beat_link(struct stream *stream)
{
    struct streams *streams = stream->streams;

    stream->beat_at_ms = clock_ticks_ms() + HEARTBEAT_MS;
    stream->next = NULL;
    stream->prev = streams->last;
    if (streams->last)
        streams->last->next = stream;
    else
        streams->first = stream;
    streams->last = stream;
}

void stream_beat_unlink(struct stream *stream)
{
    struct streams *streams = stream->streams;

    if (stream->prev)
        stream->prev->next = stream->next;
    else
        streams->first = stream->next;
    if (stream->next)
        stream->next->prev = stream->prev;
    else
        streams->last = stream->prev;
}

/* Takes those whose heartbeat is due, held, and puts them at the end of the line. */
static size_t take_due(struct streams *streams, struct stream *due[CHECKS_AT_ONCE])
{
    int64_t now = clock_ticks_ms();
    size_t count = 0;

    pthread_mutex_lock(&streams->lock);
    while (count < CHECKS_AT_ONCE && streams->first && streams->first->beat_at_ms <= now) {
        struct stream *stream = streams->first;

        stream_hold(stream);
        stream_beat_unlink(stream);
        stream_beat_link(stream);
        due[count++] = stream;
    }
    pthread_mutex_unlock(&streams->lock);
    return count;
}

struct check {
    struct work work;
    struct arena arena;
    size_t count;
    struct stream *due[CHECKS_AT_ONCE];
    struct err refused[CHECKS_AT_ONCE];
};

static bool run_check(struct db *db, struct work *work)
{
    struct check *check = (struct check *)work;

    for (size_t i = 0; i < check->count; i++) {
        struct stream *stream = check->due[i];
        struct caller caller;
        struct err *refused = &check->refused[i];
        struct tx tx = tx_of(db, &check->arena, clock_now_ms(), refused);

        arena_reset(&check->arena);
        *refused = (struct err){ 0 };
        if (caller_recheck(&tx, stream->credential, stream->workspace_id, &caller)) {
            if (!((unsigned)caller.role & ROLES_READ))
                err_set(refused, ERR_FORBIDDEN, "This role may not read.");
            else if (caller.role != stream->role)
                err_set(refused, ERR_FORBIDDEN, "The role has changed: open the stream again.");
            continue;
        }
        if (refused->code != ERR_UNAUTHORIZED && refused->code != ERR_NOT_FOUND) {
            work->err = *refused;
            return false;
        }
    }
    return true;
}

/* When the store does not answer, the streams live on: the next heartbeat asks again. */
static void check_streams(struct streams *streams, struct check *check)
{
    bool known;

    check->work = (struct work){ .run = run_check };
    if (store_can_read_here(streams->store)) {
        store_read_here(streams->store, &check->work);
        known = check->work.err.code == ERR_NONE;
    } else {
        known = store_read_wait(streams->store, &check->work);
    }
    for (size_t i = 0; i < check->count; i++) {
        struct stream *stream = check->due[i];

        if (known && check->refused[i].code != ERR_NONE) {
            stream_end(stream, "stream.ended", check->refused[i].text);
        } else if (stream->beats) {
            atomic_store(&stream->beat_due, true);
            stream_wake(stream);
        }
        stream_drop(stream);
    }
}

static void *run_pulse(void *user)
{
    struct streams *streams = user;
    struct check *check = calloc(1, sizeof(*check));

    if (!check)
        abort();
    while (poke_wait(&streams->poke, PULSE_MS))
        while ((check->count = take_due(streams, check->due)) > 0)
            check_streams(streams, check);
    arena_done(&check->arena);
    free(check);
    return NULL;
}

struct streams *streams_new(struct store *store, struct tailer *tailer, struct council *council)
{
    struct streams *streams = calloc(1, sizeof(*streams));

    if (!streams)
        abort();
    streams->store = store;
    streams->tailer = tailer;
    streams->council = council;
    streams->beat = notice_comment(": heartbeat\n\n");
    pthread_mutex_init(&streams->lock, NULL);
    poke_init(&streams->poke);
    if (pthread_create(&streams->pulse, NULL, run_pulse, streams) != 0)
        abort();
    return streams;
}

void streams_free(struct streams *streams)
{
    if (!streams)
        return;
    poke_stop(&streams->poke);
    pthread_join(streams->pulse, NULL);
    poke_done(&streams->poke);
    pthread_mutex_destroy(&streams->lock);
    notice_drop(streams->beat);
    free(streams);
}

unsigned streams_count(struct streams *streams)
{
    return atomic_load(&streams->count);
}
