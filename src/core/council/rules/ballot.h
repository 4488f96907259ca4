/*
 * ballot.h - what an agent votes for, out of what its model sent.
 *
 * An agent is asked for {"choice": ..., "confidence": ..., "ranking": [...]}. The object may stand in prose
 * or in a fence, and may be written badly (output/value.h); of several the last that names a choice counts,
 * since models think before they answer. A reply without any such object is a ballot when it is, or names,
 * exactly one choice.
 *
 * A choice may be written in any case, by its number from 1 when no choice is called so, or inside a phrase
 * that names no other. A confidence may be a share, a percentage or a text of either. What is not understood
 * is left out, and `problem` says so; a ballot without a choice is spoilt, and counts as cast.
 */
#ifndef CORE_COUNCIL_RULES_BALLOT_H
#define CORE_COUNCIL_RULES_BALLOT_H

#include "core/council/rules/vote.h"

struct ballot ballot_read(struct arena *arena, const char *const choices[], size_t choice_count,
                          const char *voter, const char *reply);
/* A ballot that was handed in as an object; the same rules, but what is wrong with it is an error. */
CHECKED bool ballot_from_json(struct arena *arena, const char *const choices[], size_t choice_count,
                              const json_t *object, struct ballot *ballot, struct err *err);

#endif
