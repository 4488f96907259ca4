#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void a_failure_is_one_thought(void **state)
{
    struct err err = { 0 };

    (void)state;
    assert_false(err_set(&err, ERR_CONFLICT, "Topic '%s' is taken.", "x"));
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_string_equal(err.text, "Topic 'x' is taken.");
    assert_string_equal(err.field, "");
    assert_false(err_field(&err, "title", "At most %d characters.", 500));
    assert_int_equal(err.code, ERR_INVALID);
    assert_string_equal(err.field, "title");
    assert_string_equal(err.text, "At most 500 characters.");
    assert_false(err_hint(&err, "Shorten it by %d.", 3));
    assert_string_equal(err.hint, "Shorten it by 3.");
    assert_string_equal(err.text, "At most 500 characters.");
}

static void a_new_failure_forgets_the_old_one(void **state)
{
    struct err err = { .name = "late", .detail = "\"winner\":1", .retry_after_s = 9 };

    (void)state;
    err_field(&err, "id", "No.");
    err_hint(&err, "Look.");
    err.name = "late";
    err_set(&err, ERR_NOT_FOUND, "Gone.");
    assert_string_equal(err.field, "");
    assert_string_equal(err.hint, "");
    assert_null(err.name);
    assert_null(err.detail);
    assert_int_equal(err.retry_after_s, 0);
    err.raw = true;
    err_set(&err, ERR_NOT_FOUND, "Gone.");
    assert_false(err.raw);
}

static void callers_are_told_nothing_in_the_words_of_a_database(void **state)
{
    struct err err = { 0 };

    (void)state;
    err_set(&err, ERR_CONFLICT, "Topic 'x' is taken.");
    assert_string_equal(err_for_callers(&err), "Topic 'x' is taken.");
    for (int code = ERR_INVALID; code <= ERR_DECLINED; code++) {
        err_set(&err, (enum err_code)code, "UNIQUE constraint failed: topics.name");
        err.raw = true;
        assert_null(strstr(err_for_callers(&err), "topics"));
    }
}

static void long_texts_are_cut(void **state)
{
    struct err err = { 0 };
    char text[1000];

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    err_field(&err, text, "%s", text);
    err_hint(&err, "%s", text);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    assert_int_equal(strlen(err.field), sizeof(err.field) - 1);
    assert_int_equal(strlen(err.hint), sizeof(err.hint) - 1);
}

static void codes_map_to_every_dialect(void **state)
{
    struct err err = { .code = ERR_RATE_LIMITED };

    (void)state;
    assert_int_equal(err_http(ERR_NONE), 200);
    assert_int_equal(err_http(ERR_RATE_LIMITED), 429);
    assert_int_equal(err_exit(ERR_RATE_LIMITED), 1);
    assert_string_equal(err_name(&err), "rate_limited");
    assert_int_equal(err_http(ERR_UNAUTHORIZED), 401);
    assert_int_equal(err_exit(ERR_CONFLICT), 7);
    assert_int_equal(err_exit(ERR_NONE), 0);
    err.name = "late";
    assert_string_equal(err_name(&err), "late");
    for (int code = ERR_INVALID; code <= ERR_DECLINED; code++)
        assert_in_range(err_http((enum err_code)code), 400, 599);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_is_one_thought),
        cmocka_unit_test(a_new_failure_forgets_the_old_one),
        cmocka_unit_test(callers_are_told_nothing_in_the_words_of_a_database),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(codes_map_to_every_dialect),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
