/*
 * stream_open.h - what happens before a stream is open, the same for both doors.
 *
 * The request passes the gate, its filter is read, and one look into the store finds out who calls and what
 * the log holds. Then the door takes over, with the exchange unanswered; or the request has been refused.
 *
 * Thread: `ready` runs on the HTTP thread, or on a store thread with the exchange parked.
 */
#ifndef EDGE_STREAM_OPEN_H
#define EDGE_STREAM_OPEN_H

#include "edge/internal.h"
#include "edge/stream.h"
#include "http/url.h"

struct stream_opening {
    struct work work;
    struct edge *edge;
    struct http_exchange *exchange;
    void (*ready)(struct stream_opening *opening);
    struct arena arena;
    struct url_query query;
    struct credentials credentials;
    struct stream_filter wanted;
    bool of_job, of_discussion; /* the path names it, and it must be there */
    struct err wanted_err;      /* told once the caller is known */
    struct caller caller;
    struct stream_bounds bounds;
    struct hold hold; /* the door's, once it is ready */
    struct council_piece
        *texts; /* of turns of the discussion that are being spoken, as they were last saved */
    size_t text_count;
};

/* `ready` ends with stream_open_free. */
void stream_open_begin(struct edge *edge, struct http_exchange *exchange,
                       void (*ready)(struct stream_opening *opening));
void stream_open_free(struct stream_opening *opening);

/* Greets the stream with what was said so far on other nodes; this one's own texts it has by itself. */
void stream_open_greet(struct stream_opening *opening, struct stream *stream);

#endif
