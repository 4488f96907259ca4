#include "cli/term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOW_MS 1767225600000 /* 2026-01-01T00:00:00Z */

static void no_text_drives_the_terminal(void **state)
{
    static const char *const cases[][2] = {
        { "plain", "plain" },
        { "\033[31mred\033[0m", "red" },
        { "a\033]0;title\007b", "ab" },
        { "a\rb", "a b" },
        { "a\nb\tc", "a b c" },
        { "back\bspace\177", "backspace" },
        { "c1 \xc2\x9b"
          "31m",
          "c1 31m" },
        { "turned \xe2\x80\xae"
          "round",
          "turned round" },
        { "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(term_line(&arena, cases[i][0]), cases[i][1]);
    assert_string_equal(term_line(&arena, NULL), "-");
}

/* Where somebody decides, nothing is left out in silence. */
static void what_cannot_be_seen_is_marked(void **state)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out = { 0 };
    struct term term = { .arena = &arena, .out = &out };

    (void)state;
    assert_string_equal(term_shown(&arena,
                                   "turned \xe2\x80\xae"
                                   "round\nnow",
                                   VISIBLE_PROSE),
                        "turned <U+202E>round now");
    assert_string_equal(term_shown(&arena, "\033[31mred\033[0m", VISIBLE_PROSE), "red");
    assert_string_equal(term_shown(&arena, "\033[31mred", VISIBLE_EXACT), "<U+001B>[31mred");
    assert_string_equal(term_shown(&arena, NULL, VISIBLE_EXACT), "-");
    buf_init(&out, 0);
    term_shown_block(&term, "> ", "one \n\n\n\n\n\ntwo", VISIBLE_EXACT);
    assert_string_equal(out.bytes, "> one<1 blank>\n> <5 empty lines>\n> two\n");
}

static void only_colours_pass_the_last_gate(void **state)
{
    static const char *const cases[][2] = {
        { "\033[32mresolved\033[0m\n", "\033[32mresolved\033[0m\n" },
        { "a\033[2Jb\033]0;title\007c\033", "a\\u001b[2Jb\\u001b]0;title\\u0007c\\u001b" },
        { "\033[8mhidden\033[7;31m\033[41m", "\\u001b[8mhidden\\u001b[7;31m\\u001b[41m" },
        { "{\"a\":\"\xc2\x9b\x31m\"}\n", "{\"a\":\"\\u009b1m\"}\n" },
        { "two\nlines\t\xe2\x80\xae"
          "x",
          "two\nlines\t\\u202ex" },
        { "a\r\nb\rc\xff", "a\r\nb\\u000dc" },
        { "", "" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(term_harmless(&arena, cases[i][0], strlen(cases[i][0]), true), cases[i][1]);
    assert_string_equal(term_harmless(&arena, "\033[32ma\033[0m\0b", 12, false),
                        "\\u001b[32ma\\u001b[0m\\u0000b");
}

static void blocks_keep_their_lines(void **state)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out = { 0 };
    struct term term = { .arena = &arena, .out = &out };

    (void)state;
    buf_init(&out, 0);
    term_block(&term, "> ", "one\n\n\033[2Jtwo\n");
    term_block(&term, "> ", NULL);
    assert_string_equal(out.bytes, "> one\n> \n> two\n> \n");
}

static void times_are_told_from_now(void **state)
{
    static const char *const cases[][2] = {
        { "2026-01-01T00:00:00.000Z", "now" },      { "2026-01-01T00:00:05.000Z", "in 5s" },
        { "2025-12-31T23:58:01.000Z", "119s ago" }, { "2025-12-31T23:58:00.000Z", "2m ago" },
        { "2026-01-01T00:29:59.900Z", "in 30m" },   { "2026-01-01T05:00:00.000Z", "in 5h" },
        { "2026-03-31T23:59:59.000Z", "in 90d" },   { "not a time", "-" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(term_when(&arena, cases[i][0], NOW_MS), cases[i][1]);
    assert_string_equal(term_when(&arena, NULL, NOW_MS), "-");
}

static void tables_line_up_and_are_cut(void **state)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out = { 0 };
    struct term term = { .arena = &arena, .out = &out, .width = 20 };
    struct term_table table;

    (void)state;
    buf_init(&out, 0);
    term_table_init(&table, &term, 2, (const char *[]){ "ID", "TEXT" });
    term_table_row(&table, (const char *[]){ "gr\xc3\xbc\xc3\x9f", "short" });
    term_table_row(&table, (const char *[]){ "b", "\xc3\xa4 text that is far too long" });
    term_table_row(&table, (const char *[]){ NULL, "x\ny" });
    term_table_end(&table);
    assert_string_equal(out.bytes, "ID    TEXT\n"
                                   "gr\xc3\xbc\xc3\x9f  short\n"
                                   "b     \xc3\xa4 text that i\xe2\x80\xa6\n"
                                   "-     x y\n");
}

static void tables_grow(void **state)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out = { 0 };
    struct term term = { .arena = &arena, .out = &out };
    struct term_table table;
    size_t lines = 0;

    (void)state;
    buf_init(&out, 0);
    term_table_init(&table, &term, 2, (const char *[]){ "A", "B" });
    for (int i = 0; i < 500; i++)
        term_table_row(&table, (const char *[]){ arena_format(&arena, "%d", i), "x" });
    term_table_end(&table);
    for (const char *at = out.bytes; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 501);
    assert_non_null(strstr(out.bytes, "\n499  x\n"));
}

static void colours_only_when_wanted(void **state)
{
    ARENA_AUTO arena = { 0 };
    BUF_AUTO out = { 0 };
    struct term term = { .arena = &arena, .out = &out, .colour = true };

    (void)state;
    buf_init(&out, 0);
    term_paint(&term, term_status("resolved"), "resolved");
    assert_string_equal(out.bytes, "\033[32mresolved\033[0m");
    buf_clear(&out);
    term.colour = false;
    term_paint(&term, term_status("timed_out"), "timed_out");
    assert_string_equal(out.bytes, "timed_out");
}

static void moments_are_local_with_the_date_unless_today(void **state)
{
    static const int64_t now_ms = 1800000000000; /* 2027-01-15T08:00:00Z */
    static const struct {
        const char *zone, *time, *local;
    } cases[] = {
        { "UTC0", "2027-01-15T07:05:09.250Z", "07:05:09" },
        { "EST5", "2027-01-15T07:05:09.250Z", "02:05:09" },
        { "UTC0", "2027-01-14T23:59:59Z", "2027-01-14 23:59:59" },
        { "UTC0", "2026-01-15T07:05:09Z", "2026-01-15 07:05:09" },
        { "EST5", "2027-01-15T04:59:59Z", "2027-01-14 23:59:59" },
        { "JST-9", "2027-01-14T16:00:00Z", "01:00:00" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        setenv("TZ", cases[i].zone, 1);
        tzset();
        assert_string_equal(term_time(&arena, cases[i].time, now_ms, false), cases[i].local);
    }
    assert_string_equal(term_time(&arena, "2027-01-15T07:05:09.250Z", now_ms, true), "2027-01-15T07:05:09Z");
    assert_string_equal(term_time(&arena, NULL, now_ms, false), "-");
    assert_string_equal(term_time(&arena, "yesterday", now_ms, true), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_text_drives_the_terminal),
        cmocka_unit_test(what_cannot_be_seen_is_marked),
        cmocka_unit_test(only_colours_pass_the_last_gate),
        cmocka_unit_test(blocks_keep_their_lines),
        cmocka_unit_test(times_are_told_from_now),
        cmocka_unit_test(tables_line_up_and_are_cut),
        cmocka_unit_test(tables_grow),
        cmocka_unit_test(colours_only_when_wanted),
        cmocka_unit_test(moments_are_local_with_the_date_unless_today),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
