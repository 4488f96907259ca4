/*
 * condense.h - what a model is shown of a long discussion: a summary of the older part, the rest as it was
 * said.
 *
 * When what was said since the last summary outgrows the window (council.window), a summary of the older
 * half is asked for before the next round begins. The log stays whole.
 */
#ifndef CORE_COUNCIL_CONDENSE_H
#define CORE_COUNCIL_CONDENSE_H

#include "core/council/machine.h"
#include "core/council/rules/history.h"

/* The entries that a summary does not cover yet, and what covers the others. */
struct condensed {
    struct council_entry *entries;
    int64_t *seqs; /* of each entry */
    size_t count;
    struct history_plan plan;
};

CHECKED bool condense_look(const struct machine *machine, struct condensed *condensed);
/* Before a round: takes in a summary that has come, or asks for one that is needed. */
CHECKED bool machine_condense(struct machine *machine, bool *asked);

#endif
