/*
 * internal.h - what the files of src/http share: the server, its loops and their connections.
 *
 * A connection and the request it is busy with are one thing, struct http_exchange: HTTP/1.1 answers one
 * request after the other. It belongs to one loop, and only that loop's thread touches it. Two exceptions:
 * while it is parked its owner, on any thread, reads the request and writes the reply; and `mail` and
 * `next_mail` are guarded by the loop's lock, through which every other thread speaks to the loop.
 *
 * Nothing is counted: a closed connection is freed at the end of the loop's round, when no event, no mail and
 * no owner can name it any more.
 */
#ifndef HTTP_INTERNAL_H
#define HTTP_INTERNAL_H

#include "base/tally.h"
#include "http/chunked.h"
#include "http/head.h"
#include "http/server.h"

#include <pthread.h>
#include <stdatomic.h>

#define REQUEST_ID_SIZE 65 /* 64 characters and a NUL */
#define SERVER_THREADS  8
#define SCRATCH_BYTES   (64 * KB)
#define DATE_SIZE       96

struct websocket;

enum conn_state {
    CONN_HEAD,      /* a head is being read, or nothing has come yet */
    CONN_BODY,      /* its body is being read */
    CONN_HANDLING,  /* the handler runs */
    CONN_PARKED,    /* it belongs to its owner */
    CONN_FINISHED,  /* the handler has said what to send */
    CONN_REPLYING,  /* a reply is being sent */
    CONN_STREAMING, /* so is a stream, until its pull says -1 */
    CONN_ENDING,    /* the last bytes of a stream are being sent */
    CONN_WEBSOCKET,
    CONN_LINGERING, /* all is sent; what still comes is thrown away for a moment, so that the client reads it
                     */
};

/* What other threads ask of the loop; bits of http_exchange.mail. */
enum { MAIL_JOIN = 1, MAIL_WATCH = 2, MAIL_WAKE = 4, MAIL_READ = 8, MAIL_FINISH = 16 };

/* Each kind has one length of time, so each is a list in the order of time. */
enum timer_kind { TIMER_NONE, TIMER_REQUEST, TIMER_IDLE, TIMER_SEND, TIMER_LINGER, TIMER_BEAT, TIMER_KINDS };

/* What came in: there from the first byte of a request until it is answered. */
struct http_request {
    struct head head;
    struct chunked chunked;
    char *body; /* in `bytes`, or a block of its own when body_room says so */
    size_t body_len, body_room, body_limit;
    size_t used, len, room; /* of the bytes: read, there, and at most */
    bool asked;             /* options.before_body was */
    char id[REQUEST_ID_SIZE];
    char bytes[];
};

/* What goes out and has not gone yet. */
struct out {
    struct buf head;                /* or the bytes of a stream */
    char *body;                     /* ours to free */
    const struct http_fixed *fixed; /* outlives the server */
    const char *bytes;              /* the body that is sent, of either */
    size_t body_len, at;            /* how much has been sent, of head and body together */
};

struct http_exchange {
    struct loop *loop;
    struct http_exchange *prev, *next;     /* loop->all, or loop->dead by `next` */
    struct http_exchange *earlier, *later; /* of the same timer */
    struct http_exchange *next_again, *next_mail, *next_opened;
    int64_t due_ms;
    struct http_request *request;
    struct out out;
    void *data;
    struct http_stream_calls calls; /* gone and stop also serve watches */
    void *stream_data;
    struct websocket *websocket;  /* accepted */
    struct in6_addr peer;         /* a v4 address is a mapped one */
    unsigned char counted_as[16]; /* its key in server->addresses */
    size_t charged;               /* what it has of options.budget */
    int fd;
    int status; /* of the reply that was left here */
    int unsent; /* in the kernel when the send timer was set */
    unsigned char state, timer, method;
    unsigned char opened;      /* what of the mail this round has to do */
    unsigned char mail;        /* under loop->lock */
    bool readable, vanished;   /* what epoll has told */
    bool queued;               /* on loop->again */
    bool counted, crowded;     /* in server->addresses; one too many there */
    bool asking;               /* options.before_body has not decided yet */
    bool keep, linger, broken; /* how the connection goes on once the reply is out */
    bool head, gzip, packable; /* HEAD; the client takes gzip; the reply may be gzipped */
    bool streaming, in_chunks; /* a stream was left here; each piece says how long it is */
    bool watched;
};

struct timer_list {
    struct http_exchange *first, *last;
    int64_t ms;
};

struct loop {
    struct http_server *server;
    pthread_t thread;
    int epoll_fd, event_fd;
    int64_t now_ms, date_ms;
    struct http_exchange *all, *dead;
    struct http_exchange *again, **again_end; /* those with more to do than one turn */
    struct timer_list timers[TIMER_KINDS];
    struct http_request *spare;
    struct buf spare_head;
    bool running, stopping;
    char date[DATE_SIZE];
    char *scratch;

    pthread_mutex_t lock; /* never held across a callback */
    struct http_exchange *mail, **mail_end;
    bool asleep, ended;
};

struct http_server {
    struct http_options options;
    struct loop *loops;
    unsigned loop_count, next_loop;
    struct tally *addresses; /* connections of each; NULL without options.address_limit */
    int listen_fd, spare_fd, port;
    atomic_bool quiet, closing, cut;
    atomic_uint refs; /* http_close's own, and one for each abandoned exchange */
    atomic_uint connections, parked, streams, websockets;
    _Atomic uint64_t accepted, refused, vanished, crowded, request_number;
    uint32_t request_prefix;
};

/* server.c: gives back a reference; the last one frees. */
void server_drop(struct http_server *server);

/* listen.c: a listening, non-blocking socket for "address:port" or "[v6]:port", or -1. */
int listen_open(const char *address, int *port, struct err *err);
/* Takes the connections that wait and hands them out to the loops in turn. */
void listen_accept(struct http_server *server);

/* loop.c */
bool loop_open(struct loop *loop, struct http_server *server, struct err *err);
void loop_wake(struct loop *loop);
void loop_close(struct loop *loop);
/* From any thread. False: the loop has ended, and the exchange is the caller's to free. */
bool loop_post(struct http_exchange *conn, unsigned char mail);
/* Gives the connection another turn after the others have had theirs. */
void loop_again(struct http_exchange *conn);
void timer_set(struct http_exchange *conn, enum timer_kind kind);
void timer_clear(struct http_exchange *conn);

/* conn.c: on the loop's thread. */
extern const struct http_fault fault_stopping;
void conn_run(struct http_exchange *conn);
void conn_mail(struct http_exchange *conn, unsigned char mail);
void conn_expired(struct http_exchange *conn, enum timer_kind kind);
void conn_stop(struct http_exchange *conn);
/* Tells the owners, closes, and leaves the memory to the end of the round; a parked one's to its owner. */
void conn_close(struct http_exchange *conn);
/* The reply is out: goes on with the next request, or ends the connection. */
void conn_next(struct http_exchange *conn);
void conn_refuse(struct http_exchange *conn, const struct http_fault *fault);
/* The handler, or options.before_body, has returned: does what it has left to do. */
void conn_settle(struct http_exchange *conn);
/* Sends at once; what does not go is left in conn->out. */
void conn_send(struct http_exchange *conn, const char *bytes, size_t len);
/* True: all has been sent, or can never be (conn->broken). */
bool conn_flush(struct http_exchange *conn);

/* request.c: reads what there is; true when a whole message is there for the handler. */
bool request_read(struct http_exchange *conn);
/* Reads from the socket: bytes, 0 for its end, -1 when there is nothing now. */
ssize_t request_receive(struct http_exchange *conn, char *into, size_t room);
void request_free(struct http_exchange *conn);
/* Gives the request its id; there may be no request yet, only something to refuse. */
void request_name(struct http_exchange *conn);
/* Keeps what came behind the message, for the next one. False: there is nothing. */
bool request_keep_rest(struct http_exchange *conn);

/* Goes on with the body, whose head has been read. */
bool request_read_body(struct http_exchange *conn);

/* exchange.c */
/* Hands over what was left on the exchange, from the handler or parked. */
void exchange_finish(struct http_exchange *exchange);
/* The request has been answered: lets go of what it brought and of its owner's data. */
void exchange_reset(struct http_exchange *exchange);
void exchange_free(struct http_exchange *exchange);
/* Takes from options.budget for something that grows; false, and nothing is taken: no room. */
bool exchange_charge(struct http_exchange *exchange, size_t from, size_t to);
void exchange_release(struct http_exchange *exchange, size_t bytes);

/* reply.c */
/* The head up to what only the loop knows: lengths, encoding, the date, and whether the connection stays. */
void reply_begin(struct http_exchange *exchange, int status, const char *content_type,
                 const struct http_header_line *headers);
/* On the loop's thread: the rest of it. */
void reply_end(struct http_exchange *conn);
void reply_free(struct http_exchange *exchange);
void reply_write_refusal(struct http_server *server, struct buf *body, const struct http_fault *fault);

/* stream.c */
void stream_start(struct http_exchange *conn);
void stream_pump(struct http_exchange *conn);

/* websocket.c: on the loop's thread. */
void websocket_begin(struct http_exchange *conn);
void websocket_serve(struct http_exchange *conn);
void websocket_woken(struct http_exchange *conn);
void websocket_stop(struct http_exchange *conn);
void websocket_beat(struct http_exchange *conn);
/* Tells its owner and frees it, from any thread. */
void websocket_free(struct websocket *ws);

#endif
