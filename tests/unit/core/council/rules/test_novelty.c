/*
 * What is new in a contribution.
 */
#include "core/council/rules/novelty.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static void triples_are_compared(void **state)
{
    static const struct {
        const char *before, *text;
        size_t shared, total;
        bool old;
    } rows[] = {
        { "", "start with a monolith", 0, 2, false },
        { "start with a monolith", "Start with: a MONOLITH!", 2, 2, true },
        { "one two three four five six seven", "one two three four five six eight", 4, 5, true },
        { "one two three four five six", "one two three four five nine ten", 3, 5, false },
        { "a b c", "c b a", 0, 1, false },
        { "yes", "Yes.", 1, 1, true },
        { "yes", "yes please", 0, 1, false },
        { "a b c", "", 0, 0, true },
        { "a b c", "... !!", 0, 0, true },
        { "\xE5\x8D\x95\xE4\xBD\x93\xE6\x9C\x80\xE5\xA5\xBD",
          "\xE5\x8D\x95\xE4\xBD\x93\xE6\x9C\x80\xE5\xA5\xBD", 2, 2, true },
        { "\xFF\xFE", "\xFF a b c", 0, 1, false },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct novelty novelty;

        novelty_begin(&novelty, &arena);
        novelty_add(&novelty, rows[i].before);
        struct novelty_share share = novelty_add(&novelty, rows[i].text);

        assert_int_equal(share.shared, rows[i].shared);
        assert_int_equal(share.total, rows[i].total);
        assert_int_equal(novelty_is_old(share), rows[i].old);
    }
}

static void a_round_says_nothing_new_when_all_of_it_is_old(void **state)
{
    static const struct council_entry log[] = {
        { ENTRY_SAID, "a", "x", "a modular monolith keeps the team fast", 1, 0 },
        { ENTRY_SAID, "b", "x", "watch the boundaries between its modules", 1, 1 },
        { ENTRY_SAID, "a", "x", "As said: a modular monolith keeps the team fast", 2, 0 },
        { ENTRY_SAID, "b", "x", "schedule a review every three months", 2, 1 },
        { ENTRY_SAID, "a", "x", "a modular monolith keeps the team fast", 3, 0 },
        { ENTRY_PASSED, "b", "x", "something quite new in its reason", 3, 1 },
        { ENTRY_PASSED, "a", "x", "", 4, 0 },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_false(novelty_of_round(&arena, log, LEN(log), 1).nothing_new);
    assert_false(novelty_of_round(&arena, log, LEN(log), 2).nothing_new);
    struct novelty_round third = novelty_of_round(&arena, log, LEN(log), 3);

    assert_true(third.nothing_new);
    assert_int_equal(third.contributions, 1);
    assert_true(third.least == 1);
    assert_false(novelty_of_round(&arena, log, LEN(log), 4).nothing_new);
}

static void many_words_are_kept_apart(void **state)
{
    static char text[200000];
    ARENA_AUTO arena = { 0 };
    struct novelty novelty;
    struct novelty_share share;

    (void)state;
    for (size_t i = 0; i + 8 < sizeof(text); i += 8)
        for (size_t k = 0; k < 8; k++)
            text[i + k] = k == 7 ? ' ' : (char)('a' + (i / 8 >> (k * 4)) % 16);
    novelty_begin(&novelty, &arena);
    share = novelty_add(&novelty, text);
    assert_int_equal(share.shared, 0);
    assert_int_equal(novelty.used, share.total);
    share = novelty_add(&novelty, text);
    assert_int_equal(share.shared, share.total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triples_are_compared),
        cmocka_unit_test(a_round_says_nothing_new_when_all_of_it_is_old),
        cmocka_unit_test(many_words_are_kept_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
