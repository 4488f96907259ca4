/*
 * callerkey.h - tells callers apart before anybody has looked up who they are.
 *
 * What is shared out fairly, such as the store's threads (db/queue.h), goes by this: the hash of what a
 * request shows for itself, or of its address where it shows nothing. Two requests with the same credential
 * have the same key; the key of the process is random, so nobody can aim at another one's.
 *
 * Thread: any.
 */
#ifndef EDGE_CALLERKEY_H
#define EDGE_CALLERKEY_H

#include <stddef.h>
#include <stdint.h>

/* Never 0, which stands for the server itself. */
uint64_t callerkey(const char *bytes, size_t len);

#endif
