/*
 * place.h - where an account has been logged in from.
 *
 * A place is a browser, known by a cookie that it keeps for long, or the network of an address. Strangers who
 * try somebody's password use up the tries of that account; whoever comes from a place where the account was
 * logged in before has tries of their own, so that nobody can be locked out by strangers. A place proves
 * nothing else: the password is needed all the same. Only hashes are kept.
 */
#ifndef CORE_IDENTITY_PLACE_H
#define CORE_IDENTITY_PLACE_H

#include "core/caller/tx.h"

#define SECRET_DEVICE "witand_"

struct place {
    const char *remote; /* the address, or NULL */
    const char *device; /* the secret of the browser's cookie, or NULL */
    bool known_address, known_device;
    bool ours; /* the browser's secret is one that was given to it, for whatever account */
};

/* Fills in what is known. The user NULL: nothing is, at the same cost. */
CHECKED bool place_look(const struct tx *tx, const char *user_id, struct place *place);
/* After a login. Remembers LIMIT_PLACES of each user, the latest. */
CHECKED bool place_remember(const struct tx *tx, const char *user_id, const struct place *place);
/* Forgets places not seen since `before_ms`, at most `limit`. */
CHECKED bool place_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned);

#endif
