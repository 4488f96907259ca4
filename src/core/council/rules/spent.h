/*
 * spent.h - what models were asked for and took: by a turn, by an agent, by a whole discussion.
 *
 * A call counts when it was made, also when it failed or was cut off. What its provider did not tell is
 * counted as such and never taken for nothing.
 */
#ifndef CORE_COUNCIL_RULES_SPENT_H
#define CORE_COUNCIL_RULES_SPENT_H

#include "base/json.h"

struct spent {
    int64_t calls, tokens_in, tokens_out;
    int64_t missing; /* calls of which the provider did not tell */
};

void spent_add(struct spent *into, const struct spent *more);
/* The members calls, tokensIn, tokensOut and callsNotReported; tokens that nobody reported are null. */
void spent_members(const struct spent *spent, struct json_out *out);

#endif
