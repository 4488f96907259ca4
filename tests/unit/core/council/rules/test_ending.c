/*
 * When a discussion is over, and why; and how decisions are written down and compared.
 */
#include "base/str.h"
#include "core/council/rules/ruling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static void it_ends_for_the_reason_that_says_most(void **state)
{
    static const struct {
        const char *name;
        struct end_facts facts;
        enum council_end end, would;
    } rows[] = {
        { "in the middle", { MODE_ROUNDS, SMART_ON, 1, 3, false, 2, 0 }, END_NONE, END_NONE },
        { "end of the first round", { MODE_ROUNDS, SMART_ON, 1, 3, true, 3, 0 }, END_NONE, END_NONE },
        { "last round", { MODE_ROUNDS, SMART_OFF, 3, 3, true, 1, 2 }, END_ROUNDS, END_NONE },
        { "last turn is not yet the end", { MODE_TURNS, SMART_OFF, 3, 3, false, 1, 0 }, END_NONE, END_NONE },
        { "all passed", { MODE_ROUNDS, SMART_OFF, 2, 3, true, 0, 3 }, END_ALL_PASSED, END_NONE },
        { "all passed at last", { MODE_ROUNDS, SMART_OFF, 3, 3, true, 0, 3 }, END_ALL_PASSED, END_NONE },
        { "passes in turns", { MODE_TURNS, SMART_OFF, 2, 3, true, 0, 3 }, END_NONE, END_NONE },
        { "a round of nobody", { MODE_ROUNDS, SMART_OFF, 2, 3, true, 0, 0 }, END_NONE, END_NONE },
        { "every call failed", { MODE_ROUNDS, SMART_OFF, 1, 3, true, 0, 3, 3 }, END_FAILED, END_NONE },
        { "one call failed", { MODE_ROUNDS, SMART_OFF, 1, 3, true, 0, 3, 1 }, END_ALL_PASSED, END_NONE },
        { "agreed", { MODE_ROUNDS, SMART_ON, 1, 3, true, 3, .agreed = true }, END_AGREEMENT, END_NONE },
        { "agreed, off", { MODE_ROUNDS, SMART_OFF, 1, 3, true, 3, .agreed = true }, END_NONE, END_NONE },
        { "agreed, shadow",
          { MODE_ROUNDS, SMART_SHADOW, 1, 3, true, 3, .agreed = true },
          END_NONE,
          END_AGREEMENT },
        { "old, shadow, last",
          { MODE_PARALLEL, SMART_SHADOW, 3, 3, true, 3, .nothing_new = true },
          END_ROUNDS,
          END_NOTHING_NEW },
        { "nothing new",
          { MODE_PARALLEL, SMART_ON, 2, 3, true, 3, .nothing_new = true },
          END_NOTHING_NEW,
          END_NONE },
        { "agreed and old",
          { MODE_ROUNDS, SMART_ON, 2, 3, true, 3, .agreed = true, .nothing_new = true },
          END_AGREEMENT,
          END_NONE },
        { "old in the middle",
          { MODE_ROUNDS, SMART_ON, 2, 3, false, 1, .nothing_new = true },
          END_NONE,
          END_NONE },
        { "calls spent",
          { MODE_ROUNDS, SMART_OFF, 1, 3, false, 1, .allowed = { 3 }, .used = { 3 } },
          END_BUDGET,
          END_NONE },
        { "calls left",
          { MODE_ROUNDS, SMART_OFF, 1, 3, false, 1, .allowed = { 3 }, .used = { 2 } },
          END_NONE,
          END_NONE },
        { "spent at the end",
          { MODE_ROUNDS, SMART_OFF, 3, 3, true, 1, .allowed = { 3 }, .used = { 3 } },
          END_ROUNDS,
          END_NONE },
        { "tokens",
          { MODE_TURNS, SMART_OFF, 1, 3, false, 1, .allowed = { 0, 9 }, .used = { 5, 10 } },
          END_BUDGET,
          END_NONE },
        { "seconds",
          { MODE_TURNS, SMART_OFF, 1, 3, false, 1, .allowed = { 0, 0, 9 }, .used = { 5, 10, 9 } },
          END_BUDGET,
          END_NONE },
        { "not limited",
          { MODE_TURNS, SMART_OFF, 1, 3, false, 1, .used = { 500, 1000, 900 } },
          END_NONE,
          END_NONE },
        { "failed", { MODE_TURNS, SMART_OFF, 1, 3, .failure = "No model." }, END_FAILED, END_NONE },
        { "cancelled",
          { MODE_TURNS, SMART_OFF, 3, 3, true, .cancelled = true, .failure = "x" },
          END_CANCELLED,
          END_NONE },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct end_verdict verdict = end_judge(&arena, &rows[i].facts);

        if (verdict.end != rows[i].end || verdict.would != rows[i].would)
            fail_msg("%s: ends as %d, would as %d", rows[i].name, (int)verdict.end, (int)verdict.would);
        assert_int_equal(verdict.reason[0] != '\0', verdict.end != END_NONE);
    }
}

static const struct council_entry three_rounds[] = {
    { ENTRY_SAID, "a", "x", "one", 1, 0 },
    { ENTRY_SAID, "b", "x", "two", 1, 1 },
    { ENTRY_SAID, "a", "x", "three", 2, 0 },
    { ENTRY_PASSED, "b", "x", "", 2, 1 },
    { ENTRY_SAID, "Ann", "user", "hm", 2, OUT_OF_TURN, .person = true },
    { ENTRY_PASSED, "a", "x", "", 3, 0 },
    { ENTRY_SKIPPED, "b", "x", "gone", 3, 1 },
};

static void shadow_mode_says_what_it_would_have_saved(void **state)
{
    struct end_saving saved = end_saved(three_rounds, LEN(three_rounds), 1);

    (void)state;
    assert_int_equal(saved.rounds, 2);
    assert_int_equal(saved.calls, 3);
    assert_int_equal(saved.contributions, 2);
    assert_int_equal(end_saved(three_rounds, LEN(three_rounds), 3).calls, 0);
}

/* A store may lay its inputs out otherwise: that makes no difference. */
static void check_stored(struct arena *arena, struct ruling made)
{
    JSON_AUTO *inputs = NULL;
    struct ruling stored = made;
    struct err err = { 0 };

    assert_true(json_parse(made.inputs, strlen(made.inputs), &inputs, &err));
    char *text = json_dumps(inputs, JSON_INDENT(2) | JSON_SORT_KEYS);

    stored.inputs = arena_text(arena, text);
    free(text);
    assert_string_not_equal(stored.inputs, made.inputs);
    assert_true(made.reason[0]);
    assert_null(ruling_difference(arena, &stored, &made));
}

static void every_decision_can_be_stored_and_compared(void **state)
{
    static const struct seat seats[] = { { .name = "a" }, { .name = "b", .gone = true } };
    static const char *const choices[] = { "A", "B" };
    const struct seating seating = { MODE_ROUNDS, seats, 2, 3 };
    const struct ballot ballots[] = { { "a", 0, 1 }, { "b", 1, 1 } };
    const struct vote vote = { VOTE_MAJORITY, choices, 2, 2, ballots, 2, { THRESHOLD_ALL } };
    const struct reply_rules rules = { .mode = MODE_ROUNDS, .speaker = "a" };
    const struct end_facts facts = { MODE_ROUNDS, SMART_SHADOW, 2, 3, true, 2, 0, 0, true };
    ARENA_AUTO arena = { 0 };
    struct err err = { 0 };
    struct vote_result result;

    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        struct order_step step = order_next(&seating, (struct slot){ 1, turn }, 0);

        check_stored(&arena, ruling_of_step(&arena, &step));
    }
    struct reply reply = reply_cut(&arena, &rules, "a: [PASS] done", 14);
    struct pass pass = pass_of_reply(&arena, &reply);
    struct novelty_round novelty = novelty_of_round(&arena, three_rounds, LEN(three_rounds), 2);
    struct end_verdict verdict = end_judge(&arena, &facts);

    check_stored(&arena,
                 ruling_of_reply(&arena, &(struct ruling_place){ { 1, 0 }, "Ann", "x" }, &reply, &pass));
    check_stored(&arena, ruling_of_novelty(&arena, 2, &novelty));
    assert_true(vote_count(&arena, &vote, &result, &err));
    check_stored(&arena, ruling_of_vote(&arena, 2, &result));
    check_stored(&arena, ruling_of_end(&arena, &facts, &verdict));
}

static void an_altered_turn_makes_a_difference(void **state)
{
    const struct reply_rules rules = { .mode = MODE_ROUNDS, .speaker = "a" };
    ARENA_AUTO arena = { 0 };
    struct reply said = reply_cut(&arena, &rules, "Use a cache.", 12),
                 other = reply_cut(&arena, &rules, "Use no cache", 12),
                 passed = reply_cut(&arena, &rules, "pass", 4);
    struct pass not = pass_of_reply(&arena, &said), pass = pass_of_reply(&arena, &passed);
    const struct ruling_place at = { { 1, 0 }, "Ann", "critic" }, ben = { { 1, 0 }, "Ben", "critic" },
                              judge = { { 1, 0 }, "Ann", "judge" };
    struct ruling stored = ruling_of_reply(&arena, &at, &said, &not ),
                  altered = ruling_of_reply(&arena, &at, &other, &not ),
                  turned = ruling_of_reply(&arena, &at, &passed, &pass), moved = stored;

    struct ruling by_ben = ruling_of_reply(&arena, &ben, &said, &not ),
                  as_judge = ruling_of_reply(&arena, &judge, &said, &not ), old = stored;

    (void)state;
    assert_non_null(ruling_difference(&arena, &stored, &by_ben));
    assert_non_null(ruling_difference(&arena, &stored, &as_judge));
    /* Earlier versions did not keep who it was. */
    old.inputs = arena_format(&arena, "{\"text\":\"%016llx\",\"lack\":\"none\",\"stop\":null,\"other\":null}",
                              (unsigned long long)str_hash(said.text));
    assert_null(ruling_difference(&arena, &old, &stored));
    assert_non_null(ruling_difference(&arena, &old, &altered));
    assert_non_null(strstr(ruling_difference(&arena, &stored, &altered), "inputs"));
    assert_non_null(strstr(ruling_difference(&arena, &stored, &turned), "\"pass:word\" comes out"));
    moved.turn = 1;
    assert_non_null(ruling_difference(&arena, &stored, &moved));
    moved = stored;
    moved.reason = "In other words.";
    assert_null(ruling_difference(&arena, &stored, &moved));
    moved.inputs = "not JSON";
    assert_non_null(ruling_difference(&arena, &stored, &moved));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_for_the_reason_that_says_most),
        cmocka_unit_test(shadow_mode_says_what_it_would_have_saved),
        cmocka_unit_test(every_decision_can_be_stored_and_compared),
        cmocka_unit_test(an_altered_turn_makes_a_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
