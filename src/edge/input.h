/*
 * input.h - from a request's path, query and body to checked arguments.
 *
 * A small body is bound on the HTTP thread. A larger one is parsed on a worker, and only once its sender
 * may make the call (request->bind, see ops/dispatch.h): a tree takes many times the memory of its text, and
 * a stranger's is not worth either. What the tree will take is counted first and taken from the server's
 * budget, until input_done.
 *
 * Thread: input_bind runs on the HTTP thread or on a worker, one at a time.
 */
#ifndef EDGE_INPUT_H
#define EDGE_INPUT_H

#include "base/budget.h"
#include "http/server.h"
#include "http/url.h"
#include "ops/dispatch.h"
#include "ops/route.h"

struct input {
    struct http_exchange *exchange;
    struct budget *budget;
    struct route_match match;
    struct url_query query;
    json_t *body;
    size_t charged;
};

/*
 * Reads the query and binds what it may here; a larger body is left to request->bind. What was wrong is in
 * request->bind_err.
 */
void input_read(struct input *input, struct request *request);
/* Parses the body and binds everything. */
void input_bind(struct input *input, struct request *request);
void input_done(struct input *input);

#endif
