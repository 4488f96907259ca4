/*
 * budget.h - whether a discussion may ask a model once more, out of what it and those it was split off with
 * may use.
 *
 * What a call takes in tokens is only known when it has ended. The first one goes alone, unless there is
 * plenty; from then on none is made unless what the largest so far took is left, and beside others each is
 * reckoned with twice that, since what models are told grows. What a call may answer with is limited to its
 * share of what is left. So the bound is overdrawn at most by what a call is told beyond those before it; by
 * the first call of all, when the budget is smaller than that; and by models that do not tell what they took,
 * or do not keep to their limit.
 */
#ifndef CORE_COUNCIL_RULES_BUDGET_H
#define CORE_COUNCIL_RULES_BUDGET_H

#include "core/council/rules/ending.h"

/* What the rows of all who share it say (budget_ask.h). */
struct budget_look {
    struct allowance used;
    int64_t out; /* calls that are about to be made by all who share it, beside the one in question */
    int64_t own; /* of these the discussion's own */
    int64_t told,
        one; /* tokens of the largest call so far: what it was told, and all of it; 0: nobody has said */
};

enum budget_left {
    BUDGET_LEFT,  /* a call may be made */
    BUDGET_LATER, /* perhaps, once those have ended that the discussion has out */
    BUDGET_SPENT,
};

/* The verdict on such a look. `reserved`: the tokens that were reckoned with beside those that are used. */
enum budget_left budget_judge(const struct allowance *allowed, const struct budget_look *look,
                              int64_t *reserved);

bool budget_is_limited(const struct allowance *allowed);
/* How many tokens a call may be answered with that is told so many bytes; 0: as many as its model likes. */
int64_t budget_share(const struct allowance *allowed, const struct budget_look *look, size_t told_bytes);

#endif
