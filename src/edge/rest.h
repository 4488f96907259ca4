/*
 * rest.h - the REST dialect, as waits need it.
 */
#ifndef EDGE_REST_H
#define EDGE_REST_H

struct wait;

/* For waits_new; `edge` is the edge. */
void rest_look_again(void *edge, struct wait *wait);

#endif
