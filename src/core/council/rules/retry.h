/*
 * retry.h - whether a turn is worth another call.
 *
 * A call that failed is, a few times, unless it would fail the next time as well. Whoever began with a stop
 * sequence or with another's label is asked once more, without stops, and says something or passes then.
 */
#ifndef CORE_COUNCIL_RULES_RETRY_H
#define CORE_COUNCIL_RULES_RETRY_H

#include "core/council/rules/pass.h"

#include <stdint.h>

struct retry_facts {
    int attempt;        /* which it was, from 1 */
    bool without_stops; /* this one was asked without stops */
    bool failed, permanent;
    int64_t again_ms; /* when failed: not before so long */
    enum pass_kind pass;
    enum reply_lack lack;
};

/* *delay_ms: how long to wait before it. */
bool retry_is_worth(const struct retry_facts *facts, int64_t *delay_ms);

#endif
