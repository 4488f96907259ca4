/*
 * idempotency.h - a request that is repeated is done once.
 *
 * The key is claimed first, in the operation's own transaction, so that of two identical requests at once the
 * second waits for the first and then finds its reply. Failed operations undo their claim; replies that held
 * a secret are not kept, and a repeat of such a request is a conflict.
 *
 * A key is kept for settings()->idempotency_lifetime_ms. One under which a question or a prompt was asked is
 * kept as long as that is open, and for that time after its end: an agent that was restarted asks with the
 * same key and waits for the same answer.
 */
#ifndef CORE_LOG_IDEMPOTENCY_H
#define CORE_LOG_IDEMPOTENCY_H

#include "core/caller/caller.h"
#include "core/caller/tx.h"

struct idempotency {
    const char *workspace_id, *caller, *operation, *key;
    const char *body_hash;
    bool while_open;                     /* the key counts no longer than what was asked under it is open */
    const char *question_id, *prompt_id; /* what was asked under it, or NULL; known when the reply is kept */
};

struct idempotency_reply {
    bool found; /* this was done before: here is what it answered */
    int status;
    const char *body;
};

/* Claims the key, or finds the first reply. Another body under the same key is ERR_CONFLICT. */
CHECKED bool idempotency_claim(const struct tx *tx, const struct idempotency *claim,
                               struct idempotency_reply *reply);
/* Keeps the reply; a NULL body says that it held a secret. */
CHECKED bool idempotency_keep(const struct tx *tx, const struct idempotency *claim, int status,
                              const char *body);
/*
 * Of the oldest `limit` claims that have outlived their lifetime, forgets those that nothing open needs, and
 * says how many; when all of them are needed, how many these were, since there may be others behind them.
 */
CHECKED bool idempotency_prune(const struct tx *tx, size_t limit, size_t *pruned);
/* The hash of what makes two requests the same: the body and the values in the path. */
const char *idempotency_hash(struct arena *arena, const void *body, size_t len, const char *path_values);

#endif
