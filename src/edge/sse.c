/*
 * sse.c - GET /api/events and the streams of one job or discussion: the log as server-sent events.
 *
 * `id:` is the log's number, so that a browser that comes back says where it was by itself. An event may be
 * larger than the room of one pull: what has been sent of it is remembered.
 */
#include "edge/internal.h"
#include "edge/stream.h"
#include "edge/stream_open.h"

#include <stdlib.h>
#include <string.h>

struct sse_feed {
    struct stream *stream;
    struct notice *current; /* being sent, or NULL */
    size_t sent;
};

static ptrdiff_t sse_pull(void *data, char *into, size_t room)
{
    struct sse_feed *sse = data;
    size_t used = 0;

    while (used < room) {
        if (!sse->current) {
            enum stream_found found = stream_next(sse->stream, &sse->current);

            if (found == STREAM_NOTHING)
                break;
            if (found == STREAM_ENDED)
                return used > 0 ? (ptrdiff_t)used : -1;
            sse->sent = 0;
        }
        size_t left = sse->current->frame_len - sse->sent;
        size_t part = left < room - used ? left : room - used;

        memcpy(into + used, sse->current->frame + sse->sent, part);
        used += part;
        sse->sent += part;
        if (sse->sent == sse->current->frame_len) {
            notice_drop(sse->current);
            sse->current = NULL;
        }
    }
    return (ptrdiff_t)used;
}

static void sse_gone(void *data)
{
    struct sse_feed *sse = data;

    stream_close(sse->stream);
    notice_drop(sse->current);
    free(sse);
}

static void sse_stop(void *data)
{
    struct sse_feed *sse = data;

    stream_end(sse->stream, EVENT_SERVER_STOPPING,
               "The server stops. Come back with the last number to go on.");
}

static void sse_wake(void *target)
{
    http_stream_wake(target);
}

static void sse_ready(struct stream_opening *opening)
{
    static const struct http_stream_calls calls = { .pull = sse_pull, .gone = sse_gone, .stop = sse_stop };
    static const struct http_header_line headers[] = { { "Cache-Control", "no-store" },
                                                       { "X-Accel-Buffering", "no" },
                                                       { NULL, NULL } };
    struct sse_feed *sse = calloc(1, sizeof(*sse));

    if (!sse)
        abort();
    sse->stream = stream_new(opening->edge->streams, &opening->caller, &opening->wanted, &opening->bounds,
                             true, sse_wake);
    stream_keep(sse->stream, &opening->hold);
    stream_open_greet(opening, sse->stream);
    stream_aim(sse->stream, opening->exchange);
    http_stream(opening->exchange, "text/event-stream; charset=utf-8", headers, &calls, sse);
    stream_open_free(opening);
}

void sse_handle(struct edge *edge, struct http_exchange *exchange)
{
    stream_open_begin(edge, exchange, sse_ready);
}
