/*
 * Who speaks when: whole discussions are run on paper, with a log of names for each.
 */
#include "core/council/rules/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))
#define PERSON(n) \
    { \
        .name = (n), .role = "user", .kind = SEAT_PERSON \
    }
#define AGENT(n) \
    { \
        .name = (n), .role = "specialist" \
    }
#define GONE(n) \
    { \
        .name = (n), .role = "specialist", .gone = true \
    }
#define OUTSIDE(n) \
    { \
        .name = (n), .role = "specialist", .kind = SEAT_OUTSIDE \
    }

struct paper {
    struct seating seating;
    struct slot at;
    struct council_entry log[200];
    size_t count;
};

static void note(struct paper *paper, const char *speaker, enum entry_kind kind, int turn)
{
    assert_true(paper->count < LEN(paper->log));
    paper->log[paper->count++] =
        (struct council_entry){ .kind = kind, .speaker = speaker, .round = paper->at.round, .turn = turn };
}

/* What one message of a person does in mode turns. False: the discussion had ended. */
static bool post(struct paper *paper, enum order_verdict *stopped)
{
    if (order_has_ended(&paper->seating, paper->at))
        return false;
    if (order_takes_turn(&paper->seating, paper->at)) {
        note(paper, "user", ENTRY_SAID, paper->at.turn);
        paper->at = order_after(&paper->seating, paper->at);
    } else {
        note(paper, "user", ENTRY_SAID, OUT_OF_TURN);
    }
    for (int steps = 0;; steps++) {
        struct order_step step = order_next(&paper->seating, paper->at, steps);

        *stopped = step.verdict;
        if (step.verdict == ORDER_SPEAK)
            note(paper, step.seat->name, ENTRY_SAID, step.at.turn);
        else if (step.verdict == ORDER_SKIP)
            note(paper, step.seat->name, ENTRY_SKIPPED, step.at.turn);
        else
            return true;
        assert_true(steps < TURN_ITERATIONS);
        paper->at = order_after(&paper->seating, paper->at);
    }
}

static void the_examples_of_mode_turns_come_out(void **state)
{
    static const struct seat person_first[] = { PERSON("user"), AGENT("manager"), AGENT("s1"), AGENT("s2") },
                             person_last[] = { AGENT("manager"), AGENT("s1"), AGENT("s2"), AGENT("s3"),
                                               PERSON("user") },
                             nobody[] = { AGENT("manager"), AGENT("s1") },
                             one_gone[] = { PERSON("user"), GONE("s1"), AGENT("s2") },
                             seven[] = { AGENT("a"), AGENT("b"), AGENT("c"), AGENT("d"),
                                         AGENT("e"), AGENT("f"), AGENT("g") },
                             all_gone[] = { GONE("a"), GONE("b") };
    static const struct {
        const struct seat *seats;
        size_t count, posts, entries;
        enum order_verdict first; /* how the first post stops */
    } rows[] = {
        { person_first, LEN(person_first), 3, 12, ORDER_WAIT_PERSON },
        { person_last, LEN(person_last), 4, 16, ORDER_WAIT_PERSON },
        { nobody, LEN(nobody), 1, 7, ORDER_END },
        { one_gone, LEN(one_gone), 3, 9, ORDER_WAIT_PERSON },
        { seven, LEN(seven), 2, 23, ORDER_REST },
        { all_gone, LEN(all_gone), 1, 7, ORDER_END },
    };

    (void)state;
    for (size_t i = 0; i < LEN(rows); i++) {
        struct paper paper = { .seating = { MODE_TURNS, rows[i].seats, rows[i].count, DISCUSSION_ROUNDS },
                               .at = order_first() };
        enum order_verdict stopped;
        size_t posts = 0;

        while (post(&paper, &stopped)) {
            if (posts++ == 0)
                assert_int_equal(stopped, rows[i].first);
        }
        assert_int_equal(posts, rows[i].posts);
        assert_int_equal(paper.count, rows[i].entries);
        assert_null(order_next_speaker(&paper.seating, paper.at));
    }
}

static void a_message_out_of_turn_costs_nobody_a_turn(void **state)
{
    static const struct seat seats[] = { AGENT("manager"), PERSON("user") };
    struct paper paper = { .seating = { MODE_TURNS, seats, 2, 1 }, .at = order_first() };
    enum order_verdict stopped;

    (void)state;
    assert_true(post(&paper, &stopped));
    assert_int_equal(paper.log[0].turn, OUT_OF_TURN);
    assert_string_equal(paper.log[1].speaker, "manager");
    assert_string_equal(order_next_speaker(&paper.seating, paper.at), "user");
    assert_true(post(&paper, &stopped));
    assert_int_equal(paper.log[2].turn, 1);
    assert_int_equal(stopped, ORDER_END);
}

static void each_kind_of_seat_has_its_step(void **state)
{
    static const struct seat seats[] = { AGENT("a"), OUTSIDE("b"), PERSON("c"), GONE("d") };
    static const enum order_verdict verdicts[] = { ORDER_SPEAK, ORDER_WAIT_OUTSIDE, ORDER_WAIT_PERSON,
                                                   ORDER_SKIP };
    struct seating seating = { MODE_ROUNDS, seats, 4, 2 };

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct order_step step = order_next(&seating, (struct slot){ 1, i }, 0);

        assert_int_equal(step.verdict, verdicts[i]);
        assert_ptr_equal(step.seat, &seats[i]);
        assert_true(step.reason[0]);
        assert_int_equal(order_takes_turn(&seating, (struct slot){ 1, i }), i == 2);
    }
    assert_string_equal(order_next_speaker(&seating, (struct slot){ 1, 3 }), "a");
    assert_null(order_next_speaker(&seating, (struct slot){ 2, 3 }));
    assert_int_equal(order_next(&seating, (struct slot){ 3, 0 }, 0).verdict, ORDER_END);
}

static void the_limit_of_one_message_is_for_mode_turns_and_never_takes_the_word_from_a_person(void **state)
{
    static const struct seat seats[] = { AGENT("a"), PERSON("b") };
    struct seating seating = { MODE_TURNS, seats, 2, 50 };

    (void)state;
    assert_int_equal(order_next(&seating, (struct slot){ 2, 0 }, TURN_ITERATIONS - 1).verdict, ORDER_SPEAK);
    assert_int_equal(order_next(&seating, (struct slot){ 2, 0 }, TURN_ITERATIONS).verdict, ORDER_REST);
    assert_int_equal(order_next(&seating, (struct slot){ 2, 1 }, TURN_ITERATIONS).verdict, ORDER_WAIT_PERSON);
    seating.mode = MODE_ROUNDS;
    assert_int_equal(order_next(&seating, (struct slot){ 2, 0 }, TURN_ITERATIONS).verdict, ORDER_SPEAK);
}

static void a_parallel_round_is_one_step(void **state)
{
    static const struct seat seats[] = { AGENT("a"), GONE("b"), AGENT("c"), AGENT("d") };
    const bool had[] = { true, false, false, false };
    struct seating seating = { MODE_PARALLEL, seats, 4, 2 };
    struct slot at = order_first();
    size_t turns[4];

    (void)state;
    assert_int_equal(order_next(&seating, at, 0).verdict, ORDER_ASK_ALL);
    assert_int_equal(order_pending(&seating, had, turns), 2);
    assert_int_equal(turns[0], 2);
    assert_int_equal(turns[1], 3);
    at = order_after(&seating, at);
    assert_int_equal(at.round, 2);
    assert_int_equal(order_next(&seating, order_after(&seating, at), 0).verdict, ORDER_END);
}

static void a_place_that_the_order_does_not_have_is_skipped(void **state)
{
    static const struct seat seats[] = { AGENT("a") };
    struct seating seating = { MODE_TURNS, seats, 1, 3 }, empty = { MODE_TURNS, NULL, 0, 3 };

    (void)state;
    assert_int_equal(order_next(&seating, (struct slot){ 1, 7 }, 0).verdict, ORDER_SKIP);
    assert_int_equal(order_next(&seating, (struct slot){ 1, -1 }, 0).verdict, ORDER_SKIP);
    assert_int_equal(order_next(&empty, order_first(), 0).verdict, ORDER_END);
    assert_null(order_next_speaker(&empty, order_first()));
}

static void what_was_said_is_counted_by_speaker(void **state)
{
    static const struct seat seats[] = { AGENT("a"), AGENT("b") };
    static const struct speaker_count heard[] = { { "Ann", 2 }, { "a", 2 } };
    ARENA_AUTO arena = { 0 };
    struct seating seating = { MODE_TURNS, seats, 2, 3 };
    size_t count;
    struct speaker_count *counts = order_counts(&arena, &seating, heard, LEN(heard), &count);

    (void)state;
    assert_int_equal(count, 3);
    assert_int_equal(counts[0].count, 2);
    assert_int_equal(counts[1].count, 0);
    assert_string_equal(counts[2].name, "Ann");
    assert_int_equal(counts[2].count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_mode_turns_come_out),
        cmocka_unit_test(a_message_out_of_turn_costs_nobody_a_turn),
        cmocka_unit_test(each_kind_of_seat_has_its_step),
        cmocka_unit_test(the_limit_of_one_message_is_for_mode_turns_and_never_takes_the_word_from_a_person),
        cmocka_unit_test(a_parallel_round_is_one_step),
        cmocka_unit_test(a_place_that_the_order_does_not_have_is_skipped),
        cmocka_unit_test(what_was_said_is_counted_by_speaker),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
