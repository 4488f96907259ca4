/*
 * replay_rows.h - the facts of a replay, out of the rows (rules/replay.h). Nothing is written, and no model
 * is called.
 */
#ifndef CORE_COUNCIL_REPLAY_ROWS_H
#define CORE_COUNCIL_REPLAY_ROWS_H

#include "core/council/discussion.h"
#include "core/council/rules/replay.h"

/* ERR_NOT_FOUND as discussion_get. */
CHECKED bool replay_run(const struct tx *tx, const char *id, struct replay *replay);

#endif
