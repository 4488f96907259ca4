/*
 * A replay finds what is stored again, and says where something was altered: who voted, who has spoken, what
 * became of a reply, how it ended.
 */
#include "core/council/rules/replay.h"

#include "core/council/rules/voting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define LEN(a) (sizeof(a) / sizeof(*(a)))

static const struct seat seats[] = {
    { .name = "Ada", .role = "x", .kind = SEAT_MODEL },
    { .name = "Maya", .role = "user", .kind = SEAT_PERSON },
    { .name = "Bob", .role = "x", .kind = SEAT_OUTSIDE },
};
static const char *choices[] = { "left", "right" };

#define BALLOT(seat, who, what) \
    { \
        .kind = ROW_BALLOT, .manner = ENTRY_SAID, .speaker = who, .role = "x", .content = what, \
        .turn_index = seat, .round = 1, .metadata = "{}" \
    }

static void agents_vote_and_are_waited_for_unless_they_are_gone(void **state)
{
    struct logged ballots[] = { BALLOT(0, "Ada", "{\"choice\": \"left\"}"),
                                BALLOT(2, "Bob", "{\"choice\": \"left\"}") };
    struct seat two_gone[] = { seats[0], seats[1], seats[2] };
    struct seating seating = { MODE_ROUNDS, seats, 3, 1 }, gone = { MODE_ROUNDS, two_gone, 3, 1 };
    struct council_options options = {
        .choices = choices, .choice_count = 2, .rule = VOTE_MAJORITY, .threshold = { .kind = THRESHOLD_ALL }
    };
    ARENA_AUTO arena = { 0 };
    struct vote_result result;
    struct err err = { 0 };

    (void)state;
    two_gone[0].gone = two_gone[2].gone = true;
    assert_true(voting_lacks(&seating, &(struct logs){ 0 }, 0));
    assert_false(voting_lacks(&seating, &(struct logs){ 0 }, 1));
    assert_true(voting_lacks(&seating, &(struct logs){ ballots, 1 }, 2));
    assert_false(voting_is_complete(&seating, &(struct logs){ ballots, 1 }));
    assert_true(voting_is_complete(&seating, &(struct logs){ ballots, 2 }));
    assert_true(voting_is_complete(&gone, &(struct logs){ 0 }));
    assert_true(voting_count(&arena, &seating, &options, &(struct logs){ ballots, 1 }, &result, &err));
    assert_false(result.agreed);
    assert_true(voting_count(&arena, &gone, &options, &(struct logs){ ballots, 1 }, &result, &err));
    assert_true(result.agreed);
    ballots[1].manner = ENTRY_PASSED;
    assert_true(voting_count(&arena, &seating, &options, &(struct logs){ ballots, 2 }, &result, &err));
    assert_int_equal(result.spoilt, 1);
}

/* Ada speaks in both rounds, and the second was added after the first row. */
static struct logged talk[] = {
    { .seq = 1,
      .kind = ROW_TURN,
      .manner = ENTRY_SAID,
      .speaker = "Ada",
      .role = "x",
      .content = "One.",
      .round = 1,
      .metadata = "{\"attempts\":1}",
      .created_ms = 1000,
      .spent = { .calls = 1 } },
    { .seq = 2,
      .kind = ROW_TURN,
      .manner = ENTRY_SAID,
      .speaker = "Ada",
      .role = "x",
      .content = "Two.",
      .round = 2,
      .metadata = "{\"attempts\":1}",
      .created_ms = 2000,
      .spent = { .calls = 1 } },
};

static struct replay_facts facts_of_talk(void)
{
    return (struct replay_facts){
        .seating = { MODE_ROUNDS, seats, 1, 2 },
        .options = { .rule = VOTE_MAJORITY, .smart = SMART_OFF, .budget = { .calls = 3 } },
        .log = { talk, LEN(talk) },
        .has_ended = true,
        .ended_ms = 2000,
    };
}

/* As a driver would have stored them. */
static size_t store(struct arena *arena, struct ruling stored[4])
{
    const struct reply_rules rules = { .mode = MODE_ROUNDS, .speaker = "Ada" };

    for (size_t i = 0; i < 2; i++) {
        struct end_facts facts = {
            MODE_ROUNDS, SMART_OFF, (int)i + 1, 2, true, 1, .allowed = { .calls = 3 }
        };
        struct reply reply = reply_cut(arena, &rules, talk[i].content, strlen(talk[i].content));
        struct pass pass = pass_of_reply(arena, &reply);
        struct end_verdict verdict = end_judge(arena, &facts);

        stored[2 * i] =
            ruling_of_reply(arena, &(struct ruling_place){ { (int)i + 1, 0 }, "Ada", "x" }, &reply, &pass);
        stored[2 * i].after_seq = talk[i].seq;
        stored[2 * i + 1] = ruling_of_end(arena, &facts, &verdict);
    }
    return 4;
}

static void what_was_stored_comes_out_again(void **state)
{
    ARENA_AUTO arena = { 0 };
    struct replay_facts facts = facts_of_talk();
    struct ruling stored[4];
    struct replay replay;

    (void)state;
    facts.stored = stored;
    facts.stored_count = store(&arena, stored);
    replay = replay_judge(&arena, &facts);
    assert_int_equal(replay.decisions, 4);
    if (replay.difference_count > 0)
        fail_msg("%s", replay.differences[0]);
}

static void check_difference(const struct replay_facts *facts, const char *words)
{
    ARENA_AUTO arena = { 0 };
    struct replay replay = replay_judge(&arena, facts);
    bool found = false;

    for (size_t i = 0; i < replay.difference_count; i++)
        found = found || strstr(replay.differences[i], words);
    if (!found)
        fail_msg("\"%s\" is not among %zu differences", words, replay.difference_count);
}

static void what_was_altered_makes_a_difference(void **state)
{
    const struct spent_then others[] = { { 900, { .calls = 2 } }, { 5000, { .calls = 9 } } };
    struct seat bobs_seat = { .name = "Bob", .role = "x", .kind = SEAT_MODEL };
    ARENA_AUTO arena = { 0 };
    struct replay_facts facts = facts_of_talk(), altered;
    struct ruling stored[4];

    (void)state;
    facts.stored = stored;
    facts.stored_count = store(&arena, stored);
    altered = facts;
    altered.stored_count = 3;
    check_difference(&altered, "Round 2, turn -1, stop: \"rounds_used\" comes out, and nothing is stored.");
    altered = facts;
    altered.log.count = 1;
    check_difference(&altered, "Round 2, turn 0, reply: \"said\" is stored, and does not come out.");
    altered = facts;
    altered.seating.seats = &bobs_seat;
    check_difference(&altered, "Ada (x) is logged, where Bob (x) sits.");
    altered = facts;
    altered.added = "[[1,1]]"; /* then the first round was the last when it was judged */
    check_difference(&altered, "Round 1, turn -1, stop: \"go_on\" is stored, \"rounds_used\" comes out.");
    /* What others took by then counts, and what they took later does not. */
    altered = facts;
    altered.others = others;
    altered.others_count = 2;
    check_difference(&altered, "Round 1, turn -1, stop: \"go_on\" is stored, \"budget\" comes out.");
    altered.others = others + 1;
    altered.others_count = 1;
    assert_int_equal(replay_judge(&arena, &altered).difference_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_vote_and_are_waited_for_unless_they_are_gone),
        cmocka_unit_test(what_was_stored_comes_out_again),
        cmocka_unit_test(what_was_altered_makes_a_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
