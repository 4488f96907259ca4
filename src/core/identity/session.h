/*
 * session.h - a login that lasts.
 *
 * The cookie holds the secret, the row its hash. Sessions end by logging out, when they expire, and when the
 * user's password changes or the user is disabled.
 */
#ifndef CORE_IDENTITY_SESSION_H
#define CORE_IDENTITY_SESSION_H

#include "core/caller/tx.h"

struct session {
    const char *secret; /* for the cookie; stored nowhere */
    int64_t expires_ms;
};

/* `password` is the stored hash that was checked: if it has changed since, ERR_UNAUTHORIZED. */
CHECKED bool session_create(const struct tx *tx, const char *user_id, const char *password,
                            struct session *session);
CHECKED bool session_end(const struct tx *tx, const char *hash);
/* Ends all of a user's but the one with this hash (NULL: all). */
CHECKED bool session_end_all(const struct tx *tx, const char *user_id, const char *except_hash);
/* Forgets sessions that expired before `before_ms`, at most `limit`. */
CHECKED bool session_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned);

/* The same words whether the name or the password was wrong. */
bool session_refuse(struct err *err);

#endif
