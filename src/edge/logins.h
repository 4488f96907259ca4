/*
 * logins.h - how often somebody may try a password.
 *
 * Three kinds of buckets, each for limits.login_rate tries a minute:
 *
 *   address   each address, IPv6 by /64
 *   own       what only one person has: the cookie of a browser in which the account was logged in before,
 *             or the login of somebody who changes their password; it stands in for the address
 *   account   each account, for tries from addresses where it was never logged in: in eight shares, of which
 *             an address has one. A stranger with one address uses up one share, not the account; one with
 *             very many keeps out those alone who come from a new place with a new browser, while it lasts.
 *
 * A name that nobody has is counted as any other.
 *
 * Thread: any.
 */
#ifndef EDGE_LOGINS_H
#define EDGE_LOGINS_H

#include "base/err.h"
#include "ops/op.h"

struct logins;

struct logins *logins_new(void);
void logins_free(struct logins *logins); /* accepts NULL */
/* ERR_RATE_LIMITED when it is too often. */
CHECKED bool logins_admit(struct logins *logins, const struct login_try *tried, const char *remote,
                          int64_t now_us, struct err *err);

#endif
