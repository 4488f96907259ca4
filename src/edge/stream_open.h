/*
 * stream_open.h - what happens before a stream is open, the same for both doors.
 *
 * The request passes the gate, its wishes are read, and one look into the store finds out who calls and what
 * the log holds. Then the door takes over, with the exchange unanswered; or the request has been refused.
 *
 * Thread: `ready` runs on the HTTP thread, or on a store thread with the exchange parked.
 */
#ifndef EDGE_STREAM_OPEN_H
#define EDGE_STREAM_OPEN_H

#include "edge/internal.h"
#include "edge/stream.h"
#include "http/url.h"

struct opening {
    struct work work;
    struct edge *edge;
    struct http_exchange *exchange;
    void (*ready)(struct opening *opening);
    struct arena arena;
    struct url_query query;
    struct credentials credentials;
    struct stream_wish wish;
    bool of_job;         /* the path names the job, which must be there */
    struct err wish_err; /* told once the caller is known */
    struct caller caller;
    struct stream_bounds bounds;
    struct hold hold; /* the door's, once it is ready */
};

/* `ready` ends with opening_free. */
void opening_begin(struct edge *edge, struct http_exchange *exchange, void (*ready)(struct opening *opening));
void opening_free(struct opening *opening);

#endif
