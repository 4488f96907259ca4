/*
 * council.h - what the rules of a discussion work on.
 *
 * Nothing in rules/ knows a database, a clock, a thread, a network or a setting: each rule takes plain
 * structs and an arena and says what follows from them. So the machine, which runs a discussion on its rows,
 * and a replay, which only reads its log, come to the same end by the same code.
 *
 * Thread: any.
 */
#ifndef CORE_COUNCIL_RULES_COUNCIL_H
#define CORE_COUNCIL_RULES_COUNCIL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "core/council/rules/state.h"

#include <stdbool.h>
#include <stddef.h>

enum seat_kind {
    SEAT_MODEL,   /* an agent that witan runs on a model */
    SEAT_OUTSIDE, /* an agent that comes by the API: its turn waits for it */
    SEAT_PERSON,  /* role user: the turn waits for a person */
};

/* One participant, in the order of speaking. */
struct seat {
    const char *name, *role;
    enum seat_kind kind;
    bool gone; /* its agent was deleted: its turns are skipped */
};

#define OUT_OF_TURN (-1)

/* One line of a discussion's log. */
struct council_entry {
    enum entry_kind kind;
    const char *speaker, *role;
    const char *content; /* what was said; of a pass or a skip its reason, which may be "" */
    int round;           /* from 1 */
    int turn;            /* place in the order, from 0, or OUT_OF_TURN */
    bool partial;        /* it was cut off */
    bool failed;         /* a pass because the call failed */
    bool person;         /* a person said it */
};

#endif
