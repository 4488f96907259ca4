/* Regular expressions: what is found, what is refused, what is left alone, and that nothing takes long. */
#include "base/pattern.h"

#include "base/buf.h"
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static enum pattern_verdict verdict_of(const char *text)
{
    ARENA_AUTO arena = { 0 };
    const struct pattern *pattern;
    const char *why;
    enum pattern_verdict verdict = pattern_read(&arena, text, &pattern, &why);

    assert_int_equal(pattern != NULL, verdict == PATTERN_FINE);
    assert_int_equal(*why != '\0', verdict != PATTERN_FINE);
    return verdict;
}

static bool found(const char *text, const char *in)
{
    ARENA_AUTO arena = { 0 };
    const struct pattern *pattern;
    const char *why;
    size_t work = 1000000;

    if (pattern_read(&arena, text, &pattern, &why) != PATTERN_FINE)
        fail_msg("%s: %s", text, why);
    return pattern_found(&arena, pattern, in, strlen(in), &work);
}

static void what_fits_is_found(void **state)
{
    static const char *const pairs[][2] = {
        { "", "" },
        { "", "x" },
        { "b", "abc" },
        { "^a", "abc" },
        { "c$", "abc" },
        { "^$", "" },
        { "^[a-z]+$", "abc" },
        { "^(a|b)*$", "abba" },
        { "^a{3}$", "aaa" },
        { "^a{2,}$", "aaaa" },
        { "^a{0,2}b$", "aab" },
        { "^a{0}$", "" },
        { "^a??b+?c*?$", "bbc" },
        { "^\\d{4}-\\d{2}$", "2026-11" },
        { "^\\w+\\s\\W$", "a_9 \xc3\xa4" },
        { "\\bcat\\b", "a cat." },
        { "\\Bat\\b", "cat" },
        { "^.$", "\xf0\x9f\x98\x80" },
        { "^\\u{1F600}\\ud83d\\ude00\\x41\\u00e9$", "\xf0\x9f\x98\x80\xf0\x9f\x98\x80"
                                                    "A\xc3\xa9" },
        { "^[^a-c\\d]$", "x" },
        { "^[\\s\\S]$", "\n" },
        { "^[-a]+$", "-a" },
        { "^[a-]+$", "-a" },
        { "^[\\w.+-]+@x$", "a.b+c-d@x" },
        { "^[\\]\\\\]+$", "]\\" },
        { "^(?:a|b(?<name>c))$", "bc" },
        { "^a{x}$", "a{x}" },
        { "^}]$", "}]" },
        { "^(a*)*$", "aaaa" },
        { "^(a|)+b$", "aab" },
        { "^\\.\\/\\-$", "./-" },
        { "x|^y$", "y" },
        { "^[^]$", "]" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        if (!found(pairs[i][0], pairs[i][1]))
            fail_msg("%s is not found in %s", pairs[i][0], pairs[i][1]);
}

static void what_does_not_fit_is_not_found(void **state)
{
    static const char *const pairs[][2] = {
        { "d", "abc" },
        { "^b", "abc" },
        { "b$", "abc" },
        { "^[a-z]+$", "aBc" },
        { "^a{3}$", "aa" },
        { "^a{3}$", "aaaa" },
        { "^a{0,2}$", "aaa" },
        { "^.$", "\n" },
        { "^.$", "ab" },
        { "\\bcat\\b", "scat" },
        { "^[^\\d]$", "7" },
        { "^\\s$", "x" },
        { "^(ab|cd)$", "ad" },
        { "^[]$", "a" },
        { "^(a|b)c$", "a" },
        { "^a{0}$", "a" },
        { "^\\u{1F600}$", "\xf0\x9f\x98\x81" },
        { "a^b", "ab" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        if (found(pairs[i][0], pairs[i][1]))
            fail_msg("%s is found in %s", pairs[i][0], pairs[i][1]);
}

static void what_is_wrong_is_told_from_what_is_beyond(void **state)
{
    static const char *const wrong[] = { "(",     ")",      "a)",  "[a",   "[b-a]", "*",
                                         "a**",   "a{2,1}", "\\",  "(?:",  "\\u12", "\\u{110000}",
                                         "\\xg0", "[\\",    "a|*", "\xff", "\\\xff" };
    static const char *const beyond[] = { "(?=a)",
                                          "(?!a)",
                                          "(?<=a)",
                                          "(?<!a)",
                                          "(a)\\1",
                                          "\\p{L}",
                                          "\\k<a>",
                                          "(?i)a",
                                          "a{5000}",
                                          "\\Aa",
                                          "((((a{99}){99}){99}){99})",
                                          "((((){999}){999}){999})" };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        if (verdict_of(wrong[i]) != PATTERN_WRONG)
            fail_msg("%s is not wrong", wrong[i]);
    for (size_t i = 0; i < sizeof(beyond) / sizeof(*beyond); i++)
        if (verdict_of(beyond[i]) != PATTERN_BEYOND)
            fail_msg("%s is not beyond", beyond[i]);
}

static void groups_may_be_nested_so_deeply(void **state)
{
    BUF_AUTO text;

    (void)state;
    buf_init(&text, 0);
    for (int i = 0; i < 100000; i++)
        buf_char(&text, '(');
    assert_int_equal(verdict_of(text.bytes), PATTERN_BEYOND);
}

/* Matchers that go back take 2^n steps for these. */
static void no_pattern_takes_long(void **state)
{
    static const char *const slow[] = { "^(a+)+$", "^(a|a)*$", "^(a*)*b$", "^(a?){500}a{500}$", "(x+x+)+y" };
    int64_t began = clock_ticks_ms();
    BUF_AUTO text;

    (void)state;
    buf_init(&text, 0);
    for (int i = 0; i < 5000; i++)
        buf_text(&text, "ax");
    for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++)
        assert_false(found(slow[i], text.bytes));
    assert_true(clock_ticks_ms() - began < 5000);
}

static void work_comes_to_an_end(void **state)
{
    ARENA_AUTO arena = { 0 };
    const struct pattern *pattern;
    const char *why;
    size_t work = 50;

    (void)state;
    assert_int_equal(pattern_read(&arena, "^(a|b)*c$", &pattern, &why), PATTERN_FINE);
    assert_false(pattern_found(&arena, pattern, "abababababababababababababababc", 31, &work));
    assert_int_equal(work, 0);
    work = 5000;
    assert_true(pattern_found(&arena, pattern, "abababababababababababababababc", 31, &work));
    assert_true(work > 0 && work < 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_found),
        cmocka_unit_test(what_does_not_fit_is_not_found),
        cmocka_unit_test(what_is_wrong_is_told_from_what_is_beyond),
        cmocka_unit_test(groups_may_be_nested_so_deeply),
        cmocka_unit_test(no_pattern_takes_long),
        cmocka_unit_test(work_comes_to_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
