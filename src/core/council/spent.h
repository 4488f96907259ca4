/*
 * spent.h - what models were asked for and took: by a turn, by an agent, by a whole discussion.
 *
 * A call counts when it was made, also when it failed or was cut off. What its provider did not tell is
 * counted as such and never taken for nothing. An open turn holds what its attempts so far took, its row of
 * the log the sum of them; the state of a discussion holds the sum of all, with calls that a cancel cut off
 * before anything was said, of which no row is left.
 */
#ifndef CORE_COUNCIL_SPENT_H
#define CORE_COUNCIL_SPENT_H

#include "base/json.h"
#include "core/caller/tx.h"

struct spent {
    int64_t calls, tokens_in, tokens_out;
    int64_t missing; /* calls of which the provider did not tell */
};

void spent_add(struct spent *into, const struct spent *more);
/* The members calls, tokensIn, tokensOut and callsNotReported; tokens that nobody reported are null. */
void spent_members(const struct spent *spent, struct json_out *out);

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

/* A moment in a discussion, and what those who share its budget with it had taken by then. */
struct spent_moment {
    const char *root_id, *discussion_id;
    int64_t at_ms;
};
CHECKED bool spent_by_others(const struct tx *tx, const struct spent_moment *moment, struct spent *spent);

#endif
