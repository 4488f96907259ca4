/*
 * state.h - the words of a discussion (base/words.h): every state that it and its parts can be in.
 *
 * The order of the phases is the order in which a discussion comes through them.
 *
 * Thread: any.
 */
#ifndef CORE_COUNCIL_RULES_STATE_H
#define CORE_COUNCIL_RULES_STATE_H

#include "base/words.h"

#include <stdbool.h>

enum council_mode {
    MODE_TURNS = 1, /* one after the other, for as long as a person or the rounds allow */
    MODE_ROUNDS,    /* each agent once in a round, all of it said before it, with the right to pass */
    MODE_PARALLEL,  /* a round's agents at once, each blind to that round */
    MODE_END,
};
WORDS_OF(council_mode, council_modes);

enum council_status {
    STATUS_ACTIVE = 1,
    STATUS_PAUSED,
    STATUS_COMPLETED,
    STATUS_CANCELLED,
    STATUS_FAILED,
    STATUS_END,
};
WORDS_OF(council_status, council_statuses);

/* Where the machine stands. A crash test visits every one of them. */
enum council_phase {
    PHASE_OPENING = 1, /* there is something to do, and nobody has driven it yet */
    PHASE_ASKING,      /* a turn is queued */
    PHASE_CALLING,     /* a call is out */
    PHASE_SPEAKING,    /* its text has begun to come and was saved */
    PHASE_OUTSIDE,     /* an agent that witan does not run, or a person, owes a turn by a deadline */
    PHASE_PERSON,      /* mode turns: a person's slot, without a deadline */
    PHASE_VOTING,      /* ballots are out */
    PHASE_JUDGING,     /* a judge was asked whether more is to come */
    PHASE_SUMMARISING, /* a summary was asked for */
    PHASE_DELEGATING,  /* a discussion of its own must end first */
    PHASE_ANSWERING,   /* the result is being posted to what it answers */
    PHASE_ENDED,
    PHASE_END,
};
WORDS_OF(council_phase, council_phases);

enum council_end {
    END_NONE, /* it has not ended */
    END_ROUNDS,
    END_ALL_PASSED,
    END_AGREEMENT,
    END_NOTHING_NEW,
    END_BUDGET,
    END_CANCELLED,
    END_FAILED,
    END_END,
};
WORDS_OF(council_end, council_ends);

/* Whether the agents came to it: by their rounds, by agreeing, by having no more to say. */
bool end_is_natural(enum council_end end);

/* Of rows of the log. A message is out of the order or takes a person's slot; the rest were asked for. */
enum row_kind { ROW_MESSAGE = 1, ROW_TURN, ROW_BALLOT, ROW_JUDGE, ROW_SUMMARY, ROW_KIND_END };
WORDS_OF(row_kind, row_kinds);

/* How somebody used their turn. */
enum entry_kind { ENTRY_SAID = 1, ENTRY_PASSED, ENTRY_SKIPPED, ENTRY_END };
WORDS_OF(entry_kind, entry_kinds);

/* Of open turns: the same words as the rows that they become, behind the first. */
enum turn_kind {
    TURN_TURN = ROW_TURN,
    TURN_BALLOT = ROW_BALLOT,
    TURN_JUDGE = ROW_JUDGE,
    TURN_SUMMARY = ROW_SUMMARY,
};
WORDS_OF(turn_kind, row_kinds);

enum turn_state {
    TURN_QUEUED = 1, /* may be called */
    TURN_CALLING,    /* a call is out */
    TURN_OUTSIDE,    /* somebody whom witan does not run owes it */
    TURN_STATE_END,
};
WORDS_OF(turn_state, turn_states);

/*
 * The phase of a discussion that has this turn open beside those that have made the phase so far; it begins
 * as PHASE_OUTSIDE. `speaks`: some of its text was saved.
 */
enum council_phase phase_with(enum council_phase phase, enum turn_kind kind, enum turn_state state,
                              bool speaks);

/* What a discussion answers when it ends. */
enum council_ref { REF_NONE, REF_PROMPT, REF_QUESTION, REF_END };
WORDS_OF(council_ref, council_refs);

#endif
