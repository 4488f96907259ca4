/*
 * catalog.h - which models a server of Ollama has.
 *
 * One look is one request, which gives up within seconds: a server of Ollama is on the same machine or next
 * to it.
 */
#ifndef LLM_CATALOG_H
#define LLM_CATALOG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "net/net.h"

struct catalog {
    const char **names; /* in the arena */
    size_t count;
    const char *speaker; /* the first that can speak, and is not there for embeddings only; or NULL */
};

struct catalog_look {
    struct net *net;
    const char *base_url;
    /* The look is over; it may be begun again from in here. */
    void (*done)(struct catalog_look *look);
    void *user;
    /* Its own. */
    char *url;
    struct net_call *call; /* NULL: it is over */
    struct buf body;
    struct err err; /* ERR_NONE: somebody has answered */
};

/* On the loop's thread; `done` follows, perhaps before this returns. */
void catalog_look(struct catalog_look *look);
/* What was found. False: nobody answers there, or it is not Ollama. */
CHECKED bool catalog_found(const struct catalog_look *look, struct arena *arena, struct catalog *catalog,
                           struct err *err);
/* Gives back what a look holds, once it is over. */
void catalog_look_done(struct catalog_look *look);

/* Looks and waits. Not on the loop's thread. */
CHECKED bool catalog_read(struct net *net, const char *base_url, struct arena *arena, struct catalog *catalog,
                          struct err *err);

#endif
