/*
 * Things are found by their texts, however many there are, until they are taken out.
 */
#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#define MANY 1000

struct thing {
    struct table_item item;
    char name[24];
};

static void an_empty_table_has_nothing(void **state)
{
    struct table table = { 0 };

    (void)state;
    assert_null(table_find(&table, "a"));
    table_done(&table);
}

static void everything_is_found_until_it_is_taken_out(void **state)
{
    static struct thing things[MANY];
    struct table table = { 0 };

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(things[i].name, sizeof(things[i].name), "thing %d", i);
        table_add(&table, &things[i].item, things[i].name);
    }
    assert_int_equal(table.count, MANY);
    for (int i = 0; i < MANY; i += 2)
        table_remove(&table, &things[i].item);
    assert_int_equal(table.count, MANY / 2);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(table_find(&table, things[i].name), i % 2 ? &things[i].item : NULL);
    table_done(&table);
}

static void of_two_with_one_text_the_newer_is_found_first(void **state)
{
    struct thing old = { 0 }, new = { 0 };
    struct table table = { 0 };

    (void)state;
    table_add(&table, &old.item, "a");
    table_add(&table, &new.item, "a");
    assert_ptr_equal(table_find(&table, "a"), &new.item);
    table_remove(&table, &new.item);
    assert_ptr_equal(table_find(&table, "a"), &old.item);
    table_done(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_has_nothing),
        cmocka_unit_test(everything_is_found_until_it_is_taken_out),
        cmocka_unit_test(of_two_with_one_text_the_newer_is_found_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
