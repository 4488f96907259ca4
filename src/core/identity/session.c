#include "core/identity/session.h"

#include "base/settings.h"
#include "core/caller/secret.h"

bool session_refuse(struct err *err)
{
    return err_set(err, ERR_UNAUTHORIZED, "The name or the password is wrong.");
}

bool session_create(struct db *db, struct arena *arena, const char *user_id, const char *password,
                    int64_t now_ms, struct session *session, struct err *err)
{
    struct session made = { .secret = secret_make(arena, SECRET_SESSION),
                            .expires_ms = now_ms + settings()->sessions_lifetime_ms };
    size_t changed;

    if (!db_exec(db, arena, SQL_SESSION_INSERT,
                 DB_ARGS(db_text(secret_hash(arena, made.secret)), db_text(user_id), db_text(password),
                         db_int(now_ms), db_int(made.expires_ms)),
                 &changed, err))
        return false;
    if (changed == 0)
        return session_refuse(err);
    *session = made;
    return true;
}

bool session_end(struct db *db, struct arena *arena, const char *hash, struct err *err)
{
    return db_exec(db, arena, SQL_SESSION_DELETE, DB_ARGS(db_text(hash)), NULL, err);
}

bool session_end_all(struct db *db, struct arena *arena, const char *user_id, const char *except_hash,
                     struct err *err)
{
    return db_exec(db, arena, SQL_SESSION_DELETE_OF_USER,
                   DB_ARGS(db_text(user_id), db_text(except_hash ? except_hash : "")), NULL, err);
}

bool session_prune(struct db *db, struct arena *arena, int64_t before_ms, size_t limit, size_t *pruned,
                   struct err *err)
{
    return db_exec(db, arena, SQL_SESSION_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned,
                   err);
}
