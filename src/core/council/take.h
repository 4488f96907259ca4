/*
 * take.h - turns that are taken from outside: by an agent that comes by the API, or by a person.
 */
#ifndef CORE_COUNCIL_TAKE_H
#define CORE_COUNCIL_TAKE_H

#include "core/council/open_turn.h"

struct taken {
    const char *agent_name; /* who takes it; NULL: a person */
    const char *user_id;    /* which person, or NULL: the caller */
    const char *content;    /* what they say; NULL: a pass */
    const char *reason;     /* of a pass, or NULL */
};

/* ERR_CONFLICT when it is not their turn. */
CHECKED bool take_turn(const struct tx *tx, const char *id, const struct taken *taken,
                       struct discussion *discussion, struct logged *logged);

/* Deadlines (upkeep/deadline.h): turns that nobody took in time are passes that say so. */
CHECKED bool take_sweep(const struct tx *tx, size_t limit, size_t *ended);
CHECKED bool take_next_due(const struct tx *tx, int64_t *due_ms);

#endif
