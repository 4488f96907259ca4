/*
 * In which phase a discussion is, by the turns that are open.
 */
#include "core/council/rules/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

struct standing {
    enum turn_kind kind;
    enum turn_state state;
    bool speaks;
};

static void the_phase_says_what_is_under_way(void **state)
{
    static const struct {
        const char *name;
        struct standing turns[2];
        size_t count;
        enum council_phase phase;
    } rows[] = {
        { "queued", { { TURN_TURN, TURN_QUEUED } }, 1, PHASE_ASKING },
        { "outside", { { TURN_TURN, TURN_OUTSIDE } }, 1, PHASE_OUTSIDE },
        { "outside and queued",
          { { TURN_TURN, TURN_OUTSIDE }, { TURN_TURN, TURN_QUEUED } },
          2,
          PHASE_ASKING },
        { "queued and outside",
          { { TURN_TURN, TURN_QUEUED }, { TURN_TURN, TURN_OUTSIDE } },
          2,
          PHASE_ASKING },
        { "calling and queued",
          { { TURN_TURN, TURN_CALLING }, { TURN_TURN, TURN_QUEUED } },
          2,
          PHASE_CALLING },
        { "queued and calling",
          { { TURN_TURN, TURN_QUEUED }, { TURN_TURN, TURN_CALLING } },
          2,
          PHASE_CALLING },
        { "speaking and calling",
          { { TURN_TURN, TURN_CALLING, true }, { TURN_TURN, TURN_CALLING } },
          2,
          PHASE_SPEAKING },
        { "calling and speaking",
          { { TURN_TURN, TURN_CALLING }, { TURN_TURN, TURN_CALLING, true } },
          2,
          PHASE_SPEAKING },
        { "ballots", { { TURN_BALLOT, TURN_QUEUED }, { TURN_BALLOT, TURN_CALLING, true } }, 2, PHASE_VOTING },
        { "a ballot outside", { { TURN_BALLOT, TURN_OUTSIDE } }, 1, PHASE_VOTING },
        { "a judge", { { TURN_JUDGE, TURN_CALLING, true } }, 1, PHASE_JUDGING },
        { "a summary", { { TURN_SUMMARY, TURN_QUEUED } }, 1, PHASE_SUMMARISING },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        enum council_phase phase = PHASE_OUTSIDE;

        for (size_t t = 0; t < rows[i].count; t++)
            phase = phase_with(phase, rows[i].turns[t].kind, rows[i].turns[t].state, rows[i].turns[t].speaks);
        if (phase != rows[i].phase)
            fail_msg("%s: %s", rows[i].name, council_phase_word(phase));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_phase_says_what_is_under_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
