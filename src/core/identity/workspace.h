/*
 * workspace.h - the wall between tenants.
 *
 * Everything belongs to one workspace, and nothing crosses it. A workspace is named by its id or its slug;
 * one that a caller has no part in does not exist for them.
 */
#ifndef CORE_IDENTITY_WORKSPACE_H
#define CORE_IDENTITY_WORKSPACE_H

#include "core/caller/caller.h"
#include "core/caller/tx.h"

/* Sorts after every id: where a list that is newest first begins. */
#define ID_ABOVE_ALL "~"

struct workspace {
    const char *id, *slug, *name;
    const char *settings; /* a JSON object's text */
    int64_t created_ms;
};

/* The setting that marks a rehearsal (core/rehearsal): what is said there is scripted. */
#define WORKSPACE_REHEARSAL "rehearsal"
bool workspace_is_rehearsal(const struct workspace *workspace);
/* Whoever removes a rehearsal removes a workspace, so nobody marks one by its settings, or takes the mark
 * off. */
CHECKED bool workspace_check_mark(const struct workspace *wish, bool rehearsal, struct err *err);

/* By id or slug, whoever asks: for tools on the store itself. */
CHECKED bool workspace_get(const struct tx *tx, const char *name, struct workspace *workspace);
/* By id or slug as this caller sees it, with the caller's role there. ERR_NOT_FOUND without any. */
CHECKED bool workspace_see(const struct tx *tx, const char *name, struct workspace *workspace,
                           enum role *role);
/* Those the caller has a part in (NULL: all), newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool workspace_list(const struct tx *tx, const char *cursor, size_t limit,
                            struct workspace **workspaces, size_t *count);
/*
 * Makes one from its name and, where given, slug and settings; without a slug the name becomes one. The
 * user `owner_id` (may be NULL) is its first owner.
 */
CHECKED bool workspace_create(const struct tx *tx, const struct workspace *wish, const char *owner_id,
                              struct workspace *workspace);
/* Tells a user, in every workspace, that those they have a part in, or what they may do there, have changed.
 */
CHECKED bool workspace_tell_user(const struct tx *tx, const char *user_id);
/* Changes the slug, name and settings that are not NULL in `wish`. */
CHECKED bool workspace_update(const struct tx *tx, const char *id, const struct workspace *wish,
                              struct workspace *workspace);
/*
 * Removes it with all that is in it, and the users who belong nowhere else. Never `default`, and never the
 * one with the last credentials: solo mode must not come back by itself.
 */
CHECKED bool workspace_delete(const struct tx *tx, const char *id);

#endif
