/*
 * metrics.h - what an operator watches, in Prometheus' text format.
 *
 * Requests are counted by operation and status, with a histogram of how long they took; the rest is read
 * from the store, the engine and the HTTP server when somebody asks. Counting is one atomic add each.
 *
 * Thread: any.
 */
#ifndef EDGE_METRICS_H
#define EDGE_METRICS_H

#include "base/buf.h"
#include "ops/op.h"

#include <stdint.h>

struct metrics;
struct edge;
struct http_server;

struct metrics *metrics_new(void);
void metrics_free(struct metrics *metrics); /* accepts NULL */
/* A NULL op stands for requests that named none. */
void metrics_count(struct metrics *metrics, const struct op *op, int status, int64_t took_us);
void metrics_write(struct edge *edge, struct http_server *http, struct buf *into);

#endif
