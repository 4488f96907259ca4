/*
 * rehearsal.h - a show for somebody who has no agents yet.
 *
 * A workspace of its own in which three agents discuss for three rounds, ask the squad and ask a person for
 * an approval, by a script: no model is called there, whoever starts a discussion in it
 * (workspace_is_rehearsal). All of it are rows like any other, made by the functions that calls use, so what
 * is seen is how witan works; and it goes as a whole, without a trace elsewhere. Each person has one at most.
 */
#ifndef CORE_REHEARSAL_REHEARSAL_H
#define CORE_REHEARSAL_REHEARSAL_H

#include "core/caller/tx.h"
#include "core/identity/workspace.h"

struct rehearsal {
    struct workspace workspace;
    const char *discussion_id, *prompt_id, *question_id;
};

/* One that is there already is removed first. ERR_FORBIDDEN for tokens, which see one workspace and no other.
 */
CHECKED bool rehearsal_begin(const struct tx *tx, struct rehearsal *rehearsal);
/* ERR_NOT_FOUND when there is none. */
CHECKED bool rehearsal_remove(const struct tx *tx);

#endif
