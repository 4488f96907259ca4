/*
 * The insert itself checks that the password's hash is still the one that was verified: it may have been
 * changed, or the user disabled, while the slow hash was being computed.
 */
#include "core/identity/session.h"

#include "base/settings.h"
#include "core/caller/secret.h"

bool session_refuse(struct err *err)
{
    return err_set(err, ERR_UNAUTHORIZED, "The name or the password is wrong.");
}

bool session_create(const struct tx *tx, const char *user_id, const char *password, struct session *session)
{
    struct session made = { .secret = secret_make(tx->arena, SECRET_SESSION),
                            .expires_ms = tx->now_ms + settings()->sessions_lifetime_ms };
    size_t changed;

    if (!tx_exec(tx, SQL_SESSION_INSERT,
                 DB_ARGS(db_text(secret_hash(tx->arena, made.secret)), db_text(user_id), db_text(password),
                         db_int(tx->now_ms), db_int(made.expires_ms)),
                 &changed))
        return false;
    if (changed == 0)
        return session_refuse(tx->err);
    *session = made;
    return true;
}

bool session_end(const struct tx *tx, const char *hash)
{
    return tx_exec(tx, SQL_SESSION_DELETE, DB_ARGS(db_text(hash)), NULL);
}

bool session_end_all(const struct tx *tx, const char *user_id, const char *except_hash)
{
    return tx_exec(tx, SQL_SESSION_DELETE_OF_USER,
                   DB_ARGS(db_text(user_id), db_text(except_hash ? except_hash : "")), NULL);
}

bool session_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned)
{
    return tx_exec(tx, SQL_SESSION_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned);
}
