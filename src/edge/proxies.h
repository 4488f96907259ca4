/*
 * proxies.h - which machines are believed when they say for whom they ask.
 *
 * Behind a reverse proxy every connection has the proxy's address. One that server.trusted_proxies names, by
 * address or network, is believed about the address it passes on: X-Forwarded-For is read from the right,
 * where the nearest proxy has written, and the first address that is not a trusted proxy's own is the
 * caller's. What stands further to the left anybody may have written. `Forwarded` (RFC 7239) is read the same
 * way where there is no X-Forwarded-For. Nobody else's headers are looked at.
 *
 * Thread: any, once parsed.
 */
#ifndef EDGE_PROXIES_H
#define EDGE_PROXIES_H

#include "base/err.h"

#include <netinet/in.h>
#include <stddef.h>

#define PROXIES_MAX 64

struct proxies {
    size_t count;
    struct trusted_network {
        unsigned char address[16]; /* IPv4 as IPv6 maps it */
        int bits;
    } networks[PROXIES_MAX];
};

/* "10.0.0.7, 192.168.0.0/16, ::1"; empty: nobody is trusted. */
CHECKED bool proxies_parse(const char *list, struct proxies *proxies, struct err *err);
bool proxies_trust(const struct proxies *proxies, const char *address);
/*
 * The address of whoever asked, of a connection from `peer` with these headers: all lines of a name joined by
 * commas, or NULL.
 */
void proxies_client(const struct proxies *proxies, const char *peer, const char *forwarded_for,
                    const char *forwarded, char client[static INET6_ADDRSTRLEN]);

#endif
