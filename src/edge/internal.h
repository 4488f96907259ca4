/*
 * internal.h - what the doors share.
 */
#ifndef EDGE_INTERNAL_H
#define EDGE_INTERNAL_H

#include "edge/edge.h"
#include "edge/holds.h"
#include "edge/hosts.h"
#include "edge/known.h"
#include "edge/logins.h"
#include "edge/metrics.h"
#include "edge/proxies.h"
#include "edge/ratelimit.h"
#include "edge/stored.h"
#include "edge/wait.h"
#include "http/server.h"
#include "ops/dispatch.h"
#include "ops/route.h"

#include <pthread.h>

struct streams;
struct rest_call;
struct mcp;

/* A document that does not change while the program runs, so it is written once. */
struct description {
    struct http_fixed body;
    char tag[24]; /* its ETag */
};

struct edge {
    struct edge_options options;
    struct store *store;
    struct engine *engine;
    struct routes *routes;
    struct http_server *http;
    struct hosts hosts;
    struct proxies proxies;
    struct holds *holds;
    struct known *known;
    struct stored *stored;
    struct ratelimit *tokens;
    struct logins *logins;
    struct metrics *metrics;
    struct waits *waits;
    struct wait_door rest_waits;
    struct streams *streams;
    struct mcp *mcp;
    struct budget budget; /* of all bodies and replies in flight */
    struct description openapi, asyncapi;
    pthread_mutex_t spare_lock;
    struct rest_call *spares; /* rest.c: kept for the next requests */
    size_t spare_count;
    atomic_bool closing;
    atomic_uint running; /* calls that have not been answered yet */
};

/*
 * What every door checks before it looks further: that the request was meant for this server (Host), that no
 * foreign page sent it (Origin), and that its sender does not ask too often. Fills in the credentials; their
 * texts live in the arena, or as long as the exchange.
 *
 * GATE_FORM is for our own forms: browsers say "null" as the origin of a page that tells nobody where
 * somebody came from, as ours do. Whoever handles a form has it prove by itself that it is ours.
 */
enum gate_kind { GATE_SAFE, GATE_UNSAFE, GATE_STREAM, GATE_FORM };
/* What a request is by its method and path; streams know it of themselves. */
enum gate_kind gate_kind_of(const struct http_exchange *exchange);
CHECKED bool gate_enter(struct edge *edge, struct http_exchange *exchange, enum gate_kind kind,
                        struct arena *arena, struct credentials *credentials, struct err *err);
/* The same for the whole request; one with a large body has entered already and is not counted twice. */
CHECKED bool gate_check(struct edge *edge, struct http_exchange *exchange, enum gate_kind kind,
                        struct arena *arena, struct credentials *credentials, struct err *err);

/* Adds the cookie of a link to this question, if the request shows one. */
void gate_visit(struct http_exchange *exchange, struct arena *arena, const char *question_id,
                struct credentials *credentials);

/*
 * The address that a request counts under and is written down with: its connection's, or the one that a
 * trusted proxy passes on.
 */
void gate_remote(const struct edge *edge, struct http_exchange *exchange,
                 char remote[static INET6_ADDRSTRLEN]);

/*
 * How people reach this server: server.public_url, or else as this request did, "http://HOST". NULL when a
 * proxy has passed it on, for then nothing says under which name.
 */
const char *gate_base_url(struct http_exchange *exchange, struct arena *arena);

/* While the store is away everything fails the same way: true for as many lines of the log as say it. */
bool edge_outage_line(void);
/* Replies with an error as JSON. */
void edge_refuse(struct http_exchange *exchange, const struct err *err);
void edge_reply_json(struct http_exchange *exchange, int status, const struct http_header_line *headers,
                     struct buf *body);

/* rest.c */
void rest_handle(struct edge *edge, struct http_exchange *exchange);
/* sse.c, ws.c */
void sse_handle(struct edge *edge, struct http_exchange *exchange);
void ws_handle(struct edge *edge, struct http_exchange *exchange);
/* question_page.c */
void question_page_handle(struct edge *edge, struct http_exchange *exchange);
/* pages.c: what is not in the operation table. False: the path is not one of these. */
bool pages_handle(struct edge *edge, struct http_exchange *exchange);

#endif
