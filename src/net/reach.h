/*
 * reach.h - whose address that is: which ones a policy lets a call connect to.
 *
 * Addresses are judged, not names: a name can lead anywhere, and elsewhere a moment later.
 *
 * Thread: any.
 */
#ifndef NET_REACH_H
#define NET_REACH_H

#include "net/net.h"

#include <sys/socket.h>

/*
 * Public: only what is routed in the internet. Own: this machine and private networks too, but never
 * link-local addresses (where clouds keep the machine's own secrets), multicast or broadcast. Here: this
 * machine alone.
 */
bool reach_allows(enum net_reach reach, const struct sockaddr *address);
/* The same for an address as text; one that cannot be read is not allowed. */
bool reach_allows_text(enum net_reach reach, const char *address);

#endif
