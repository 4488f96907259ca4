#include "base/json.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

static const char *quoted(struct buf *buf, const char *text, size_t len)
{
    struct json_out out;

    buf_clear(buf);
    json_begin(&out, buf);
    json_text_len(&out, NULL, text, len);
    return buf->bytes;
}

static void commas_go_where_they_belong(void **state)
{
    BUF_AUTO buf = { 0 };
    struct json_out out;

    (void)state;
    json_begin(&out, &buf);
    json_map(&out, NULL);
    json_text(&out, "a", "x");
    json_text(&out, "b", NULL);
    json_list(&out, "c");
    json_list_end(&out);
    json_list(&out, "d");
    json_int(&out, NULL, 1);
    json_map(&out, NULL);
    json_map_end(&out);
    json_bool(&out, NULL, true);
    json_list_end(&out);
    json_raw(&out, "e", "[1]");
    json_raw(&out, "f", NULL);
    json_none(&out, "g");
    json_time(&out, "h", 1769860800000);
    json_map_end(&out);
    assert_string_equal(buf.bytes, "{\"a\":\"x\",\"b\":null,\"c\":[],\"d\":[1,{},true],\"e\":[1],\"f\":null,"
                                   "\"g\":null,\"h\":\"2026-01-31T12:00:00.000Z\"}");
}

static void numbers_read_back_the_same(void **state)
{
    BUF_AUTO buf = { 0 };
    struct json_out out;

    (void)state;
    json_begin(&out, &buf);
    json_list(&out, NULL);
    json_int(&out, NULL, INT64_MIN);
    json_int(&out, NULL, INT64_MAX);
    json_int(&out, NULL, 0);
    json_int(&out, NULL, -7);
    json_double(&out, NULL, 0.1);
    json_double(&out, NULL, 1.0 / 3);
    json_double(&out, NULL, -2.5e300);
    json_double(&out, NULL, (double)NAN);
    json_double(&out, NULL, (double)INFINITY);
    json_double(&out, NULL, -(double)INFINITY);
    json_list_end(&out);
    assert_string_equal(buf.bytes, "[-9223372036854775808,9223372036854775807,0,-7,0.1,0.33333333333333331,"
                                   "-2.5e+300,null,null,null]");
}

static void strings_are_escaped(void **state)
{
    BUF_AUTO buf = { 0 };

    (void)state;
    assert_string_equal(quoted(&buf, "", 0), "\"\"");
    assert_string_equal(quoted(&buf, "a\"b\\c/d", 7), "\"a\\\"b\\\\c/d\"");
    assert_string_equal(quoted(&buf, "\n\r\t\b\x01\0z", 7), "\"\\n\\r\\t\\u0008\\u0001\\u0000z\"");
    assert_string_equal(quoted(&buf, "\x7F\xC2\x9B", 3), "\"\\u007f\\u009b\"");
    assert_string_equal(quoted(&buf,
                               "a\xE2\x80\xA8"
                               "b\xE2\x80\xA9",
                               8),
                        "\"a\\u2028b\\u2029\"");
    assert_string_equal(quoted(&buf, "\xE2\x80\xA6 \xC3\xA9 \xF0\x9F\x91\x91", 11),
                        "\"\xE2\x80\xA6 \xC3\xA9 \xF0\x9F\x91\x91\"");
    assert_string_equal(quoted(&buf,
                               "a\xFF"
                               "b\xC3",
                               4),
                        "\"a\\ufffdb\\ufffd\"");
}

/* Whatever bytes go in, what comes out is JSON; for well-formed text it is the same text. */
static void every_byte_pair_survives(void **state)
{
    BUF_AUTO buf = { 0 };

    (void)state;
    for (int high = 0; high < 256; high++)
        for (int low = 1; low < 256; low++) {
            char text[] = { 'x', (char)high, (char)low, 'y' };
            struct err err = { 0 };
            JSON_AUTO *value = NULL;

            quoted(&buf, text, sizeof(text));
            if (high == 0) {
                assert_false(json_parse(buf.bytes, buf.len, &value, &err));
                continue;
            }
            assert_true(json_parse(buf.bytes, buf.len, &value, &err));
            if (high < 128 && low < 128)
                assert_memory_equal(json_string_value(value), text, sizeof(text));
        }
}

/* The run of plain characters is found eight at a time: no place in it may hide a byte. */
static void every_byte_is_seen_at_every_place(void **state)
{
    BUF_AUTO buf = { 0 };

    (void)state;
    for (int c = 1; c < 128; c++)
        for (size_t place = 0; place < 19; place++) {
            char text[] = "abcdefghijklmnopqrs";
            struct err err = { 0 };
            JSON_AUTO *value = NULL;
            bool plain = c >= 0x20 && c < 0x7F && c != '"' && c != '\\';

            text[place] = (char)c;
            quoted(&buf, text, 19);
            assert_true(plain ? buf.len == 21 : buf.len > 21);
            assert_true(json_parse(buf.bytes, buf.len, &value, &err));
            assert_string_equal(json_string_value(value), text);
        }
}

static void trees_are_written_as_they_were_read(void **state)
{
    static const char text[] = "{\"z\":[1,-2.5,\"\\u2028\",null,true,false,{}],\"a\":{\"k\\n\":[]}}";
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    JSON_AUTO *value = NULL;

    (void)state;
    assert_true(json_parse(text, sizeof(text) - 1, &value, &err));
    assert_string_equal(json_dump_text(&arena, value), text);
    assert_string_equal(json_dump_text(&arena, NULL), "null");
}

static void assert_refused(const char *text, size_t len, const char *why)
{
    struct err err = { 0 };
    json_t *value = NULL;

    assert_false(json_parse(text, len, &value, &err));
    assert_null(value);
    assert_int_equal(err.code, ERR_INVALID);
    if (!strstr(err.text, why))
        fail_msg("'%s' is refused with '%s', not with '%s'", text, err.text, why);
}

static void bad_texts_are_refused_and_say_where(void **state)
{
    (void)state;
    assert_refused("", 0, "empty");
    assert_refused("{\"a\":1,\n \"a\":2}", 15, "line 2");
    assert_refused("{\"a\":1,\"a\":2}", 13, "same key twice");
    assert_refused("[1,\0]", 5, "line 1, column 4: NUL");
    assert_refused("\"\\u0000\"", 8, "NUL");
    assert_refused("{\"\\u0000\":1}", 12, "NUL");
    assert_refused("\"\xFF\"", 3, "UTF-8");
    assert_refused("\"\xED\xA0\x80\"", 5, "UTF-8");
    assert_refused("9223372036854775808", 19, "too large");
    assert_refused("-9223372036854775809", 20, "too large");
    assert_refused("1e999", 5, "too large");
    assert_refused("[1", 2, "ends too early");
    assert_refused("[1] x", 5, "follows");
    assert_refused("[1]]", 4, "follows");
    assert_refused("{a:1}", 5, "line 1, column 2");
    assert_refused("[1,]", 4, "not expected");
    assert_refused("NaN", 3, "not expected");
}

static void any_value_may_stand_alone(void **state)
{
    static const char *const texts[] = { "1", "\"x\"", "null", " true ", "9223372036854775807", "[]", "{}" };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct err err = { 0 };
        JSON_AUTO *value = NULL;

        assert_true(json_parse(texts[i], strlen(texts[i]), &value, &err));
        assert_non_null(value);
        assert_int_equal(err.code, ERR_NONE);
    }
}

static void depth_is_limited_before_anything_is_built(void **state)
{
    BUF_AUTO buf = { 0 };
    struct err err = { 0 };
    JSON_AUTO *value = NULL;

    (void)state;
    for (int i = 0; i < LIMIT_JSON_DEPTH; i++)
        buf_char(&buf, '[');
    buf_text(&buf, "\"[[[[\\\"[[[[\"");
    for (int i = 0; i < LIMIT_JSON_DEPTH; i++)
        buf_char(&buf, ']');
    assert_true(json_parse(buf.bytes, buf.len, &value, &err));

    buf_clear(&buf);
    for (int i = 0; i < 1000000; i++)
        buf_char(&buf, '[');
    assert_refused(buf.bytes, buf.len, "line 1, column 33: it is nested too deeply");

    buf_clear(&buf);
    for (int i = 0; i <= LIMIT_JSON_DEPTH; i++)
        buf_text(&buf, "{\"\\\\\":");
    assert_refused(buf.bytes, buf.len, "nested too deeply");
}

static bool measure(const char *text, size_t *bytes)
{
    struct err err = { 0 };

    return json_measure(text, strlen(text), bytes, &err);
}

/* The estimate is for a budget: never less than what is there, and in its order. */
static void measures_before_it_builds(void **state)
{
    size_t little, objects, quoted;

    (void)state;
    assert_true(measure("{\"a\":1}", &little));
    assert_true(measure("[{},{},{},{}]", &objects));
    assert_true(measure("\"[{},{},{},{}]\"", &quoted));
    assert_true(little < 1000);
    assert_true(objects >= 4 * 230);
    assert_true(quoted < 200);
}

static void too_many_values_are_refused(void **state)
{
    size_t len = LIMIT_JSON_VALUES * 3 + 8, bytes;
    char *text = calloc(1, len), *at = text;
    struct err err = { 0 };
    json_t *value = NULL;

    (void)state;
    *at++ = '[';
    for (int i = 0; i < LIMIT_JSON_VALUES - 1; i++) {
        *at++ = '1';
        *at++ = ',';
    }
    strcpy(at, "1]");
    assert_true(json_parse(text, strlen(text), &value, &err));
    json_decref(value);
    strcpy(at, "1,1]");
    assert_false(json_parse(text, strlen(text), &value, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_non_null(strstr(err.text, "too many values"));
    assert_false(json_measure(text, strlen(text), &bytes, &err));
    free(text);
}

static void a_text_that_reads_like_another_value_is_told(void **state)
{
    static const char *const otherwise[] = { "", "true", "null", "12", "-0.5e3", "{}", "[1]", "\"quoted\"" };
    static const char *const plainly[] = {
        "ls", "True", "1.2.3.4-rc", "-rf", "--", "e", "{\n}", "12 monkeys"
    };

    (void)state;
    for (size_t i = 0; i < sizeof(otherwise) / sizeof(otherwise[0]); i++)
        assert_true(json_reads_otherwise(otherwise[i]));
    for (size_t i = 0; i < sizeof(plainly) / sizeof(plainly[0]); i++)
        assert_false(json_reads_otherwise(plainly[i]));
}

static void texts_are_the_same_however_they_are_written(void **state)
{
    (void)state;
    assert_true(json_same("{\"a\":1,\"b\":[true]}", "{\"b\": [true], \"a\": 1}"));
    assert_false(json_same("[1,2]", "[2,1]"));
    assert_false(json_same("[]", NULL));
    assert_true(json_same(NULL, NULL));
    assert_false(json_same("left", "left")); /* no JSON */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_before_it_builds),
        cmocka_unit_test(too_many_values_are_refused),
        cmocka_unit_test(commas_go_where_they_belong),
        cmocka_unit_test(numbers_read_back_the_same),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(every_byte_pair_survives),
        cmocka_unit_test(every_byte_is_seen_at_every_place),
        cmocka_unit_test(trees_are_written_as_they_were_read),
        cmocka_unit_test(bad_texts_are_refused_and_say_where),
        cmocka_unit_test(any_value_may_stand_alone),
        cmocka_unit_test(a_text_that_reads_like_another_value_is_told),
        cmocka_unit_test(texts_are_the_same_however_they_are_written),
        cmocka_unit_test(depth_is_limited_before_anything_is_built),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
