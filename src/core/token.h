/*
 * token.h - what agents and scripts show instead of a password.
 *
 * A token belongs to one workspace and has one role there. Its secret is told once, when it is made. A
 * revoked token keeps its row, so that what it did can still be traced to it.
 */
#ifndef CORE_TOKEN_H
#define CORE_TOKEN_H

#include "core/caller.h"
#include "db/db.h"

struct token {
    const char *id;
    const char *workspace_id;
    const char *name;
    enum role role;
    const char *project_id; /* or NULL */
    const char *agent_name; /* or NULL */
    const char *created_by; /* a user's or token's id, or "local" */
    int64_t created_ms;
    int64_t expires_ms, last_used_ms, revoked_ms; /* 0: not */
};

/*
 * Makes one from workspace_id, name, role and, where given, project_id, agent_name, created_by and
 * expires_ms; fills in the rest. A project of another workspace is ERR_INVALID, and so is an expiry that
 * has passed.
 */
CHECKED bool token_create(struct db *db, struct arena *arena, struct token *token, int64_t now_ms,
                          const char **secret, struct err *err);
CHECKED bool token_get(struct db *db, struct arena *arena, const char *workspace_id, const char *id,
                       struct token *token, struct err *err);
/* Newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool token_list(struct db *db, struct arena *arena, const char *workspace_id, const char *cursor,
                        size_t limit, struct token **tokens, size_t *count, struct err *err);
/* Revoking twice is not an error; the first time stays. */
CHECKED bool token_revoke(struct db *db, struct arena *arena, const char *workspace_id, const char *id,
                          int64_t now_ms, struct err *err);
/* Records that it was used. Worth a write only when caller->last_used_ms is TOKEN_TOUCH_MS old. */
CHECKED bool token_touch(struct db *db, struct arena *arena, const char *id, int64_t now_ms, struct err *err);

#endif
