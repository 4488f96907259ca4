/*
 * identity.h - what the operations about people, tokens and workspaces have in common.
 */
#ifndef OPS_IDENTITY_H
#define OPS_IDENTITY_H

#include "core/identity/workspace.h"
#include "ops/op.h"

#define TAG_IDENTITY "People, tokens and workspaces"

/* The names of the roles, for T_ENUM; ends with NULL. */

/* A workspace in short: {id, slug, name}. */
extern const struct field identity_workspace_fields[];
void identity_write_workspace(struct json_out *out, const char *key, const struct workspace *workspace);

/*
 * What to tell the local owner, whose first user or token has just ended solo mode; NULL for everybody else.
 * `owner_can_come_in`: what was made lets an owner in.
 */
const char *identity_solo_note(const struct call *call, bool owner_can_come_in);

/* The id after which a page begins, from the call's cursor; NULL at the start. A foreign cursor is
 * ERR_INVALID. */
CHECKED bool identity_page(struct call *call, const char *list, const char **after);
/* Ends a list's reply: the cursor after the row shown last, or null when nothing follows. */
void identity_write_next(struct call *call, const char *list, bool more, int64_t created_ms, const char *id);

#define SOLO_NOTE_FIELD \
    { \
        "note", T_TEXT, OPTIONAL, "Said when this ended solo mode: what changes now." \
    }

#endif
