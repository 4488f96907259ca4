#include "core/identity/ticket.h"

#include "base/settings.h"
#include "core/caller/secret.h"

bool ticket_create(struct db *db, struct arena *arena, const struct caller *caller, int64_t now_ms,
                   struct ticket *ticket, struct err *err)
{
    struct ticket made = { .secret = secret_make(arena, SECRET_TICKET),
                           .expires_ms = now_ms + settings()->tickets_lifetime_ms };

    if (!db_exec(db, arena, SQL_TICKET_INSERT,
                 DB_ARGS(db_text(secret_hash(arena, made.secret)), db_text(caller->credential),
                         db_text(caller->workspace_id), db_int(made.expires_ms)),
                 NULL, err))
        return false;
    *ticket = made;
    return true;
}

bool ticket_prune(struct db *db, struct arena *arena, int64_t before_ms, size_t limit, size_t *pruned,
                  struct err *err)
{
    return db_exec(db, arena, SQL_TICKET_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned,
                   err);
}
