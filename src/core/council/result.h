/*
 * result.h - what came of a discussion.
 *
 * {topic, rounds: [{round, contributions, passes}], full_discussion, total_contributions} is made from the
 * log whenever it is asked for; what was decided beside it (the vote, what smart termination would have
 * saved, the reply that was posted) is remembered in the state.
 */
#ifndef CORE_COUNCIL_RESULT_H
#define CORE_COUNCIL_RESULT_H

#include "core/council/logged_rows.h"
#include "core/council/rules/transcript.h"

/* Why a discussion could not be moved on: {reason}. */
#define RESULT_FAILURE "failure"

/* Keeps a JSON text under a name in discussion->result; saved with the discussion. */
void result_remember(const struct tx *tx, struct discussion *discussion, const char *name, const char *json);
/* What was remembered, as JSON text; NULL: nothing. */
const char *result_recall(const struct tx *tx, const struct discussion *discussion, const char *name);

struct transcript result_transcript(const struct tx *tx, const struct discussion *discussion,
                                    const struct logs *log);
/* key NULL: the root. */
void result_write(const struct tx *tx, const struct discussion *discussion, const struct logs *log,
                  const char *key, struct json_out *out);
const char *result_text(const struct tx *tx, const struct discussion *discussion, const struct logs *log);

#endif
