/*
 * What a discussion came to, in plain words.
 */
#include "core/council/rules/conclusion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static struct logged rows[] = {
    { .kind = ROW_TURN, .manner = ENTRY_SAID, .content = "Left.", .round = 1 },
    { .kind = ROW_SUMMARY, .manner = ENTRY_SAID, .content = "So far: left.", .round = 1 },
    { .kind = ROW_TURN, .manner = ENTRY_SAID, .content = "Right.", .round = 2 },
    { .kind = ROW_MESSAGE, .manner = ENTRY_SAID, .content = "Hurry!", .round = 2, .turn_index = OUT_OF_TURN },
    { .kind = ROW_TURN, .manner = ENTRY_PASSED, .content = "Nothing to add.", .round = 2 },
    { .kind = ROW_SUMMARY, .manner = ENTRY_SAID, .content = "All in all: right.", .round = 2 },
};

static void it_is_the_summary_of_its_end_or_what_was_said_last(void **state)
{
    static const struct {
        size_t count;
        int round;
        enum council_end end;
        const char *text;
    } cases[] = {
        { 0, 1, END_ROUNDS, "Nothing was said." },
        { 1, 1, END_ROUNDS, "Left." },
        { 6, 2, END_ROUNDS, "All in all: right." },
        { 6, 2, END_AGREEMENT, "All in all: right." },
        { 5, 2, END_ROUNDS, "Right." },
        { 6, 2, END_BUDGET, "Right." },
        { 6, 2, END_CANCELLED, "Right." },
        { 2, 1, END_ALL_PASSED, "So far: left." },
    };

    (void)state;
    for (size_t i = 0; i < LEN(cases); i++) {
        ARENA_AUTO arena = { 0 };
        struct conclusion of = { .log = { rows, cases[i].count },
                                 .round = cases[i].round,
                                 .end = cases[i].end };

        assert_string_equal(conclusion_text(&arena, &of), cases[i].text);
    }
}

static void a_vote_stands_before_it_and_dissent_behind_it(void **state)
{
    static const struct {
        const char *vote, *text;
    } cases[] = {
        { "{\"winner\": \"left\", \"dissent\": []}", "The vote is for: left.\n\nLeft." },
        { "{\"winner\": null, \"dissent\": []}", "The vote has no winner.\n\nLeft." },
        { "{\"winner\": \"left\", \"dissent\": [{\"voter\": \"Bob\", \"choice\": \"right\"}, {\"voter\": \"Cem\","
          " \"choice\": null}]}",
          "The vote is for: left.\n\nLeft.\n\nDissent: Bob (right), Cem (no choice)." },
    };

    (void)state;
    for (size_t i = 0; i < LEN(cases); i++) {
        ARENA_AUTO arena = { 0 };
        JSON_AUTO *vote = json_loads(cases[i].vote, 0, NULL);
        struct conclusion of = { .log = { rows, 1 }, .round = 1, .end = END_ROUNDS, .vote = vote };

        assert_string_equal(conclusion_text(&arena, &of), cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_summary_of_its_end_or_what_was_said_last),
        cmocka_unit_test(a_vote_stands_before_it_and_dissent_behind_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
