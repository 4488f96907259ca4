/*
 * council.h - what the rules of a discussion work on.
 *
 * Nothing in this room knows a database, a clock, a thread or a network: each rule takes plain structs and an
 * arena and says what follows from them. So the engine, which runs a discussion, and a replay, which only
 * reads its log, come to the same end by the same code.
 *
 * Thread: any.
 */
#ifndef CORE_COUNCIL_COUNCIL_H
#define CORE_COUNCIL_COUNCIL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>

enum council_mode {
    MODE_TURNS,    /* one after the other, for as long as a person or the rounds allow */
    MODE_ROUNDS,   /* each agent once in a round, all of it said before it, with the right to pass */
    MODE_PARALLEL, /* a round's agents at once, each blind to that round */
};

const char *council_mode_name(enum council_mode mode);
CHECKED bool council_mode_parse(const char *name, enum council_mode *mode, struct err *err);

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

enum entry_kind { ENTRY_SAID, ENTRY_PASSED, ENTRY_SKIPPED };

#define OUT_OF_TURN (-1)

/* One line of a discussion's log. */
struct entry {
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
