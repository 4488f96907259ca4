/*
 * Heartbeats are one line of streams in order of time: each is due after the same pause, so one that has had
 * its beat goes to the end. One thread serves it and checks the rights of many streams in one transaction.
 */
#include "edge/stream_parts.h"

#include "base/clock.h"
#include "base/limits.h"
#include "edge/internal.h"
#include "edge/recheck.h"

#include <stdlib.h>

#define PULSE_MS 250 /* how exactly heartbeats are kept */

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
static size_t take_due(struct streams *streams, struct stream *due[RECHECK_MOST])
{
    int64_t now = clock_ticks_ms();
    size_t count = 0;

    pthread_mutex_lock(&streams->lock);
    while (count < RECHECK_MOST && streams->first && streams->first->beat_at_ms <= now) {
        struct stream *stream = streams->first;

        stream_hold(stream);
        stream_beat_unlink(stream);
        stream_beat_link(stream);
        due[count++] = stream;
    }
    pthread_mutex_unlock(&streams->lock);
    return count;
}

struct rights_check {
    struct recheck rights;
    struct stream *due[RECHECK_MOST];
};

/* When the store does not answer, the streams live on: the next heartbeat asks again. */
static void check_streams(struct streams *streams, struct rights_check *check)
{
    struct recheck *rights = &check->rights;

    for (size_t i = 0; i < rights->count; i++)
        rights->all[i] = (struct recheck_one){ .credential = check->due[i]->credential,
                                               .workspace_id = check->due[i]->workspace_id,
                                               .role = check->due[i]->role };
    bool known = recheck_run(rights, streams->store);

    for (size_t i = 0; i < rights->count; i++) {
        struct stream *stream = check->due[i];

        if (known && rights->all[i].refused.code != ERR_NONE) {
            stream_end(stream, EVENT_STREAM_ENDED, rights->all[i].refused.text);
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
    struct rights_check *check = calloc(1, sizeof(*check));

    if (!check)
        abort();
    while (poke_wait(&streams->poke, PULSE_MS))
        while ((check->rights.count = take_due(streams, check->due)) > 0)
            check_streams(streams, check);
    arena_done(&check->rights.arena);
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
