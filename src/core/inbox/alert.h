/*
 * alert.h - conditions that somebody should look at.
 *
 *   timeout_rate  more than a fifth of at least ten questions of the last 24 hours ended without a person
 *   unanswered    a question that holds up a job has been open for over an hour
 *   ask_errors    asking fails: a fault of ours, or again and again a mistake of the callers
 *
 * A condition that holds in a workspace is one row from its beginning to its end, and each of the two is one
 * event `alert`. Whoever looks (any node, after any restart) compares what holds with the rows: what is there
 * already is not said again.
 */
#ifndef CORE_INBOX_ALERT_H
#define CORE_INBOX_ALERT_H

#include "base/json.h"
#include "core/caller/tx.h"

enum alert_kind { ALERT_TIMEOUT_RATE = 1, ALERT_UNANSWERED, ALERT_ASK_ERRORS, ALERT_KIND_END };
WORDS_OF(alert_kind, alert_kinds);

/* From alert.noun. */
#include "gen/nouns/alert.h"

/*
 * Looks at all workspaces and counts what has begun or ended. With `apply`, in a transaction that writes,
 * also makes it so and appends the events; without, only looks. `blocking` are the types of questions for
 * which jobs wait (question_types_that_block), which this room does not know.
 */
CHECKED bool alert_check(const struct tx *tx, const char *blocking, bool apply, size_t *changes);

/* Those that hold in a workspace. */
CHECKED bool alert_list(const struct tx *tx, const char *workspace_id, struct alert **alerts, size_t *count);

/* Requests to ask that were refused, and that failed by our own fault. */
CHECKED bool alert_count_errors(const struct tx *tx, const char *workspace_id, int64_t refused,
                                int64_t failed);

#endif
