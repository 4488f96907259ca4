/*
 * Of what programs write for terminals, colours stay in a log, and nothing else that a terminal obeys.
 */
#include "base/colour.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const char *text, const char *kept, const char *dropped)
{
    ARENA_AUTO arena = { 0 };

    assert_string_equal(colour_keep(&arena, text), kept);
    assert_string_equal(colour_drop(&arena, text), dropped);
}

static void colours_stay_and_can_be_dropped(void **state)
{
    (void)state;
    check("plain\ttext\n", "plain\ttext\n", "plain\ttext\n");
    check("\033[32mok\033[0m", "\033[32mok\033[0m", "ok");
    check("\033[1;38;5;9mred\033[m", "\033[1;38;5;9mred\033[m", "red");
    check("\033[38:2::1:2:3mx", "\033[38:2::1:2:3mx", "x");
    check("10 %\r20 %\r\n", "10 %\r20 %\n", "10 %\r20 %\r\n");
}

static void whatever_else_a_terminal_obeys_goes_as_a_whole(void **state)
{
    (void)state;
    check("a\033[2Kb\033[1;1Hc\033[?25ld", "abcd", "abcd");
    check("a\033]0;title\ab\033]8;;http://x\033\\c", "abc", "abc");
    check("a\033(Bb\0337c", "abc", "abc");
    check("a\033[>4;2mb", "ab", "ab");
    check("a\ab\bc\x7f", "abc", "a\ab\bc\x7f");
    check("\xe2\x80\xae"
          "exe",
          "exe",
          "\xe2\x80\xae"
          "exe");
}

static void one_without_an_end_takes_no_words_with_it(void **state)
{
    (void)state;
    check("\033", "", "");
    check("\033[31", "[31", "[31");
    check("\033]0;rm -rf /", "]0;rm -rf /", "]0;rm -rf /");
    check("\033]0;a\nb\a", "]0;a\nb", "]0;a\nb\a");
    check("\033\033[31mx", "\033[31mx", "x");
}

/* Whatever it is given: what is kept holds no sign but of colours, and is kept as it is when it is read
 * again. */
static void of_any_bytes_only_colours_are_kept(void **state)
{
    static const char *const parts[] = { "\033", "[", "]",  "31", ";",        "m",    "\a",
                                         "\\",   "K", "\n", "a",  "\xc2\x9b", "\xff", "(" };
    const size_t count = sizeof(parts) / sizeof(parts[0]);

    (void)state;
    srand(20);
    for (int round = 0; round < 5000; round++) {
        ARENA_AUTO arena = { 0 };
        char text[256] = "";

        for (int i = rand() % 24; i > 0; i--)
            strcat(text, parts[(size_t)rand() % count]);
        const char *kept = colour_keep(&arena, text);

        assert_string_equal(colour_keep(&arena, kept), kept);
        assert_null(strchr(colour_drop(&arena, kept), '\033'));
        assert_null(strchr(kept, '\a'));
        for (const char *at = strchr(kept, '\033'); at; at = strchr(at + 1, '\033'))
            assert_int_equal(at[2 + strspn(at + 2, "0123456789;:")], 'm');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_stay_and_can_be_dropped),
        cmocka_unit_test(whatever_else_a_terminal_obeys_goes_as_a_whole),
        cmocka_unit_test(one_without_an_end_takes_no_words_with_it),
        cmocka_unit_test(of_any_bytes_only_colours_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
