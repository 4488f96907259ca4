/*
 * server.h - HTTP/1.1: bytes in, bytes out, and connections that wait.
 *
 * The server hands each complete request to one handler, on one of its own threads. The handler
 * never blocks. It either replies at once, or parks the exchange (http_park) and lets any other
 * thread finish it later with http_reply, or turns it into a stream (http_stream), or upgrades it to a
 * WebSocket (websocket.h).
 *
 * A parked exchange has one owner at a time: whoever takes it must finish it, exactly once, and does not
 * touch it afterwards. When the client of a watched one goes away, the `gone` callback runs once on the
 * exchange's HTTP thread; the owner still finishes the exchange (http_reply then only lets it go).
 *
 * Memory: what bodies hold while they are collected and until they are let go (http_slim, or the end of the
 * exchange), and what replies hold until they are sent or their client is gone, is taken from options.budget.
 * No room: a body is refused with 503; so is the reply to a GET. Replies to everything else are sent
 * whatever the budget says, since they tell what has been done.
 *
 * What this layer refuses by itself, as JSON and once: heads and chunks that are not plainly right (head.h,
 * chunked.h), bodies over the limit (before 100 Continue), addresses and heads that are too long, requests
 * that take too long. A reader that takes nothing for too long is cut off. It knows nothing of the domain.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/err.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_method { HTTP_GET, HTTP_POST, HTTP_PUT, HTTP_PATCH, HTTP_DELETE, HTTP_OPTIONS, HTTP_OTHER };

struct http_server;
struct http_exchange;

struct http_options {
    const char *listen;   /* "127.0.0.1:7117", "[::1]:0", "0.0.0.0:80"; port 0 picks a free one */
    int threads;          /* 0: one for each core, at most 8 */
    unsigned connections; /* 0: LIMIT_CONNECTIONS */
    int body_ms;          /* how long a whole request may take to arrive; 0: HTTP_BODY_S */
    int idle_ms;          /* how long a connection is kept without one; 0: HTTP_IDLE_S */
    int send_ms;          /* how long a reader may take nothing of what is sent; 0: HTTP_SEND_S */
    int linger_ms;        /* how long what comes after a refusal is thrown away; 0: HTTP_LINGER_MS */
    int heartbeat_ms;     /* between pings of a WebSocket; 0: HEARTBEAT_MS */
    void (*handle)(struct http_exchange *exchange, void *user);
    /* The largest body for this request, asked as soon as the head is there (0: LIMIT_BODY). */
    size_t (*body_limit)(enum http_method method, const char *path, void *user);
    /*
     * Asked once, when the head is there and a body follows that is larger than HTTP_BODY_ASK or of unknown
     * size: nothing of it has been read, nor 100 Continue sent. True: read it. False: it has parked the
     * exchange, and whoever looks into it calls http_read_body or, to refuse it, http_reply; what the client
     * still sends is then read and thrown away for a moment, so that it sees the reply, and the connection is
     * closed. NULL: every body is read.
     */
    bool (*before_body)(struct http_exchange *exchange, void *user);
    /*
     * How many connections this address may have at once (0: any number), asked as one is accepted; of IPv6
     * the first 64 bits count. One too many is told so (429) with its first request, for which it has little
     * time; from twice as many on they are closed unheard. May be NULL.
     */
    unsigned (*address_limit)(const struct sockaddr *peer, void *user);
    struct budget *budget; /* outlives the server; NULL: nothing is counted */
    /* Writes the JSON body of a refusal that this layer makes itself. */
    void (*refusal)(struct buf *body, int status, const char *code, const char *text);
    void *user;
    /* Called when an exchange is over, with what http_set_data left on it, on the exchange's HTTP thread. */
    void (*forget)(void *data);
};

struct http_server *http_open(const struct http_options *options, struct err *err);
int http_port(const struct http_server *server);
/*
 * Stops in order: no new connections; `closing` becomes true; every parked exchange's and stream's
 * `stop` callback runs so that its owner ends it with a last word; waits up to `grace_ms` until none is
 * left; then closes. Accepts NULL.
 */
void http_close(struct http_server *server, int grace_ms);
/* The first half of http_close: stop accepting, so that others can drain. */
void http_quiesce(struct http_server *server);

struct http_stats {
    unsigned connections, parked, streams, websockets;
    uint64_t accepted, refused, vanished;
    uint64_t crowded; /* connections that were one too many of their address */
};
void http_stats(const struct http_server *server, struct http_stats *stats);

/* What came in. Everything lives as long as the exchange. */
enum http_method http_method(const struct http_exchange *exchange); /* HEAD reads as GET */
const char *http_method_text(const struct http_exchange *exchange);
const char *http_path(const struct http_exchange *exchange);  /* still escaped, without the query */
const char *http_query(const struct http_exchange *exchange); /* raw, or "" */
const char *http_header(const struct http_exchange *exchange, const char *name); /* or NULL */
/* All lines of a header, joined by commas as they came, in the arena; NULL when there is none. */
const char *http_header_lines(const struct http_exchange *exchange, struct arena *arena, const char *name);
/* Whether there is a header whose name begins with this, in any case. */
bool http_has_header_like(const struct http_exchange *exchange, const char *prefix);
const char *http_body(const struct http_exchange *exchange, size_t *len);
bool http_peer_is_loopback(const struct http_exchange *exchange);
void http_peer_text(const struct http_exchange *exchange, char *text, size_t size);
const char *http_request_id(const struct http_exchange *exchange); /* ours, or a sane X-Request-Id */
struct http_server *http_server_of(const struct http_exchange *exchange);

/* The owner's own state; freed by options.forget. */
void http_set_data(struct http_exchange *exchange, void *data);

struct http_header_line {
    const char *name, *value;
};

/*
 * Answers. `body` is taken over (the buffer is empty afterwards); large JSON bodies are gzipped when the
 * client accepts it. Security headers and X-Request-Id are added here. `headers` ends with a NULL name, or
 * is NULL. May be called from the handler, or from any thread once parked.
 */
void http_reply(struct http_exchange *exchange, int status, const char *content_type,
                const struct http_header_line *headers, struct buf *body);

/*
 * The same with bytes that do not change and outlive the server: they are sent from where they are, however
 * many clients take their time to read them, and nothing is counted. `packed` is the same gzipped
 * (http_pack), for those who accept it, or NULL.
 */
struct http_fixed {
    const char *bytes, *packed;
    size_t len, packed_len;
};
void http_reply_fixed(struct http_exchange *exchange, int status, const char *content_type,
                      const struct http_header_line *headers, const struct http_fixed *fixed);
/* Gzips well and slowly, for http_fixed; NULL when that makes it no smaller. The caller frees. */
char *http_pack(const char *bytes, size_t len, size_t *packed_len);

/*
 * Keeps the exchange waiting, from within the handler: call it before handing the exchange to another thread.
 * After it the exchange belongs to whoever calls http_reply, http_stream or websocket_accept.
 */
void http_park(struct http_exchange *exchange);
/* Lets the body come after all: for an exchange that options.before_body has parked. From any thread. */
void http_read_body(struct http_exchange *exchange);
bool http_body_was_asked(const struct http_exchange *exchange); /* whether before_body was */
/*
 * Watches a parked exchange. When the client goes away, `gone(data of http_set_data)` runs once, on the
 * exchange's HTTP thread. When the server stops, `stop` runs instead, for the owner to end it. Both may be
 * NULL. http_reply ends the watch; a callback that has begun by then still has its data until it returns. To
 * be used for exchanges parked for long (waits), not for work of milliseconds.
 */
void http_watch(struct http_exchange *exchange, void (*gone)(void *data), void (*stop)(void *data));
/* Gives back the body and the room that the head does not need, so that a waiter is small; for a parked one's
 * owner. */
void http_slim(struct http_exchange *exchange);

/*
 * A reply without an end, as server-sent events are. `pull` runs on the exchange's HTTP thread: it copies
 * up to `room` bytes and returns how many; 0 means nothing now, -1 the end. After a 0 it is not called until
 * http_stream_wake (from any thread; a wake is never lost). A stream may be woken until its `gone` has
 * returned, and under a lock that its pull and gone take. All three run on the exchange's HTTP thread.
 */
struct http_stream_calls {
    ptrdiff_t (*pull)(void *data, char *into, size_t room);
    void (*gone)(void *data); /* the client went away, or the stream has ended: runs once, no pull after it */
    void (*stop)(void *data); /* the server stops: end soon (pull returns its last word, then -1) */
};
void http_stream(struct http_exchange *exchange, const char *content_type,
                 const struct http_header_line *headers, const struct http_stream_calls *calls, void *data);
void http_stream_wake(struct http_exchange *exchange);

#endif
