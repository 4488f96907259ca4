/*
 * outlet.h - where the answer to one request goes: a JSON reply, or a stream of messages that ends with it.
 *
 * It begins as an exchange that waits for its reply. outlet_open turns it into a stream of server-sent
 * events, in which notifications, requests of our own and at last the answer are sent; a client that goes
 * away is noticed there. A client that takes no such stream gets its answer as JSON all the same, with the
 * headers at once and blanks before it while it waits. One thread, the ticker, wakes those that asked for a
 * moment: for progress, heartbeats, and the steps of what takes time.
 *
 * An outlet is held by its call until that has answered, and as a stream by the HTTP server until it is gone;
 * it is freed with its last holder, outside the lock. Everything about streams happens under the one lock of
 * `outlets`. Under it the HTTP server's is taken for a moment, to wake a stream, and that of the waits never
 * is: a wait is left or hurried before.
 */
#ifndef EDGE_MCP_OUTLET_H
#define EDGE_MCP_OUTLET_H

#include "edge/mcp/peer.h"
#include "edge/recheck.h"
#include "edge/wait.h"
#include "engine/poke.h"
#include "http/server.h"

struct outlet;

/* What a stream holds for a client that does not read: above it the stream ends. */
#define OUTLET_PENDING_MOST ((size_t)64 * 1024)

struct outlets {
    struct store *store;
    pthread_mutex_t lock;
    struct outlet *open; /* streams */
    struct poke poke;
    pthread_t ticker;
};

struct outlet {
    struct outlets *outlets;
    struct http_exchange *exchange;
    char *id;       /* of the request, as JSON; NULL: a stream that answers none */
    char *progress; /* its progress token, as JSON, or NULL */
    enum mcp_era era;
    uint64_t session;
    uint64_t owner; /* who opened the stream; nobody else can cancel it or answer what it asks */
    unsigned holders;
    struct outlet *prev, *next;
    struct buf pending;
    size_t sent;
    bool streaming, gone, ended;
    bool only_json;    /* the client takes no stream of events: nothing but the answer can be sent */
    bool cancelled;    /* nobody wants the answer any more: the stream ends without it */
    struct wait *wait; /* or NULL; goes with the outlet */
    struct hold hold;
    int64_t due_ms;                      /* when to tick; 0: never */
    void (*tick)(struct outlet *outlet); /* under the lock: only outlet_put, outlet_end_locked and due_ms */
    const struct recheck_one *rights;    /* asked for with each tick: without them it ends; or NULL */
    void (*stop)(struct outlet *outlet); /* the server stops; under the lock, likewise */
    int step;
    char *asked; /* the id of a request of ours that waits for its response, or NULL */
    void (*told)(struct outlet *outlet, const json_t *result); /* under the lock; NULL: it was refused */
    void *to_do;                           /* what `told` left to be done without the lock, or NULL */
    void *data;                            /* of whoever keeps it open */
    void (*forget)(struct outlet *outlet); /* frees that, or NULL */
};

void outlets_open(struct outlets *outlets, struct store *store);
void outlets_close(struct outlets *outlets);

/* `id` and `progress` are JSON and are copied. Held by the caller. */
struct outlet *outlet_new(struct outlets *outlets, struct http_exchange *exchange, const char *id,
                          const char *progress);
/* Whole messages. The answer ends the outlet for its caller, who does not touch it afterwards. */
void outlet_answer(struct outlet *outlet, int status, const struct http_header_line *headers,
                   struct buf *message);
/* Nobody is to be answered: lets it go. */
void outlet_drop(struct outlet *outlet);

/* Turns a parked or handled exchange into a stream, which ticks for the first time after `tick_ms`. For
 * call_stream, which knows whose it is. */
void outlet_open(struct outlet *outlet, int64_t tick_ms);
/* A message on a stream. */
void outlet_send(struct outlet *outlet, const char *message, size_t len);

/* Under the lock, or before it is open. */
void outlet_put(struct outlet *outlet, const char *message, size_t len);
void outlet_end_locked(struct outlet *outlet); /* after its last message; ends the call's hold */
/* Before it is open: whoever loses the stream may send the same request again, and nothing is done twice. */
void outlet_may_be_repeated(struct outlet *outlet);
/* A word without a message, so that nobody takes the connection for dead. */
void outlet_comment(struct outlet *outlet);
/* A request of ours, with a fresh id; the answer comes to `told`. Params are JSON. Not for only_json. */
void outlet_ask(struct outlet *outlet, const char *method, const char *params,
                void (*told)(struct outlet *outlet, const json_t *result));
/* notifications/progress, to those who gave a token. */
void outlet_progress(struct outlet *outlet, double done, double total, const char *text);

/* Takes back a request of ours that waits for its response, if there is one. */
void outlet_withdraw(struct outlet *outlet);

/* Who sends a word that is about a stream, and in which session. */
struct outlet_sender {
    uint64_t session, owner;
};

/* A response of a client to a request of ours on its own stream. Returns what `told` left to be done, or
 * NULL.
 */
void *outlets_told(struct outlets *outlets, struct outlet_sender from, const char *id, const json_t *result);
/* notifications/cancelled of this session, by whoever made the request: it is answered no more. */
void outlets_cancel(struct outlets *outlets, struct outlet_sender from, const char *id);

#endif
