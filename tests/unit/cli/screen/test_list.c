#include "cli/screen/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static json_t *items(const char *letters)
{
    json_t *all = json_array();

    for (; *letters; letters++) {
        char id[2] = { *letters, '\0' };

        json_array_append_new(all, json_pack("{s:s, s:s+, s:s}", "id", id, "text", "Question ", id, "agent",
                                             *letters < 'c' ? "Builder" : "Planner"));
    }
    return all;
}

static const char *chosen(const struct screen_list *list)
{
    const char *id = json_string_value(json_object_get(list_chosen(list), "id"));

    return id ? id : "";
}

static void moving_stops_at_both_ends(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct screen_list list = { 0 };

    (void)state;
    list_move(&list, 1);
    assert_null(list_chosen(&list));
    list_fill(&list, &arena, items("abc"));
    assert_string_equal(chosen(&list), "a");
    list_move(&list, 1);
    assert_string_equal(chosen(&list), "b");
    list_move(&list, 100);
    assert_string_equal(chosen(&list), "c");
    list_move(&list, -100);
    assert_string_equal(chosen(&list), "a");
    list_done(&list);
}

static void what_is_chosen_stays_chosen(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct screen_list list = { 0 };

    (void)state;
    list_fill(&list, &arena, items("abcd"));
    list_move(&list, 2);
    list_fill(&list, &arena, items("zabcd")); /* something more urgent has come */
    assert_string_equal(chosen(&list), "c");
    list_fill(&list, &arena, items("zabd")); /* it was settled: the next one takes its place */
    assert_string_equal(chosen(&list), "d");
    list_fill(&list, &arena, items(""));
    assert_null(list_chosen(&list));
    list_fill(&list, &arena, items("q"));
    assert_string_equal(chosen(&list), "q");
    list_done(&list);
}

static void a_filter_looks_at_all_that_stands_there(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct screen_list list = { 0 };
    char much[400];

    (void)state;
    list_fill(&list, &arena, items("abcd"));
    list_move(&list, 3);
    list_filter(&list, &arena, "PLANNER");
    assert_int_equal(list.count, 2);
    assert_string_equal(chosen(&list), "d");
    list_filter(&list, &arena, "question b");
    assert_int_equal(list.count, 1);
    assert_string_equal(chosen(&list), "b");
    list_fill(&list, &arena, items("acd")); /* it holds for what comes later, too */
    assert_int_equal(list.count, 0);
    assert_null(list_chosen(&list));
    assert_true(list_holds(&list, "a"));
    assert_false(list_holds(&list, "b"));
    memset(much, 'x', sizeof(much) - 1);
    much[sizeof(much) - 1] = '\0';
    list_filter(&list, &arena, much);
    assert_int_equal(strlen(list.filter), sizeof(list.filter) - 1);
    list_filter(&list, &arena, "");
    assert_int_equal(list.count, 3);
    list_done(&list);
}

static void the_window_follows_the_chosen_row(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct screen_list list = { 0 };

    (void)state;
    list_fill(&list, &arena, items("abcdefghij"));
    list_move(&list, 5);
    list_scroll(&list, 3);
    assert_int_equal(list.top, 3);
    list_move(&list, -4);
    list_scroll(&list, 3);
    assert_int_equal(list.top, 1);
    list_move(&list, 100);
    list_scroll(&list, 3);
    assert_int_equal(list.top, 7);
    list_scroll(&list, 20); /* the terminal has become larger: no row is left empty */
    assert_int_equal(list.top, 0);
    list_scroll(&list, 0);
    assert_int_equal(list.top, 9);
    list_fill(&list, &arena, items("ab"));
    list_scroll(&list, 5);
    assert_int_equal(list.top, 0);
    list_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_stops_at_both_ends),
        cmocka_unit_test(what_is_chosen_stays_chosen),
        cmocka_unit_test(a_filter_looks_at_all_that_stands_there),
        cmocka_unit_test(the_window_follows_the_chosen_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
