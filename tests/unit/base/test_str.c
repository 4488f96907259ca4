#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define UTF8(text) str_is_utf8((text), sizeof(text) - 1)

static void only_well_formed_utf8_passes(void **state)
{
    (void)state;
    assert_true(UTF8(""));
    assert_true(UTF8("plain text, longer than eight bytes"));
    assert_true(UTF8("\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF"));
    assert_true(UTF8("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
    assert_false(UTF8("\xC0\x80"));
    assert_false(UTF8("\xC1\xBF"));
    assert_false(UTF8("\xE0\x9F\xBF"));
    assert_false(UTF8("\xF0\x8F\xBF\xBF"));
    assert_false(UTF8("\xED\xA0\x80"));
    assert_false(UTF8("\xED\xBF\xBF"));
    assert_false(UTF8("\xF4\x90\x80\x80"));
    assert_false(UTF8("\xF5\x80\x80\x80"));
    assert_false(UTF8("\x80"));
    assert_false(UTF8("\xE2\x82"));
    assert_false(UTF8("\xE2\x28\xA1"));
    assert_false(UTF8("12345678\0"));
    assert_false(UTF8("1234567\0"
                      "12345678"));
    assert_false(UTF8("1234567\xFF"));
}

/* Every code point, written by the rule of the standard, is read back; nothing else is. */
static void every_code_point_is_read(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x110000; code++) {
        char text[4] = { 0 };
        size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        uint32_t rest = code, got = 0;

        for (size_t i = size; i-- > 1; rest >>= 6)
            text[i] = (char)(0x80 | (rest & 0x3F));
        text[0] = (char)(size == 1 ? rest : (0xF00u >> size & 0xFF) | rest);

        bool valid = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);

        assert_int_equal(str_decode(text, 4, &got), valid ? size : 0);
        assert_int_equal(got, valid ? code : 0);
        if (size > 1)
            assert_int_equal(str_decode(text, size - 1, &got), 0);
    }
}

static void space_is_trimmed(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(str_trim(&arena, " \t\r\n a b \n"), "a b");
    assert_string_equal(str_trim(&arena, "\xC2\xA0\xE3\x80\x80k\xE2\x80\x83"), "k");
    assert_string_equal(str_trim(&arena, "x"), "x");
    assert_string_equal(str_trim(&arena, "  "), "");
    assert_string_equal(str_trim(&arena, " \xFF "), "\xFF");
    assert_string_equal(str_past_space(" \t\r\n a b \n"), "a b \n");
    assert_string_equal(str_past_space("\xC2\xA0\xE3\x80\x80k\xE2\x80\x83"), "k\xE2\x80\x83");
    assert_string_equal(str_past_space(" \xFF "), "\xFF ");
    assert_string_equal(str_past_space("  "), "");
    assert_true(str_is_blank(NULL));
    assert_true(str_is_blank(""));
    assert_true(str_is_blank(" \t\n\xC2\xA0"));
    assert_false(str_is_blank(" . "));
}

static void characters_are_counted(void **state)
{
    (void)state;
    assert_int_equal(str_chars(""), 0);
    assert_int_equal(str_chars("abc"), 3);
    assert_int_equal(str_chars("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x91\x91"), 3);
}

static void unwanted_characters_are_dropped(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(str_sanitise(&arena, "a\r\nb\rc\n\td\r"), "a\nb\nc\n\td\n");
    assert_string_equal(str_sanitise(&arena, "\x01\x1B[31mred\x7F\x08"), "[31mred");
    assert_string_equal(str_sanitise(&arena, "a\xC2\x85\xC2\x9B"
                                             "b\xC2\xA0"),
                        "ab\xC2\xA0");
    assert_string_equal(str_sanitise(&arena, "\xE2\x80\xAA\xE2\x80\xAE"
                                             "x\xE2\x81\xA6\xE2\x81\xA9"),
                        "x");
    assert_string_equal(str_sanitise(&arena, "\xE2\x80\xA9\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA"),
                        "\xE2\x80\xA9\xE2\x80\xAF\xE2\x81\xA5\xE2\x81\xAA");
    assert_string_equal(str_sanitise(&arena, "a\xFF"
                                             "b"),
                        "ab");
    assert_string_equal(str_sanitise(&arena, ""), "");
}

static void a_plain_line_shows_all_that_it_holds(void **state)
{
    static const char *const good[] = {
        "",
        "Builder 7",
        "Zo\xC3\xAB",
        "\xE5\xBC\xA0\xE4\xBC\x9F",
        "Ops (\xE2\x9D\xA4\xEF\xB8\x8F)",
        "\xD8\xB9\xE2\x80\x8C\xD8\xB1",
    };
    static const char *const bad[] = {
        "a\nb",
        "a\tb",
        "a\x7F",
        "\xC2\x9B[31m",
        "a\xC2\x85",
        "\xE2\x80\xAE"
        "abc",
        "a\xE2\x80\x8B"
        "b",
        "a\xE2\x80\x8D"
        "b",
        "a\xEF\xB8\x8F",
        "\xEF\xBB\xBF"
        "a",
        "a\xC2\xAD"
        "b",
        "a\xE2\x80\xA8"
        "b",
        "\xD8\xB9\xE2\x80\x8C",
        "\xF3\xA0\x81\x81",
        "\xE2\x81\xA6"
        "a",
        "\xFF",
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        if (!str_is_plain_line(good[i]))
            fail_msg("good %zu", i);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        if (str_is_plain_line(bad[i]) || !str_is_plain_line(str_plain_line(&arena, bad[i])))
            fail_msg("bad %zu", i);
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        assert_string_equal(str_plain_line(&arena, good[i]), good[i]);
    assert_string_equal(str_plain_line(&arena, " Build\n\xE2\x80\xAEit\xE2\x80\x8B\xFF now\t"),
                        "Build it now");
}

static void one_question_has_one_normal_text(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(str_normal(&arena, "  Which\t\r\n DATABASE ? !"), "which database");
    assert_string_equal(str_normal(&arena, "which database"), "which database");
    assert_string_equal(str_normal(&arena, "a? b"), "a? b");
    assert_string_equal(str_normal(&arena, "\xC3\x89?"), "\xC3\x89");
    assert_string_equal(str_normal(&arena, " ?!.: "), "");
    assert_string_equal(str_normal(&arena, ""), "");
}

static void a_beginning_that_fits_has_whole_characters(void **state)
{
    (void)state;
    assert_int_equal(str_fitting("", 5), 0);
    assert_int_equal(str_fitting("abc", 5), 3);
    assert_int_equal(str_fitting("abc", 3), 3);
    assert_int_equal(str_fitting("abc", 2), 2);
    assert_int_equal(str_fitting("a\xC3\xA9", 3), 3);
    assert_int_equal(str_fitting("a\xC3\xA9", 2), 1);
    assert_int_equal(str_fitting("a\xF0\x9F\x98\x80z", 5), 5);
    for (size_t most = 1; most < 5; most++)
        assert_int_equal(str_fitting("a\xF0\x9F\x98\x80z", most), 1);
    assert_int_equal(str_fitting("\xC3\xA9", 1), 0);
}

static void texts_are_compared(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(str_lower(&arena, "Builder-\xC3\x89Z"), "builder-\xC3\x89z");
    assert_true(str_equal("a", "a"));
    assert_true(str_equal(NULL, NULL));
    assert_false(str_equal("a", NULL));
    assert_false(str_equal(NULL, "a"));
    assert_false(str_equal("a", "A"));
    assert_true(str_starts("prefix", "pre"));
    assert_true(str_starts("x", ""));
    assert_false(str_starts("pr", "pre"));
    assert_false(str_starts(NULL, "pre"));
}

static void whole_numbers_are_read(void **state)
{
    static const char *const bad[] = { "",
                                       "-",
                                       "+1",
                                       " 1",
                                       "1 ",
                                       "1.0",
                                       "0x1",
                                       "9223372036854775808",
                                       "-9223372036854775809",
                                       "99999999999999999999" };
    int64_t number = 5;

    (void)state;
    assert_true(str_to_int("9223372036854775807", &number));
    assert_true(number == INT64_MAX);
    assert_true(str_to_int("-9223372036854775808", &number));
    assert_true(number == INT64_MIN);
    assert_true(str_to_int("007", &number));
    assert_int_equal(number, 7);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(str_to_int(bad[i], &number));
    assert_false(str_to_int(NULL, &number));
    assert_int_equal(number, 7);
}

static void durations_and_sizes_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = { { "5m", 300000 },
                 { "30s", 30000 },
                 { "250ms", 250 },
                 { "24h", 86400000 },
                 { "7d", 604800000 },
                 { "0", 0 },
                 { "12", 12 },
                 { "1.5h", 5400000 },
                 { "5m30s", 330000 },
                 { "3d", 259200000 },
                 { "1d2h3m4s5ms", 93784005 },
                 { "0.5s", 500 },
                 { "1.25m", 75000 } };
    static const char *const bad[] = { "",
                                       "m",
                                       "-5m",
                                       "5 m",
                                       "1.5",
                                       "1.h",
                                       ".5h",
                                       "1.2345s",
                                       "5m5m",
                                       "30s5m",
                                       "5m30",
                                       "0.5ms",
                                       "1.5h ",
                                       "5M",
                                       "5mins",
                                       "1w",
                                       "9223372036854775807d",
                                       "9223372036854775807ms1ms" };
    int64_t number = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        assert_true(str_to_duration_ms(good[i].text, &number));
        assert_int_equal(number, good[i].ms);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(str_to_duration_ms(bad[i], &number));
    assert_true(str_to_bytes("1MB", &number) && number == 1048576);
    assert_true(str_to_bytes("64KB", &number) && number == 65536);
    assert_true(str_to_bytes("2GB", &number) && number == INT64_C(2147483648));
    assert_true(str_to_bytes("512", &number) && number == 512);
    assert_false(str_to_bytes("1TB", &number));
    assert_false(str_to_bytes("-1", &number));
    assert_false(str_to_bytes(NULL, &number));
}

static bool decodes_to(const char *text, bool plus_is_space, const char *want)
{
    ARENA_AUTO arena = { 0 };
    char *copy = arena_text(&arena, text);

    return str_url_decode(copy, plus_is_space) && strcmp(copy, want) == 0;
}

static void urls_are_decoded_and_encoded(void **state)
{
    static const char *const bad[] = { "%", "%4", "%zz", "%4g", "a%00b", "%%41", "100%" };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_true(decodes_to("a%20b%2Fc%c3%A9", false, "a b/c\xC3\xA9"));
    assert_true(decodes_to("a+b", false, "a+b"));
    assert_true(decodes_to("a+b%2B", true, "a b+"));
    assert_true(decodes_to("%2541", false, "%41"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(str_url_decode(arena_text(&arena, bad[i]), true));
    assert_string_equal(str_url_encode(&arena, "a b/\xC3\xA9~-._%+"), "a%20b%2F%C3%A9~-._%25%2B");
    for (int c = 1; c < 256; c++) {
        char text[] = { (char)c, '\0' };

        assert_true(decodes_to(str_url_encode(&arena, text), true, text));
    }
}

static void what_may_have_been_meant_is_near(void **state)
{
    static const char *const near[][2] = { { "lable", "label" },
                                           { "timeoutMins", "timeoutMinutes" },
                                           { "timeout_minuts", "timeoutMinutes" },
                                           { "timeout", "timeoutMinutes" },
                                           { "questions", "question" },
                                           { "id", "ids" } };
    static const char *const far[][2] = { { "title", "kind" },     { "name", "kind" }, { "weather", "agent" },
                                          { "a", "agent" },        { "", "id" },       { "no", "on" },
                                          { "deadline", "detail" } };

    (void)state;
    for (size_t i = 0; i < sizeof(near) / sizeof(*near); i++)
        assert_true(str_is_near(near[i][0], near[i][1]) && str_is_near(near[i][1], near[i][0]));
    for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++)
        assert_false(str_is_near(far[i][0], far[i][1]) || str_is_near(far[i][1], far[i][0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_well_formed_utf8_passes),
        cmocka_unit_test(every_code_point_is_read),
        cmocka_unit_test(space_is_trimmed),
        cmocka_unit_test(characters_are_counted),
        cmocka_unit_test(unwanted_characters_are_dropped),
        cmocka_unit_test(a_plain_line_shows_all_that_it_holds),
        cmocka_unit_test(one_question_has_one_normal_text),
        cmocka_unit_test(a_beginning_that_fits_has_whole_characters),
        cmocka_unit_test(texts_are_compared),
        cmocka_unit_test(whole_numbers_are_read),
        cmocka_unit_test(durations_and_sizes_are_read),
        cmocka_unit_test(urls_are_decoded_and_encoded),
        cmocka_unit_test(what_may_have_been_meant_is_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
