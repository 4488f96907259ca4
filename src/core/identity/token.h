/*
 * token.h - what agents and scripts show instead of a password.
 *
 * A token belongs to one workspace and has one role there. Its secret is told once, when it is made. A
 * revoked token keeps its row, so that what it did can still be traced to it.
 *
 * One that belongs to a user is that user, with no more than the token's own role (caller_is_login), and ends
 * with their membership.
 *
 * Rotating gives a token another secret; the one before stays good for a while. It stays the same token, with
 * what it made and what it may, whichever of the two is shown: it does not become two approvers. Some days
 * before a token expires this is told, once, to those who can do something about it (a notification).
 */
#ifndef CORE_IDENTITY_TOKEN_H
#define CORE_IDENTITY_TOKEN_H

#include "core/caller/caller.h"
#include "core/caller/tx.h"

struct token {
    const char *id;
    const char *workspace_id;
    const char *name;
    enum role role;
    const char *project_id; /* or NULL */
    const char *agent_name; /* or NULL */
    const char *user_id;    /* whom it belongs to, or NULL */
    const char *user_name;  /* from token_get and _list */
    const char *created_by; /* a user's or token's id, or "local" */
    int64_t created_ms;
    int64_t expires_ms, last_used_ms, revoked_ms, rotated_ms; /* 0: not */
    struct token_secret
        *old; /* replaced secrets that are still good, newest first; from token_get and _list */
    size_t old_count;
};

struct token_secret {
    int64_t replaced_ms, until_ms;
    int64_t last_used_ms; /* 0: not */
};

/*
 * Makes one from workspace_id, name, role and, where given, project_id, agent_name, user_id, created_by and
 * expires_ms; fills in the rest. A project of another workspace is ERR_INVALID, and so are an expiry that has
 * passed, a user who is no member, and one that belongs to a user and an agent.
 */
CHECKED bool token_create(const struct tx *tx, struct token *token, const char **secret);
CHECKED bool token_get(const struct tx *tx, const char *workspace_id, const char *id, struct token *token);
/* Newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool token_list(const struct tx *tx, const char *workspace_id, const char *cursor, size_t limit,
                        struct token **tokens, size_t *count);
struct token_rotation {
    int64_t overlap_ms; /* how long the secret before is good for, but not longer than it was anyway */
    int64_t expires_ms; /* 0: the new one lives as long again as the one before was given */
};
/*
 * Another secret for a token. ERR_CONFLICT when it has been revoked, has expired, or has LIMIT_OLD_SECRETS
 * old ones already.
 */
CHECKED bool token_rotate(const struct tx *tx, const char *workspace_id, const char *id,
                          const struct token_rotation *rotation, struct token *token, const char **secret);
/* Revoking twice is not an error; the first time stays. */
CHECKED bool token_revoke(const struct tx *tx, const char *workspace_id, const char *id);
/* All that belong to a user in a workspace. */
CHECKED bool token_revoke_of_user(const struct tx *tx, const char *workspace_id, const char *user_id);
/* Records that it was used. Worth a write only when caller->last_used_ms is TOKEN_TOUCH_MS old. */
CHECKED bool token_note_use(const struct tx *tx, const char *id, const char *old_secret);
/* Forgets replaced secrets that ended before `before_ms`, at most `limit`. */
CHECKED bool token_prune_secrets(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned);

/* Tells of tokens that will expire; `told` counts them. For deadline.c. */
CHECKED bool token_notice_sweep(const struct tx *tx, size_t limit, size_t *told);
CHECKED bool token_notice_next(const struct tx *tx, int64_t *due_ms);

#endif
