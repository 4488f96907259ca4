#include "http/url.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void takes_a_query_apart(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct url_query query;
    struct err err = { 0 };

    (void)state;
    assert_true(url_parse_query(&arena, "a=1&&b=x%20y+z&c&d=&e=%C3%A9%3D=&", &query, &err));
    assert_int_equal(query.count, 5);
    assert_string_equal(url_value(&query, "a"), "1");
    assert_string_equal(url_value(&query, "b"), "x y z");
    assert_string_equal(url_value(&query, "c"), "");
    assert_string_equal(url_value(&query, "d"), "");
    assert_string_equal(url_value(&query, "e"), "\xc3\xa9==");
    assert_null(url_value(&query, "f"));
    assert_true(url_parse_query(&arena, "", &query, &err));
    assert_int_equal(query.count, 0);
}

static void refuses_what_is_unclear(void **state)
{
    static const char *const bad[] = { "a=%00", "a=%", "a=%4", "%zz=1", "a=%ff", "a=1&a=2", "a&%61" };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct url_query query = { .count = 77 };
        struct err err = { 0 };

        assert_false(url_parse_query(&arena, bad[i], &query, &err));
        assert_int_equal(err.code, ERR_INVALID);
        assert_true(err.text[0] != '\0');
        assert_int_equal(query.count, 77);
    }
}

static void holds_its_limits(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct url_query query;
    struct err err = { 0 };
    char *raw = calloc(1, LIMIT_URL + 2);
    size_t at = 0;

    (void)state;
    for (int i = 0; i < URL_PAIRS; i++)
        at += (size_t)sprintf(raw + at, "k%d=%d&", i, i);
    assert_true(url_parse_query(&arena, raw, &query, &err));
    assert_int_equal(query.count, URL_PAIRS);
    strcat(raw, "one=more");
    assert_false(url_parse_query(&arena, raw, &query, &err));
    memset(raw, 'a', LIMIT_URL + 1);
    assert_false(url_parse_query(&arena, raw, &query, &err));
    free(raw);
}

static void a_form_may_be_longer_than_an_address(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct url_query fields;
    struct err err = { 0 };
    size_t len = LIMIT_URL * 4;
    char *body = malloc(len + 1);

    (void)state;
    memset(body, 'x', len);
    memcpy(body, "a=1&b=", 6);
    body[len] = '\0';
    assert_false(url_parse_query(&arena, body, &fields, &err));
    assert_true(url_parse_form(&arena, body, len, &fields, &err));
    assert_string_equal(url_value(&fields, "a"), "1");
    assert_int_equal(strlen(url_value(&fields, "b")), len - 6);
    assert_true(url_parse_form(&arena, body, 3, &fields, &err));
    assert_int_equal(fields.count, 1);
    assert_true(url_parse_form(&arena, "", 0, &fields, &err));
    body[20] = '\0';
    assert_false(url_parse_form(&arena, body, len, &fields, &err));
    assert_int_equal(err.code, ERR_INVALID);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_query_apart),
        cmocka_unit_test(refuses_what_is_unclear),
        cmocka_unit_test(holds_its_limits),
        cmocka_unit_test(a_form_may_be_longer_than_an_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
