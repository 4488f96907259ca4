/*
 * voting.h - the ballots of a round, out of the log: who may vote, whether all have, and who has won.
 *
 * Agents vote, people do not. One who is gone is not waited for, but a ballot that was cast before counts.
 */
#ifndef CORE_COUNCIL_RULES_VOTING_H
#define CORE_COUNCIL_RULES_VOTING_H

#include "core/council/rules/logged.h"
#include "core/council/rules/options.h"

/* Whether this seat may vote and is not among the ballots yet. */
bool voting_lacks(const struct seating *seating, const struct logs *ballots, size_t seat);
/* Whether nobody's ballot is lacking. */
bool voting_is_complete(const struct seating *seating, const struct logs *ballots);
/* As vote_count. */
CHECKED bool voting_count(struct arena *arena, const struct seating *seating,
                          const struct council_options *options, const struct logs *ballots,
                          struct vote_result *result, struct err *err);

#endif
