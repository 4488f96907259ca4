/*
 * spent_by.h - who took how much of what models were asked for, by the rows.
 *
 * An open turn holds what its attempts so far took, its row of the log the sum of them; the state of a
 * discussion holds the sum of all, with calls that a cancel cut off before anything was said, of which no row
 * is left.
 */
#ifndef CORE_COUNCIL_SPENT_BY_H
#define CORE_COUNCIL_SPENT_BY_H

#include "core/council/discussion.h"
#include "core/council/rules/replay.h"

/* What one speaker of a discussion took. Those who judge and sum up are speakers of their own. */
struct spent_by {
    const char *agent_id; /* or NULL */
    const char *speaker;
    int64_t turns, passes; /* what was said, and what was not */
    struct spent spent;
};
/* Whoever is in the log and was a model's or took turns, in the order of their first row; one query. */
CHECKED bool spent_by_speaker(const struct tx *tx, const char *discussion_id, struct spent_by **list,
                              size_t *count);

/*
 * What the others of its family took, who share its budget: each call at the time of its row, and at the end
 * of a discussion what no row of its log holds.
 */
CHECKED bool spent_by_others(const struct tx *tx, const struct discussion *discussion,
                             const struct spent_then **list, size_t *count);

#endif
