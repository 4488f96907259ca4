/* Schemas: which are none, what fits one, what is told about a value that does not, and how long it takes. */
#include "base/shape.h"

#include "base/clock.h"
#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *value_of(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_DECODE_ANY, &error);

    if (!value)
        fail_msg("%s: %s", text, error.text);
    return value;
}

static bool fits(const char *schema_text, const char *value_text)
{
    ARENA_AUTO arena = { 0 };
    struct shape_problem problems[SHAPE_PROBLEMS];
    struct err err = { 0 };
    size_t count;
    JSON_AUTO *schema = value_of(schema_text), *value = value_of(value_text);
    bool good;

    if (!shape_check(schema, &err))
        fail_msg("%s: %s", schema_text, err.text);
    good = shape_fits(&arena, schema, value, problems, &count);
    assert_int_equal(count == 0, good);
    return good;
}

struct trial {
    const char *schema, *good, *bad;
};

static const struct trial trials[] = {
    { "true", "1", NULL },
    { "false", NULL, "1" },
    { "{}", "[null]", NULL },
    { "{\"type\":\"string\"}", "\"\"", "1" },
    { "{\"type\":\"integer\"}", "1.0", "1.5" },
    { "{\"type\":\"integer\"}", "7", "\"7\"" },
    { "{\"type\":\"number\"}", "7", "true" },
    { "{\"type\":\"null\"}", "null", "0" },
    { "{\"type\":[\"string\",\"null\"]}", "null", "1" },
    { "{\"type\":\"boolean\"}", "false", "0" },
    { "{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":\"x\",\"b\":1}", "{\"a\":1}" },
    { "{\"properties\":{\"a\":{\"type\":\"string\"}}}", "[]", "{\"a\":null}" },
    { "{\"required\":[\"a\"]}", "{\"a\":null}", "{\"b\":1}" },
    { "{\"additionalProperties\":false,\"properties\":{\"a\":{}}}", "{\"a\":1}", "{\"b\":1}" },
    { "{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"b\":1}", "{\"b\":\"1\"}" },
    { "{\"patternProperties\":{\"^x\":{\"type\":\"integer\"}},\"additionalProperties\":false}", "{\"x1\":1}",
      "{\"y\":1}" },
    { "{\"patternProperties\":{\"^x\":{\"type\":\"integer\"}}}", "{\"y\":\"\"}", "{\"x1\":\"\"}" },
    { "{\"propertyNames\":{\"maxLength\":2}}", "{\"ab\":1}", "{\"abc\":1}" },
    { "{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"c\":1}", "{\"a\":1}" },
    { "{\"minProperties\":1}", "{\"a\":1}", "{}" },
    { "{\"maxProperties\":1}", "{\"a\":1}", "{\"a\":1,\"b\":2}" },
    { "{\"items\":{\"type\":\"integer\"}}", "[1,2]", "[1,\"2\"]" },
    { "{\"prefixItems\":[{\"type\":\"string\"}],\"items\":{\"type\":\"integer\"}}", "[\"a\",1]",
      "[\"a\",\"b\"]" },
    { "{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}", "[\"a\"]", "[\"a\",1]" },
    { "{\"items\":[{\"type\":\"string\"}],\"additionalItems\":false}", "[\"a\"]", "[\"a\",1]" },
    { "{\"contains\":{\"const\":1}}", "[0,1]", "[0]" },
    { "{\"contains\":{\"const\":1},\"maxContains\":1}", "[0,1]", "[1,1]" },
    { "{\"contains\":{\"const\":1},\"minContains\":0}", "[]", NULL },
    { "{\"minItems\":1}", "[0]", "[]" },
    { "{\"maxItems\":1}", "[0]", "[0,1]" },
    { "{\"uniqueItems\":true}", "[1,2,\"1\",[1],{\"a\":1}]", "[1,2,1.0]" },
    { "{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"a\":1}]", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]" },
    { "{\"uniqueItems\":true}", "[0,1]", "[0.0,-0.0]" },
    { "{\"enum\":[1,\"a\",null]}", "1.0", "\"b\"" },
    { "{\"const\":{\"a\":[1]}}", "{\"a\":[1]}", "{\"a\":[1,2]}" },
    { "{\"minimum\":2}", "2", "1.9" },
    { "{\"maximum\":2}", "2", "3" },
    { "{\"exclusiveMinimum\":2}", "2.1", "2" },
    { "{\"exclusiveMaximum\":2}", "1", "2" },
    { "{\"minimum\":9007199254740993}", "9007199254740993", "9007199254740992" },
    { "{\"multipleOf\":3}", "9", "10" },
    { "{\"multipleOf\":0.1}", "0.3", "0.35" },
    { "{\"minLength\":2}", "\"\xc3\xa4\xc3\xa4\"", "\"\xc3\xa4\"" },
    { "{\"maxLength\":1}", "\"\xc3\xa4\"", "\"ab\"" },
    { "{\"pattern\":\"^a+$\"}", "\"aa\"", "\"ab\"" },
    { "{\"pattern\":\"(?=b)\"}", "\"aa\"", NULL },
    { "{\"format\":\"date\"}", "\"2026-02-28\"", "\"2026-02-30\"" },
    { "{\"format\":\"date-time\"}", "\"2026-02-28T10:00:00Z\"", "\"2026-02-28\"" },
    { "{\"format\":\"email\"}", "\"a@b.c\"", "\"a b@c\"" },
    { "{\"format\":\"uri\"}", "\"https://a/b?c\"", "\"no uri\"" },
    { "{\"format\":\"uuid\"}", "\"123e4567-e89b-12d3-a456-426614174000\"", "\"123\"" },
    { "{\"format\":\"stars\"}", "\"any\"", NULL },
    { "{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2", "4" },
    { "{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":3}]}", "\"a\"", "2" },
    { "{\"oneOf\":[{\"minimum\":1},{\"minimum\":3}]}", "2", "4" },
    { "{\"oneOf\":[{\"minimum\":1},{\"minimum\":3}]}", "2", "0" },
    { "{\"not\":{\"type\":\"string\"}}", "1", "\"\"" },
    { "{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1},\"else\":{\"minimum\":1}}", "\"a\"", "\"\"" },
    { "{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1},\"else\":{\"minimum\":1}}", "1", "0" },
    { "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"string\"}}}", "\"\"", "1" },
    { "{\"$ref\":\"#/definitions/a~1b%20c\",\"definitions\":{\"a/b c\":{\"type\":\"string\"}}}", "\"\"",
      "1" },
    { "{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"additionalProperties\":false}",
      "{\"next\":{\"next\":{}}}", "{\"next\":{\"nxt\":{}}}" },
    { "{\"$ref\":\"https://example.com/s\"}", "1", NULL },
};

static void values_fit_or_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
        if (trials[i].good && !fits(trials[i].schema, trials[i].good))
            fail_msg("%s does not take %s", trials[i].schema, trials[i].good);
        if (trials[i].bad && fits(trials[i].schema, trials[i].bad))
            fail_msg("%s takes %s", trials[i].schema, trials[i].bad);
    }
}

static void what_is_no_schema_is_named(void **state)
{
    static const char *const bad[][2] = {
        { "1", "" },
        { "[]", "" },
        { "{\"type\":\"text\"}", "/type" },
        { "{\"type\":[]}", "/type" },
        { "{\"type\":[\"string\",1]}", "/type" },
        { "{\"properties\":[]}", "/properties" },
        { "{\"properties\":{\"a\":{\"type\":1}}}", "/properties/a/type" },
        { "{\"properties\":{\"a/b\":\"string\"}}", "/properties/a~1b" },
        { "{\"required\":\"a\"}", "/required" },
        { "{\"required\":[1]}", "/required" },
        { "{\"items\":1}", "/items" },
        { "{\"anyOf\":[]}", "/anyOf" },
        { "{\"anyOf\":[{},{\"minLength\":-1}]}", "/anyOf/1/minLength" },
        { "{\"minLength\":1.5}", "/minLength" },
        { "{\"minimum\":\"1\"}", "/minimum" },
        { "{\"exclusiveMaximum\":\"1\"}", "/exclusiveMaximum" },
        { "{\"multipleOf\":0}", "/multipleOf" },
        { "{\"uniqueItems\":1}", "/uniqueItems" },
        { "{\"enum\":{}}", "/enum" },
        { "{\"pattern\":\"(\"}", "/pattern" },
        { "{\"pattern\":1}", "/pattern" },
        { "{\"patternProperties\":{\"[\":{}}}", "/patternProperties/[" },
        { "{\"format\":1}", "/format" },
        { "{\"title\":1}", "/title" },
        { "{\"dependentRequired\":{\"a\":1}}", "/dependentRequired" },
        { "{\"$ref\":\"#/$defs/none\"}", "/$ref" },
        { "{\"$ref\":\"#\"}", "/$ref" },
        { "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}}}",
          "/$ref" },
        { "{\"$ref\":1}", "/$ref" },
        { "{\"not\":null}", "/not" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct err err = { 0 };
        JSON_AUTO *schema = value_of(bad[i][0]);

        if (shape_check(schema, &err))
            fail_msg("%s passes", bad[i][0]);
        assert_int_equal(err.code, ERR_INVALID);
        if (strcmp(err.field, bad[i][1]) != 0 || !strstr(err.text, *bad[i][1] ? bad[i][1] : "The schema"))
            fail_msg("%s: %s: %s", bad[i][0], err.field, err.text);
    }
}

static void what_is_not_held_is_named(void **state)
{
    static const char *const odd[][2] = {
        { "{\"properties\":{\"a\":{\"unevaluatedProperties\":false}}}",
          "/properties/a/unevaluatedProperties" },
        { "{\"pattern\":\"(?=a)\"}", "/pattern" },
        { "{\"format\":\"stars\"}", "/format" },
        { "{\"$ref\":\"other.json\"}", "/$ref" },
        { "{\"exclusiveMinimum\":true}", "/exclusiveMinimum" },
        { "{\"title\":\"A\",\"description\":\"B\",\"default\":1,\"examples\":[1]}", NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
        ARENA_AUTO arena = { 0 };
        struct err err = { 0 };
        JSON_AUTO *schema = value_of(odd[i][0]);
        const char *path = shape_unknown(&arena, schema);

        assert_true(shape_check(schema, &err));
        if (odd[i][1])
            assert_string_equal(path, odd[i][1]);
        else
            assert_null(path);
    }
}

static void expect(const char *schema_text, const char *value_text, const char *path, const char *words)
{
    ARENA_AUTO arena = { 0 };
    struct shape_problem problems[SHAPE_PROBLEMS];
    size_t count;
    JSON_AUTO *schema = value_of(schema_text), *value = value_of(value_text);

    assert_false(shape_fits(&arena, schema, value, problems, &count));
    assert_int_equal(count, 1);
    assert_string_equal(problems[0].path, path);
    assert_string_equal(problems[0].words, words);
}

static void problems_are_told_in_words(void **state)
{
    (void)state;
    expect("{\"properties\":{\"files\":{\"items\":{\"required\":[\"name\"]}}}}",
           "{\"files\":[{\"name\":1},{}]}", "/files/1", "The member \"name\" is missing.");
    expect("{\"properties\":{\"count\":{\"type\":\"integer\"}}}", "{\"count\":\"3\"}", "/count",
           "It must be of the type integer, not string.");
    expect("{\"additionalProperties\":false,\"properties\":{\"path\":{}}}", "{\"pth\":1}", "",
           "There is no member \"pth\" here; was \"path\" meant?");
    expect("{\"additionalProperties\":false}", "{\"a\\nb\":1}", "", "There is no member \"a b\" here.");
    expect("{\"properties\":{\"a/b~\":{\"enum\":[\"x\",\"y\"]}}}", "{\"a/b~\":\"z\"}", "/a~1b~0",
           "It must be one of [\"x\",\"y\"].");
    expect("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "1", "",
           "It fits none of the 2 forms that it may have.");
    expect("{\"oneOf\":[{},{}]}", "1", "", "It must fit exactly one of 2 forms, and fits more than one.");
}

static void so_many_are_told(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct shape_problem problems[SHAPE_PROBLEMS];
    JSON_AUTO *schema = value_of("{\"items\":{\"type\":\"string\"}}"), *value = json_array();
    size_t count;

    (void)state;
    for (int i = 0; i < 50; i++)
        json_array_append_new(value, json_integer(i));
    assert_false(shape_fits(&arena, schema, value, problems, &count));
    assert_int_equal(count, SHAPE_PROBLEMS);
    assert_string_equal(problems[7].path, "/7");
}

static void long_names_are_cut(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct shape_problem problems[SHAPE_PROBLEMS];
    JSON_AUTO *schema = value_of("{\"additionalProperties\":{\"additionalProperties\":false}}"),
              *value = json_object();
    size_t count;
    char *name = malloc(100001);

    (void)state;
    memset(name, 'n', 100000);
    name[100000] = '\0';
    json_object_set_new(value, name, json_pack("{s:i}", name, 1));
    assert_false(shape_fits(&arena, schema, value, problems, &count));
    assert_int_equal(count, 1);
    assert_true(strlen(problems[0].path) <= LIMIT_SHAPE_PATH + 3);
    assert_true(strlen(problems[0].words) < 300);
    free(name);
}

/* Schemas that would take for ever, or the whole stack. */
static void work_is_bounded(void **state)
{
    static const char *const endless[] = {
        "{\"allOf\":[{\"$ref\":\"#\"}]}",
        "{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}],\"type\":\"array\"}",
        "{\"items\":{\"anyOf\":[{\"$ref\":\"#/items\"},{\"$ref\":\"#/items\"},{\"$ref\":\"#\"}]}}",
        "{\"items\":{\"pattern\":\"^(a?){900}(b?){900}$\"}}",
        "{\"items\":{\"items\":{\"items\":{\"enum\":[]}}},\"uniqueItems\":true}",
    };
    JSON_AUTO *value = json_array();
    int64_t began = clock_ticks_ms();

    (void)state;
    for (int i = 0; i < 5000; i++)
        json_array_append_new(value, json_string("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
    for (size_t i = 0; i < sizeof(endless) / sizeof(*endless); i++) {
        ARENA_AUTO arena = { 0 };
        struct shape_problem problems[SHAPE_PROBLEMS];
        JSON_AUTO *schema = value_of(endless[i]);
        size_t count;

        assert_false(shape_fits(&arena, schema, value, problems, &count));
        assert_true(count > 0);
    }
    assert_true(clock_ticks_ms() - began < 5000);
}

/* A long list whose entries must differ takes no more than sorting it. */
static void many_entries_are_told_apart(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct shape_problem problems[SHAPE_PROBLEMS];
    JSON_AUTO *schema = value_of("{\"uniqueItems\":true}"), *value = json_array();
    size_t count;

    (void)state;
    for (int i = 0; i < 100000; i++)
        json_array_append_new(value, json_integer(i));
    assert_true(shape_fits(&arena, schema, value, problems, &count));
    json_array_append_new(value, json_integer(77));
    assert_false(shape_fits(&arena, schema, value, problems, &count));
    assert_string_equal(problems[0].words,
                        "Its entries 77 and 100000 are the same; each may stand there once.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_fit_or_not),         cmocka_unit_test(what_is_no_schema_is_named),
        cmocka_unit_test(what_is_not_held_is_named), cmocka_unit_test(problems_are_told_in_words),
        cmocka_unit_test(so_many_are_told),          cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(work_is_bounded),           cmocka_unit_test(many_entries_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
