/*
 * outcome_view.h - how a discussion came out, for people: why it ended, who won its vote and who was against.
 */
#ifndef CLI_CLIENT_OUTCOME_VIEW_H
#define CLI_CLIENT_OUTCOME_VIEW_H

#include "base/arena.h"
#include "base/buf.h"
#include "cli/term.h"

#include <jansson.h>

/* `vote` is what the API says of one: {rule, winner, tie, tally, agreed, dissent}. */
void outcome_vote(const json_t *vote, bool rehearsal, struct buf *into);
/* What everybody voted for, {voter, choice, confidence, ranking} each, as a table. */
void outcome_ballots(struct term *term, const json_t *ballots);
/* "nothing new was said", of nothing_new; a word that is not known stays as it is. */
const char *outcome_reason(const char *end_reason);
/* What smart termination would have saved, {round, endReason, savedRounds, savedCalls}; "" for NULL. */
const char *outcome_shadow(struct arena *arena, const json_t *shadow);

#endif
