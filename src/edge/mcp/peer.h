/*
 * peer.h - who the client is: what it said in initialize, or says with each request.
 *
 * Up to 2025-11-25 a client introduces itself once. What it said is the session id itself, so that the server
 * keeps nothing: a restart, or another node, ends no session. It gives no rights; those come from the
 * credentials of each request. But it holds a mark of who began it, and nobody else can listen to it, change
 * what it follows, or end it. Only that a session was ended is remembered, for those that end last.
 * From 2026-07-28 on each request says it anew, in _meta.
 */
#ifndef EDGE_MCP_PEER_H
#define EDGE_MCP_PEER_H

#include "core/caller/caller.h"
#include "edge/mcp/rpc.h"
#include "edge/mcp/seal.h"

#include <pthread.h>
#include <stdint.h>

enum mcp_era { MCP_HANDSHAKE, MCP_STATELESS };

/* What a client can do for the server. */
enum { CAN_ELICIT = 1, CAN_SAMPLE = 2, CAN_ROOTS = 4, CAN_TASKS = 8 };

struct peer {
    enum mcp_era era;
    const char *version; /* of the protocol; static */
    const char *name;    /* fit to be an agent's name */
    unsigned can;
    uint64_t session;  /* tells sessions apart; 0: none */
    const char *nonce; /* of the session, with its mark; NULL: none */
    bool wants_log;    /* 2026-07-28: only those who ask in the request get log messages */
};

/* The versions that are served, newest first; ends with NULL. */
extern const char *const mcp_versions[];
/* The version as one of the static texts above; NULL: not served. */
const char *mcp_version_known(const char *version);

/* What initialize's params, or _meta, say about the client; the texts are put into the arena. */
void peer_read(struct arena *arena, const json_t *info, const json_t *capabilities, struct peer *client);

/* Sessions that were ended, the last SESSIONS_ENDED of them. */
#define SESSIONS_ENDED 1024
struct ended_sessions {
    pthread_mutex_t lock;
    uint64_t ids[SESSIONS_ENDED];
    size_t next;
};

/* A new id for this client, which is the caller's. */
const char *peer_new_session(const struct seal_key *key, struct arena *arena, const struct peer *client,
                             const struct caller *caller);
/* False: it is none of ours, or was ended. */
CHECKED bool peer_of_session(struct ended_sessions *ended, struct arena *arena, const char *id,
                             struct peer *client);
/* Whether it was this caller who began the session. */
CHECKED bool peer_owns_session(const struct seal_key *key, const struct peer *client,
                               const struct caller *caller);
void peer_end_session(struct ended_sessions *ended, const struct peer *client);

#endif
