/*
 * replay.h - every decision of a discussion, made again from its log.
 *
 * The log holds what was said, with the words of a model where something was cut from them; who sits in a
 * discussion, its options and its rounds are facts as well. From these alone, without a look at what is
 * stored, the rulings are made again by the functions that made them first, and then held against the stored
 * ones.
 *
 * A discussion that is still going on is replayed up to where it stands. What a budget had left is counted by
 * the logs: one that shares its budget with others may be judged differently for that reason alone.
 */
#ifndef CORE_COUNCIL_RULES_REPLAY_H
#define CORE_COUNCIL_RULES_REPLAY_H

#include "core/council/rules/options.h"
#include "core/council/rules/ruling.h"

/* What somebody else who shares the budget has taken, and when. */
struct spent_then {
    int64_t at_ms;
    struct spent spent;
};

struct replay_facts {
    struct seating seating;
    struct council_options options;
    int64_t vote_rounds; /* the last round after which there may be a vote before the end */
    struct logs log;     /* all of it */
    size_t taken_over;   /* rows of it that a fork began with */
    const char *added;   /* the rounds that were added, as [[seq, rounds] ...]; NULL: none */
    bool has_ended;
    bool broken_off;                 /* by a cancel, or because it could not be moved on: no judgement */
    int64_t created_ms, ended_ms;    /* ended_ms 0: it has not */
    int64_t since_ms;                /* when the first of those who share its budget began */
    const struct spent_then *others; /* in any order */
    size_t others_count;
    const struct ruling *stored;
    size_t stored_count;
};

struct replay {
    size_t decisions;         /* that were made again */
    const char **differences; /* a sentence each; none: what is stored and what comes out agree */
    size_t difference_count;
};

struct replay replay_judge(struct arena *arena, const struct replay_facts *facts);

#endif
