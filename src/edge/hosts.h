/*
 * hosts.h - under which names this server may be reached.
 *
 * A page on a foreign site can make a browser send requests to a server on loopback, and by DNS rebinding
 * even read the replies. The name in Host gives such a request away, and so does its Origin.
 *
 * Accepted in Host: loopback names and addresses, the host of server.public_url, and what
 * server.allowed_hosts lists. A server that listens beyond loopback is also known by any address: a browser
 * that was given an address cannot have been led astray by a name.
 */
#ifndef EDGE_HOSTS_H
#define EDGE_HOSTS_H

#include "base/err.h"

#include <stdatomic.h>
#include <stddef.h>

#define HOST_NAME_SIZE 256
#define HOSTS_MAX      32

struct authority {
    char name[HOST_NAME_SIZE]; /* lower case, without brackets and final dot */
    int port;                  /* 0: not given */
    bool is_address, is_loopback;
};

struct hosts {
    atomic_int port; /* filled in again when it was picked by the system */
    bool on_loopback;
    size_t count;
    struct authority allowed[HOSTS_MAX]; /* port 0: any */
};

/* `listen` is the address the server listens on, `port` the one it got. */
CHECKED bool hosts_init(struct hosts *hosts, const char *listen, int port, const char *public_url,
                        const char *allowed, struct err *err);
bool hosts_allow(const struct hosts *hosts, const char *host); /* NULL is not allowed */
/* Whether a page of that origin may send requests here: it is this server itself, or a host that is allowed.
 */
bool hosts_allow_origin(const struct hosts *hosts, const char *host, const char *origin);
bool hosts_parse(const char *text, struct authority *authority);

#endif
