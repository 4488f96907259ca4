/*
 * token_use.h - remembers when a token was last used.
 *
 * Beside the request, not in it: reads do not write, and nobody waits for a note. A token's row is written
 * at most about once a minute, and a note that could not be made is not worth an error.
 *
 * Thread: any; never blocks.
 */
#ifndef OPS_TOKEN_USE_H
#define OPS_TOKEN_USE_H

#include "core/caller/caller.h"
#include "db/store.h"

/* Does nothing for callers that are no tokens. The caller's texts are copied. */
void token_use_note(struct store *store, const struct caller *caller, int64_t now_ms);

#endif
