/*
 * Which ways of writing a name are one name, and which are not.
 */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define LEN(list) (sizeof(list) / sizeof(*(list)))

/* Each line is one name, written in several ways; the first is its key. */
static const char *const names[][5] = {
    { "builder-1", "Builder-1", "BUILDER-1", "\uFF22\uFF35ilder-\uFF11" },
    { "\u00E4gnes", "\u00C4gnes", "\u00C4GNES", "a\u0308gnes", "A\u0308GNES" },
    { "zo\u00E9", "Zo\u00E9", "Zoe\u0301", "ZO\u00C9", "zo\u00E9\uFE0F" },
    { "strasse", "STRASSE", "Stra\u00DFe", "STRA\u1E9EE" },
    { "\u03C3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C3", "\u03A3\u03AF\u03C3\u03C5\u03C6\u03BF\u03C2",
      "\u03A3\u038A\u03A3\u03A5\u03A6\u039F\u03A3" },
    /* The I with a dot is an i with a dot upon it, in every locale; the i without one is a letter of its own.
     */
    { "i\u0307rem", "\u0130rem", "I\u0307REM" },
    { "\u0131rem", "\u0131REM" },
    { "irem", "Irem", "IREM" },
    { "file", "\uFB01le", "FI\u00ADLE" },
    /* Marks in any order, also one that becomes a letter. */
    { "\u1EA1\u0308", "a\u0308\u0323", "\u00C4\u0323", "\u1EA0\u0308" },
    { "\u03AC\u03B9", "\u1FB4", "\u03B1\u0345\u0301", "\u0391\u0301\u0345" },
    { "\uAC00", "\u1100\u1161" },
    { "\u30AC", "\uFF76\uFF9E" },
    { "\u6771\u4EAC", "\u6771\u4EAC" },
};

static void all_ways_of_writing_a_name_have_one_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < LEN(names); i++)
        for (size_t k = 0; k < LEN(names[i]) && names[i][k]; k++) {
            ARENA_AUTO arena = { 0 };

            assert_string_equal(str_fold(&arena, names[i][k]), names[i][0]);
            assert_true(str_same_name(names[i][k], names[i][0]));
            assert_true(str_same_name(names[i][0], names[i][k]));
        }
}

static void other_names_have_other_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < LEN(names); i++)
        for (size_t k = 0; k < LEN(names); k++)
            assert_int_equal(str_same_name(names[i][0], names[k][0]), i == k);
    assert_false(str_same_name("zoe", "zo\u00E9"));
    assert_false(str_same_name("zo", "zoe"));
    /* Letters of other scripts that look alike are not the same. */
    assert_false(str_same_name("Anna", "\u0410nna"));
}

static void what_cannot_be_folded_is_kept(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_null(str_fold(&arena, NULL));
    assert_null(str_lower(&arena, NULL));
    assert_string_equal(str_fold(&arena, ""), "");
    assert_string_equal(str_fold(&arena, "A\xC3"), "a\xC3");
    assert_string_equal(str_fold(&arena, "\u200D\u2060"), "\u200D\u2060");
    assert_true(str_same_name("A\xC3", "a\xC3"));
    assert_false(str_same_name("A\xC3", "b\xC3"));
}

/* Each byte at each place of a word of eight, and behind one. */
static void no_byte_but_a_capital_is_lowered(void **state)
{
    (void)state;
    for (int byte = 1; byte < 256; byte++)
        for (size_t at = 0; at < 11; at++) {
            ARENA_AUTO arena = { 0 };
            char text[] = "[Z\xC3\x84@az{`9Q", wanted[] = "[z\xC3\x84@az{`9q";

            text[at] = (char)byte;
            wanted[at] = (char)(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
            assert_string_equal(str_lower(&arena, text), wanted);
        }
}

/* What every database lowers by itself needs no key beside the name. */
static void only_names_beyond_ascii_have_a_key_to_store(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_null(str_fold_beyond(&arena, NULL));
    assert_null(str_fold_beyond(&arena, "Builder"));
    assert_string_equal(str_fold_beyond(&arena, "\uFF22uilder"), "builder");
}

static void accents_are_dropped_for_finding_only(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(str_fold_bare(&arena, "ZO\u00C9 \u0130rem"), "zoe irem");
    assert_string_equal(str_fold_bare(&arena, "\u30AC \uAC00"), "\u30AC \uAC00");
    assert_string_equal(str_fold_bare(&arena, "A\xC3"), "a\xC3");
}

static void a_text_begins_with_a_name_however_it_is_written(void **state)
{
    static const struct {
        const char *text, *name;
        enum str_beginning found;
        size_t len;
    } rows[] = {
        { "Ann: yes", "ANN", STR_BEGINS_WHOLE, 3 },
        { "An", "ANN", STR_BEGINS_PART, 0 },
        { "", "ANN", STR_BEGINS_PART, 0 },
        { "Bob", "ANN", STR_BEGINS_OTHER, 0 },
        { "Zoe\u0301: yes", "ZO\u00C9", STR_BEGINS_WHOLE, 5 },
        { "ZO\u00C9: yes", "Zoe\u0301", STR_BEGINS_WHOLE, 4 },
        { "Zoe\u200D\u0301: yes", "ZO\u00C9", STR_BEGINS_WHOLE, 8 },
        { "Zoe", "Zo\u00E9", STR_BEGINS_PART, 0 },
        { "Zo\xC3", "Zo\u00E9", STR_BEGINS_PART, 0 },
        { "Zo\xC3x y z", "Zo\u00E9", STR_BEGINS_OTHER, 0 },
        { "Zoe: yes", "Zo\u00E9", STR_BEGINS_OTHER, 0 },
        { "Zoe\u0301: yes", "Zoe", STR_BEGINS_OTHER, 0 },
        { "STRASSE!", "Stra\u00DFe", STR_BEGINS_WHOLE, 7 },
        { "Stra\u00DFe!", "STRASSE", STR_BEGINS_WHOLE, 7 },
        { "Stras\u00DFe", "STRASSE", STR_BEGINS_OTHER, 0 },
        { "\uFF21nn", "Ann", STR_BEGINS_WHOLE, 5 },
        { "Ann", "An\xC3", STR_BEGINS_OTHER, 0 },
        { "bo:\u0EBA", "Bo:", STR_BEGINS_WHOLE, 3 },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        size_t len = 0;

        assert_int_equal(str_begins_with_name(rows[i].text, rows[i].name, &len), rows[i].found);
        assert_int_equal(len, rows[i].len);
    }
}

static void the_rules_have_a_version(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_true(str_starts(str_fold_version(&arena), "1/"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_of_writing_a_name_have_one_key),
        cmocka_unit_test(other_names_have_other_keys),
        cmocka_unit_test(what_cannot_be_folded_is_kept),
        cmocka_unit_test(no_byte_but_a_capital_is_lowered),
        cmocka_unit_test(only_names_beyond_ascii_have_a_key_to_store),
        cmocka_unit_test(accents_are_dropped_for_finding_only),
        cmocka_unit_test(a_text_begins_with_a_name_however_it_is_written),
        cmocka_unit_test(the_rules_have_a_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
