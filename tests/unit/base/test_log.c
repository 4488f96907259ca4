#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char captured[64 * KB];
static int real_stderr;
static FILE *catcher;

/* What is logged between the two goes into `captured`. */
static void capture(void)
{
    catcher = tmpfile();
    assert_non_null(catcher);
    fflush(stderr);
    real_stderr = dup(STDERR_FILENO);
    assert_true(dup2(fileno(catcher), STDERR_FILENO) >= 0);
}

static const char *caught(void)
{
    assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
    close(real_stderr);
    rewind(catcher);

    size_t len = fread(captured, 1, sizeof(captured) - 1, catcher);

    captured[len] = '\0';
    fclose(catcher);
    return captured;
}

static size_t lines_in(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* Checks the time stamp in front and returns what follows it. */
static const char *after_time(const char *line)
{
    char time[CLOCK_TEXT_SIZE];
    int64_t ms;

    snprintf(time, sizeof(time), "%s", line);
    assert_true(clock_parse(time, &ms));
    assert_true(llabs(ms - clock_now_ms()) < 5000);
    return line + CLOCK_TEXT_SIZE - 1;
}

static void text_lines_have_pairs(void **state)
{
    (void)state;
    log_setup(LOG_INFO, false);
    capture();
    log_line(LOG_INFO, "listening on", "address", "127.0.0.1:7117", "why", "v w", "none", NULL, "empty", "",
             "eq", "a=b", "quote", "a\"b\\", NULL);
    assert_string_equal(after_time(caught()), " info  listening on address=127.0.0.1:7117 why=\"v w\" "
                                              "empty=\"\" eq=\"a=b\" quote=\"a\\\"b\\\\\"\n");
    capture();
    log_line(LOG_ERROR, "broken", NULL);
    assert_string_equal(after_time(caught()), " error broken\n");
}

static void json_lines_are_json(void **state)
{
    struct err err = { 0 };
    JSON_AUTO *value = NULL;

    (void)state;
    log_setup(LOG_INFO, true);
    capture();
    log_line(LOG_WARN, "slow \"disk\"", "path", "/a\nb", "none", NULL, NULL);
    caught();
    assert_int_equal(lines_in(captured), 1);
    assert_true(json_parse(captured, strlen(captured), &value, &err));
    assert_string_equal(json_string_value(json_object_get(value, "level")), "warn");
    assert_string_equal(json_string_value(json_object_get(value, "msg")), "slow \"disk\"");
    assert_string_equal(json_string_value(json_object_get(value, "path")), "/a\nb");
    assert_true(json_is_null(json_object_get(value, "none")));
    after_time(json_string_value(json_object_get(value, "time")));
}

static void no_value_forges_a_line(void **state)
{
    static const char evil[] = "x\n2026-01-31T12:00:00.000Z info  fake\r\x1B[2J\x7F\xC2\x85\xC2\x9B"
                               "\xE2\x80\xA8\xE2\x80\xAE\xFF";

    (void)state;
    for (int json = 0; json < 2; json++) {
        log_setup(LOG_INFO, json == 1);
        capture();
        log_line(LOG_INFO, evil, "key", evil, NULL);
        caught();
        assert_int_equal(lines_in(captured), 1);
        assert_null(strpbrk(captured, "\r\x1B\x7F\xFF"));
        assert_null(strstr(captured, "\xC2\x85"));
        assert_null(strstr(captured, "\xC2\x9B"));
        assert_null(strstr(captured, "\xE2\x80\xA8"));
        assert_non_null(strstr(captured, json ? "x\\n2026" : "x\\u000a2026"));
    }
}

static void long_values_are_cut_between_characters(void **state)
{
    char value[LIMIT_LOG_VALUE * 2 + 2];

    (void)state;
    value[0] = 'x';
    for (size_t i = 1; i < sizeof(value) - 1; i += 2)
        memcpy(value + i, "\xC3\xA9", 2);
    value[sizeof(value) - 1] = '\0';
    for (int json = 0; json < 2; json++) {
        log_setup(LOG_INFO, json == 1);
        capture();
        log_line(LOG_INFO, "long", "value", value, NULL);
        caught();
        assert_in_range(strlen(captured), LIMIT_LOG_VALUE - 1, LIMIT_LOG_VALUE + 100);
        assert_null(strstr(captured, "\\ufffd"));
        assert_int_equal(lines_in(captured), 1);
    }
}

static void levels_below_the_least_are_silent(void **state)
{
    enum log_level level = LOG_ERROR;

    (void)state;
    log_setup(LOG_WARN, false);
    assert_false(log_wants(LOG_INFO));
    assert_true(log_wants(LOG_WARN));
    capture();
    log_line(LOG_DEBUG, "no", NULL);
    log_line(LOG_INFO, "no", "a", "b", NULL);
    log_line(LOG_WARN, "yes", NULL);
    assert_string_equal(after_time(caught()), " warn  yes\n");
    assert_true(log_level_parse("debug", &level));
    assert_int_equal(level, LOG_DEBUG);
    assert_true(log_level_parse("error", &level));
    assert_int_equal(level, LOG_ERROR);
    assert_false(log_level_parse("loud", &level));
    assert_false(log_level_parse(NULL, &level));
    assert_int_equal(level, LOG_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_lines_have_pairs),
        cmocka_unit_test(json_lines_are_json),
        cmocka_unit_test(no_value_forges_a_line),
        cmocka_unit_test(long_values_are_cut_between_characters),
        cmocka_unit_test(levels_below_the_least_are_silent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
