/*
 * rest_call.h - one REST request, from its exchange to its answer.
 *
 * rest.c decides what a call is for and when it is over; this is its memory and its answer. Internal to the
 * REST dialect.
 */
#ifndef EDGE_REST_CALL_H
#define EDGE_REST_CALL_H

#include "edge/input.h"
#include "edge/internal.h"
#include "edge/parking.h"
#include "edge/pieces.h"

struct rest_call {
    struct rest_call *next; /* while it is spare */
    struct edge *edge;
    struct http_exchange *exchange;
    struct wait *wait;     /* or NULL */
    int hold_s;            /* for how long a write with .holds is held back */
    struct pieces *pieces; /* or NULL */
    struct arena piece;    /* of the piece that is being read */
    struct arena arena;
    struct request request;
    struct input input;
    int64_t began_us;
    struct parking parking;
    char remote[INET6_ADDRSTRLEN];
};

struct rest_call *rest_call_new(struct edge *edge, struct http_exchange *exchange);
void rest_call_free(struct rest_call *call);

/* What was done has been stored; a repeat stored nothing. */
void rest_note_stored(const struct rest_call *call);

/* Sends the reply or the error, at once or piece by piece, and frees the call when it is sent. */
void rest_answer(struct rest_call *call);

#endif
