/*
 * seal.h - what we hand to a client to be handed back, so that it comes back as it was.
 *
 * requestState of 2026-07-28: the client keeps it between two calls of one request. It is bound to who
 * called, to what was called and to a time, and authenticated with a key that is kept in the store, so that a
 * restart or another node opens it as well; one that was changed, is another's or too old is as none.
 */
#ifndef EDGE_MCP_SEAL_H
#define EDGE_MCP_SEAL_H

#include "db/store.h"

#include <stdbool.h>
#include <stdint.h>

#define SEAL_KEY_BYTES   32
#define SEAL_LIFETIME_MS (60 * 60 * 1000)

struct seal_key {
    unsigned char bytes[SEAL_KEY_BYTES];
};

/* The store's key, made by whoever starts first. False: it could be neither read nor kept. Blocks. */
CHECKED bool seal_load_key(struct store *store, struct seal_key *key, struct err *err);
/* One that nobody else has. */
void seal_make_key(struct seal_key *key);
/* `scope` says whose it is and what for; it is not in the text, but must be the same when it is opened. */
const char *seal_close(const struct seal_key *key, struct arena *arena, const char *scope, int64_t now_ms,
                       const char *content);
/* The content; NULL: it is not ours, not this one's, or too old. */
const char *seal_open(const struct seal_key *key, struct arena *arena, const char *scope, int64_t now_ms,
                      const char *text);

#endif
