/*
 * catalog.h - which models a server on this machine has, and how it is spoken to.
 *
 * A look is one request or two, and gives up within seconds: such a server is on the same machine or next to
 * it. Ollama lists its models at /api/tags; LM Studio, vLLM, llama-server and others do at /v1/models, as
 * OpenAI does. What answers otherwise is no server of models, and nothing of its answer is kept.
 */
#ifndef LLM_CATALOG_H
#define LLM_CATALOG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "llm/local.h"
#include "net/net.h"

#include <jansson.h>

struct catalog {
    enum llm_provider provider; /* how it is spoken to */
    const char *base_url;
    const char **names; /* in the arena */
    size_t count;
    const char *speaker; /* the first that can speak, and is not there for embeddings only; or NULL */
};

struct catalog_look {
    struct net *net;
    struct local_place place;
    /* The look is over; it may be begun again from in here. */
    void (*done)(struct catalog_look *look);
    void *user;
    /* Its own. */
    enum llm_provider asked; /* as whom */
    char *url;
    struct net_call *call; /* NULL: it is over */
    struct buf body;
    json_t *models; /* NULL: none were listed */
    struct err err; /* ERR_NONE: they were */
    bool stranger;  /* somebody else answers, and will the next time */
};

/* On the loop's thread; `done` follows, perhaps before this returns. */
void catalog_look(struct catalog_look *look);
/* What was found. False: nobody answers there, or it is no server of models. */
CHECKED bool catalog_found(const struct catalog_look *look, struct arena *arena, struct catalog *catalog,
                           struct err *err);
/* Gives back what a look holds, once it is over. */
void catalog_look_done(struct catalog_look *look);

/* Looks and waits. Not on the loop's thread. */
CHECKED bool catalog_read(struct net *net, const struct local_place *place, struct arena *arena,
                          struct catalog *catalog, struct err *err);
/* One of them as a model that an agent speaks with. */
void catalog_model(const struct catalog *catalog, struct arena *arena, const char *name,
                   struct llm_model *model);

#endif
