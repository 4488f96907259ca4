/*
 * ruling.h - a decision of the machine, as it is stored and compared.
 *
 * Every rule of this room that decides something is written down as a ruling: what was decided, from what,
 * and why. The makers below give each rule one way to be written down. A replay makes the same rulings from
 * the log and holds them against the stored ones: they are equal when kind, place, inputs and verdict are; a
 * reason is for people, and its words may change between versions.
 */
#ifndef CORE_COUNCIL_RULES_RULING_H
#define CORE_COUNCIL_RULES_RULING_H

#include "base/json.h"
#include "core/council/rules/ending.h"
#include "core/council/rules/novelty.h"
#include "core/council/rules/pass.h"
#include "core/council/rules/vote.h"

enum ruling_kind {
    RULING_SPEAK = 1, /* who has the word */
    RULING_SKIP,      /* whose place was skipped */
    RULING_REPLY,     /* what a reply was taken for: said, or a pass */
    RULING_NEW,       /* whether a round said something new */
    RULING_VOTE,      /* who has won */
    RULING_STOP,      /* whether it is over */
    RULING_END,
};
WORDS_OF(ruling_kind, ruling_kinds);

struct ruling {
    enum ruling_kind kind;
    int round, turn;
    int64_t after_seq;  /* the last row of the log that it knew */
    const char *inputs; /* a JSON object, its members always in the same order */
    const char *verdict, *reason;
};

struct ruling ruling_of_step(struct arena *arena, const struct order_step *step);
/* Of a place that is skipped because its agent is gone. */
struct ruling ruling_of_skip(struct arena *arena, const struct logged *logged);
/* Whose reply it is, and where it stands. */
struct ruling_place {
    struct slot at;
    const char *speaker, *role;
};
struct ruling ruling_of_reply(struct arena *arena, const struct ruling_place *place,
                              const struct reply *reply, const struct pass *pass);
struct ruling ruling_of_novelty(struct arena *arena, int round, const struct novelty_round *novelty);
struct ruling ruling_of_vote(struct arena *arena, int round, const struct vote_result *result);
struct ruling ruling_of_end(struct arena *arena, const struct end_facts *facts,
                            const struct end_verdict *verdict);

/* NULL when the two agree; otherwise a sentence that says where they do not. */
const char *ruling_difference(struct arena *arena, const struct ruling *stored, const struct ruling *made);

#endif
