/*
 * vote.h - ballots, counted under a rule.
 *
 * majority   each voter's choice counts one; the most votes win
 * borda      of N choices the first of a ranking gets N-1 points, the next N-2 ...; those not ranked get none
 * weighted   each choice counts by the voter's confidence, in the steps of ReConcile: up to .6 counts .1,
 * under .8 .3, under .9 .5, under 1 .8, and 1 counts 1; without a confidence the least of them
 *
 * A winner has more than anybody else; a tie has none and is said to be one. Voters whose choice is not the
 * winner's are kept as dissent, and everybody is when there is no winner. `agreed` asks another question: do
 * enough of all voters make the same first choice, by the threshold (`all`, `majority`, or a share of them,
 * which is reached when it is met)? `decided` says that no ballots still to come could change the winner or
 * make a tie.
 *
 * Everything is counted in whole numbers, so that the same ballots give the same result anywhere.
 */
#ifndef CORE_COUNCIL_RULES_VOTE_H
#define CORE_COUNCIL_RULES_VOTE_H

#include "base/json.h"
#include "core/council/rules/council.h"

enum vote_rule { VOTE_MAJORITY = 1, VOTE_BORDA, VOTE_WEIGHTED, VOTE_END };
WORDS_OF(vote_rule, vote_rules);

enum threshold_kind { THRESHOLD_ALL, THRESHOLD_MAJORITY, THRESHOLD_SHARE };

struct threshold {
    enum threshold_kind kind;
    double share; /* more than 0, at most 1 */
};

/* From "all", "majority", "0.75" or "75%". Names agreement_threshold when it fails. */
CHECKED bool threshold_parse(const char *text, struct threshold *threshold, struct err *err);
CHECKED bool threshold_from_json(const json_t *value, struct threshold *threshold, struct err *err);
bool threshold_reached(struct threshold threshold, size_t count, size_t voters);

#define NO_CHOICE     (-1)
#define NO_CONFIDENCE (-1.0)
#define VOTE_WEIGHT_1 10 /* a whole vote of rule weighted, counted in tenths */

struct ballot {
    const char *voter;
    int choice;          /* index, or NO_CHOICE: spoilt, or withheld */
    double confidence;   /* 0 to 1, or NO_CONFIDENCE */
    const int *ranking;  /* indices, the best first, none twice */
    size_t ranked;       /* 0: the choice alone */
    const char *problem; /* what was wrong with it, or NULL */
};

struct vote {
    enum vote_rule rule;
    const char *const *choices;
    size_t choice_count;
    size_t voters; /* who may vote, whether or not they have */
    const struct ballot *ballots;
    size_t ballot_count;
    struct threshold threshold;
};

struct vote_result {
    enum vote_rule rule;
    const char *const *choices;
    size_t choice_count;
    int winner; /* index, or NO_CHOICE */
    bool tie, agreed, decided;
    long *points; /* by choice; in tenths under rule weighted */
    const struct ballot **dissent;
    size_t dissent_count, spoilt;
};

/* What a ballot of this confidence counts, in tenths. */
int vote_weight(double confidence);
/* Fails on a vote that cannot be: no choices, one of them twice, more ballots than voters, one voter twice.
 */
CHECKED bool vote_count(struct arena *arena, const struct vote *vote, struct vote_result *result,
                        struct err *err);
/* {rule, winner, tie, tally, agreed, decided, dissent}, under a key or as the root. */
void vote_write(const struct vote_result *result, const char *key, struct json_out *out);

#endif
