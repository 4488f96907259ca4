/*
 * The words of tests/fixtures/visible.json, to which the pages are held as well (ui/tests/visible.test.ts),
 * and what holds of any text.
 */
#include "base/visible.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *fixture(const char *part)
{
    json_error_t error;
    json_t *all = json_load_file("tests/fixtures/visible.json", 0, &error);
    json_t *wanted = json_incref(json_object_get(all, part));

    if (!all)
        print_error("%s\n", error.text);
    assert_non_null(wanted);
    json_decref(all);
    return wanted;
}

static enum visible_way way_of(const json_t *one)
{
    return json_is_true(json_object_get(one, "exact")) ? VISIBLE_EXACT : VISIBLE_PROSE;
}

static const char *text_of(const json_t *one, const char *name)
{
    return json_string_value(json_object_get(one, name));
}

static void what_cannot_be_seen_is_marked(void **state)
{
    json_t *texts = fixture("texts"), *one;
    size_t i;

    (void)state;
    assert_true(json_array_size(texts) > 50);
    json_array_foreach(texts, i, one)
    {
        ARENA_AUTO arena = { 0 };

        assert_string_equal(visible_flat(&arena, text_of(one, "text"), way_of(one)), text_of(one, "flat"));
    }
    json_decref(texts);
}

static size_t encode(uint32_t code, char into[static 4])
{
    if (code < 0x80) {
        into[0] = (char)code;
        return 1;
    }
    size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

    for (size_t i = bytes; i-- > 0; code >>= 6)
        into[i] = (char)(i > 0 ? 0x80 | (code & 0x3F) : heads[bytes] | code);
    return bytes;
}

static bool is_listed(const json_t *ranges, size_t *at, uint32_t code)
{
    while (*at < json_array_size(ranges) &&
           (json_int_t)code > json_integer_value(json_array_get(json_array_get(ranges, *at), 1)))
        ++*at;
    return *at < json_array_size(ranges) &&
           (json_int_t)code >= json_integer_value(json_array_get(json_array_get(ranges, *at), 0));
}

/* Every character that there is, between two others. */
static void each_character_is_marked_where_it_deceives(void **state)
{
    json_t *every = fixture("every"), *one;
    size_t i;

    (void)state;
    json_array_foreach(every, i, one)
    {
        const json_t *marked = json_object_get(one, "marked");
        size_t at = 0;

        for (uint32_t code = 1; code <= 0x10FFFF; code++) {
            ARENA_AUTO arena = { 0 };
            char letter[5] = { 0 }, text[32];

            if (code == 0xD800)
                code = 0xE000;
            if (code == 0x20000) /* further ones are all alike, up to the tags */
                code = 0xDFFF0;
            if (code == 0xE1010)
                break;
            encode(code, letter);
            snprintf(text, sizeof(text), "%s%s%s", text_of(one, "before"), letter, text_of(one, "after"));
            if ((strcmp(visible_flat(&arena, text, way_of(one)), text) != 0) != is_listed(marked, &at, code))
                fail_msg("U+%04X between %s and %s", (unsigned)code, text_of(one, "before"),
                         text_of(one, "after"));
        }
    }
    json_decref(every);
}

static void bytes_that_are_no_text_are_shown_one_by_one(void **state)
{
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_string_equal(visible_flat(&arena, "a\xFF\xFEz\xE2\x82", VISIBLE_PROSE),
                        "a<byte FF><byte FE>z<byte E2><byte 82>");
}

static void the_parts_hold_all_of_a_text(void **state)
{
    static const char *const bits[] = { "a",      "rm",     " ",    "  ", "\n", "\t",       "\r\n",
                                        "\u202e", "\u200d", "а",    "Ж",  "ש",  "中",       "😀",
                                        "\ufe0f", "́",       "\xFF", "/",  "ｒ", "         " };
    char text[512];

    (void)state;
    srand(7);
    for (int round = 0; round < 5000; round++) {
        struct visible visible;
        struct visible_part part;
        size_t len = 0, at = 0;

        for (int bit = rand() % 40; bit > 0; bit--)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s",
                                    bits[(size_t)rand() % (sizeof(bits) / sizeof(bits[0]))]);
        visible_begin(&visible, text, len, rand() % 2 ? VISIBLE_EXACT : VISIBLE_PROSE);
        while (visible_next(&visible, &part)) {
            assert_ptr_equal(part.text, text + at);
            assert_true(part.len > 0);
            assert_true((part.label[0] != '\0') == (part.is != VISIBLE_TEXT && part.is != VISIBLE_RTL));
            at += part.len;
        }
        assert_int_equal(at, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_seen_is_marked),
        cmocka_unit_test(each_character_is_marked_where_it_deceives),
        cmocka_unit_test(bytes_that_are_no_text_are_shown_one_by_one),
        cmocka_unit_test(the_parts_hold_all_of_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
