/*
 * mention.h - @Name in a message calls that agent.
 *
 * A name is letters and digits of any script, with '-' and '_' inside. It is no mention when it is part of
 * an address (somebody@example.org), and none inside `code`. Whoever is mentioned gets a notification, at
 * most LIMIT_MENTIONS of them for one message and never the author; a prompt that mentions an agent stands
 * first in that agent's list while it is open.
 *
 * Messages written by other programs wait in a queue that a trigger fills; mention_sweep empties it.
 */
#ifndef CORE_CHAT_MENTION_H
#define CORE_CHAT_MENTION_H

#include "base/limits.h"
#include "core/caller/tx.h"
#include "core/inbox/notification.h"

struct mention {
    const char *name; /* as written */
    const char *key;  /* folded */
};

/* Finds each name once, in order. Never more than LIMIT_MENTIONS. */
size_t mention_find(struct arena *arena, const char *text, struct mention found[static LIMIT_MENTIONS]);

/* From mention_source.noun. */
#include "gen/nouns/mention_source.h"

CHECKED bool mention_tell(const struct tx *tx, const struct mention_source *source);

/* Tells of up to `limit` messages of other programs; says how many were in the queue. */
CHECKED bool mention_sweep(const struct tx *tx, size_t limit, size_t *swept);
CHECKED bool mention_waiting(const struct tx *tx, bool *waiting);

#endif
