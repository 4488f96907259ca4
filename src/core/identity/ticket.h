/*
 * ticket.h - a short-lived stand-in for a credential.
 *
 * Browsers cannot send an Authorization header with a WebSocket or an event stream, and a token in a URL ends
 * up in logs. A ticket may: it is good for a minute, for streams only, in one workspace, and dies with the
 * credential it stands for.
 */
#ifndef CORE_IDENTITY_TICKET_H
#define CORE_IDENTITY_TICKET_H

#include "core/caller/caller.h"
#include "core/caller/tx.h"

struct ticket {
    const char *secret;
    int64_t expires_ms;
};

CHECKED bool ticket_create(const struct tx *tx, struct ticket *ticket);
/* Forgets tickets that expired before `before_ms`, at most `limit`. */
CHECKED bool ticket_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned);

#endif
