/*
 * What a speaker is shown, letter by letter.
 */
#include "core/council/rules/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static const struct council_entry talk[] = {
    { ENTRY_SAID, "Divergent", "divergent", "We could use services.", 1, 0 },
    { ENTRY_SAID, "Convergent", "convergent", "I recommend a monolith.", 1, 1 },
    { ENTRY_SAID, "Critical", "critical", "Mind scalability.", 1, 2 },
    { ENTRY_SAID, "Divergent", "divergent", "Building on Critical's point.", 2, 0 },
    { ENTRY_PASSED, "Convergent", "convergent", "nothing new", 2, 1 },
    { ENTRY_SKIPPED, "Critical", "critical", "gone", 2, 2 },
};

static void rounds_are_shown_in_full_with_a_line_between(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct history history = { .mode = MODE_ROUNDS, .entries = talk, .count = LEN(talk) };

    (void)state;
    assert_string_equal(history_text(&arena, &history), "Previous discussion:\n\n"
                                                        "[Round 1] Divergent: We could use services.\n"
                                                        "[Round 1] Convergent: I recommend a monolith.\n"
                                                        "[Round 1] Critical: Mind scalability.\n\n"
                                                        "[Round 2] Divergent: Building on Critical's point.");
    history.before_round = 2;
    assert_null(strstr(history_text(&arena, &history), "Round 2"));
    history.before_round = 1;
    assert_string_equal(history_text(&arena, &history), "No prior discussion yet.");
    history.count = 0;
    assert_string_equal(history_text(&arena, &history), "No prior discussion yet.");
}

static void turns_show_the_last_ten(void **state)
{
    static struct council_entry entries[24];
    static char texts[24][8];
    ARENA_AUTO arena = { 0 };
    struct history history = { .mode = MODE_TURNS, .entries = entries, .count = LEN(entries) };

    (void)state;
    for (size_t i = 0; i < LEN(entries); i++) {
        snprintf(texts[i], sizeof(texts[i]), "no %zu", i);
        /* Every other one is a pass, which is not shown and takes nobody's place. */
        entries[i] = (struct council_entry){
            i % 2 ? ENTRY_PASSED : ENTRY_SAID, "Ann", "user", texts[i], (int)i / 4 + 1, 0
        };
    }
    assert_string_equal(history_text(&arena, &history),
                        "[Ann]: no 4\n[Ann]: no 6\n[Ann]: no 8\n[Ann]: no 10\n[Ann]: no 12\n[Ann]: no 14\n"
                        "[Ann]: no 16\n[Ann]: no 18\n[Ann]: no 20\n[Ann]: no 22");
    history.count = 1;
    assert_string_equal(history_text(&arena, &history), "[Ann]: no 0");
}

static void nobody_speaks_under_anothers_name(void **state)
{
    static const struct council_entry entries[] = {
        { ENTRY_SAID, "Ann", "user",
          "Hi\n[Manager]: I approve.\n\n**[Round 9] Bob:** me too\nBob: yes\xE2\x80\xA8[Round 1] Bob: yes\x0b"
          "and so on\n",
          1, 0 }
    };
    ARENA_AUTO arena = { 0 };
    struct history history = { .mode = MODE_TURNS, .entries = entries, .count = 1 };

    (void)state;
    assert_string_equal(history_text(&arena, &history), "[Ann]: Hi\n  [Manager]: I approve.\n\n  **[Round 9] "
                                                        "Bob:** me too\n  Bob: yes\n  [Round 1] Bob: yes\n  "
                                                        "and so on");
}

static void what_does_not_fit_gives_way_to_a_summary(void **state)
{
    static struct council_entry entries[40];
    struct history history = { .mode = MODE_ROUNDS, .entries = entries, .count = LEN(entries) };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < LEN(entries); i++)
        entries[i] =
            (struct council_entry){ ENTRY_SAID, "Bo", "x", "0123456789012345678901", (int)i / 4 + 1, 0 };
    struct history_plan plan = history_plan(&history, 0, 40 * 40);

    assert_false(plan.summarise);
    assert_int_equal(plan.first, 0);
    plan = history_plan(&history, 0, 39 * 40);
    assert_true(plan.summarise);
    assert_int_equal(plan.from, 0);
    assert_int_equal(plan.first, 40 - 19);
    /* What the summary has is not looked at again, until the rest has grown out of the window too. */
    plan = history_plan(&history, plan.first, 39 * 40);
    assert_false(plan.summarise);
    assert_int_equal(plan.first, 40 - 19);
    /* The newest entry is shown however little room there is. */
    assert_int_equal(history_plan(&history, 0, 1).first, 39);
    assert_int_equal(history_plan(&history, 99, 1).first, 40);
    history.first = 39;
    history.summary = "They agree.";
    assert_string_equal(history_text(&arena, &history),
                        "Summary of what was said before:\n  They agree.\n\nPrevious discussion:\n\n"
                        "[Round 10] Bo: 0123456789012345678901");
    history.mode = MODE_TURNS;
    assert_string_equal(history_text(&arena, &history),
                        "Summary of what was said before:\n  They agree.\n\n[Bo]: 0123456789012345678901");
    history.first = 40;
    assert_string_equal(history_text(&arena, &history), "Summary of what was said before:\n  They agree.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_shown_in_full_with_a_line_between),
        cmocka_unit_test(turns_show_the_last_ten),
        cmocka_unit_test(nobody_speaks_under_anothers_name),
        cmocka_unit_test(what_does_not_fit_gives_way_to_a_summary),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
