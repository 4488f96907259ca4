/*
 * participant.h - who sits in a discussion, in the order of speaking.
 *
 * A participant is an agent that witan runs, an agent that comes by the API, or a person (role user). What
 * its agent is now is looked up each time: one that was deleted is gone, and its turns are skipped.
 */
#ifndef CORE_COUNCIL_PARTICIPANT_H
#define CORE_COUNCIL_PARTICIPANT_H

#include "core/council/discussion.h"
#include "core/council/rules/order.h"

struct participant {
    const char *id;
    const char *agent_id, *user_id; /* or NULL */
    const char *name, *role;
    int sequence_order;
    const char *system_prompt, *model_config; /* its agent's; NULL: none */
    const char **stops;                       /* of its model_config */
    size_t stop_count;
};

struct seats {
    struct participant *list;
    struct seat *seats; /* the same, as the rules see them */
    size_t count;
};

CHECKED bool participant_list(const struct tx *tx, const char *discussion_id, struct seats *seats);
CHECKED bool participant_insert(const struct tx *tx, const struct discussion *discussion,
                                const struct participant *participant);
struct seating participant_seating(const struct discussion *discussion, const struct seats *seats);

#endif
