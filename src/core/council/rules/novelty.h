/*
 * novelty.h - how much of what is said has been said before.
 *
 * Texts are compared by their word triples: case, punctuation and line breaks do not count, and each
 * character of a script that is written without spaces is a word. A text of one or two words is one piece by
 * itself, and one without any words says nothing new. What was said before a contribution is everything in
 * the log before it, of its own round too.
 */
#ifndef CORE_COUNCIL_RULES_NOVELTY_H
#define CORE_COUNCIL_RULES_NOVELTY_H

#include "core/council/rules/council.h"

#include <stdint.h>

#define NOVELTY_SHARED_PERCENT \
    80 /* at least so much of a contribution must be old for it to say nothing new */

/* The triples of everything said so far. */
struct novelty {
    struct arena *arena;
    uint64_t *slots; /* hashes; 0: free */
    size_t used, room;
};

struct novelty_share {
    size_t shared, total; /* triples of the text that were there before, and all of them */
};

void novelty_begin(struct novelty *novelty, struct arena *arena);
/* Compares a text with everything added so far, and adds it. */
struct novelty_share novelty_add(struct novelty *novelty, const char *text);
bool novelty_is_old(struct novelty_share share);
double novelty_ratio(struct novelty_share share); /* 0: all new; 1: all old */

struct novelty_round {
    size_t contributions, old;
    bool nothing_new; /* there were contributions, and all of them were old */
    double least;     /* the lowest ratio among them; 0 without contributions */
};

/* Of one round of a log. */
struct novelty_round novelty_of_round(struct arena *arena, const struct council_entry *entries, size_t count,
                                      int round);

#endif
