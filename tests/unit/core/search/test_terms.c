/*
 * Which words a text is found by.
 */
#include "core/search/terms.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* The words of a text, separated by spaces. */
static const char *words_of(struct arena *arena, const char *text)
{
    const char *words[LIMIT_SEARCH_WORDS], *all = "";
    struct terms terms = { .words = words, .most = LIMIT_SEARCH_WORDS };

    terms_add(arena, &terms, text);
    for (size_t i = 0; i < terms.count; i++)
        all = arena_format(arena, "%s%s%s", all, i ? " " : "", words[i]);
    return all;
}

static void words_are_runs_of_letters_and_digits_each_once(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(words_of(&arena, "Deploy v2 to prod? Deploy!"), "deploy v2 to prod");
    assert_string_equal(words_of(&arena, "src/core_a.c, don't"), "src core a c don t");
    assert_string_equal(words_of(&arena, "… — ?! 🗨️"), "");
    assert_string_equal(words_of(&arena, ""), "");
    assert_string_equal(words_of(&arena, NULL), "");
}

static void capitals_and_accents_do_not_matter(void **state)
{
    static const char *const same[][2] = {
        { "ZÜRICH", "zurich" },    { "Zu\xCC\x88rich", "zurich" },
        { "Straße", "strasse" },   { "Œuvre, ÆON", "oeuvre aeon" },
        { "Łódź", "lodz" },        { "ΑΘΉΝΑΣ", "αθηνασ" },
        { "αθήνας", "αθηνασ" },    { "МОСКВА Ёлка", "москва елка" },
        { "ＡＢＣ１２", "abc12" }, { "Đà NẴNG", "da nang" },
        { "ՀԱՅ", "հայ" },          { "ŞİMDİ", "simdi" },
        { "ĲSSEL", "ijssel" },     { "ÞÓR", "thor" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
        assert_string_equal(words_of(&arena, same[i][0]), same[i][1]);
}

static void characters_of_scripts_without_spaces_are_words(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(words_of(&arena, "東京API"), "東 京 api");
    assert_string_equal(words_of(&arena, "서울 시청"), "서울 시청");
}

static void what_is_too_long_is_cut_at_a_character(void **state)
{
    ARENA_AUTO arena = { 0 };
    char many[4 * LIMIT_SEARCH_TEXT + 1] = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(many) - 1; i += 2)
        memcpy(many + i, "\xD0\xB6", 2);
    const char *words = words_of(&arena, many);

    assert_int_equal(strlen(words), LIMIT_SEARCH_WORD);
    memset(many, 'x', sizeof(many) - 1);
    many[1] = '\xC3'; /* half a character */
    assert_string_equal(words_of(&arena, many), arena_format(&arena, "x %.*s", LIMIT_SEARCH_WORD, many + 2));
}

static void one_thing_has_a_limited_number_of_words(void **state)
{
    ARENA_AUTO arena = { 0 };
    const char *text = "", *words[LIMIT_SEARCH_WORDS];
    struct terms terms = { .words = words, .most = LIMIT_SEARCH_WORDS };

    (void)state;
    for (int i = 0; i < 2 * LIMIT_SEARCH_WORDS; i++)
        text = arena_format(&arena, "%s w%d", text, i);
    terms_add(&arena, &terms, text);
    assert_int_equal(terms.count, LIMIT_SEARCH_WORDS);
    terms_add_word(&terms, "one-more");
    assert_int_equal(terms.count, LIMIT_SEARCH_WORDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_runs_of_letters_and_digits_each_once),
        cmocka_unit_test(capitals_and_accents_do_not_matter),
        cmocka_unit_test(characters_of_scripts_without_spaces_are_words),
        cmocka_unit_test(what_is_too_long_is_cut_at_a_character),
        cmocka_unit_test(one_thing_has_a_limited_number_of_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
