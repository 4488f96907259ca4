/*
 * edge.h - the server's doors: REST, event streams, WebSockets, and what is watched from outside.
 *
 * A door parses its dialect, hands the operation to the dispatcher, and writes what comes back. It holds
 * no rules of the domain.
 *
 * Thread: edge_open and edge_close from the one that starts and stops; everything between runs on the
 * HTTP, store and engine threads.
 */
#ifndef EDGE_EDGE_H
#define EDGE_EDGE_H

#include "db/store.h"
#include "engine/engine.h"

struct edge;

struct edge_options {
    struct store *store;   /* both outlive the edge */
    struct engine *engine; /* started */
    const char *listen;    /* settings()->server_listen, or an override; port 0 picks a free one */
    const char *version;
    bool require_auth; /* no solo mode */
    bool test_clock;   /* adds POST /api/test/clock */
};

struct edge *edge_open(const struct edge_options *options, struct err *err);
int edge_port(const struct edge *edge);
/*
 * Takes no new connections, ends streams and waits with a last word, lets what runs finish, and closes.
 * Accepts NULL.
 */
void edge_close(struct edge *edge, int grace_ms);

#endif
