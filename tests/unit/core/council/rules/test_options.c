/*
 * What a discussion may be asked to do: what is refused, how it is kept, what is read back, and what it has
 * from the one that it is split off from.
 */
#include "core/council/rules/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static void what_is_wrong_is_refused_by_its_field(void **state)
{
    static const struct {
        const char *given, *field;
    } rows[] = {
        { "[]", "options" },
        { "{\"speed\": 1}", "options.speed" },
        { "{\"vote\": []}", "options.vote" },
        { "{\"vote\": {\"choices\": [\"a\", \"b\"], \"by\": 1}}", "options.vote.by" },
        { "{\"vote\": {\"choices\": [\"a\"]}}", "options.vote.choices" },
        { "{\"vote\": {\"choices\": [\"a\", \" \"]}}", "options.vote.choices" },
        { "{\"vote\": {\"choices\": [\"Go\", \"go!\"]}}", "options.vote.choices" },
        { "{\"vote\": {\"choices\": [\"a\", \"b\"], \"rule\": \"Borda\"}}", "options.vote.rule" },
        { "{\"vote\": {\"choices\": [\"a\", \"b\"], \"rule\": null}}", "options.vote.rule" },
        { "{\"agreement_threshold\": 1.5}", "options.agreement_threshold" },
        { "{\"smart_termination\": \"yes\"}", "options.smart_termination" },
        { "{\"judge\": 1}", "options.judge" },
        { "{\"rehearse\": \"yes\"}", "options.rehearse" },
        { "{\"context\": 7}", "options.context" },
        { "{\"budget\": 3}", "options.budget" },
        { "{\"budget\": {\"calls\": 0}}", "options.budget.calls" },
        { "{\"budget\": {\"cents\": 3}}", "options.budget.cents" },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        JSON_AUTO *given = json_loads(rows[i].given, 0, NULL);
        const char *stored;
        struct err err = { 0 };

        assert_non_null(given);
        if (options_check(&arena, given, &stored, &err))
            fail_msg("%s is taken", rows[i].given);
        assert_string_equal(err.field, rows[i].field);
    }
}

static struct council_options kept(struct arena *arena, const char *text)
{
    JSON_AUTO *given = json_loads(text, 0, NULL);
    struct council_options options;
    struct err err = { 0 };
    const char *stored;

    assert_true(options_check(arena, given, &stored, &err));
    options_read(arena, stored, "majority", &options);
    return options;
}

static void what_is_taken_is_read_back(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct council_options options =
        kept(&arena, "{\"vote\": {\"choices\": [\"left\", \"right\"], \"rule\": \"weighted\"},"
                     " \"agreementThreshold\": 0.75, \"smartTermination\": \"shadow\", \"judge\": true,"
                     " \"rehearse\": true, \"context\": \"Before.\","
                     " \"budget\": {\"calls\": 1, \"tokens\": 2, \"seconds\": 3}}");

    (void)state;
    assert_int_equal(options.choice_count, 2);
    assert_string_equal(options.choices[1], "right");
    assert_int_equal(options.rule, VOTE_WEIGHTED);
    assert_int_equal(options.threshold.kind, THRESHOLD_SHARE);
    assert_int_equal(options.smart, SMART_SHADOW);
    assert_true(options.judge && options.rehearse);
    assert_string_equal(options.context, "Before.");
    assert_int_equal(options.budget.calls + 10 * options.budget.tokens + 100 * options.budget.seconds, 321);
    assert_int_equal(kept(&arena, "{\"smart_termination\": true}").smart, SMART_ON);
    options = kept(&arena, "{}");
    assert_int_equal(options.smart, SMART_OFF);
    assert_int_equal(options.rule, VOTE_MAJORITY);
    assert_int_equal(options.threshold.kind, THRESHOLD_MAJORITY);
}

/* Another program may have written anything. */
static void nonsense_is_read_as_the_careful_value(void **state)
{
    static const char *const rows[] = { "nonsense", "[]",
                                        "{\"smart_termination\": 3, \"agreement_threshold\": []}",
                                        "{\"vote\": {\"rule\": \"luck\", \"choices\": 3}}" };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct council_options options;

        options_read(&arena, rows[i], "nonsense", &options);
        assert_int_equal(options.smart, SMART_OFF);
        assert_int_equal(options.rule, VOTE_MAJORITY);
        assert_int_equal(options.threshold.kind, THRESHOLD_ALL);
        assert_int_equal(options.choice_count, 0);
    }
}

static void the_budget_of_a_parent_holds_unless_its_own_is_tighter(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct council_options options;

    (void)state;
    options_read(&arena,
                 options_within(&arena, "{\"judge\":true,\"budget\":{\"calls\":900,\"seconds\":60}}",
                                "{\"rehearse\":true,\"budget\":{\"calls\":2,\"tokens\":7,\"seconds\":90}}"),
                 "all", &options);
    assert_true(options.judge);
    assert_false(options.rehearse);
    assert_int_equal(options.budget.calls, 2);
    assert_int_equal(options.budget.tokens, 7);
    assert_int_equal(options.budget.seconds, 60);
    assert_string_equal(options_within(&arena, "{}", "{\"budget\":{\"calls\":2}}"),
                        "{\"budget\":{\"calls\":2}}");
    assert_string_equal(options_within(&arena, "{}", "{\"judge\":true}"), "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused_by_its_field),
        cmocka_unit_test(what_is_taken_is_read_back),
        cmocka_unit_test(nonsense_is_read_as_the_careful_value),
        cmocka_unit_test(the_budget_of_a_parent_holds_unless_its_own_is_tighter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
