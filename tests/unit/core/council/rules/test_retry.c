/*
 * Which turns are worth another call, and after how long.
 */
#include "core/council/rules/retry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static void a_turn_is_asked_for_again_only_where_that_may_help(void **state)
{
    static const struct {
        const char *name;
        struct retry_facts facts;
        bool worth;
        int64_t delay_ms;
    } rows[] = {
        { "said", { .attempt = 1, .pass = PASS_NOT }, false, 0 },
        { "passed", { .attempt = 1, .pass = PASS_MARK }, false, 0 },
        { "empty", { .attempt = 1, .pass = PASS_EMPTY, .lack = LACK_NOTHING }, false, 0 },
        { "a stop", { .attempt = 1, .pass = PASS_EMPTY, .lack = LACK_STOP }, true, 0 },
        { "a label", { .attempt = 1, .pass = PASS_EMPTY, .lack = LACK_OTHER }, true, 0 },
        { "a stop again", { 2, .without_stops = true, .pass = PASS_EMPTY, .lack = LACK_STOP }, false, 0 },
        { "a pass behind a stop", { .attempt = 1, .pass = PASS_MARK, .lack = LACK_STOP }, false, 0 },
        { "failed", { .attempt = 1, .failed = true, .pass = PASS_FAILED }, true, 1000 },
        { "failed twice", { .attempt = 2, .failed = true, .pass = PASS_FAILED }, true, 2000 },
        { "told to wait", { .attempt = 1, .failed = true, .again_ms = 7000 }, true, 7000 },
        { "told to wait less", { .attempt = 2, .failed = true, .again_ms = 500 }, true, 2000 },
        { "once too often", { .attempt = TURN_ATTEMPTS, .failed = true }, false, 0 },
        { "for good", { .attempt = 1, .failed = true, .permanent = true }, false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        int64_t delay_ms;
        bool worth = retry_is_worth(&rows[i].facts, &delay_ms);

        if (worth != rows[i].worth || delay_ms != rows[i].delay_ms)
            fail_msg("%s: %d after %lld ms", rows[i].name, worth, (long long)delay_ms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_asked_for_again_only_where_that_may_help),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
