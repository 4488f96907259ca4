/*
 * What the operator has given is taken out of texts and values, whichever stands first in the list.
 */
#include "toolbox/secrets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const char *const values[] = { "k3y-k3y-k3y", "k3y-k3y-k3y-of-more", "aha-aha-aha", "short", NULL };

static void texts_have_none(void **state)
{
    static const struct {
        const char *said, *shown;
    } cases[] = {
        { "It is k3y-k3y-k3y.", "It is ***." },
        { "k3y-k3y-k3y-of-more", "***" },
        { "k3y-k3y-k3y-of-less", "***-of-less" },
        { "k3y-k3y-k3yk3y-k3y-k3y", "******" },
        { "k3y-k3y- and short", "k3y-k3y- and short" },
        { "aha-aha-aha-aha-aha.", "***." },
        { "", "" },
    };
    ARENA_AUTO arena = { 0 };
    const struct secret_forms *secrets = secrets_known(&arena, values);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(secrets_hidden(&arena, secrets, cases[i].said), cases[i].shown);
    assert_ptr_equal(secrets_hidden(&arena, secrets, cases[4].said), cases[4].said);
    assert_null(secrets_hidden(&arena, secrets, NULL));
    assert_ptr_equal(secrets_hidden(&arena, NULL, cases[0].said), cases[0].said);
}

static const char *shown(struct arena *arena, const struct secret_forms *secrets, const char *said,
                         bool cut_before, bool cut_behind)
{
    struct said_part part = { said, strlen(said), cut_before, cut_behind };

    return secrets_hidden_part(arena, secrets, part).bytes;
}

static void nothing_of_one_stays_where_a_text_was_cut(void **state)
{
    static const struct {
        const char *said;
        bool cut_before, cut_behind;
        const char *shown;
    } cases[] = {
        { "It is k3y-k", false, true, "It is " },
        { "It is k3y-k", true, false, "It is k3y-k" },
        { "It is k", false, true, "It is " },
        { "y-k3y it was", true, false, " it was" },
        { "y-k3y it was", false, true, "y-k3y it was" },
        { "more. y-k3y it is k3y-k3y-k3y, k3y", true, true, ". y-k3y it is ***, " },
        { "k3y-k3y-k3y-of-mo", false, true, "" },
        { "3y-k3y-k3y-of-more", true, false, "" },
        /* All of one, whose end could be its beginning. */
        { "It is aha-aha-aha", false, true, "It is " },
        { "aha-aha-aha it is", true, false, " it is" },
        { "sho", false, true, "sho" },
        { "k3y", true, true, "" },
        { "", true, true, "" },
    };
    ARENA_AUTO arena = { 0 };
    const struct secret_forms *secrets = secrets_known(&arena, values);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(shown(&arena, secrets, cases[i].said, cases[i].cut_before, cases[i].cut_behind),
                            cases[i].shown);
    assert_string_equal(shown(&arena, NULL, "k3y", true, true), "k3y");
    assert_null(secrets_hidden_part(&arena, secrets, (struct said_part){ .cut_before = true }).bytes);
}

/* A NUL and what is not UTF-8 are bytes as others. */
static void bytes_have_none(void **state)
{
    static const char said[] = "\0k3y-k3y-k3y\xff\0p\xe4ss\xf6rter", wanted[] = "\0***\xff\0***";
    static const char *const given[] = { "k3y-k3y-k3y", "p\xe4ss\xf6rter", NULL };
    ARENA_AUTO arena = { 0 };
    struct said_part part = secrets_hidden_part(&arena, secrets_known(&arena, given),
                                                (struct said_part){ .bytes = said, .len = sizeof(said) - 1 });

    (void)state;
    assert_int_equal(part.len, sizeof(wanted) - 1);
    assert_memory_equal(part.bytes, wanted, sizeof(wanted));
}

#define PEM_BEGIN "-----BEGIN PRIVATE KEY-----"
#define PEM_END   "-----END PRIVATE KEY-----"

/* Whatever line ends it was given with, and comes with; what says that it is a key may be told. */
static void each_form_of_one_is_known(void **state)
{
    static const char *const lines[] = {
        PEM_BEGIN "\nMIIEvQIBADAN/Bgkq\nhkiG9w0BAQEFAASC\nQw==\n" PEM_END "\n",
        PEM_BEGIN "\r\nMIIEvQIBADAN/Bgkq\r\nhkiG9w0BAQEFAASC\r\nQw==\r\n" PEM_END "\r\n",
        PEM_BEGIN "\\nMIIEvQIBADAN/Bgkq\\nhkiG9w0BAQEFAASC\\nQw==\\n" PEM_END "\\n",
    };
    static const struct {
        const char *said, *shown;
    } cases[] = {
        { PEM_BEGIN "\nMIIEvQIBADAN/Bgkq\nhkiG9w0BAQEFAASC\nQw==\n" PEM_END "\nand", "***\nand" },
        { "<" PEM_BEGIN "\r\nMIIEvQIBADAN/Bgkq\r\nhkiG9w0BAQEFAASC\r\nQw==\r\n" PEM_END ">", "<***>" },
        { "\"" PEM_BEGIN "\\nMIIEvQIBADAN/Bgkq\\nhkiG9w0BAQEFAASC\\nQw==\\n" PEM_END "\"", "\"***\"" },
        { "\"" PEM_BEGIN "\\r\\nMIIEvQIBADAN\\/Bgkq\\r\\nhkiG9w0BAQEFAASC\\r\\nQw==\\r\\n" PEM_END "\"",
          "\"***\"" },
        { "  " PEM_BEGIN "\n  MIIEvQIBADAN/Bgkq\n  hkiG9w0BAQEFAASC\n", "  " PEM_BEGIN "\n  ***\n  ***\n" },
        { "MIIEvQIBADAN/Bgkq\r and MIIEvQIBADAN\\/Bgkq", "***\r and ***" },
        { "Qw== of " PEM_BEGIN, "Qw== of " PEM_BEGIN },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t given = 0; given < sizeof(lines) / sizeof(*lines); given++)
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
            const char *list[] = { "other-value", lines[given], NULL };
            const char *text = secrets_hidden(&arena, secrets_known(&arena, list), cases[i].said);

            if (strcmp(text, cases[i].shown) != 0)
                fail_msg("%zu, %zu: %s", given, i, text);
        }
}

static void blanks_around_one_are_not_a_part_of_it(void **state)
{
    static const struct {
        const char *value, *said, *shown;
    } cases[] = {
        { " k3y-k3y-k3y\n", "k3y-k3y-k3y it is, or k3y-k3y-k3y\n", "*** it is, or ***\n" },
        { "k3y-k3y\n", "k3y-k3y", "k3y-k3y" },
        { "k3y-k3y\n", "k3y-k3y\n.", "***." },
        { "k3y-k3y", "k3y-k3y\n", "k3y-k3y\n" },
        { "user \"k3y\"\\", "{\"a\":\"user \\\"k3y\\\"\\\\\"}", "{\"a\":\"***\"}" },
        { "gr\xc3\xbc\xc3\x9f"
          "e \xf0\x9f\x94\x91\x1b",
          "gr\\u00fc\\u00dfe \\ud83d\\udd11\\u001b", "***" },
        { "-----one line-----", "-----one line-----", "***" },
        { "\r\n \t\r\n \t\r\n \t", "\r\n \t", "\r\n \t" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *const list[] = { cases[i].value, NULL };

        assert_string_equal(secrets_hidden(&arena, secrets_known(&arena, list), cases[i].said),
                            cases[i].shown);
    }
}

static void one_of_several_lines_is_known_where_it_was_cut(void **state)
{
    static const char *const list[] = { "first-line\r\nsecond-line\r\n", NULL };
    ARENA_AUTO arena = { 0 };
    const struct secret_forms *secrets = secrets_known(&arena, list);

    (void)state;
    assert_string_equal(shown(&arena, secrets, "It is first-line\r\nsec", false, true), "It is ");
    assert_string_equal(shown(&arena, secrets, "It is first-line\nsec", false, true), "It is ");
    assert_string_equal(shown(&arena, secrets, "ne\r\nsecond-line\r\nis it", true, false), "\r\nis it");
    assert_string_equal(shown(&arena, secrets, "> first-line\n> sec", false, true), "> ***\n> ");
}

static void there_may_be_nothing_to_look_for(void **state)
{
    static const char *const none[] = { NULL }, *const shorts[] = { "", "short", "a\nb\nc", NULL };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_null(secrets_known(&arena, NULL));
    assert_null(secrets_known(&arena, none));
    assert_null(secrets_known(&arena, shorts));
}

/* As many lines as a bundle of certificates has, in as much as a command may print. */
static void many_lines_are_found_in_much(void **state)
{
    enum { LINES = 2000, TIMES = 20 };
    ARENA_AUTO arena = { 0 };
    BUF_AUTO value = { 0 };
    BUF_AUTO said = { 0 };

    (void)state;
    buf_init(&value, 0);
    buf_init(&said, 0);
    for (int i = 0; i < LINES; i++)
        buf_format(&value, "%08x-key-of-64-characters-------------------------------------\n", i * 7919);
    for (int i = 0; i < LINES * TIMES; i++)
        buf_format(&said, "| %08x-key-of-64-characters-------------------------------------\n",
                   i % LINES * 7919);
    const char *const list[] = { value.bytes, NULL };
    const char *text = secrets_hidden(&arena, secrets_known(&arena, list), said.bytes);

    assert_int_equal(strlen(text), LINES * TIMES * strlen("| ***\n"));
    assert_null(strstr(text, "key"));
}

static void values_have_none(void **state)
{
    JSON_AUTO *value =
        json_pack("{s:[s, i], s:{s:s}}", "list", "k3y-k3y-k3y-of-more", 1, "a k3y-k3y-k3y", "b", "c");
    ARENA_AUTO arena = { 0 };

    (void)state;
    secrets_hide_in(value, secrets_known(&arena, values));
    assert_string_equal(json_dump_text(&arena, value), "{\"list\":[\"***\",1],\"a ***\":{\"b\":\"c\"}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_none),
        cmocka_unit_test(nothing_of_one_stays_where_a_text_was_cut),
        cmocka_unit_test(bytes_have_none),
        cmocka_unit_test(each_form_of_one_is_known),
        cmocka_unit_test(blanks_around_one_are_not_a_part_of_it),
        cmocka_unit_test(one_of_several_lines_is_known_where_it_was_cut),
        cmocka_unit_test(there_may_be_nothing_to_look_for),
        cmocka_unit_test(many_lines_are_found_in_much),
        cmocka_unit_test(values_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
