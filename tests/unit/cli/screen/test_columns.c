#include "cli/screen/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <string.h>

static void wide_characters_take_two_columns(void **state)
{
    (void)state;
    assert_int_equal(columns_of("abc"), 3);
    assert_int_equal(columns_of("日本"), 4);
    assert_int_equal(columns_of("e\u0301"), 1); /* an accent that is put on */
    assert_int_equal(columns_of(""), 0);
}

static void text_is_cut_and_filled_to_a_width(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(columns_fit(&arena, "abc", 5), "abc  ");
    assert_string_equal(columns_fit(&arena, "abcdef", 4), "abc…");
    assert_string_equal(columns_fit(&arena, "日本語", 5), "日本…");
    assert_string_equal(columns_fit(&arena, "日本語", 4), "日… ");
    assert_string_equal(columns_fit(&arena, "abc", 0), "");
    for (size_t width = 0; width < 12; width++)
        assert_int_equal(columns_of(columns_fit(&arena, "日本 and e\u0301 so on", width)), width);
}

static void nothing_that_steers_a_terminal_comes_out(void **state)
{
    ARENA_AUTO arena = { 0 };
    const char *text = columns_fit(&arena,
                                   "a\033[2Jb\a\xc2\x9b"
                                   "c\x7f\xff",
                                   12);
    size_t count;

    (void)state;
    assert_string_equal(text, "a[2Jbc      ");
    assert_string_equal(columns_wrap(&arena, "\033]0;x\abc", 80, &count)[0], "]0;xbc");
}

static void lines_break_between_words(void **state)
{
    ARENA_AUTO arena = { 0 };
    size_t count;
    const char *const *lines = columns_wrap(&arena, "one two three\n\nabcdefghij", 8, &count);

    (void)state;
    assert_int_equal(count, 5);
    assert_string_equal(lines[0], "one two ");
    assert_string_equal(lines[1], "three");
    assert_string_equal(lines[2], "");
    assert_string_equal(lines[3], "abcdefgh");
    assert_string_equal(lines[4], "ij");
    lines = columns_wrap(&arena, "日本語", 1, &count); /* as narrow as one can be */
    assert_int_equal(count, 3);
    assert_string_equal(lines[2], "語");
    columns_wrap(&arena, "", 8, &count);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wide_characters_take_two_columns),
        cmocka_unit_test(text_is_cut_and_filled_to_a_width),
        cmocka_unit_test(nothing_that_steers_a_terminal_comes_out),
        cmocka_unit_test(lines_break_between_words),
    };

    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
