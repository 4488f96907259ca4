/*
 * exchange.h - one kept-alive connection that sends a request and keeps the beginning of its reply, for modes
 * in which a request depends on the reply before.
 *
 * Owner: the mode; the connection lives in its epoll set. Thread: one.
 */
#ifndef BENCH_EXCHANGE_H
#define BENCH_EXCHANGE_H

#include "http_in.h"
#include "net.h"

#include <stdint.h>

#define EXCHANGE_BODY 8192

struct exchange {
    int fd;
    bool waiting; /* for a reply */
    uint64_t sent_at;
    struct http_in in;
    size_t body_len;
    char *body; /* the beginning of the reply, with a NUL once it is complete */
    void *owner;
};

/* Connects as the nth connection and joins the epoll set, with itself as the event's pointer. */
void exchange_open(struct exchange *exchange, int epoll, const struct target *target, size_t nth,
                   void *owner);
void exchange_close(struct exchange *exchange);

/* body NULL: a GET. */
void exchange_send(struct exchange *exchange, const char *host, const char *path, const char *body);

/* Reads what is there; true once the reply is complete. A lost connection ends the program. */
bool exchange_read(struct exchange *exchange);

/* Copies the text member of that name out of the reply, which must have it. */
void exchange_text(const struct exchange *exchange, const char *name, char *out, size_t room);

#endif
