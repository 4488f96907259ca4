/*
 * user.h - people who log in.
 *
 * An account (name, password, disabled or not) is one for the whole installation; what it may do is a role
 * in each workspace it is a member of. A workspace never loses its last owner. Passwords come here as
 * argon2id hashes, made beforehand (see secret.h).
 */
#ifndef CORE_IDENTITY_USER_H
#define CORE_IDENTITY_USER_H

#include "core/caller/caller.h"
#include "core/caller/tx.h"

/* A user as a member of one workspace. */
struct user {
    const char *id, *name;
    enum role role;
    bool has_password;
    int64_t disabled_ms; /* 0: not */
    int64_t created_ms;
};

/* A user's account, for checking a password. */
struct account {
    const char *id, *name;
    const char *password; /* the stored hash, or NULL */
    bool disabled;
};

struct user_wish {
    const char *workspace_id;
    const char *name;
    const char *password; /* a hash, or NULL: cannot log in yet */
    enum role role;
};

/*
 * Adds a user to a workspace: a new one, or, when the name exists and no password is given, the one of that
 * name. The latter is for callers who manage that user elsewhere and for tools on the store (caller NULL);
 * for everybody else the name is simply taken.
 */
CHECKED bool user_create(const struct tx *tx, const struct user_wish *wish, struct user *user);
CHECKED bool user_get(const struct tx *tx, const char *workspace_id, const char *id, struct user *user);
/* Newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool user_list(const struct tx *tx, const char *workspace_id, const char *cursor, size_t limit,
                       struct user **users, size_t *count);

CHECKED bool user_set_role(const struct tx *tx, const char *workspace_id, const char *id, enum role role);
/* Ends the user's sessions. */
CHECKED bool user_set_password(const struct tx *tx, const char *id, const char *hash);
/* The user's own change: `old` is the stored hash that was checked. Ends all sessions but one. */
CHECKED bool user_change_password(const struct tx *tx, const char *id, const char *old, const char *hash,
                                  const char *except_session);
/* `disabled_ms` 0 lets the user in again. Disabling ends the user's sessions. */
CHECKED bool user_set_disabled(const struct tx *tx, const char *id, int64_t disabled_ms);
/* Ends the membership and its tokens; a user who is left without any is deleted. */
CHECKED bool user_remove(const struct tx *tx, const char *workspace_id, const char *id);

/*
 * Password and disabled hold in every workspace, so whoever changes them must manage the user in every one:
 * otherwise an admin of one workspace could walk into another. ERR_FORBIDDEN.
 */
CHECKED bool user_may_change_account(const struct tx *tx, const struct user *user);

/* By name in any case; id NULL in `account` and true when there is none. */
CHECKED bool user_account_by_name(const struct tx *tx, const char *name, struct account *account);
CHECKED bool user_account(const struct tx *tx, const char *id, struct account *account);

/* A JSON object's text. Users have their own, the local owner of solo mode too; tokens none: ERR_FORBIDDEN.
 */
CHECKED bool user_preferences(const struct tx *tx, const char **preferences);
CHECKED bool user_set_preferences(const struct tx *tx, const char *preferences);

#endif
