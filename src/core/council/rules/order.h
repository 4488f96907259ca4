/*
 * order.h - whose turn it is.
 *
 * A discussion stands at a place: a round, from 1, and a turn in it, from 0. order_next says what happens
 * there and order_after where it goes from there; nothing else decides who speaks. A person's message takes
 * the person's place in the order when it is theirs (order_takes_turn), and otherwise stands outside of it,
 * so that no agent loses a turn to it.
 *
 * In mode parallel a round is one step: everybody who has not spoken in it yet is asked (order_pending).
 */
#ifndef CORE_COUNCIL_RULES_ORDER_H
#define CORE_COUNCIL_RULES_ORDER_H

#include "core/council/rules/council.h"

#define ROLE_OF_PEOPLE "user"

bool role_is_person(const char *role);

struct seating {
    enum council_mode mode;
    const struct seat *seats;
    size_t count;
    int rounds; /* after which the discussion ends */
};

struct slot {
    int round, turn;
};

enum order_verdict {
    ORDER_SPEAK = 1,    /* the agent at this place is asked */
    ORDER_ASK_ALL,      /* mode parallel: all of the round are */
    ORDER_WAIT_PERSON,  /* a person has the word */
    ORDER_WAIT_OUTSIDE, /* an agent of the API has the word */
    ORDER_SKIP,         /* nobody is left at this place */
    ORDER_REST,         /* one message has set enough going; the next one goes on from here */
    ORDER_END,          /* the rounds are used up */
    ORDER_VERDICT_END,
};
WORDS_OF(order_verdict, order_verdicts);

struct order_step {
    enum order_verdict verdict;
    struct slot at;
    const struct seat *seat; /* NULL when nobody has the word */
    const char *reason;      /* one sentence, static */
};

struct slot order_first(void);
/* What happens at this place. `steps` counts what this message has set going so far, skips among it. */
struct order_step order_next(const struct seating *seating, struct slot at, int steps);
/* The place behind this one. */
struct slot order_after(const struct seating *seating, struct slot at);
bool order_is_last_of_round(const struct seating *seating, struct slot at);
bool order_has_ended(const struct seating *seating, struct slot at);
/* Whether a person who speaks now speaks in turn. */
bool order_takes_turn(const struct seating *seating, struct slot at);
/* Who speaks next, those who are gone passed over; NULL when nobody does. */
const char *order_next_speaker(const struct seating *seating, struct slot at);
/* The names of all but the speaker. */
const char **order_others(struct arena *arena, const struct seating *seating, const char *speaker,
                          size_t *count);
/* The seats of a round who have not had their turn yet, by `had`; fills `turns` and says how many. */
size_t order_pending(const struct seating *seating, const bool had[], size_t turns[]);

/* How often each has spoken: first those of the order, as they sit, then everybody else as they came. */
struct speaker_count {
    const char *name;
    size_t count;
};

struct speaker_count *order_counts(struct arena *arena, const struct seating *seating,
                                   const struct speaker_count *heard, size_t heard_count, size_t *count);

#endif
