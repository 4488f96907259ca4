/*
 * Everybody gets their turn, and whoever has most waiting gives way.
 */
#include "db/turns.h"

#include "db/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { FLOOD = 1, PERSON = 2, OTHER = 3 };

static struct work works[HASH_QUEUE * 4];

static void one_among_many_waits_for_one_turn(void **state)
{
    struct turns turns = { .count = 0 };
    struct work person = { 0 };
    int before = 0;

    (void)state;
    for (int i = 0; i < 40; i++)
        assert_null(turns_put(&turns, &works[i], FLOOD));
    assert_ptr_equal(turns_take(&turns), &works[0]);
    assert_null(turns_put(&turns, &person, PERSON));
    /* The flood goes on. */
    for (int i = 40; i < 50; i++)
        assert_null(turns_put(&turns, &works[i], FLOOD));
    while (turns_take(&turns) != &person)
        before++;
    assert_true(before <= 1);
    /* What is left comes in the order in which it came. */
    for (int i = before + 1; i < 50; i++)
        assert_ptr_equal(turns_take(&turns), &works[i]);
    assert_null(turns_take(&turns));
}

static void two_that_keep_coming_alternate(void **state)
{
    struct turns turns = { .count = 0 };
    int of_flood = 0, of_other = 0;

    (void)state;
    for (int i = 0; i < 20; i++)
        assert_null(turns_put(&turns, &works[i], FLOOD));
    for (int i = 20; i < 24; i++)
        assert_null(turns_put(&turns, &works[i], OTHER));
    for (int i = 0; i < 8; i++) {
        struct work *next = turns_take(&turns);

        of_flood += next < &works[20];
        of_other += next >= &works[20];
    }
    assert_int_equal(of_flood, 4);
    assert_int_equal(of_other, 4);
}

static void a_full_room_is_left_by_whoever_has_most(void **state)
{
    struct turns turns = { .count = 0 };
    struct work person = { 0 }, other = { 0 };

    (void)state;
    for (int i = 0; i < HASH_QUEUE; i++)
        assert_null(turns_put(&turns, &works[i], FLOOD));
    assert_ptr_equal(turns_put(&turns, &works[HASH_QUEUE], FLOOD), &works[HASH_QUEUE]);
    assert_ptr_equal(turns_put(&turns, &person, PERSON), &works[HASH_QUEUE - 1]);
    assert_ptr_equal(turns_put(&turns, &other, OTHER), &works[HASH_QUEUE - 2]);
    assert_int_equal(turns.count, HASH_QUEUE);
}

/* When everybody has one, nobody is pushed out for a newcomer. */
static void equals_do_not_push_each_other_out(void **state)
{
    struct turns turns = { .count = 0 };

    (void)state;
    for (uint64_t i = 0; i < HASH_QUEUE; i++)
        assert_null(turns_put(&turns, &works[i], 100 + i));
    assert_ptr_equal(turns_put(&turns, &works[HASH_QUEUE], PERSON), &works[HASH_QUEUE]);
    for (int i = 0; i < HASH_QUEUE; i++)
        assert_ptr_equal(turns_take(&turns), &works[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_among_many_waits_for_one_turn),
        cmocka_unit_test(two_that_keep_coming_alternate),
        cmocka_unit_test(a_full_room_is_left_by_whoever_has_most),
        cmocka_unit_test(equals_do_not_push_each_other_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
