/*
 * judgement.h - what a judge says about whether more is to come: {"go_on": false, "reason": "..."}, read out
 * of what its model sent. The last object that says it counts. Whatever cannot be understood means that it
 * goes on: doubt ends no discussion.
 */
#ifndef CORE_COUNCIL_RULES_JUDGEMENT_H
#define CORE_COUNCIL_RULES_JUDGEMENT_H

#include "core/council/rules/council.h"

struct judgement {
    bool understood, go_on;
    const char *reason; /* never NULL; "" when none was given */
};

struct judgement judgement_read(struct arena *arena, const char *reply);

#endif
