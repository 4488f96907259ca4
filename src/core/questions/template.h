/*
 * template.h - questions that are asked again and again, ready to be asked.
 *
 * Three are built in: persona, tickets and integration; a workspace may have its own under any name, also
 * under one of these. A template's options may come from the workspace's settings (personas, integrations)
 * at the moment it is asked.
 */
#ifndef CORE_QUESTIONS_TEMPLATE_H
#define CORE_QUESTIONS_TEMPLATE_H

#include "base/json.h"
#include "core/caller/tx.h"

/* From template.noun. */
#include "gen/nouns/template.h"

/* By id or name, in any case. ERR_NOT_FOUND. */
CHECKED bool template_get(const struct tx *tx, const char *workspace_id, const char *name,
                          struct template *template);
/* The workspace's own after `cursor` (an id, or NULL), newest first; on the first page then the built-in. */
CHECKED bool template_list(const struct tx *tx, const char *workspace_id, const char *cursor, size_t limit,
                           struct template **templates, size_t *count);
/* From workspace_id, name and definition. A name that is taken is ERR_CONFLICT. */
CHECKED bool template_create(const struct tx *tx, struct template *template);
/* Replaces name and definition where not NULL. A built-in one is ERR_CONFLICT: make one of that name instead.
 */
CHECKED bool template_update(const struct tx *tx, const char *workspace_id, const char *id, const char *name,
                             const char *definition, struct template *template);
CHECKED bool template_delete(const struct tx *tx, const char *workspace_id, const char *id);

/*
 * The definition with its options filled in from the workspace, unless they are given with the question. The
 * caller json_decrefs it. ERR_INVALID when the workspace has nothing to choose from.
 */
CHECKED bool template_fill(const struct tx *tx, const char *workspace_id, const char *name,
                           bool options_given, json_t **filled);

#endif
