/*
 * state.h - the words of a discussion: every state that it and its parts can be in.
 *
 * Each is an enum with one table of texts, which are what the store and the API say; code compares the enums
 * and never the texts. The order of the phases is the order in which a discussion comes through them.
 *
 * Thread: any.
 */
#ifndef CORE_COUNCIL_STATE_H
#define CORE_COUNCIL_STATE_H

#include <stdbool.h>
#include <stddef.h>

enum council_status {
    STATUS_ACTIVE,
    STATUS_PAUSED,
    STATUS_COMPLETED,
    STATUS_CANCELLED,
    STATUS_FAILED,
    STATUSES,
};

/* Where the machine stands. A crash test visits every one of them. */
enum council_phase {
    PHASE_OPENING,     /* there is something to do, and nobody has driven it yet */
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
    PHASES,
};

enum council_end {
    END_NONE, /* it has not ended */
    END_ROUNDS,
    END_ALL_PASSED,
    END_AGREEMENT,
    END_NOTHING_NEW,
    END_BUDGET,
    END_CANCELLED,
    END_FAILED,
    ENDS,
};

/* Whether the agents came to it: by their rounds, by agreeing, by having no more to say. */
bool end_is_natural(enum council_end end);

/* Of rows of the log. A message is out of the order or takes a person's slot; the rest were asked for. */
enum row_kind { ROW_MESSAGE, ROW_TURN, ROW_BALLOT, ROW_JUDGE, ROW_SUMMARY, ROW_KINDS };

/* Of open turns: the same words as the rows that they become. */
enum turn_kind {
    TURN_TURN = ROW_TURN,
    TURN_BALLOT = ROW_BALLOT,
    TURN_JUDGE = ROW_JUDGE,
    TURN_SUMMARY = ROW_SUMMARY,
};

enum turn_state {
    TURN_QUEUED,  /* may be called */
    TURN_CALLING, /* a call is out */
    TURN_OUTSIDE, /* somebody whom witan does not run owes it */
    TURN_STATES,
};

/* What a discussion answers when it ends. */
enum council_ref { REF_NONE, REF_PROMPT, REF_QUESTION, REFS };

/* The tables; each has a NULL behind the last. END_NONE and REF_NONE have no word and are left out. */
extern const char *const council_statuses[],
    *const council_phases[], *const council_ends[], *const row_kinds[], *const turn_states[],
                                                                            *const council_refs[];

const char *status_text(enum council_status status);
const char *phase_text(enum council_phase phase);
const char *end_text(enum council_end end); /* NULL: END_NONE */
const char *row_kind_text(enum row_kind kind);
const char *turn_kind_text(enum turn_kind kind);
const char *turn_state_text(enum turn_state state);
const char *ref_text(enum council_ref ref); /* NULL: REF_NONE */

/*
 * From texts that the store or a checked parameter brought. Any other is a row that no version of the program
 * wrote: it goes into `strange`, and db_words_known makes ERR_INTERNAL of it, as with db_cell_word.
 */
enum council_status status_of(const char *text, const char **strange);
enum council_phase phase_of(const char *text, const char **strange);
enum council_end end_of(const char *text, const char **strange); /* NULL: END_NONE */
enum row_kind row_kind_of(const char *text, const char **strange);
enum turn_kind turn_kind_of(const char *text, const char **strange);
enum turn_state turn_state_of(const char *text, const char **strange);
enum council_ref ref_of(const char *text, const char **strange); /* NULL: REF_NONE */

#endif
