/*
 * What the operator has given is taken out of texts and values, whichever stands first in the list.
 */
#include "toolbox/secrets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const secrets[] = { "k3y-k3y-k3y", "k3y-k3y-k3y-of-more", "aha-aha-aha", "short", NULL };

static void texts_have_none(void **state)
{
    static const struct {
        const char *said, *shown;
    } cases[] = {
        { "It is k3y-k3y-k3y.", "It is ***." },         { "k3y-k3y-k3y-of-more", "***" },
        { "k3y-k3y-k3y-of-less", "***-of-less" },       { "k3y-k3y-k3yk3y-k3y-k3y", "******" },
        { "k3y-k3y- and short", "k3y-k3y- and short" }, { "", "" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(secrets_hidden(&arena, secrets, cases[i].said), cases[i].shown);
    assert_ptr_equal(secrets_hidden(&arena, secrets, cases[4].said), cases[4].said);
    assert_null(secrets_hidden(&arena, secrets, NULL));
    assert_ptr_equal(secrets_hidden(&arena, NULL, cases[0].said), cases[0].said);
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(
            secrets_hidden_part(&arena, secrets, cases[i].said, cases[i].cut_before, cases[i].cut_behind),
            cases[i].shown);
    assert_string_equal(secrets_hidden_part(&arena, NULL, "k3y", true, true), "k3y");
    assert_null(secrets_hidden_part(&arena, secrets, NULL, true, true));
}

static void values_have_none(void **state)
{
    JSON_AUTO *value =
        json_pack("{s:[s, i], s:{s:s}}", "list", "k3y-k3y-k3y-of-more", 1, "a k3y-k3y-k3y", "b", "c");
    ARENA_AUTO arena = { 0 };

    (void)state;
    secrets_hide_in(value, secrets);
    assert_string_equal(json_dump_text(&arena, value), "{\"list\":[\"***\",1],\"a ***\":{\"b\":\"c\"}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_none),
        cmocka_unit_test(nothing_of_one_stays_where_a_text_was_cut),
        cmocka_unit_test(values_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
