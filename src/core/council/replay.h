/*
 * replay.h - every decision of a discussion, made again from its log.
 *
 * The log holds what was said, with the words of a model where something was cut from them; who sits in a
 * discussion, its options and its rounds are facts as well. From these alone, without a look at what is
 * stored, the rulings are made again by the functions that made them first, and then held against the stored
 * ones. Nothing is written, and no model is called.
 *
 * A discussion that is still going on is replayed up to where it stands. What a budget had left is counted by
 * the discussion's own log: one that shares its budget with others may be judged differently for that reason
 * alone.
 */
#ifndef CORE_COUNCIL_REPLAY_H
#define CORE_COUNCIL_REPLAY_H

#include "core/council/discussion.h"

struct replay {
    size_t decisions;         /* that were made again */
    const char **differences; /* a sentence each; none: what is stored and what comes out agree */
    size_t difference_count;
};

/* ERR_NOT_FOUND as discussion_get. */
CHECKED bool replay_run(const struct tx *tx, const char *id, struct replay *replay);

#endif
