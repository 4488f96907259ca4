/*
 * When a call is tried again, and what of a server's words is shown.
 */
#include "base/limits.h"
#include "llm/retry.h"
#include "llm/scrub.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define PLENTY 3600000

static struct retry busy(int attempts)
{
    return (struct retry){
        .kind = LLM_BUSY, .attempts = attempts, .retries = 8, .retry_after_ms = -1, .left_ms = PLENTY
    };
}

static void pauses_double_and_are_never_alike(void **state)
{
    int64_t longest = RETRY_FIRST_MS;

    (void)state;
    for (int attempt = 1; attempt <= 8; attempt++) {
        struct retry retry = busy(attempt);
        int64_t least = retry_pause_ms(&retry);

        retry.random = 1023;
        int64_t most = retry_pause_ms(&retry);

        assert_int_equal(least, longest / 2);
        assert_in_range(most, least + longest / 4, longest);
        longest = longest * 2 < RETRY_MOST_MS ? longest * 2 : RETRY_MOST_MS;
    }
    assert_int_equal(longest, RETRY_MOST_MS);
}

static void only_what_may_pass_is_tried_again(void **state)
{
    static const struct {
        enum llm_kind kind;
        bool again;
    } kinds[] = { { LLM_UNREACHABLE, true }, { LLM_BUSY, true },       { LLM_TOO_SLOW, true },
                  { LLM_GARBLED, true },     { LLM_BROKE_OFF, true },  { LLM_FINE, false },
                  { LLM_CANCELLED, false },  { LLM_WRONG_KEY, false }, { LLM_UNKNOWN_MODEL, false },
                  { LLM_REFUSED, false },    { LLM_FLOODED, false },   { LLM_NOT_ALLOWED, false },
                  { LLM_FAILED, false } };

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        struct retry retry = busy(1);

        retry.kind = kinds[i].kind;
        assert_int_equal(retry_pause_ms(&retry) >= 0, kinds[i].again);
    }
}

static void tries_and_time_have_an_end(void **state)
{
    struct retry retry = busy(8);

    (void)state;
    assert_true(retry_pause_ms(&retry) > 0);
    retry.attempts = 9;
    assert_int_equal(retry_pause_ms(&retry), -1);
    retry = busy(1);
    retry.left_ms = 100;
    assert_int_equal(retry_pause_ms(&retry), -1);
    retry.retries = 0;
    retry.left_ms = PLENTY;
    assert_int_equal(retry_pause_ms(&retry), -1);
}

static void a_server_says_when_to_come(void **state)
{
    struct retry retry = busy(1);

    (void)state;
    retry.retry_after_ms = 20000;
    assert_in_range(retry_pause_ms(&retry), 20000, 20500);
    retry.retry_after_ms = RETRY_AFTER_MOST_MS + 1;
    assert_int_equal(retry_pause_ms(&retry), -1);
}

static void retry_after_is_seconds_or_a_date(void **state)
{
    (void)state;
    assert_int_equal(retry_after_ms(NULL, 0), -1);
    assert_int_equal(retry_after_ms("7", 0), 7000);
    assert_int_equal(retry_after_ms("0", 0), 0);
    assert_int_equal(retry_after_ms("-1", 0), -1);
    assert_int_equal(retry_after_ms("soon", 0), -1);
    assert_int_equal(retry_after_ms("99999999999", 0), 86400000);
    assert_int_equal(retry_after_ms("Wed, 21 Oct 2015 07:28:30 GMT", 1445412480), 30000);
    assert_int_equal(retry_after_ms("Wed, 21 Oct 2015 07:28:00 GMT", 1445412490), 0);
}

static void a_place_is_not_shown(void **state)
{
    static const struct {
        const char *url, *text, *shown;
    } cases[] = {
        { "http://gpu-box:8000/v1", "host name 'gpu-box', gpu-box:8000/v1/x.", "host name '***', ***" },
        { "http://gpu-box:8000/v1", "my-gpu-box gpu-boxes gpu-box.", "my-gpu-box gpu-boxes ***." },
        { "https://Models.Example", "at https://models.example/v1 or models.example",
          "at https://*** or ***" },
        { "http://[::1]:80/v1", "Failed: [::1]:80", "Failed: [***]:80" },
        { "http://10.0.0.7", "10.0.0.7 and 10.0.0.77", "*** and 10.0.0.77" },
    };
    ARENA_AUTO arena = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct secrets secrets = { .host = scrub_host(&arena, cases[i].url) };

        assert_string_equal(scrub(&arena, cases[i].text, &secrets, 200), cases[i].shown);
    }
}

static void a_key_is_not_shown(void **state)
{
    ARENA_AUTO arena = { 0 };
    const struct secrets keyed = { .key = "sk-abcdef0123456789" }, none = { 0 };

    (void)state;
    assert_string_equal(scrub(&arena, "The key sk-abcdef0123456789 is wrong.", &keyed, 100),
                        "The key *** is wrong.");
    assert_string_equal(scrub(&arena, "Wrong: sk-abc***6789, sorry", &keyed, 100), "Wrong: ***, sorry");
    assert_string_equal(scrub(&arena, "{\"got\":\"Bearer sk-abcdef0123456789\"}", &keyed, 100),
                        "{\"got\":\"Bearer ***\"}");
    assert_string_equal(scrub(&arena, "sk-other", &keyed, 100), "sk-other");
    assert_string_equal(scrub(&arena, "no key", &none, 100), "no key");
    assert_string_equal(scrub(&arena, "two\nlines\x1b[31m", &none, 100), "two lines[31m");
    assert_string_equal(scrub(&arena, "\xff\xfe", &none, 100), "(something that is not text)");
    assert_string_equal(scrub(&arena, "0123456789", &none, 4), "0123...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_double_and_are_never_alike),
        cmocka_unit_test(only_what_may_pass_is_tried_again),
        cmocka_unit_test(tries_and_time_have_an_end),
        cmocka_unit_test(a_server_says_when_to_come),
        cmocka_unit_test(retry_after_is_seconds_or_a_date),
        cmocka_unit_test(a_place_is_not_shown),
        cmocka_unit_test(a_key_is_not_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
