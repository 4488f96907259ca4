/*
 * net.h - sockets of the load generator.
 *
 * Connections leave from 127.0.0.1, .2, .3 ... when the target is loopback, 20,000 from each, because one
 * source address has only some 28,000 ports towards one server.
 *
 * Thread: any.
 */
#ifndef BENCH_NET_H
#define BENCH_NET_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

struct target {
    struct sockaddr_in address;
    char host[64]; /* as it stands in the Host header */
};

/* "127.0.0.1:7117" or dies. */
void target_parse(struct target *target, const char *text);

/* A connected socket for the n-th connection, or dies; non-blocking once connected if asked. */
int net_connect(const struct target *target, size_t nth, bool blocking);

/* All of it, waiting where needed; false when the peer is gone. */
bool net_send(int fd, const char *data, size_t len);

/* The end of a client that crashed: the peer gets a reset instead of a polite close. */
void net_reset(int fd);

#endif
