/*
 * Timers run in the order of their times, and not once they are stopped.
 */
#include "base/timers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#define MANY 500

static struct timers timers;
static int64_t last_ms;
static size_t ran;

struct timed {
    struct timer timer;
    int64_t at_ms;
    bool may_run;
};

static void note(void *user)
{
    struct timed *timed = user;

    assert_true(timed->may_run);
    assert_true(timed->at_ms >= last_ms);
    assert_false(timer_is_set(&timed->timer));
    last_ms = timed->at_ms;
    ran++;
}

static void set(struct timed *timed, int64_t at_ms)
{
    timed->timer.run = note;
    timed->timer.user = timed;
    timed->at_ms = at_ms;
    timed->may_run = true;
    timers_set(&timers, &timed->timer, at_ms);
}

static void they_run_in_order_unless_stopped(void **state)
{
    static struct timed timed[MANY];
    size_t expected = 0;

    (void)state;
    srandom(7);
    for (size_t i = 0; i < MANY; i++)
        set(&timed[i], random() % 1000);
    for (size_t i = 0; i < MANY; i += 3)
        set(&timed[i], random() % 1000); /* anew */
    for (size_t i = 0; i < MANY; i += 5) {
        timers_stop(&timers, &timed[i].timer);
        timers_stop(&timers, &timed[i].timer);
        timed[i].may_run = false;
    }
    for (int64_t now = 0; now <= 1000; now += 50) {
        timers_run(&timers, now);
        for (size_t i = 0; i < MANY; i++)
            assert_int_equal(timer_is_set(&timed[i].timer), timed[i].may_run && timed[i].at_ms > now);
    }
    for (size_t i = 0; i < MANY; i++)
        expected += timed[i].may_run;
    assert_int_equal(ran, expected);
    assert_int_equal(timers_wait(&timers, 0), -1);
}

static int again;

static void set_again(void *user)
{
    again++;
    timers_set(&timers, user, 0);
}

static void one_that_sets_itself_has_its_turn_in_the_next_round(void **state)
{
    struct timer timer = { .run = set_again, .user = &timer };

    (void)state;
    timers_set(&timers, &timer, 0);
    timers_run(&timers, 10);
    assert_int_equal(again, 1);
    assert_int_equal(timers_wait(&timers, 10), 0);
    timers_run(&timers, 10);
    assert_int_equal(again, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_run_in_order_unless_stopped),
        cmocka_unit_test(one_that_sets_itself_has_its_turn_in_the_next_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
