/*
 * A schema in the first line, a value in the rest: a schema that is one is held against the value within its
 * bounds, always with the same answer, and what is told about a value can be shown. Where the first line is
 * no JSON, it is a regular expression, and the rest the text.
 */
#include "base/limits.h"
#include "base/pattern.h"
#include "base/shape.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"

static void check_problems(const struct shape_problem *problems, size_t count)
{
    DEMAND(count <= SHAPE_PROBLEMS);
    for (size_t i = 0; i < count; i++) {
        DEMAND(strlen(problems[i].path) <= LIMIT_SHAPE_PATH + 3);
        DEMAND(str_is_utf8(problems[i].path, strlen(problems[i].path)));
        DEMAND(*problems[i].words && str_is_plain_line(problems[i].words));
    }
    plant(count, 3);
}

static void hold(const json_t *schema, const json_t *value)
{
    ARENA_AUTO arena = { 0 };
    struct shape_problem problems[SHAPE_PROBLEMS], again[SHAPE_PROBLEMS];
    struct err err = { 0 };
    size_t count, again_count;
    bool good;

    if (!shape_check(schema, &err)) {
        DEMAND(err.code == ERR_INVALID && *err.text);
        return;
    }
    shape_unknown(&arena, schema);
    good = shape_fits(&arena, schema, value, problems, &count);
    DEMAND(good == (count == 0));
    check_problems(problems, count);
    DEMAND(shape_fits(&arena, schema, value, again, &again_count) == good && again_count == count);
}

static void match(const char *text, const uint8_t *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    const struct pattern *pattern;
    const char *why;
    size_t work = 100000;
    enum pattern_verdict verdict = pattern_read(&arena, text, &pattern, &why);

    DEMAND((verdict == PATTERN_FINE) == (pattern != NULL) && (verdict == PATTERN_FINE) == !*why);
    if (pattern && pattern_found(&arena, pattern, (const char *)bytes, len, &work))
        DEMAND(work > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct err err = { 0 };
    json_t *schema = NULL, *value = NULL;
    char *line = fuzz_line(&bytes, &len);

    if (!json_parse(line, strlen(line), &schema, &err))
        match(line, bytes, len);
    else if (json_parse((const char *)bytes, len, &value, &err))
        hold(schema, value);
    json_decref(schema);
    json_decref(value);
    free(line);
    return 0;
}
