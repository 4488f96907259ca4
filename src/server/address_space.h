/*
 * address_space.h - running where the address space is limited (ulimit -v, LimitAS=).
 *
 * The C library takes 64 MB of addresses for each thread that allocates, and 8 MB for each thread's stack,
 * most of which is never touched: a server that uses 25 MB of memory spans 750 MB. Where addresses are
 * limited, threads share one heap and get smaller stacks, which is slower and fits; and where even that does
 * not fit, the server says so when it is started, not when it is used.
 */
#ifndef SERVER_ADDRESS_SPACE_H
#define SERVER_ADDRESS_SPACE_H

#include "base/err.h"
#include "base/settings.h"

/* Before the first thread is made. False: there is not enough for a server. */
CHECKED bool address_space_fit(const struct settings *settings, struct err *err);

#endif
