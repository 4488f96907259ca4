/*
 * refold.h - keys of names, made anew when the rules by which they are made have changed.
 *
 * A store says by which rules its keys were made (str_fold_version: ours, and the version of Unicode). A
 * server, or `witan migrate`, that has others makes all of them anew, in one transaction, before it begins:
 * those of users and agents, of inboxes, mentions, open turns and voices; and what has words that are not
 * ASCII is taken into the search again.
 *
 * Names that were two before may come to be one. Nobody is merged and nobody is locked out: who has the key
 * keeps it, or else the older gets it; the other one has a key by which it is found as it was before, in
 * exactly its letters but for large and small ones of ASCII (str_fold_apart). refold_apart names them. Each
 * start looks whether the key has become free.
 *
 * Agents that other programs write are folded by refold_sweep, a moment after.
 */
#ifndef CORE_UPKEEP_REFOLD_H
#define CORE_UPKEEP_REFOLD_H

#include "core/caller/tx.h"

/* In a transaction of its own; says how many keys are others now. */
CHECKED bool refold_store(struct db *db, struct arena *arena, size_t *changed, struct err *err);
/* Whose names are also others', as "agent Zoe, user Anna"; NULL: nobody's. */
CHECKED bool refold_apart(const struct tx *tx, const char **names);

CHECKED bool refold_sweep(const struct tx *tx, size_t limit, size_t *swept);
CHECKED bool refold_waiting(const struct tx *tx, bool *waiting);

#endif
