/*
 * Most of these enums begin at 0 and have no value for nothing, so a word's place is one less than words_find
 * says, and a cell that is NULL is as strange as one that says something unknown.
 */
#include "core/council/state.h"

#include "base/words.h"

const char *const council_statuses[] = { "active", "paused", "completed", "cancelled", "failed", NULL };
const char *const council_phases[] = { "opening",   "asking", "calling", "speaking",    "outside",
                                       "person",    "voting", "judging", "summarising", "delegating",
                                       "answering", "ended",  NULL };
const char *const council_ends[] = { "rounds_used", "all_passed", "agreement", "nothing_new",
                                     "budget",      "cancelled",  "failed",    NULL };
const char *const row_kinds[] = { "message", "turn", "ballot", "judge", "summary", NULL };
const char *const turn_states[] = { "queued", "calling", "outside", NULL };
const char *const council_refs[] = { "prompt", "question", NULL };

_Static_assert(sizeof(council_statuses) / sizeof(char *) == STATUSES + 1, "a word for each status");
_Static_assert(sizeof(council_phases) / sizeof(char *) == PHASES + 1, "a word for each phase");
_Static_assert(sizeof(council_ends) / sizeof(char *) == ENDS, "a word for each end but none");
_Static_assert(sizeof(row_kinds) / sizeof(char *) == ROW_KINDS + 1, "a word for each kind");
_Static_assert(sizeof(turn_states) / sizeof(char *) == TURN_STATES + 1, "a word for each state");
_Static_assert(sizeof(council_refs) / sizeof(char *) == REFS, "a word for each but none");

static unsigned place_of(const char *const words[], const char *text, const char **strange)
{
    unsigned value = words_find(words, text);

    if (value != 0 && value != WORD_UNKNOWN)
        return value - 1;
    *strange = text ? text : "NULL";
    return 0;
}

const char *status_text(enum council_status status)
{
    return council_statuses[status];
}

const char *phase_text(enum council_phase phase)
{
    return council_phases[phase];
}

const char *end_text(enum council_end end)
{
    return end == END_NONE ? NULL : council_ends[end - 1];
}

bool end_is_natural(enum council_end end)
{
    return end == END_ROUNDS || end == END_ALL_PASSED || end == END_AGREEMENT || end == END_NOTHING_NEW;
}

const char *row_kind_text(enum row_kind kind)
{
    return row_kinds[kind];
}

const char *turn_kind_text(enum turn_kind kind)
{
    return row_kinds[kind];
}

const char *turn_state_text(enum turn_state state)
{
    return turn_states[state];
}

const char *ref_text(enum council_ref ref)
{
    return ref == REF_NONE ? NULL : council_refs[ref - 1];
}

enum council_status status_of(const char *text, const char **strange)
{
    return (enum council_status)place_of(council_statuses, text, strange);
}

enum council_phase phase_of(const char *text, const char **strange)
{
    return (enum council_phase)place_of(council_phases, text, strange);
}

enum council_end end_of(const char *text, const char **strange)
{
    return text ? (enum council_end)(place_of(council_ends, text, strange) + 1) : END_NONE;
}

enum row_kind row_kind_of(const char *text, const char **strange)
{
    return (enum row_kind)place_of(row_kinds, text, strange);
}

enum turn_kind turn_kind_of(const char *text, const char **strange)
{
    return (enum turn_kind)place_of(row_kinds, text, strange);
}

enum turn_state turn_state_of(const char *text, const char **strange)
{
    return (enum turn_state)place_of(turn_states, text, strange);
}

enum council_ref ref_of(const char *text, const char **strange)
{
    return text ? (enum council_ref)(place_of(council_refs, text, strange) + 1) : REF_NONE;
}
