/*
 * agent.h - somebody who can take part in discussions.
 *
 * An agent has a name that nobody else in the workspace has, in whatever case, a role, words that its model
 * is told first, and a model (model_config.h). One whose provider is external is not run by witan: it takes
 * its turns by itself, through the API. One that was deleted is skipped where its turn would have been, and
 * stays in what it has said; its name is free again.
 *
 * Everything in a struct agent lives in the arena it was loaded with.
 */
#ifndef CORE_COUNCIL_AGENT_H
#define CORE_COUNCIL_AGENT_H

#include "base/json.h"
#include "core/caller/tx.h"

/* Its members: agent.noun. */
#include "gen/nouns/agent.h"

/* Takes name, role, system_prompt and ai_model_config, checked; fills in the rest. ERR_CONFLICT: the name is
 * taken. */
CHECKED bool agent_create(const struct tx *tx, struct agent *agent);
/* ERR_NOT_FOUND, also for one that was deleted. */
CHECKED bool agent_get(const struct tx *tx, const char *id, struct agent *agent);
/* By name, in whatever case; false with ERR_NOT_FOUND. */
CHECKED bool agent_find(const struct tx *tx, const char *name, struct agent *agent);
/* Stores what agent_get gave and the caller changed. */
CHECKED bool agent_save(const struct tx *tx, struct agent *agent);
/* Turns of it that are open are logged as skipped, and their discussions go on. */
CHECKED bool agent_delete(const struct tx *tx, const char *id);
/* Newest first, after `cursor` (an id; NULL: from the start). */
CHECKED bool agent_list(const struct tx *tx, const char *cursor, size_t limit, struct agent **agents,
                        size_t *count);

#endif
