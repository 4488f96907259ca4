/*
 * What follows from what in a run's loop, from values alone.
 */
#include "base/str.h"
#include "core/runs/rules/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MOST 5

static void next_is(struct loop_facts facts, enum loop_verdict wanted)
{
    const char *reason = NULL;
    enum loop_verdict verdict = loop_next(&facts, MOST, &reason);

    if (verdict != wanted)
        fail_msg("it is %s (%s), wanted %s", loop_verdict_word(verdict), reason, loop_verdict_word(wanted));
    assert_non_null(reason);
}

static void the_loop_goes_from_asking_to_an_end(void **state)
{
    (void)state;
    next_is((struct loop_facts){ 0 }, LOOP_ASK);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .open = 1 }, LOOP_CALL);
    next_is((struct loop_facts){ .begun = true, .calls = 2, .open = 1, .waiting = 1 }, LOOP_CALL);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .waiting = 1 }, LOOP_WAIT);
    next_is((struct loop_facts){ .begun = true, .calls = 1 }, LOOP_ASK);
    next_is((struct loop_facts){ .begun = true }, LOOP_COMPLETE);
    next_is((struct loop_facts){ .begun = true, .blank = true, .mistakes = 1 }, LOOP_ASK);
    next_is((struct loop_facts){ .begun = true, .heard = true }, LOOP_ASK);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .finish = true }, LOOP_COMPLETE);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .too_long = true }, LOOP_CONDENSE);
}

static void an_end_from_outside_comes_first(void **state)
{
    (void)state;
    next_is((struct loop_facts){ .job_ended = true, .open = 1, .fatal = "x" }, LOOP_STOP);
    next_is((struct loop_facts){ .fatal = "x", .finish = true }, LOOP_FAIL);
    next_is((struct loop_facts){ .limit = RUN_LIMIT_TIME, .open = 1 }, LOOP_FAIL);
    next_is((struct loop_facts){ .heard = true, .advice = true }, LOOP_WAIT);
}

/* What was handed in is taken whatever it cost; a further question to the model is not. */
static void a_result_is_taken_over_a_budget_that_is_used_up(void **state)
{
    (void)state;
    next_is((struct loop_facts){ .begun = true, .calls = 1, .finish = true, .limit = RUN_LIMIT_STEPS },
            LOOP_COMPLETE);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .finish = true, .limit = RUN_LIMIT_TIME },
            LOOP_COMPLETE);
    next_is((struct loop_facts){ .begun = true, .limit = RUN_LIMIT_TIME }, LOOP_COMPLETE);
    next_is((struct loop_facts){ .begun = true, .heard = true, .limit = RUN_LIMIT_TIME }, LOOP_FAIL);
    next_is((struct loop_facts){ .begun = true, .blank = true, .limit = RUN_LIMIT_TIME }, LOOP_FAIL);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .limit = RUN_LIMIT_TIME }, LOOP_FAIL);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .waiting = 1, .limit = RUN_LIMIT_TIME },
            LOOP_FAIL);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .limit = RUN_LIMIT_STEPS }, LOOP_FAIL);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .open = 1, .limit = RUN_LIMIT_TOKENS },
            LOOP_CALL);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .mistakes = MOST }, LOOP_FAIL);
    next_is((struct loop_facts){ .begun = true, .calls = 1, .mistakes = MOST - 1 }, LOOP_ASK);
}

static void a_limit_is_reached_by_the_last_of_it(void **state)
{
    const struct run_budget budget = { .steps = 3, .tokens = 100, .ms = 1000, .money = 0 };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_int_equal(loop_limit(&budget, &(struct run_budget){ 2, 99, 999, 1000000 }), RUN_LIMIT_NONE);
    assert_int_equal(loop_limit(&budget, &(struct run_budget){ 3, 99, 999, 0 }), RUN_LIMIT_STEPS);
    assert_int_equal(loop_limit(&budget, &(struct run_budget){ 2, 100, 999, 0 }), RUN_LIMIT_TOKENS);
    assert_int_equal(loop_limit(&budget, &(struct run_budget){ 2, 99, 1000, 0 }), RUN_LIMIT_TIME);
    assert_string_equal(
        loop_limit_words(&arena, RUN_LIMIT_TOKENS, &budget, &(struct run_budget){ .tokens = 120 }),
        "Its budget is used up: 120 of 100 tokens.");
}

static void a_request_that_takes_all_that_is_left_is_not_made(void **state)
{
    const struct run_budget budget = { .steps = 3, .tokens = 100 }, none = { .steps = 3 };
    const struct run_budget used = { .steps = 1, .tokens = 60 };
    ARENA_AUTO arena = { 0 };

    (void)state;
    assert_int_equal(loop_limit_ahead(&budget, &used, 39), RUN_LIMIT_NONE);
    assert_int_equal(loop_limit_ahead(&budget, &used, 40), RUN_LIMIT_TOKENS);
    assert_int_equal(loop_limit_ahead(&budget, &(struct run_budget){ .tokens = 100 }, 0), RUN_LIMIT_NONE);
    assert_int_equal(loop_limit_ahead(&none, &used, 1000000), RUN_LIMIT_NONE);
    assert_string_equal(
        loop_ahead_words(&arena, RUN_LIMIT_TOKENS, 45, 40, 100),
        "Its budget is used up: what its model would be told next takes about 45 tokens, and 40 of 100 are left.");
    assert_string_equal(
        loop_ahead_words(&arena, RUN_LIMIT_PROJECT_TOKENS, 45, 40, 100),
        "The budget of its project is used up: what its model would be told next takes about 45 tokens, and 40 of 100 a day are left.");
    /* What is refused is held against what a text takes in all likelihood, not at most. */
    assert_int_equal(loop_tokens_likely(loop_tokens(1200)), 300);
    assert_int_equal(loop_tokens_likely(0), 0);
}

static enum call_verdict judge(struct call_facts facts)
{
    const char *reason = NULL;
    enum call_verdict verdict = loop_judge(&facts, &reason);

    assert_non_null(reason);
    return verdict;
}

#define FINE .known = true, .here = true, .object = true

static void a_call_is_judged_by_what_it_is_before_who_allows_it(void **state)
{
    (void)state;
    assert_int_equal(judge((struct call_facts){ .level = CATEGORY_NONE }), CALL_IS_UNKNOWN);
    assert_int_equal(judge((struct call_facts){ .known = true, .object = true, .level = CATEGORY_NONE }),
                     CALL_IS_FORBIDDEN);
    assert_int_equal(judge((struct call_facts){ .known = true, .here = true, .level = CATEGORY_NONE }),
                     CALL_IS_INVALID);
    assert_int_equal(
        judge((struct call_facts){ FINE, .approved = true, .needs_approval = true, .changed = true }),
        CALL_RUNS);
    assert_int_equal(judge((struct call_facts){ FINE, .approved = true, .replaced = true }), CALL_ASKS);
    assert_int_equal(judge((struct call_facts){ FINE, .placeless = true, .approved = true, .misfit = "x" }),
                     CALL_IS_FORBIDDEN);
    assert_int_equal(judge((struct call_facts){ FINE, .misfit = "x", .approved = true }), CALL_IS_INVALID);
    assert_int_equal(judge((struct call_facts){ FINE, .misfit = "x", .needs_approval = true }),
                     CALL_IS_INVALID);
    assert_int_equal(judge((struct call_facts){ FINE, .level = CATEGORY_NONE }), CALL_RUNS);
    assert_int_equal(judge((struct call_facts){ FINE, .level = CATEGORY_NONE, .needs_approval = true }),
                     CALL_ASKS);
    assert_int_equal(judge((struct call_facts){ FINE, .level = CATEGORY_APPROVAL }), CALL_ASKS);
    assert_int_equal(judge((struct call_facts){ FINE, .level = CATEGORY_NONE, .changed = true }), CALL_ASKS);
    assert_int_equal(judge((struct call_facts){ FINE, .level = CATEGORY_NOTIFY }), CALL_RUNS_TOLD);
    assert_int_equal(judge((struct call_facts){ FINE, .level = CATEGORY_NOTIFY, .changed = true }),
                     CALL_ASKS);
    assert_int_equal(judge((struct call_facts){ FINE, .built_in = true, .level = CATEGORY_NONE }), CALL_RUNS);
}

static void nothing_is_handed_in_beside_what_the_model_has_not_seen(void **state)
{
    const char *words;

    (void)state;
    assert_true(loop_finishes(&(struct finish_facts){ 0 }, &words));
    assert_false(loop_finishes(&(struct finish_facts){ .failed = 1 }, &words));
    assert_false(loop_finishes(&(struct finish_facts){ .asked = 1 }, &words));
    assert_false(loop_finishes(&(struct finish_facts){ .second = true }, &words));
}

static enum ended_verdict ended(struct ended_facts facts)
{
    const char *reason = NULL;

    return loop_ended(&facts, &reason);
}

static void nothing_that_may_have_run_is_run_again_by_itself(void **state)
{
    (void)state;
    assert_int_equal(ended((struct ended_facts){ .outcome = OUT_OK, .recover = true }), ENDED_RESULT);
    assert_int_equal(ended((struct ended_facts){ .outcome = OUT_ERROR, .recover = true }), ENDED_RESULT);
    assert_int_equal(ended((struct ended_facts){ .outcome = OUT_TIMEOUT }), ENDED_RESULT);
    assert_int_equal(ended((struct ended_facts){ .outcome = OUT_TIMEOUT, .recover = true }), ENDED_ADVICE);
    assert_int_equal(ended((struct ended_facts){ .outcome = OUT_UNAVAILABLE, .recover = true }),
                     ENDED_ADVICE);
    assert_int_equal(ended((struct ended_facts){ .outcome = OUT_INTERRUPTED }), ENDED_ADVICE);
    assert_int_equal(ended((struct ended_facts){ .outcome = OUT_INTERRUPTED, .idempotent = true }),
                     ENDED_AGAIN);
    assert_int_equal(ended((struct ended_facts){ .outcome = OUT_INTERRUPTED, .died = true }), ENDED_ADVICE);
}

static void a_reply_is_never_parted_from_its_results(void **state)
{
    static const struct loop_said said[] = {
        { 3, 10, RUN_REPLY },  { 5, 50, RUN_RESULT }, { 6, 50, RUN_RESULT },  { 8, 10, RUN_REPLY },
        { 9, 50, RUN_RESULT }, { 11, 10, RUN_REPLY }, { 12, 50, RUN_RESULT },
    };

    (void)state;
    assert_int_equal(loop_condense_to(said, 7, 1), 9);
    assert_int_equal(loop_condense_to(said, 7, 60), 9);
    assert_int_equal(loop_condense_to(said, 7, 61), 6);
    assert_int_equal(loop_condense_to(said, 7, 121), 0);
    assert_int_equal(loop_condense_to(said, 1, 1), 0);
    assert_int_equal(loop_condense_to(said, 0, 1), 0);
}

static void texts_share_the_room_and_short_ones_stay_whole(void **state)
{
    const size_t equal[] = { 100, 100, 100, 100 }, mixed[] = { 5, 1000, 20, 900 };

    (void)state;
    assert_true(loop_share(equal, 4, 400) == SIZE_MAX);
    assert_int_equal(loop_share(equal, 4, 200), 50);
    assert_int_equal(loop_share(mixed, 4, 225), 100);
    assert_int_equal(loop_share(mixed, 4, 3), 0);
    assert_true(loop_share(mixed, 4, 1925) == SIZE_MAX);
    assert_int_equal(loop_share(mixed, 4, 1924), 999);
    assert_true(loop_share(mixed, 0, 0) == SIZE_MAX);
    assert_int_equal(loop_tokens(loop_bytes(1000)), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loop_goes_from_asking_to_an_end),
        cmocka_unit_test(an_end_from_outside_comes_first),
        cmocka_unit_test(a_result_is_taken_over_a_budget_that_is_used_up),
        cmocka_unit_test(a_limit_is_reached_by_the_last_of_it),
        cmocka_unit_test(a_request_that_takes_all_that_is_left_is_not_made),
        cmocka_unit_test(a_call_is_judged_by_what_it_is_before_who_allows_it),
        cmocka_unit_test(nothing_is_handed_in_beside_what_the_model_has_not_seen),
        cmocka_unit_test(nothing_that_may_have_run_is_run_again_by_itself),
        cmocka_unit_test(a_reply_is_never_parted_from_its_results),
        cmocka_unit_test(texts_share_the_room_and_short_ones_stay_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
