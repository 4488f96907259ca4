/*
 * Whether a model may be asked once more, and how much it may answer.
 */
#include "core/council/rules/budget.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static void a_call_is_taken_off_before_it_is_made(void **state)
{
    static const struct {
        const char *name;
        struct allowance allowed;
        struct budget_look look;
        enum budget_left left;
        int64_t reserved;
    } rows[] = {
        { "not limited", { 0 }, { .used = { 900, 900, 900 }, .out = 9 }, BUDGET_LEFT, 0 },
        { "one call left", { .calls = 3 }, { .used = { 2 } }, BUDGET_LEFT, 0 },
        { "that one is out", { .calls = 3 }, { .used = { 2 }, .out = 1 }, BUDGET_SPENT, 0 },
        { "time is up", { .seconds = 9 }, { .used = { 0, 0, 9 } }, BUDGET_SPENT, 0 },
        { "the first goes alone", { .tokens = 10 }, { .out = 0 }, BUDGET_LEFT, 0 },
        { "beside its own", { .tokens = 10 }, { .out = 1, .own = 1 }, BUDGET_LATER, 0 },
        { "beside others", { .tokens = 10 }, { .out = 1 }, BUDGET_SPENT, 2 * 4096 },
        { "plenty", { .tokens = 10000 }, { .out = 1, .own = 1 }, BUDGET_LEFT, 0 },
        { "as large as the largest", { .tokens = 100 }, { .used = { 1, 60 }, .one = 40 }, BUDGET_LEFT, 40 },
        { "a token less", { .tokens = 99 }, { .used = { 1, 60 }, .one = 40 }, BUDGET_SPENT, 40 },
        { "twice as large",
          { .tokens = 220 },
          { .used = { 1, 60 }, .out = 1, .own = 1, .one = 40 },
          BUDGET_LEFT,
          40 },
        { "not twice",
          { .tokens = 219 },
          { .used = { 1, 60 }, .out = 1, .own = 1, .one = 40 },
          BUDGET_LATER,
          40 },
        { "others are out", { .tokens = 140 }, { .used = { 1, 60 }, .out = 1, .one = 40 }, BUDGET_LEFT, 80 },
        { "and take the rest",
          { .tokens = 139 },
          { .used = { 1, 60 }, .out = 1, .one = 40 },
          BUDGET_SPENT,
          80 },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        int64_t reserved;
        enum budget_left left = budget_judge(&rows[i].allowed, &rows[i].look, &reserved);

        if (left != rows[i].left || reserved != rows[i].reserved)
            fail_msg("%s: %d, %lld", rows[i].name, (int)left, (long long)reserved);
    }
}

static void an_answer_may_be_as_long_as_its_share_of_what_is_left(void **state)
{
    const struct allowance none = { .calls = 5 }, some = { .tokens = 1000 };

    (void)state;
    assert_false(budget_is_limited(&(struct allowance){ 0 }));
    assert_true(budget_is_limited(&none));
    assert_int_equal(budget_share(&none, &(struct budget_look){ .out = 0 }, 400), 0);
    assert_int_equal(budget_share(&some, &(struct budget_look){ .out = 0 }, 400), 900);
    assert_int_equal(budget_share(&some, &(struct budget_look){ .out = 1, .used = { 0, 200 } }, 400), 300);
    assert_int_equal(budget_share(&some, &(struct budget_look){ .told = 250 }, 400), 750);
    assert_int_equal(budget_share(&some, &(struct budget_look){ .used = { 0, 2000 } }, 0), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_is_taken_off_before_it_is_made),
        cmocka_unit_test(an_answer_may_be_as_long_as_its_share_of_what_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
