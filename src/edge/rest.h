/*
 * rest.h - the REST dialect, as the rest of the edge sees it.
 */
#ifndef EDGE_REST_H
#define EDGE_REST_H

struct edge;
struct wait;

/* For waits_new; `edge` is the edge. */
void rest_look_again(void *edge, struct wait *wait);
/* Gives back the calls that were kept for the next requests. */
void rest_free_spares(struct edge *edge);

#endif
