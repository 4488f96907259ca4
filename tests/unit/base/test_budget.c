#include "base/budget.h"
#include "base/limits.h"
#include "base/tally.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void takes_until_it_is_used_up(void **state)
{
    struct budget budget;

    (void)state;
    budget_init(&budget, 1000);
    assert_true(budget_grow(&budget, 0, 600));
    assert_true(budget_grow(&budget, 600, 1000));
    assert_false(budget_grow(&budget, 0, 1));
    assert_int_equal(budget_used(&budget), 1000);
    assert_int_equal(budget_refused(&budget), 1);
    budget_give(&budget, 400);
    assert_true(budget_grow(&budget, 0, 400));
    budget_force(&budget, 500);
    assert_int_equal(budget_used(&budget), 1500);
    assert_false(budget_grow(&budget, 0, 1));
    budget_give(&budget, 1500);
    assert_int_equal(budget_used(&budget), 0);
}

/* What is small by itself still finds room when large things have filled theirs. */
static void keeps_the_last_quarter_for_small_things(void **state)
{
    struct budget budget;

    (void)state;
    budget_init(&budget, 4 * MB);
    assert_true(budget_grow(&budget, 0, 3 * MB));
    assert_false(budget_grow(&budget, 0, BUDGET_SMALL + 1));
    assert_false(budget_grow(&budget, BUDGET_SMALL, BUDGET_SMALL + 1));
    for (size_t i = 0; i < 1 * MB / BUDGET_SMALL; i++)
        assert_true(budget_grow(&budget, 0, BUDGET_SMALL));
    assert_false(budget_grow(&budget, 0, 1));
}

static void without_a_limit_it_only_counts(void **state)
{
    struct budget budget;

    (void)state;
    budget_init(&budget, 0);
    assert_true(budget_grow(&budget, 0, SIZE_MAX / 2));
    assert_int_equal(budget_used(&budget), SIZE_MAX / 2);
}

static void *take_and_give(void *arg)
{
    struct budget *budget = arg;

    for (int i = 0; i < 20000; i++)
        if (budget_grow(budget, 0, 7))
            budget_give(budget, 7);
    return NULL;
}

static void threads_lose_nothing(void **state)
{
    struct budget budget;
    pthread_t threads[4];

    (void)state;
    budget_init(&budget, 14);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &budget), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(budget_used(&budget), 0);
}

static void a_tally_counts_by_key(void **state)
{
    struct tally *tally = tally_new();
    int key;

    (void)state;
    assert_true(tally_take(tally, "a", 1, 2));
    assert_true(tally_take(tally, "a", 1, 2));
    assert_false(tally_take(tally, "a", 1, 2));
    assert_true(tally_take(tally, "a", 1, 0));
    assert_true(tally_take(tally, "ab", 2, 1));
    assert_int_equal(tally_count(tally, "a", 1), 3);
    for (int i = 0; i < 3; i++)
        tally_give(tally, "a", 1);
    assert_int_equal(tally_count(tally, "a", 1), 0);
    assert_int_equal(tally_count(tally, "ab", 2), 1);
    for (key = 0; key < 1000; key++)
        assert_true(tally_take(tally, &key, sizeof(key), 1));
    for (key = 0; key < 1000; key++)
        assert_false(tally_take(tally, &key, sizeof(key), 1));
    for (key = 0; key < 1000; key += 2)
        tally_give(tally, &key, sizeof(key));
    for (key = 0; key < 1000; key++)
        assert_int_equal(tally_count(tally, &key, sizeof(key)), (unsigned)key % 2);
    tally_free(tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_until_it_is_used_up),
        cmocka_unit_test(keeps_the_last_quarter_for_small_things),
        cmocka_unit_test(without_a_limit_it_only_counts),
        cmocka_unit_test(threads_lose_nothing),
        cmocka_unit_test(a_tally_counts_by_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
