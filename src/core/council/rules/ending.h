/*
 * ending.h - is the discussion over, and why.
 *
 * Asked after each turn, with `round_over` when it was the last of its round. In this order: cancelled;
 * failed (for a reason of its own, or because every call of a round failed); all passed; agreement and
 * nothing new, where smart termination is on; the rounds used up; the budget spent. So a discussion that has
 * said all it had to say does not end for want of money.
 *
 * In shadow mode smart termination ends nothing: `would` names what would have ended it, and end_saved says
 * afterwards what that would have saved.
 */
#ifndef CORE_COUNCIL_RULES_ENDING_H
#define CORE_COUNCIL_RULES_ENDING_H

#include "core/council/rules/logged.h"

#include <stdint.h>

enum smart_mode { SMART_OFF = 1, SMART_ON, SMART_SHADOW, SMART_END };
WORDS_OF(smart_mode, smart_modes);

/* Of a whole discussion, with those split off from it. */
struct allowance {
    int64_t calls, tokens, seconds; /* 0: not limited */
};

/* The first of them that is spent ("calls", "tokens", "seconds"), or NULL. */
const char *allowance_spent(const struct allowance *allowed, const struct allowance *used);

struct end_facts {
    enum council_mode mode;
    enum smart_mode smart;
    int round, rounds;    /* the round that was going on, of how many */
    bool round_over;      /* and it has come to its end */
    size_t contributions; /* of the round; what people threw in counts */
    size_t passes;        /* of the round */
    size_t failures;      /* passes because a call failed */
    bool agreed;          /* a vote has reached its threshold */
    bool nothing_new;     /* by comparison, or because a judge said so */
    bool cancelled;
    const char *failure; /* why it cannot go on, or NULL */
    struct allowance allowed, used;
    int64_t out;      /* calls that were about to be made when it was judged, by all who share the budget */
    int64_t reserved; /* tokens that these and a further one were reckoned with (budget.h) */
};

/* Counts what was said and passed in a round. */
void end_count_turns(const struct logged *rows, size_t count, struct end_facts *facts);
/* The first of its allowances that is spent, what is out included, or NULL. */
const char *end_spent(const struct end_facts *facts);

struct end_verdict {
    enum council_end end;   /* END_NONE: it goes on */
    enum council_end would; /* in shadow mode: why it would have ended here */
    const char *reason;     /* one sentence; "" when it goes on */
};

struct end_verdict end_judge(struct arena *arena, const struct end_facts *facts);

/* What shadow mode would have saved, had the discussion ended after `round`. */
struct end_saving {
    int rounds;
    size_t calls, contributions;
};

struct end_saving end_saved(const struct council_entry *entries, size_t count, int round);

#endif
