/*
 * How often somebody may ask.
 */
#include "edge/ratelimit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define SECOND_US 1000000

static bool take(struct ratelimit *limit, const char *key, int64_t now_us)
{
    int retry_after_s = 0;
    bool taken = ratelimit_take(limit, key, strlen(key), now_us, &retry_after_s);

    assert_true(taken || retry_after_s > 0);
    return taken;
}

static int take_all(struct ratelimit *limit, const char *key, int64_t now_us)
{
    int count = 0;

    while (count < 10000 && take(limit, key, now_us))
        count++;
    return count;
}

static void a_burst_then_the_rate(void **state)
{
    struct ratelimit *limit = ratelimit_new(100, 1000, 200);
    int64_t now = 50 * SECOND_US;

    (void)state;
    assert_int_equal(take_all(limit, "one", now), 200);
    assert_int_equal(take_all(limit, "two", now), 200);
    assert_false(take(limit, "one", now + 9999));
    assert_true(take(limit, "one", now + 10000));
    assert_int_equal(take_all(limit, "one", now + 10000 + SECOND_US), 100);
    assert_int_equal(take_all(limit, "one", now + 3600ll * SECOND_US), 200);
    ratelimit_free(limit);
}

static void says_when_to_come_back(void **state)
{
    struct ratelimit *limit = ratelimit_new(5, 60000, 5);
    int retry_after_s = 0;

    (void)state;
    assert_int_equal(take_all(limit, "address", SECOND_US), 5);
    assert_false(ratelimit_take(limit, "address", strlen("address"), SECOND_US, &retry_after_s));
    assert_int_equal(retry_after_s, 12);
    assert_true(take(limit, "address", 13 * SECOND_US));
    ratelimit_free(limit);
}

/* Strangers in any number do not take away the limit of somebody who keeps asking. */
static void strangers_do_not_free_a_busy_key(void **state)
{
    struct ratelimit *limit = ratelimit_new(1, 60000, 1000);
    int64_t now = 50 * SECOND_US;
    char key[32];

    (void)state;
    assert_int_equal(take_all(limit, "busy", now), 1000);
    for (int i = 0; i < 100000; i++) {
        snprintf(key, sizeof(key), "stranger %d", i);
        assert_true(take(limit, key, now));
    }
    assert_false(take(limit, "busy", now));
    ratelimit_free(limit);
}

struct race {
    struct ratelimit *limit;
    atomic_int taken;
};

static void *run_race(void *user)
{
    struct race *race = user;

    for (int i = 0; i < 5000; i++)
        if (take(race->limit, "shared", SECOND_US))
            atomic_fetch_add(&race->taken, 1);
    return NULL;
}

static void threads_share_one_bucket(void **state)
{
    struct race race = { .limit = ratelimit_new(1, 1000, 300) };
    pthread_t threads[4];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_race, &race), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&race.taken), 300);
    ratelimit_free(race.limit);
}

/* Amounts: looking takes nothing, what has happened is taken in any case, and all of it is earned back. */
static void amounts_are_looked_at_and_spent(void **state)
{
    struct ratelimit *limit = ratelimit_new(100, 100000, 100);
    int retry_after_s = 0;

    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(ratelimit_allows(limit, "k", 1, 100, SECOND_US, &retry_after_s));
    ratelimit_spend(limit, "k", 1, 90, SECOND_US);
    assert_true(ratelimit_allows(limit, "k", 1, 10, SECOND_US, &retry_after_s));
    assert_false(ratelimit_allows(limit, "k", 1, 30, SECOND_US, &retry_after_s));
    assert_int_equal(retry_after_s, 20);
    ratelimit_spend(limit, "k", 1, 60, SECOND_US);
    assert_false(ratelimit_allows(limit, "k", 1, 1, SECOND_US, &retry_after_s));
    assert_int_equal(retry_after_s, 51);
    assert_true(ratelimit_allows(limit, "k", 1, 1, 52 * SECOND_US, &retry_after_s));
    assert_true(ratelimit_allows(limit, "other", 5, 1000, SECOND_US, &retry_after_s));
    ratelimit_free(limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_then_the_rate),
        cmocka_unit_test(says_when_to_come_back),
        cmocka_unit_test(strangers_do_not_free_a_busy_key),
        cmocka_unit_test(threads_share_one_bucket),
        cmocka_unit_test(amounts_are_looked_at_and_spent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
