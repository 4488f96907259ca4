#include "core/identity/ticket.h"

#include "base/settings.h"
#include "core/caller/secret.h"

bool ticket_create(const struct tx *tx, struct ticket *ticket)
{
    struct ticket made = { .secret = secret_make(tx->arena, SECRET_TICKET),
                           .expires_ms = tx->now_ms + settings()->tickets_lifetime_ms };

    if (!tx_exec(tx, SQL_TICKET_INSERT,
                 DB_ARGS(db_text(secret_hash(tx->arena, made.secret)), db_text(tx->caller->credential),
                         db_text(tx->caller->workspace_id), db_int(made.expires_ms)),
                 NULL))
        return false;
    *ticket = made;
    return true;
}

bool ticket_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned)
{
    return tx_exec(tx, SQL_TICKET_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned);
}
