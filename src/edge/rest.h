/*
 * rest.h - the REST dialect, as the rest of the edge sees it.
 */
#ifndef EDGE_REST_H
#define EDGE_REST_H

#include <stdbool.h>

struct edge;
struct http_exchange;

/* For http_options.before_body: who sends a large body must be allowed to make the call. */
bool rest_before_body(struct edge *edge, struct http_exchange *exchange);
/* Says how the waits of this door look again. */
void rest_open(struct edge *edge);
/* Gives back the calls that were kept for the next requests. */
void rest_free_spares(struct edge *edge);

#endif
