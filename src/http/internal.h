/*
 * internal.h - what the files of src/http share: the server, its connections and its exchanges.
 *
 * Locks: there is one, server->lock. It guards the list of connections, the armed watches and the list
 * of waiting exchanges. libmicrohttpd's callbacks take it, so it is never held across
 * MHD_resume_connection, MHD_upgrade_action or a callback of the layer above.
 *
 * Memory: a connection is freed by the watcher's thread, one round of its epoll after it was closed, so
 * that an event which is already in the watcher's hands never points at freed memory. An exchange is
 * counted: libmicrohttpd holds one reference until the request is over, the owner of a parked exchange
 * one until it replies, an armed watch one, and the watcher one while it runs a callback.
 */
#ifndef HTTP_INTERNAL_H
#define HTTP_INTERNAL_H

#include "base/tally.h"
#include "http/server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#define REQUEST_ID_SIZE 65 /* 64 characters and a NUL */
#define SERVER_THREADS  8

struct ws_hub;
struct websocket;

struct conn {
    struct http_server *server;
    struct conn *prev, *next;      /* server->conns, or server->dead by `next` */
    struct http_exchange *watched; /* the armed watch, with a reference */
    _Atomic int64_t cut_ms;        /* when the sweep cuts this connection off; 0: never */
    unsigned char address[16];     /* whose connections are counted together: see watch.c */
    int fd;
    bool counted, crowded; /* in server->addresses; one too many there */
    bool vanished;         /* the client went away, or at least will send no more */
};

/* Who may finish an exchange. */
enum holder { HOLDER_HANDLER, HOLDER_PARKED, HOLDER_NONE };

/* Whether a stream sleeps. A wake swaps in WOKEN; whoever finds ASLEEP in exchange resumes it. */
enum pulse { PULSE_AWAKE, PULSE_WOKEN, PULSE_ASLEEP };

/* A reply on its way from the thread that made it to the connection's own thread, in one block. */
struct packed_reply {
    int status;
    char *body;                     /* or, when it is not ours to free: */
    const struct http_fixed *fixed; /* which outlives the server */
    size_t len;
    const char *content_type;
    struct http_header_line headers[]; /* ends with a NULL name; the texts follow */
};

struct http_exchange {
    struct http_server *server;
    struct MHD_Connection *connection;
    struct conn *conn;
    struct http_exchange *prev, *next; /* server->waiting while `linked`; server->ended by `next` */
    void *data;
    const char *method_text;
    const char *raw_uri; /* as it stands in libmicrohttpd's memory, only to be compared with */
    const struct sockaddr *peer;
    char *query;
    char *body;
    size_t body_len, body_room, body_limit, body_expected;
    size_t charged;                 /* what it has of options.budget */
    struct packed_reply *reply;     /* set before the resume, taken on the connection's thread */
    struct MHD_Response *response;  /* the same, for streams and upgrades */
    struct http_stream_calls calls; /* gone and stop also serve watches */
    void *stream_data;
    struct websocket *websocket; /* accepted, and not upgraded yet */
    int response_status;
    atomic_uint refs;
    _Atomic unsigned char holder, pulse;
    atomic_bool gone;
    unsigned char method;
    bool linked, streaming, told_to_stop, cut, abandoned; /* under server->lock */
    bool begun, handled, refused, draining, upgraded, head, gzip;
    bool asked, asking, active,
        expects; /* before_body was; it has parked it; in server->active; 100-continue */
    bool lean;   /* a stream whose buffer has been given back to the kernel */
    char request_id[REQUEST_ID_SIZE];
    char uri[]; /* the path, cut at the '?' */
};

struct http_server {
    struct http_options options;
    struct MHD_Daemon *daemon;
    struct ws_hub *hub;
    pthread_mutex_t lock;
    struct conn *conns, *dead;
    struct http_exchange *waiting; /* parked exchanges and streams */
    struct http_exchange *ended;   /* upgraded exchanges that only await their last unref */
    pthread_t watcher;
    int epoll_fd, event_fd, listen_fd, port;
    bool watching;
    atomic_bool quiet, closing, stop_round, late_watch, watcher_stops;
    atomic_uint refs; /* http_close's own, and one for each abandoned exchange */
    atomic_uint connections, parked, streams, websockets, active;
    struct tally *addresses; /* connections of each; NULL without options.address_limit */
    _Atomic uint64_t accepted, refused, vanished, crowded, request_number;
    uint32_t request_prefix;
    int64_t body_ms, idle_ms;
};

/* server.c: gives back a reference; the last one frees. */
void server_drop(struct http_server *server);

/* request.c: libmicrohttpd's callbacks for one request. */
void *request_begin(void *server, const char *uri, struct MHD_Connection *connection);
enum MHD_Result request_call(void *server, struct MHD_Connection *connection, const char *url,
                             const char *method, const char *version, const char *upload, size_t *upload_len,
                             void **exchange);
void request_end(void *server, struct MHD_Connection *connection, void **exchange,
                 enum MHD_RequestTerminationCode how);
/* Reads what is left of an upload and throws it away, for a moment: the refusal is already on its way. */
void request_drain(struct http_exchange *exchange);

/* exchange.c */
/* Takes what grows from `from` to `to` bytes from the budget, until it is released or the exchange ends. */
bool exchange_charge(struct http_exchange *exchange, size_t from, size_t to);
void exchange_release(struct http_exchange *exchange, size_t bytes);
/* Counts as work that http_close waits for, or not any more. */
void exchange_activate(struct http_exchange *exchange, bool active);
void exchange_hold(struct http_exchange *exchange);
void exchange_drop(struct http_exchange *exchange);
/* Puts a parked exchange or a stream on the server's list of those to be told when it stops. */
void exchange_link(struct http_exchange *exchange);
/* Hands a ready response (a stream or an upgrade) to the connection, from the handler or parked. */
void exchange_finish(struct http_exchange *exchange, int status, struct MHD_Response *response);
/* Takes a parked exchange away from an owner that did not come back, and ends it without a reply. */
bool exchange_abandon(struct http_exchange *exchange);

/* reply.c */
enum MHD_Result reply_now(struct http_exchange *exchange, int status, const char *content_type,
                          const struct http_header_line *headers, char *body, size_t len);
enum MHD_Result reply_fixed(struct http_exchange *exchange, int status, const char *content_type,
                            const struct http_header_line *headers, const struct http_fixed *fixed);
enum MHD_Result reply_packed(struct http_exchange *exchange);
enum MHD_Result reply_refuse(struct http_exchange *exchange, int status, const char *code, const char *text);
void reply_write_refusal(struct http_exchange *exchange, struct buf *body, int status, const char *code,
                         const char *text);
/* The packed reply, for one whose body is not read: straight to the socket if the body is on its way. */
enum MHD_Result reply_unread(struct http_exchange *exchange);
/* Writes a refusal straight to the socket, in the middle of an upload where libmicrohttpd takes no reply. */
void reply_cut_off(struct http_exchange *exchange, int status, const char *code, const char *text);
void reply_add_headers(struct http_exchange *exchange, struct MHD_Response *response,
                       const char *content_type, const struct http_header_line *headers);

/* stream.c: wakes a stream for good; its next pull ends it. */
void stream_cut(struct http_exchange *exchange);

/* watch.c: the thread that sees clients go, cuts off slow ones and tells waiters that the server stops. */
bool watch_open(struct http_server *server, struct err *err);
void watch_close(struct http_server *server);
void watch_nudge(struct http_server *server);
void watch_connection(void *server, struct MHD_Connection *connection, void **context,
                      enum MHD_ConnectionNotificationCode what);
void watch_arm(struct http_exchange *exchange);
bool watch_disarm(struct http_exchange *exchange);

/* listen.c: a listening, non-blocking socket for "address:port" or "[v6]:port", or -1. */
int listen_open(const char *address, int *port, struct err *err);

/* websocket.c */
/* Ends one whose connection broke before it was upgraded. */
void websocket_discard(struct websocket *ws);
struct ws_hub *ws_hub_open(struct http_server *server, struct err *err);
/* Tells every WebSocket that the server stops; later ones are told as they open. */
void ws_hub_stop(struct ws_hub *hub);
/* Drops what is left and ends the thread. Accepts NULL. */
void ws_hub_close(struct ws_hub *hub);

#endif
