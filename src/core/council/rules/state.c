#include "core/council/rules/state.h"

const char *const council_modes[] = { "turns", "rounds", "parallel", NULL };
WORDS_FIT(council_modes, MODE_END);

const char *const council_statuses[] = { "active", "paused", "completed", "cancelled", "failed", NULL };
WORDS_FIT(council_statuses, STATUS_END);

const char *const council_phases[] = { "opening",   "asking", "calling", "speaking",    "outside",
                                       "person",    "voting", "judging", "summarising", "delegating",
                                       "answering", "ended",  NULL };
WORDS_FIT(council_phases, PHASE_END);

const char *const council_ends[] = { "rounds_used", "all_passed", "agreement", "nothing_new",
                                     "budget",      "cancelled",  "failed",    NULL };
WORDS_FIT(council_ends, END_END);

const char *const row_kinds[] = { "message", "turn", "ballot", "judge", "summary", NULL };
WORDS_FIT(row_kinds, ROW_KIND_END);

const char *const entry_kinds[] = { "said", "passed", "skipped", NULL };
WORDS_FIT(entry_kinds, ENTRY_END);

const char *const turn_states[] = { "queued", "calling", "outside", NULL };
WORDS_FIT(turn_states, TURN_STATE_END);

const char *const council_refs[] = { "prompt", "question", NULL };
WORDS_FIT(council_refs, REF_END);

bool end_is_natural(enum council_end end)
{
    return end == END_ROUNDS || end == END_ALL_PASSED || end == END_AGREEMENT || end == END_NOTHING_NEW;
}

/* Ballots, judges and summaries are a phase of their own from being asked to being answered. */
enum council_phase phase_with(enum council_phase phase, enum turn_kind kind, enum turn_state state,
                              bool speaks)
{
    if (phase == PHASE_VOTING || phase == PHASE_JUDGING || phase == PHASE_SUMMARISING)
        return phase;
    switch (kind) {
    case TURN_BALLOT: return PHASE_VOTING;
    case TURN_JUDGE: return PHASE_JUDGING;
    case TURN_SUMMARY: return PHASE_SUMMARISING;
    case TURN_TURN: break;
    }
    if (state == TURN_CALLING)
        return speaks || phase == PHASE_SPEAKING ? PHASE_SPEAKING : PHASE_CALLING;
    return state == TURN_QUEUED && phase == PHASE_OUTSIDE ? PHASE_ASKING : phase;
}
