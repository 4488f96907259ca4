/*
 * internal.h - what llm.c (requests), errand.c (attempts) and verdict.c (what came of one) share.
 *
 * An errand is one request from llm_start to its `done`. All of it is the loop's thread's once it is posted.
 */
#ifndef LLM_INTERNAL_H
#define LLM_INTERNAL_H

#include "llm/draft.h"
#include "llm/lanes.h"
#include "llm/llm.h"
#include "llm/provider.h"
#include "net/ndjson.h"
#include "net/sse.h"

#include <pthread.h>
#include <stdatomic.h>

struct llm {
    struct net *net;
    struct lanes *lanes;
    struct lane_client client; /* for requests that come without a place */
    struct errand *errands;
    bool closing;
    struct net_task close_task, start_task;
    atomic_bool start_posted;

    pthread_mutex_t lock; /* guards `open` and `refusing` */
    pthread_cond_t empty;
    uint64_t open; /* errands that were taken and are not done */
    uint64_t last_id;
    bool refusing;
};

/* How the body of a reply is read; it depends on what comes first. */
enum reading { READ_NOTHING, READ_EVENTS, READ_LINES, READ_WHOLE, READ_ERROR };

struct errand {
    struct lane_place place; /* first: the lanes hand it back; nowhere where the caller has one */
    struct llm *llm;
    struct errand *next, **link; /* in llm->errands */
    uint64_t id;
    bool has_place; /* of the caller's */
    struct net_task task;
    struct timer timer; /* the pause before another attempt, or before the next word of a script */

    struct arena arena;
    struct llm_model model;
    const struct provider *provider;
    struct llm_callbacks callbacks;
    const char *key; /* or NULL */
    const char *url;
    const char *server; /* "server of "NAME"", for sentences */
    const char *host;   /* which stands in none of them */
    const char *const *headers;
    struct buf body;
    bool stops_sent, once;
    int64_t again_ms;
    const char *line;  /* of a script: what is still to be said */
    const char *calls; /* of a script: the tools it calls then, or NULL */

    struct draft draft;
    int attempts, adapted;
    int64_t began_ms; /* when it first left the queue; 0: not yet */
    int64_t first_ms; /* when the first text came; 0: none has */

    /* Of the attempt under way. */
    struct net_call *call;
    enum reading reading;
    struct sse sse;
    struct ndjson ndjson;
    struct buf rest; /* an error, or a reply that comes as a whole */
    int status;
};

/* Asks the provider; errand_ended follows, perhaps before this returns. */
void errand_ask(struct errand *errand);
/* Closes its connection if there is one; errand_ended follows, perhaps before this returns. */
void errand_cancel(struct errand *errand);
/* llm.c: the attempt is over; draft.kind says how. Tries again later, or reports and frees the errand. */
void errand_ended(struct errand *errand, int64_t retry_after_ms);
void errand_free(struct errand *errand);

/* verdict.c: fills draft.kind and words from how the call ended. */
void verdict(struct errand *errand, struct net_call *call, enum net_end end, const char *why);
/* Whether the request was changed so that a server which refused it may take it. */
bool verdict_adapt(struct errand *errand);
/* Takes apart one event, for the stream and for replies that come as a whole. */
bool errand_take_event(struct errand *errand, const char *text, size_t len);

#endif
