/*
 * callerkey.h - numbers that tell callers apart.
 *
 * Things that are shared out fairly, such as the store's threads (db/queue.h), go by such a number: that of
 * the token or user, once a request's credential is known to be theirs (edge/known.h), and that of its
 * address until then. The key of the hash is the process's and random, so nobody can aim at another one's.
 *
 * Thread: any.
 */
#ifndef EDGE_CALLERKEY_H
#define EDGE_CALLERKEY_H

#include "core/caller/caller.h"

#include <stddef.h>
#include <stdint.h>

/* Never 0, which stands for the server itself. */
uint64_t callerkey(const char *bytes, size_t len);
/* Of a caller that has been found: the token, whichever of its secrets was shown, the user, or the link. */
uint64_t callerkey_of(const struct caller *caller);
/* Of somebody at this address; IPv6 by /64. */
uint64_t callerkey_at(const char *remote);

#endif
